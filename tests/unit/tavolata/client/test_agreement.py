"""The Python client, the JavaScript client, the gateway and the docs agree on versions and close codes."""

import re

from gateway.dialects.play.messages import PROTOCOL as GATEWAY_PROTOCOL
from tavolata.client.messages import PROTOCOL
from tavolata.client.reconnecting import FINAL
from tests.support.cluster import ROOT

JAVASCRIPT = (ROOT / "clients" / "javascript" / "client.js").read_text()
GUIDE = (ROOT / "docs" / "protocols" / "play.md").read_text()


def test_both_clients_name_the_version_that_the_gateway_speaks() -> None:
    assert PROTOCOL == GATEWAY_PROTOCOL
    assert re.findall(r'^const PROTOCOL = "(.*)";$', JAVASCRIPT, re.MULTILINE) == [GATEWAY_PROTOCOL]


def test_both_clients_do_not_reconnect_after_the_close_codes_that_the_docs_call_final() -> None:
    documented = re.findall(r"^\| (\d{4}) \|.*\| no \|$", GUIDE, re.MULTILINE)
    _, _, table = JAVASCRIPT.partition("const FINAL = {")
    javascript = re.findall(r"^  (\d{4}): ", table.partition("};")[0], re.MULTILINE)
    assert [str(code) for code in FINAL] == documented
    assert javascript == documented
