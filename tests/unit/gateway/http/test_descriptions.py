"""The descriptions of the protocols: validators accept them, recorded frames fit them, the docs have them."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft7Validator, Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from gateway.http.descriptions.asyncapi import asyncapi
from gateway.http.descriptions.schemas import components
from shared.game import Game
from shared.game_schemas import game_schemas
from shared.games import stones
from tests.support import play_transcripts
from tests.support.descriptions import DOCUMENTS, FOLDER, PARTS, text
from tests.support.http_site import HttpSite
from worker.games import load_catalog

ROOT = Path(__file__).parents[4]
SPECIFICATION = ROOT / "node_modules" / "@asyncapi" / "specs" / "schemas" / "3.0.0-without-$id.json"
NOT_FOUND = "THE ASYNCAPI DOCUMENT WAS NOT VALIDATED: its specification is missing (npm install)"
ASYNCAPI, OPENAPI = DOCUMENTS["play.asyncapi.yaml"], DOCUMENTS["http.openapi.yaml"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_docs_have_the_description_of_the_present_structs(name: str) -> None:
    assert (FOLDER / name).read_text() == text(name), "write it again: python -m tests.support.descriptions"


def test_openapi_is_valid() -> None:
    OpenAPIV31SpecValidator(OPENAPI).validate()


def test_asyncapi_is_valid() -> None:
    if not SPECIFICATION.exists():
        if sys.__stderr__ is not None:
            sys.__stderr__.write(f"\n{NOT_FOUND}\n")
        pytest.skip(NOT_FOUND)
    errors = Draft7Validator(json.loads(SPECIFICATION.read_text())).iter_errors(ASYNCAPI)
    assert [error.message for error in errors] == []


def references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        for inner in part.values():
            yield from references(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from references(inner)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_reference_has_a_target(name: str) -> None:
    for target in references(DOCUMENTS[name]):
        found = DOCUMENTS[name]
        for key in target.removeprefix("#/").split("/"):
            found = found[key]


@pytest.mark.parametrize("part", ["commands", "events", "view", "options"])
@pytest.mark.parametrize("game", PARTS)
def test_the_schemas_of_games_are_valid(game: str, part: str) -> None:
    Draft202012Validator.check_schema(PARTS[game][part])
    assert PARTS[game][part]


# --- frames -----------------------------------------------------------------------------------------------------------


def strict(schema: Any) -> Any:
    """The schema without the keys that it does not name: a frame of this version has no others."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {"additionalProperties": False} if "properties" in schema else {}
    return {key: strict(value) for key, value in schema.items()} | closed


def validators(direction: str) -> dict[str, Draft7Validator]:
    """The validators of payloads, by type. `receive` is what clients send."""
    document = strict(ASYNCAPI)
    messages = {}
    for operation in document["operations"].values():
        replies = operation.get("reply", {}).get("messages", [])
        for message in operation["messages"] if operation["action"] == direction else []:
            messages[message["$ref"]] = message
        for message in replies if direction == "send" else []:
            messages[message["$ref"]] = message
    found = {}
    for target in messages:
        described = document["components"]["messages"][target.rpartition("/")[2]]
        schema = {**described["payload"], "components": document["components"]}
        found[described["name"]] = Draft7Validator(schema)
    return found


@pytest.fixture(scope="module")
def by_direction() -> dict[str, dict[str, Draft7Validator]]:
    return {">": validators("receive"), "<": validators("send")}


def check_frames(conversation: str, by_direction: dict[str, dict[str, Draft7Validator]]) -> set[str]:
    """Validate all frames of a conversation; returns the types that occurred."""
    seen = set()
    for line in conversation.splitlines():
        _, direction, frame = line.split(" ", 2)
        message = json.loads(frame)
        if message["type"] == "nonsense":
            continue
        errors = [error.message[:300] for error in by_direction[direction][message["type"]].iter_errors(message)]
        assert errors == [], frame[:300]
        seen.add(f"{direction} {message['type']}")
    return seen


@pytest.mark.parametrize("game", play_transcripts.MOVES)
def test_every_frame_of_a_recorded_conversation_fits(
    game: str, by_direction: dict[str, dict[str, Draft7Validator]]
) -> None:
    seen = check_frames((play_transcripts.FOLDER / f"{game}.txt").read_text(), by_direction)
    assert {"> hello", "> act", "< entered", "< update", "< ack", "< error", "< resumed", "< view"} <= seen


def test_every_frame_of_the_present_version_fits(by_direction: dict[str, dict[str, Draft7Validator]]) -> None:
    seen = check_frames(play_transcripts.record("stones"), by_direction)
    assert seen == {f"{way} {kind}" for way, kinds in by_direction.items() for kind in kinds}


# --- games and structs ------------------------------------------------------------------------------------------------


def test_a_renamed_field_changes_the_description() -> None:
    class Taken(msgspec.Struct, tag_field="type", tag="taken"):
        seat: int
        number: int

    fields = {name: getattr(stones.GAME, name) for name in stones.GAME.__dataclass_fields__}
    renamed = Game(**{**fields, "event_type": Taken})
    assert asyncapi({**PARTS, "stones": game_schemas(renamed)}) != ASYNCAPI


def test_types_of_one_name_in_two_parts_of_a_game_are_kept_apart() -> None:
    def part(kind: str) -> dict[str, Any]:
        return {"$ref": "#/$defs/Card", "$defs": {"Card": {"type": kind}}}

    parts = {"commands": part("string"), "events": part("integer"), "view": part("string")}
    found = components((), (), {"whist": parts})
    assert found["whist.commands"] == found["whist.view"] == {"$ref": "#/components/schemas/whist.Card"}
    assert found["whist.events"] == {"$ref": "#/components/schemas/whist.events.Card"}
    assert found["whist.events.Card"] == {"type": "integer"}


# --- served -----------------------------------------------------------------------------------------------------------


async def test_gateways_serve_both_descriptions() -> None:
    site = HttpSite()
    for path in ("/api/openapi.json", "/api/asyncapi.json"):
        answer = await site.ask(path)
        assert answer.status == 200
        assert answer.headers["content-type"] == "application/json"
        assert "components" in json.loads(answer.body)


def test_workers_announce_the_schemas_of_their_games() -> None:
    announced = {card.name: bytes(card.events) for card in load_catalog("").cards()}
    assert announced == {name: msgspec.json.encode(parts["events"]) for name, parts in PARTS.items()}


async def test_the_paths_of_openapi_are_those_of_the_application() -> None:
    site = HttpSite()
    routes = [getattr(route, "path", "").replace("{room:room}", "{room}") for route in site.apps.api]
    assert sorted(routes) == sorted(OPENAPI["paths"])
    for path in OPENAPI["paths"]:
        answer = await site.ask(path.replace("{room}", "1000"))
        assert str(answer.status) in OPENAPI["paths"][path]["get"]["responses"]


def test_health_is_always_answered_with_200() -> None:
    assert list(OPENAPI["paths"]["/healthz"]["get"]["responses"]) == ["200"]


@pytest.mark.parametrize("path", [path for path in OPENAPI["paths"] if path.startswith("/api/")])
def test_openapi_lists_the_refusal_of_too_many_requests(path: str) -> None:
    assert "429" in OPENAPI["paths"][path]["get"]["responses"]
