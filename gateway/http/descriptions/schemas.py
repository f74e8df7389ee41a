"""JSON schemas as components of a description, generated from the structs that are encoded and decoded.

The structs show neither what a raw part holds nor which fields never leave the cluster: both are stated here.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

Schema: TypeAlias = dict[str, Any]
Struct: TypeAlias = type[msgspec.Struct]
GameParts: TypeAlias = Mapping[str, Mapping[str, Schema]]
"""Game -> part (`options`, `commands`, `events` or `view`) -> its schema, with `$defs`."""

REFERENCE = "#/components/schemas/"
PARTS = ("options", "commands", "events", "view")

_HIDDEN = {
    "Listing": ("gone", "private", "only"),
    "Opened": ("seed", "key"),
    "Joined": ("sid", "token"),
    "Back": ("sid",),
    "Rematched": ("key",),
}
"""Fields that are in the store only."""


def reference(name: str) -> Schema:
    return {"$ref": REFERENCE + name}


def array_of(name: str) -> Schema:
    return {"type": "array", "items": reference(name)}


_EVENTS, _COMMANDS, _VIEW = array_of("AnyEvent"), array_of("GameCommand"), reference("RoomView")
_RAW = {
    "Update": {"events": _EVENTS, "view": _VIEW, "options": _COMMANDS},
    "RoomView": {"game": reference("GameView"), "options": _COMMANDS},
    "ActIn": {"command": reference("GameCommand")},
    "EnteredOut": {"view": _VIEW},
    "WatchingOut": {"view": _VIEW},
    "ViewOut": {"view": _VIEW},
    "ResumedOut": {"view": _VIEW},
    "GameBody": {"options": {"type": "object"}, "commands": {"type": "object"}},
    "UpdatesBody": {"updates": array_of("Update")},
    "ReplayStep": {"events": _EVENTS},
}
"""The contents of raw fields, by struct."""


def components(types: Sequence[Struct], room_events: Sequence[Struct], games: GameParts) -> dict[str, Schema]:
    """The schemas of all these types, and of the games that are played."""
    described = [_without_raw_defaults(struct) for struct in (*types, *room_events)]
    _, found = msgspec.json.schema_components(described, ref_template=REFERENCE + "{name}")
    for name, schema in found.items():
        properties, required = schema.get("properties", {}), schema.get("required", [])
        for hidden in _HIDDEN.get(name, ()):
            del properties[hidden]
        properties |= _RAW.get(name, {})
        schema["required"] = [field for field in required if field in properties]
    for game, parts in games.items():
        found |= _game_components(game, parts)
    shared = {
        "GameCommand": _one_of(f"{game}.commands" for game in games),
        "GameEvent": _one_of(f"{game}.events" for game in games),
        "GameView": _one_of(f"{game}.view" for game in games),
        "RoomEvent": _one_of(event.__name__ for event in room_events),
        "AnyEvent": _one_of(("RoomEvent", "GameEvent")),
    }
    return {name: _plain(schema) for name, schema in sorted({**found, **shared}.items())}


def _without_raw_defaults(struct: Struct) -> Struct:
    """The struct with None as the default of raw fields: msgspec describes no raw values."""
    fields = msgspec.structs.fields(struct)
    if not any(isinstance(field.default, msgspec.Raw) for field in fields):
        return struct
    changed: list[Any] = []
    for field in fields:
        if isinstance(field.default, msgspec.Raw):
            changed.append((field.name, Any, None))
        else:
            changed.append((field.name, field.type, *(() if field.required else (field.default,))))
    config = struct.__struct_config__
    return msgspec.defstruct(
        struct.__name__,
        changed,
        namespace={"__doc__": struct.__doc__},
        tag_field=config.tag_field,
        tag=config.tag,
        kw_only=True,
    )


def _one_of(names: Iterable[str]) -> Schema:
    return {"anyOf": [reference(name) for name in names]} if (names := tuple(names)) else {}


def _game_components(game: str, parts: Mapping[str, Schema]) -> dict[str, Schema]:
    """The parts of a game as `stones.commands` and so on, and what they are made of as `stones.Take`."""
    found: dict[str, Schema] = {}
    originals: dict[str, Schema] = {}
    for part in PARTS:
        schema = dict(parts.get(part, {}))
        names: dict[str, str] = {}
        definitions = schema.pop("$defs", {})
        for name, definition in definitions.items():
            # Two parts may use different types of the same name.
            is_same = originals.setdefault(name, definition) == definition
            names[f"#/$defs/{name}"] = f"{game}.{name}" if is_same else f"{game}.{part}.{name}"
        for name, definition in definitions.items():
            found[names[f"#/$defs/{name}"]] = _renamed(definition, names)
        found[f"{game}.{part}"] = _renamed(schema, names)
    return found


def _renamed(schema: Any, names: Mapping[str, str]) -> Any:
    """The schema with references to components instead of its own definitions."""
    if isinstance(schema, list):
        return [_renamed(item, names) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if isinstance(target := schema.get("$ref"), str):
        return {**schema, **reference(names[target])}
    return {key: _renamed(value, names) for key, value in schema.items()}


def _plain(schema: Any) -> Any:
    """The schema without `discriminator`, which OpenAPI and AsyncAPI write differently and no validator needs."""
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "properties" in schema:
        schema = {**schema, "properties": {name: _plain(inner) for name, inner in schema["properties"].items()}}
        return schema if schema.get("required") else {key: schema[key] for key in schema if key != "required"}
    return {key: _plain(value) for key, value in schema.items() if key != "discriminator"}
