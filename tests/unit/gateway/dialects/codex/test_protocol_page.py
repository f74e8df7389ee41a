"""docs/protocols/codex.md and the recorded game agree with the code."""

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import msgspec

from gateway.dialects.codex import CodexSettings, cards
from gateway.dialects.codex.messages import ClientMessage, ServerMessage
from shared.games.codex.cards import OBJECTIVES
from tests.unit.gateway.dialects.codex.scenario import Evening, shortened

ROOT = Path(__file__).parents[5]
PAGE = (ROOT / "docs" / "protocols" / "codex.md").read_text()
EXAMPLES = [json.loads(line) for block in re.findall(r"```json\n(.*?)```", PAGE, re.S) for line in block.splitlines()]
MESSAGES = [example for example in EXAMPLES if "type" in example]
CARDS = [example for example in EXAMPLES if "type" not in example]
SAID = Evening().perform()


def names(union: Any) -> set[str]:
    return {kind.__name__ for kind in get_args(union)}


def test_every_example_occurs_in_the_recorded_game() -> None:
    said = [shortened(line.message) for line in SAID]
    for example in MESSAGES:
        assert example in said, example


def test_every_message_has_an_example() -> None:
    assert {example["type"] for example in MESSAGES} == names(ClientMessage) | names(ServerMessage)


def test_client_and_server_send_only_their_own_messages() -> None:
    assert {line.message["type"] for line in SAID if line.sent_by == "server"} == names(ServerMessage)
    asked = {line.message["type"] for line in SAID if line.sent_by == "client"}
    assert asked - names(ClientMessage) == {"SingMessage"}
    assert asked >= names(ClientMessage)


def test_the_cards_on_the_page_are_as_on_the_wire() -> None:
    for example in CARDS:
        if example["id"] is not None:
            picture = cards.objective if example["id"] in OBJECTIVES else cards.card
            assert msgspec.json.decode(msgspec.json.encode(picture(example["id"]))) == example
    assert {"id": None, "kind": "RESOURCE", "kingdom": "FUNGI"} in CARDS
    assert {example["kind"] for example in CARDS} == {"GOLD", "STARTING", "OBJECTIVE", "RESOURCE"}


def test_the_settings_are_on_the_page_with_their_defaults() -> None:
    for setting in fields(CodexSettings):
        assert f"| `TAVOLATA_CODEX_{setting.name.upper()}` | {setting.default} |" in PAGE


def test_the_recorded_game_is_reproduced() -> None:
    record = (ROOT / "tests" / "transcripts" / "codex" / "evening.jsonl").read_text().splitlines()
    now = [{"who": line.who, "sent_by": line.sent_by, "message": shortened(line.message)} for line in SAID]
    assert [json.loads(line) for line in record] == now


def test_every_message_is_unchanged_after_decoding_and_encoding() -> None:
    for line in SAID:
        union: Any = ServerMessage if line.sent_by == "server" else ClientMessage
        if line.message["type"] != "SingMessage":
            again = json.loads(msgspec.json.encode(msgspec.convert(line.message, union)))
            assert {key: again[key] for key in line.message} == line.message
