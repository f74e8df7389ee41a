"""The dialects as the fuzzer knows them: messages that their clients send, and how they refuse one."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gateway.dialects.codex import messages as codex
from gateway.dialects.eriantys.events import messages as events
from gateway.dialects.eriantys.prompts import messages as prompts
from gateway.dialects.eriantys.status import messages as status
from gateway.dialects.play import messages as play
from tests.fuzz.grammar import Grammar

PLAY = "play"
Drawn = Any
"""A message as a JSON value, or the bytes of a frame that is not JSON."""


@dataclass(frozen=True, slots=True)
class Subject:
    dialect: str
    game: str
    draw: Callable[[Grammar], Drawn]
    refuses: Callable[[list[Any]], bool]
    """Whether the answers to a frame are a refusal."""
    keeps_silent: Callable[[Any], bool] = lambda _message: False
    """Whether a valid message of this kind has no answer."""
    words: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """Meaningful values of fields, by their names on the wire."""

    def __str__(self) -> str:
        return self.dialect if self.dialect != PLAY else f"{self.dialect}-{self.game}"


def _draw_event(grammar: Grammar) -> Drawn:
    """A message of `eriantys.events`; half of them are moves, whose fields depend on the event type."""
    if not grammar.flip():
        return grammar.any_of(events.FromClient)
    name = grammar.choice(list(events.MOVES))
    return grammar.struct(events.GameEvent, events.MOVES[name]) | {"eventType": name}


def _draw_status(grammar: Grammar) -> Drawn:
    """A line of `eriantys.status`: a name, the parameters of a game, or a command."""
    match grammar.choice(range(8)):
        case 0:
            return grammar.choice((b"player0", b"somebody else", b'"quoted"'))
        case 1:
            return grammar.struct(status.GameParameters)
        case _:
            name = grammar.choice(list(status.COMMANDS))
            parts = (status.ColourAndIsland, status.Swaps) if name == "PLAYCHARACTERCARD" else ()
            return grammar.struct(status.Command, status.COMMANDS[name], *parts) | {"cmd": name}


def _draw_snarl(grammar: Grammar) -> Drawn:
    """An answer to a prompt of Snarl: a name or a move."""
    to = grammar.choice((None, [grammar.near("row"), grammar.near("column")]))
    return grammar.choice((grammar.choice(("name", "Eve", "zombie1", b"unquoted")), {"type": "move", "to": to}, to))


def _type_is(*names: str) -> Callable[[Any], bool]:
    return lambda said: isinstance(said, dict) and said.get("type") in names


def _only(refusal: Callable[[Any], bool]) -> Callable[[list[Any]], bool]:
    """The answers are one message, which is a refusal."""
    return lambda answers: len(answers) == 1 and refusal(answers[0])


def _codex_refuses(said: Any) -> bool:
    return str(said.get("type")).startswith(("Confirm", "Error")) and bool(said["details"])


def _draw_play(grammar: Grammar) -> Drawn:
    """A message of `play`; every third one is a move."""
    return grammar.struct(play.ActIn) if grammar.choice(range(3)) == 0 else grammar.any_of(play.AnyIn)


def _play(game: str) -> Subject:
    words = {"wants": (["options"], ["view", "options", "x"]), "game": (game, "stones", "x")}
    return Subject(PLAY, game, _draw_play, _only(_type_is("error")), words=words)


_COLORS = ("RED", "BLUE", "GREEN", "YELLOW", "PINK", "green", "MAUVE")

SUBJECTS = (
    *map(_play, ("stones", "codex", "snarl", "eriantys")),
    Subject(
        "codex",
        "codex",
        lambda grammar: grammar.any_of(codex.ClientMessage),
        _only(_codex_refuses),
        keeps_silent=_type_is("HeartbeatMessage"),
        words={
            "face": ("FRONT", "BACK"),
            "color": _COLORS,
            "choice": (1, 2, 3, 4),
            "choose": (1, 2),
            "i": (38, 39, 40, 41, 42),
            "j": (38, 39, 40, 41, 42),
        },
    ),
    Subject(
        "snarl",
        "snarl",
        _draw_snarl,
        lambda answers: answers == ["Invalid", "move"],
        keeps_silent=lambda message: isinstance(message, str),  # a name that is accepted: the table waits
    ),
    Subject("eriantys.events", "eriantys", _draw_event, _only(_type_is("Nack"))),
    Subject(
        "eriantys.prompts",
        "eriantys",
        lambda grammar: grammar.any_of(prompts.FromClient),
        _only(_type_is("Error")),
        keeps_silent=_type_is("Pong"),
        words={"c": range(1, 13), "character": range(1, 13)},
    ),
    Subject(
        "eriantys.status",
        "eriantys",
        _draw_status,
        _only(lambda said: isinstance(said, dict) and said.get("status", 0) != 0),
        # The first player of a table that waits for more configures it.
        keeps_silent=lambda message: isinstance(message, dict) and "numPlayers" in message,
        words={
            "gameMode": ("expert", "simple", "x"),
            "studentColour": _COLORS,
            "pColour": _COLORS,
            "playerId": (0, 1),
            "playerIndex": (0, 1),
        },
    ),
)


def decoded(frame: bytes) -> Any:
    """The JSON value of a frame, or the frame itself."""
    try:
        return json.loads(frame)
    except (ValueError, RecursionError):
        return frame
