"""docs/protocols/errors.md lists every code."""

import re

from shared.errors import CODES
from tests.support.launched import ROOT


def test_every_code_is_documented_with_its_text() -> None:
    document = (ROOT / "docs" / "protocols" / "errors.md").read_text()
    assert dict(re.findall(r"^\| `([a-z_/]+)` \| (.+) \|$", document, re.MULTILINE)) == CODES
