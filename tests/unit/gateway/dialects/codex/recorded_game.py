"""A scripted game of two players in which every message of the dialect occurs."""

from dataclasses import dataclass
from functools import cache
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
from shared.room_events import RoomStatus
from tests.support.memory_cluster import MemoryClient
from tests.unit.gateway.dialects.codex.played_game import codex_cluster, game_state

SEED = 15


@dataclass(frozen=True)
class RecordedMessage:
    who: str
    """The name of the player."""
    sent_by: str
    """`client` or `server`."""
    message: dict[str, Any]


@cache
def recorded_game() -> tuple[RecordedMessage, ...]:
    """All messages of the scripted game, in order."""
    script = _Script()
    script.perform()
    script.cluster.close()
    return tuple(script.messages)


class _Script:
    """Plays the scripted game and records every message."""

    def __init__(self) -> None:
        self.messages: list[RecordedMessage] = []
        self.cluster = codex_cluster(SEED)
        self._clients: dict[str, MemoryClient] = {}

    def perform(self) -> None:
        self._take_seats()
        self._chat_and_err()
        for _ in range(9):
            self._move()
        self._leave_and_return()
        while self.cluster.room().state.status == RoomStatus.PLAYING:
            self._move()
        self._send("Bob", "GroupChat", sender="Bob", text="Well played")

    def _connect(self, name: str) -> None:
        client = self._clients[name] = self.cluster.connect("codex")
        client.on_frame = lambda frame: self.messages.append(
            RecordedMessage(name, "server", msgspec.json.decode(frame))
        )

    def _send(self, name: str, kind: str, **arguments: Any) -> None:
        message = {"type": kind + "Message", **arguments}
        self.messages.append(RecordedMessage(name, "client", message))
        self._clients[name].send_json(message)

    def _take_seats(self) -> None:
        for name in ("Ann", "Bob"):
            self._connect(name)
        self._send("Bob", "JoinGame", nickname="Bob", hasJoined=False)
        self._send("Ann", "CreateGame", numPlayers=5, nickname="Ann")
        self._send("Ann", "CreateGame", numPlayers=2, nickname="Ann")
        self._send("Bob", "JoinGame", nickname="Bob", hasJoined=False, gameId=1000)

    def _chat_and_err(self) -> None:
        """Chat, malformed messages, and requests that are denied."""
        self._send("Ann", "GroupChat", sender="Ann", text="Good evening")
        self._send("Bob", "PrivateChat", sender="Bob", recipient="Ann", text="I have never played this")
        self._send("Bob", "PrivateChat", sender="Bob", recipient="Cid", text="Are you there?")
        self._send("Bob", "Sing", text="la la la")
        other = next(name for name in self._clients if name != self._current)
        self._send(other, "ChooseStarting", player=other, face="FRONT")
        self.cluster.advance(1_250)
        self._send("Ann", "Heartbeat", heartbeat="ping")

    def _leave_and_return(self) -> None:
        name = self._current
        self._clients[name].drop()
        self._connect(name)
        self._send(name, "RejoinGame", nickname=name, gameId=1001)
        self._send(name, "RejoinGame", nickname=name)

    # --- play --------------------------------------------------------------------------------------------------------

    @property
    def _current(self) -> str:
        return self.cluster.room().state.seats[game_state(self.cluster).table.current].name

    def _move(self) -> None:
        """The bot chooses the placements; draws are random."""
        state, name, dice = game_state(self.cluster), self._current, Dice(SEED, len(self.messages))
        seat = state.table.current
        assert GAME.bot is not None
        drawing = state.table.phase is Phase.DRAWING
        self._send_command(name, dice.choice(GAME.options(state, seat)) if drawing else GAME.bot(state, seat, dice))

    def _send_command(self, name: str, command: Command) -> None:
        match command:
            case ChooseStarting(face=face):
                self._send(name, "ChooseStarting", player=name, face=face.upper())
            case PickColor(color=color):
                self._send(name, "PickColor", nickname=name, color=color.upper())
            case ChooseObjective(choose=choose):
                self._send(name, "ChooseObjective", player=name, choose=choose)
            case PlaceCard(choice=choice, i=i, j=j, face=face):
                self._send(name, "PlaceCard", player=name, choice=choice, i=i, j=j, face=face.upper())
            case DrawTable(choice=choice):
                self._send(name, "DrawTable", nickname=name, choice=choice)
            case DrawResource():
                self._send(name, "DrawResource", nickname=name)
            case DrawGold():
                self._send(name, "DrawGold", nickname=name)


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
