"""A scripted game of two players in which every message of the dialect occurs."""

from dataclasses import dataclass
from typing import Any

import msgspec

from shared.dice import Dice
from shared.games.codex.commands import (
    ChooseObjective,
    ChooseStarting,
    Command,
    DrawGold,
    DrawResource,
    DrawTable,
    PickColor,
    PlaceCard,
)
from shared.games.codex.game import GAME
from shared.games.codex.pieces import Phase
from tests.support.codex_table import Client, Cluster

SEED = 15


@dataclass(frozen=True)
class Line:
    who: str
    sent_by: str
    """`client` or `server`."""
    message: dict[str, Any]


class Evening:
    """Plays the scripted game and records every frame."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self._cluster = Cluster(SEED)
        self._cluster.overheard = self._overheard
        self._names: dict[int, str] = {}
        self._clients: dict[str, Client] = {}

    def perform(self) -> list[Line]:
        self._arrive()
        self._stumble()
        for _ in range(9):
            self._move()
        self._leave_and_return()
        while self._room.status == "playing":
            self._move()
        self._say("Bob", "GroupChat", sender="Bob", text="Well played")
        return self.lines

    def _overheard(self, client: Client, frame: bytes) -> None:
        self.lines.append(Line(self._names[id(client)], "server", msgspec.json.decode(frame)))

    def _connect(self, name: str) -> None:
        client = self._clients[name] = self._cluster.connect()
        self._names[id(client)] = name

    def _say(self, who: str, kind: str, **arguments: Any) -> None:
        message = {"type": kind + "Message", **arguments}
        self.lines.append(Line(who, "client", message))
        self._clients[who].say(message)

    def _arrive(self) -> None:
        for name in ("Ann", "Bob"):
            self._connect(name)
        self._say("Bob", "JoinGame", nickname="Bob", hasJoined=False)
        self._say("Ann", "CreateGame", numPlayers=5, nickname="Ann")
        self._say("Ann", "CreateGame", numPlayers=2, nickname="Ann")
        self._say("Bob", "JoinGame", nickname="Bob", hasJoined=False, gameId=1000)

    def _stumble(self) -> None:
        """Chat, malformed messages, and requests that are denied."""
        self._say("Ann", "GroupChat", sender="Ann", text="Good evening")
        self._say("Bob", "PrivateChat", sender="Bob", recipient="Ann", text="I have never played this")
        self._say("Bob", "PrivateChat", sender="Bob", recipient="Cid", text="Are you there?")
        self._say("Bob", "Sing", text="la la la")
        other = next(name for name in self._clients if name != self._current)
        self._say(other, "ChooseStarting", player=other, face="FRONT")
        for client in self._clients.values():
            client.put_out(client.conversation.tick(1_000))
        self._say("Ann", "Heartbeat", heartbeat="ping")

    def _leave_and_return(self) -> None:
        name = self._current
        self._clients[name].drop()
        self._connect(name)
        self._say(name, "RejoinGame", nickname=name, gameId=1001)
        self._say(name, "RejoinGame", nickname=name)

    # --- play --------------------------------------------------------------------------------------------------------

    @property
    def _room(self) -> Any:
        return next(iter(self._cluster.rooms.values()))

    @property
    def _current(self) -> str:
        return str(self._room.seats[self._room.play.table.current].name)

    def _move(self) -> None:
        """The bot chooses the placements; draws are random."""
        play, name, dice = self._room.play, self._current, Dice(SEED, len(self.lines))
        seat = play.table.current
        assert GAME.bot is not None
        drawing = play.table.phase is Phase.DRAWING
        self._do(name, dice.choice(GAME.options(play, seat)) if drawing else GAME.bot(play, seat, dice))

    def _do(self, name: str, command: Command) -> None:
        match command:
            case ChooseStarting(face=face):
                self._say(name, "ChooseStarting", player=name, face=face.upper())
            case PickColor(color=color):
                self._say(name, "PickColor", nickname=name, color=color.upper())
            case ChooseObjective(choose=choose):
                self._say(name, "ChooseObjective", player=name, choose=choose)
            case PlaceCard(choice=choice, i=i, j=j, face=face):
                self._say(name, "PlaceCard", player=name, choice=choice, i=i, j=j, face=face.upper())
            case DrawTable(choice=choice):
                self._say(name, "DrawTable", nickname=name, choice=choice)
            case DrawResource():
                self._say(name, "DrawResource", nickname=name)
            case DrawGold():
                self._say(name, "DrawGold", nickname=name)


def shortened(value: Any) -> Any:
    """A message in which visible cards are shortened to their number and face."""
    match value:
        case {"id": int() as number, "kind": _, **rest}:
            return {"id": number, "face": rest["face"]} if "face" in rest else {"id": number}
        case dict():
            return {key: shortened(inner) for key, inner in value.items()}
        case list():
            return [shortened(inner) for inner in value]
        case _:
            return value
