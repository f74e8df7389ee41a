"""The Python client, the JavaScript client, the gateway and the docs agree on fields, versions and close codes."""

import re

import msgspec
import pytest

from gateway.dialects.play import messages as gateway
from shared.room_views import Listing, RoomView, SeatView, Update
from tavolata.client import messages as client
from tavolata.client.reconnecting import FINAL
from tests.support.cluster import ROOT

JAVASCRIPT = (ROOT / "clients" / "javascript" / "client.js").read_text()
TYPES = (ROOT / "clients" / "javascript" / "client.d.ts").read_text()
GUIDE = (ROOT / "docs" / "protocols" / "play.md").read_text()
WRITTEN: dict[type[msgspec.Struct], type[msgspec.Struct]] = {
    client.TableView: RoomView,
    client.SeatedPlayer: SeatView,
    client.ListedTable: Listing,
    client.TableUpdate: Update,
    client.Welcome: gateway.WelcomeOut,
    client.AttachedMessage: gateway.AttachedOut,
    client.Ack: gateway.AckOut,
    client.ErrorAnswer: gateway.ErrorOut,
    client.TableList: gateway.RoomsOut,
    client.TableListChange: gateway.RoomsChangedOut,
}
"""The structs that the Python client reads, each with the one that gateways write."""
OWN = {"TableUpdate": {"reason"}}
"""Fields that the clients add."""


def names(struct: type[msgspec.Struct]) -> set[str]:
    return {field.encode_name for field in msgspec.structs.fields(struct)}


@pytest.mark.parametrize("read", WRITTEN, ids=lambda read: read.__name__)
def test_every_field_that_the_python_client_reads_is_one_that_gateways_write(read: type[msgspec.Struct]) -> None:
    assert names(read) - OWN.get(read.__name__, set()) <= names(WRITTEN[read])


@pytest.mark.parametrize("read", list(WRITTEN)[:5], ids=lambda read: read.__name__)
def test_every_field_that_the_javascript_types_declare_is_one_that_gateways_write(read: type[msgspec.Struct]) -> None:
    _, _, rest = TYPES.partition(f"export interface {read.__name__} ")
    head, _, body = rest.partition("{")
    declared = set(re.findall(r"^  (\w+)\??:", body.partition("\n}")[0], re.MULTILINE))
    assert declared
    declared |= {"epoch", "offset"} if "Position" in head else set()
    assert declared - OWN.get(read.__name__, set()) <= names(WRITTEN[read])


def test_both_clients_name_the_version_that_the_gateway_speaks() -> None:
    assert client.PROTOCOL == gateway.PROTOCOL
    assert re.findall(r'^const PROTOCOL = "(.*)";$', JAVASCRIPT, re.MULTILINE) == [gateway.PROTOCOL]


def test_both_clients_do_not_reconnect_after_the_close_codes_that_the_docs_call_final() -> None:
    documented = re.findall(r"^\| (\d{4}) \|.*\| no \|$", GUIDE, re.MULTILINE)
    _, _, table = JAVASCRIPT.partition("const FINAL = {")
    javascript = re.findall(r"^  (\d{4}): ", table.partition("};")[0], re.MULTILINE)
    assert [str(code) for code in FINAL] == documented
    assert javascript == documented
