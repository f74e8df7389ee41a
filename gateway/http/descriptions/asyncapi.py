"""The description of `/ws/play` as an AsyncAPI 3 document (docs/protocols/play.md explains it in words)."""

from typing import Any, get_args

import msgspec

from gateway.dialects.play.messages import (
    PROTOCOL,
    AckOut,
    ActIn,
    AnyIn,
    AnyOut,
    ByeIn,
    CreateIn,
    EnteredOut,
    ErrorOut,
    FillIn,
    HelloIn,
    JoinIn,
    LeaveIn,
    MatchIn,
    PingIn,
    PongOut,
    RematchIn,
    ResumedOut,
    ResumeIn,
    RoomsChangedOut,
    RoomsIn,
    RoomsOut,
    SayIn,
    SpectateIn,
    ViewIn,
    ViewOut,
    WatchingOut,
    WelcomeOut,
)
from gateway.http.descriptions.schemas import GameParts, components, reference
from shared.room_events import RoomEvent
from shared.room_views import RoomView, Update

_ANSWERS: dict[type[msgspec.Struct], type[msgspec.Struct] | None] = {
    HelloIn: WelcomeOut,
    ByeIn: None,
    PingIn: PongOut,
    RoomsIn: RoomsOut,
    CreateIn: EnteredOut,
    JoinIn: EnteredOut,
    MatchIn: EnteredOut,
    RematchIn: EnteredOut,
    SpectateIn: WatchingOut,
    ViewIn: ViewOut,
    ResumeIn: ResumedOut,
    FillIn: AckOut,
    LeaveIn: AckOut,
    ActIn: AckOut,
    SayIn: AckOut,
}
_UNASKED: tuple[type[msgspec.Struct], ...] = (Update, ViewOut, RoomsChangedOut, ErrorOut)
_CHANNEL = {"$ref": "#/channels/play"}


def asyncapi(games: GameParts) -> dict[str, Any]:
    """The document for a cluster with these games."""
    requests, answers = get_args(AnyIn), get_args(AnyOut)
    messages = {_key(message): _message(message) for message in (*requests, *answers)}
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Tavolata: play",
            "version": f"{PROTOCOL}.0",
            "description": "The protocol of all games: JSON objects in WebSocket text messages of at most 64 KiB. "
            "Every request has an id, which rises over the whole session; its answer has the same id.",
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "channels": {
            "play": {
                "address": "/ws/play",
                "messages": {key: {"$ref": f"#/components/messages/{key}"} for key in messages},
            }
        },
        "operations": {
            **{_tag(request): _request(request, answer) for request, answer in _ANSWERS.items()},
            "inform": {
                "action": "send",
                "channel": _CHANNEL,
                "summary": "Messages that answer no request, or the request of another player.",
                "messages": [_on_channel(message) for message in _UNASKED],
            },
        },
        "components": {
            "messages": messages,
            "schemas": _draft_7(components((*requests, *answers, RoomView), get_args(RoomEvent), games)),
        },
    }


def _tag(message: type[msgspec.Struct]) -> str:
    return str(message.__struct_config__.tag)


def _key(message: type[msgspec.Struct]) -> str:
    """A message's key in the document: some requests have the type of their answer."""
    return _tag(message) + ("Request" if message in _ANSWERS else "")


def _message(message: type[msgspec.Struct]) -> dict[str, Any]:
    return {"name": _tag(message), "payload": reference(message.__name__)}


def _on_channel(message: type[msgspec.Struct]) -> dict[str, str]:
    return {"$ref": f"#/channels/play/messages/{_key(message)}"}


def _request(request: type[msgspec.Struct], answer: type[msgspec.Struct] | None) -> dict[str, Any]:
    operation = {"action": "receive", "channel": _CHANNEL, "messages": [_on_channel(request)]}
    if answer is None:
        return operation
    return operation | {"reply": {"channel": _CHANNEL, "messages": [_on_channel(answer), _on_channel(ErrorOut)]}}


def _draft_7(schema: Any) -> Any:
    """Schemas in the draft that AsyncAPI uses: it states the members of tuples in `items`."""
    if isinstance(schema, list):
        return [_draft_7(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "prefixItems" in schema:
        members = {"items": schema["prefixItems"], "additionalItems": schema.get("items", True)}
        schema = {key: value for key, value in schema.items() if key not in ("prefixItems", "items")} | members
    return {key: _draft_7(value) for key, value in schema.items()}
