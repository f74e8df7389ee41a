"""The examples on the protocol pages can be decoded, and every message has one."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gateway.dialects.eriantys.events import messages as events_messages
from gateway.dialects.eriantys.prompts import messages as prompts_messages
from gateway.dialects.eriantys.status import messages as status_messages
from shared.games.eriantys.refusals import CODES
from tests.unit.gateway.dialects.eriantys.tables import EVENTS, PROMPTS, STATUS, Seats
from tests.unit.shared.games.eriantys.positions import board

PAGES = Path(__file__).parents[5] / "docs"


def examples(dialect: str) -> list[tuple[str, str]]:
    page = (PAGES / "protocols" / f"{dialect.replace('.', '-')}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```jsonl\n(.*?)```", page, re.DOTALL)
    return [(client[0], client[2:]) for block in blocks for client in block.splitlines()]


def names(union: Any) -> set[str]:
    return {kind.__name__ for kind in union.__args__}


TO_CLIENT: dict[str, Any] = {EVENTS: events_messages.ToClient, PROMPTS: prompts_messages.ToClient}
FROM_CLIENT: dict[str, Any] = {EVENTS: events_messages.FromClient, PROMPTS: prompts_messages.FromClient}


@pytest.mark.parametrize("dialect", [EVENTS, PROMPTS])
def test_every_message_of_the_server_has_a_correct_example(dialect: str) -> None:
    seen = set()
    for direction, text in examples(dialect):
        if direction == "<":
            message = msgspec.json.decode(text, type=TO_CLIENT[dialect])
            assert msgspec.json.decode(msgspec.json.encode(message)) == msgspec.json.decode(text)
            seen.add(type(message).__name__)
    assert seen == names(TO_CLIENT[dialect])


@pytest.mark.parametrize("dialect", [EVENTS, PROMPTS])
def test_every_message_of_a_client_has_a_correct_example(dialect: str) -> None:
    conversation: Any = Seats(dialect, dialect).clients[0].conversation
    seen, moves = set(), set()
    for direction, text in examples(dialect):
        if direction == ">":
            parsed = conversation.parse(text.encode())
            seen.add(msgspec.json.decode(text)["type"])
            moves |= {type(parsed[1])} if isinstance(parsed, tuple) else set()
    assert seen == names(FROM_CLIENT[dialect])
    if dialect == EVENTS:
        assert moves == set(events_messages.MOVES.values())


def test_the_examples_of_the_status_dialect_are_correct() -> None:
    nameless: Any = Seats(STATUS, STATUS).connect(STATUS).conversation
    seated: Any = Seats(STATUS, STATUS, position=board(cards=(1, 5, 7))).clients[0].conversation
    commands, keys = set(), set()
    for direction, text in examples(STATUS):
        if direction == ">":
            conversation = seated if text.startswith("{") else nameless
            conversation.parse(text.encode())
            commands.add(msgspec.json.decode(text)["cmd"] if '"cmd"' in text else "")
        else:
            received = msgspec.json.decode(text)
            kind: Any = status_messages.AddPlayerResponse if "userID" in received else status_messages.CurrentStatus
            assert msgspec.json.decode(msgspec.json.encode(msgspec.json.decode(text, type=kind))) == received
            keys |= set(received)
    assert commands == {"", *status_messages.COMMANDS}
    assert keys == {"status", "userID", "errorMessage", "winner", "turn", "game", "gameMode", "playerID"}


def test_every_code_of_the_game_is_documented() -> None:
    page = (PAGES / "games" / "eriantys.md").read_text(encoding="utf-8")
    assert [code for code in CODES if f"`{code}`" not in page] == []
