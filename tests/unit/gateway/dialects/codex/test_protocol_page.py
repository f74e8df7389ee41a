"""docs/protocols/codex.md and the recorded game agree with the code."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_args

import msgspec

from gateway.dialects.codex import CodexSettings, cards
from gateway.dialects.codex.messages import ClientMessage, ServerMessage
from shared.games.codex.cards import OBJECTIVES
from tests.unit.gateway.dialects.codex.recorded_game import RecordedMessage, recorded_game, shortened

ROOT = Path(__file__).parents[5]
PAGE = (ROOT / "docs" / "protocols" / "codex.md").read_text()
EXAMPLES = [json.loads(line) for block in re.findall(r"```json\n(.*?)```", PAGE, re.S) for line in block.splitlines()]
MESSAGES = [example for example in EXAMPLES if "type" in example]
CARDS = [example for example in EXAMPLES if "type" not in example]


def names(union: Any) -> set[str]:
    return {kind.__name__ for kind in get_args(union)}


def test_every_example_occurs_in_the_recorded_game() -> None:
    recorded = [shortened(record.message) for record in recorded_game()]
    for example in MESSAGES:
        assert example in recorded, example


def test_every_message_has_an_example() -> None:
    assert {example["type"] for example in MESSAGES} == names(ClientMessage) | names(ServerMessage)


def test_client_and_server_send_only_their_own_messages() -> None:
    records = recorded_game()
    assert {record.message["type"] for record in records if record.sent_by == "server"} == names(ServerMessage)
    sent = {record.message["type"] for record in records if record.sent_by == "client"}
    assert sent - names(ClientMessage) == {"SingMessage"}
    assert sent >= names(ClientMessage)


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
    transcript = (ROOT / "tests" / "transcripts" / "codex" / "evening.jsonl").read_text().splitlines()
    recorded = [RecordedMessage(**json.loads(line)) for line in transcript]
    replayed = [replace(record, message=shortened(record.message)) for record in recorded_game()]
    assert exchanges(replayed) == exchanges(recorded)


Exchange = tuple[RecordedMessage, dict[str, list[Any]]]


def exchanges(records: Iterable[RecordedMessage]) -> list[Exchange]:
    """Each message of a client, with the messages that every player received before the next one. The order of messages
    to different players is not compared: a gateway writes to each connection once per tick of its loop."""
    found: list[Exchange] = []
    for record in records:
        if record.sent_by == "client":
            found.append((record, defaultdict(list)))
        else:
            found[-1][1][record.who].append(record.message)
    return found


def test_every_message_is_unchanged_after_decoding_and_encoding() -> None:
    for record in recorded_game():
        union: Any = ServerMessage if record.sent_by == "server" else ClientMessage
        if record.message["type"] != "SingMessage":
            again = json.loads(msgspec.json.encode(msgspec.convert(record.message, union)))
            assert {key: again[key] for key in record.message} == record.message
