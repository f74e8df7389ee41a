"""The options of listeners: a wrong one is refused when the gateway starts."""

import pytest

from gateway.dialects.contract import Dialect
from gateway.dialects.eriantys import events, prompts, status
from gateway.dialects.eriantys.common.listener_options import has_compat
from gateway.dialects.framing import Lines
from gateway.transports.java_stream.framing import ObjectFraming

DIALECTS = pytest.mark.parametrize(
    "dialect", [events.DIALECT, prompts.DIALECT, status.DIALECT], ids=lambda dialect: dialect.name
)


def test_a_mode_is_on_only_if_it_is_named() -> None:
    assert has_compat({"compat": "am28"}, "eriantys.status", "am28")
    assert not has_compat({}, "eriantys.status", "am28")


@DIALECTS
@pytest.mark.parametrize(
    ("options", "why"),
    [({"compat": "am99"}, "compat must be"), ({"compat": ""}, "compat must be"), ({"port": "1"}, "no option 'port'")],
)
def test_options_that_a_listener_does_not_have_are_refused(dialect: Dialect, options: dict[str, str], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        dialect.framing(options)


@DIALECTS
def test_without_a_mode_each_message_is_a_line(dialect: Dialect) -> None:
    framing = dialect.framing({})
    assert isinstance(framing, Lines)
    assert framing.preamble == b""


def test_group3_speaks_in_java_objects() -> None:
    framing = events.DIALECT.framing({"compat": "group3"})
    assert isinstance(framing, ObjectFraming)
    assert framing.preamble == b"\xac\xed\x00\x05"


def test_pings_of_am28_must_come_before_the_program_gives_up() -> None:
    status.DIALECT.framing({"compat": "am28", "ping_ms": "9999"})
    status.DIALECT.framing({"ping_ms": "60000"})
    for ping_ms in ("0", "10000", "often"):
        with pytest.raises(ValueError, match="ping_ms"):
            status.DIALECT.framing({"compat": "am28", "ping_ms": ping_ms})
