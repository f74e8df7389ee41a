"""JSON schemas of a game, generated from its types, for clients that do not have its code."""

from typing import Any, get_type_hints

import msgspec

from shared.game import AnyGame


def view_type(game: AnyGame) -> Any:
    """The type of the game's views, as the annotation of its `view` says; Any if it says nothing."""
    try:
        stated = get_type_hints(game.view).get("return", Any)
    except NameError:  # an annotation under `if TYPE_CHECKING`
        return Any
    return Any if stated is msgspec.Struct else stated


def game_schemas(game: AnyGame) -> dict[str, dict[str, Any]]:
    """The schemas of `options`, `commands`, `events` and `view`."""
    types = {
        "options": game.options_type,
        "commands": game.command_type,
        "events": game.event_type,
        "view": view_type(game),
    }
    return {part: msgspec.json.schema(stated) for part, stated in types.items()}
