"""The description of the players' HTTP API as an OpenAPI 3.1 document (docs/protocols/http.md explains it in words)."""

from typing import Any, get_args

import msgspec

from gateway.dialects.contract import MOST_LISTED
from gateway.http.answers import (
    ErrorBody,
    GamesBody,
    HealthBody,
    PlayersBody,
    ReadyBody,
    ReplayBody,
    RoomsBody,
    UpdatesBody,
    WatchersBody,
)
from gateway.http.descriptions.schemas import GameParts, components, reference
from shared.room_events import RoomEvent
from shared.room_views import RoomView, Update

VERSION = "1.0.0"
"""The version of the API. Names are added to it, never changed."""

_BODIES = (ErrorBody, HealthBody, ReadyBody, GamesBody, PlayersBody, RoomsBody, UpdatesBody, WatchersBody, ReplayBody)
_ROOM = {"name": "room", "in": "path", "required": True, "schema": {"type": "integer", "minimum": 1}}
_KEY = {
    "name": "Room-Key",
    "in": "header",
    "description": "The key of a private room.",
    "schema": {"type": "string"},
}
_TOO_MANY = "The client's address has exceeded a rate."
_SESSION: dict[str, list[str]] = {"session": []}


def openapi(games: GameParts) -> dict[str, Any]:
    """The document for a cluster with these games."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Tavolata: HTTP",
            "version": VERSION,
            "description": "Health, games, lists of rooms, records and replays. Answers are JSON; errors have a code. "
            "An unknown path of the API is answered with 404 http/unknown_path, a wrong method with 405 "
            "http/wrong_method.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": {path: {"get": operation} for path, operation in _operations().items()},
        "components": {
            "schemas": components((*_BODIES, Update, RoomView), get_args(RoomEvent), games),
            "securitySchemes": {
                "session": {"type": "http", "scheme": "bearer", "description": "The token of `welcome` in /ws/play."}
            },
        },
    }


def _operations() -> dict[str, dict[str, Any]]:
    after = _number("after", "The offset of the last step that the client has.")
    filters = [
        {"name": "game", "in": "query", "schema": {"type": "string"}},
        {"name": "status", "in": "query", "schema": {"type": "string", "enum": ["waiting", "playing"]}},
        _number("seats", "The number of seats."),
        _number("after", "The number of the last room of the page before."),
        _number("limit", f"Rooms of a page: {MOST_LISTED} if it is 0, and never more than that."),
    ]
    records = {
        401: "The token is invalid, expired or revoked.",
        403: "The session has no seat there; or there is no token, and the room admits no spectators.",
    }
    replays = {403: "The room admitted no spectators.", 409: "The game is not finished."}
    unknown = {400: "A parameter is not a number.", 404: "There is no such room, or it is not a number."}
    return {
        "/healthz": {
            "summary": "Is the process running?",
            "responses": {"200": _response("It is.", HealthBody)},
        },
        "/readyz": _operation("Does the gateway accept players?", ReadyBody, {}) | {"responses": _readiness()},
        "/api/games": _operation("The games of the cluster.", GamesBody, {}),
        "/api/players": _operation("The number of connected clients.", PlayersBody, {}),
        "/api/rooms": _operation(
            "The public rooms that wait or play.", RoomsBody, {400: unknown[400]}, parameters=filters
        ),
        "/api/rooms/{room}/updates": _operation(
            "The updates of the session's seat; without a session, those that spectators get.",
            UpdatesBody,
            unknown | records,
            parameters=[_ROOM, after, _KEY],
        )
        | {"security": [_SESSION, {}]},
        "/api/rooms/{room}/watchers": _operation(
            "The number of spectators of a public room.",
            WatchersBody,
            {404: "The room is not a number."},
            parameters=[_ROOM],
        ),
        "/api/replays/{room}": _operation(
            "A finished game, step by step.", ReplayBody, unknown | replays, parameters=[_ROOM, after, _KEY]
        )
        | {"security": [_SESSION, {}]},
        "/api/openapi.json": _document("This document."),
        "/api/asyncapi.json": _document("The description of /ws/play, as AsyncAPI 3."),
    }


def _number(name: str, description: str) -> dict[str, Any]:
    return {"name": name, "in": "query", "description": description, "schema": {"type": "integer", "minimum": 0}}


def _response(description: str, body: type[msgspec.Struct]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": reference(body.__name__)}}}


def _operation(summary: str, body: type[msgspec.Struct], errors: dict[int, str], **more: Any) -> dict[str, Any]:
    failures = errors | {429: _TOO_MANY, 503: "The store cannot be reached."}
    return {
        "summary": summary,
        **more,
        "responses": {"200": _response(summary, body)}
        | {str(status): _response(text, ErrorBody) for status, text in sorted(failures.items())},
    }


def _readiness() -> dict[str, Any]:
    return {"200": _response("It does.", ReadyBody), "503": _response("It does not.", ReadyBody)}


def _document(summary: str) -> dict[str, Any]:
    body = {"application/json": {"schema": {"type": "object"}}}
    return {
        "summary": summary,
        "responses": {"200": {"description": summary, "content": body}, "429": _response(_TOO_MANY, ErrorBody)},
    }
