"""Recorded conversations in `play`, one for each game: every frame of two players and a spectator.

`python -m tests.support.play_transcripts` writes them again after an intended change.
"""

import itertools
from pathlib import Path
from typing import Any

import msgspec

from gateway.dialects import play
from shared.dice import Dice
from tests.support.memory_cluster import MemoryClient, MemoryCluster, close_all

FOLDER = Path(__file__).parent.parent / "transcripts" / "play"
MOVES = {"stones": 30, "eriantys": 24, "codex": 20, "snarl": 12}
"""Games, and the moves that are recorded at most."""

Message = dict[str, Any]


class Recorder:
    """A client whose frames are written down."""

    def __init__(self, name: str, cluster: MemoryCluster, lines: list[str]) -> None:
        self.name = name
        self.options: list[Message] = []
        self.token = ""
        self.last: Message = {}
        """The last message that was received."""
        self._cluster = cluster
        self._lines = lines
        self._ids = itertools.count(1)
        self._client: MemoryClient

    def connect(self) -> None:
        self._client = self._cluster.connect("play")
        self._client.on_frame = self._received
        self.send("hello", **({"token": self.token} if self.token else {"name": self.name}))

    def drop(self) -> None:
        self._client.drop()

    def send(self, kind: str, **fields: Any) -> None:
        self._write(msgspec.json.encode({"type": kind, **fields}))

    def ask(self, kind: str, **fields: Any) -> None:
        self.send(kind, id=next(self._ids), **fields)

    def _write(self, frame: bytes) -> None:
        self._lines.append(f"{self.name} > {frame.decode()}")
        self._client.send(frame)

    def _received(self, frame: bytes) -> None:
        self._lines.append(f"{self.name} < {frame.decode()}")
        self.last = message = msgspec.json.decode(frame)
        if message["type"] == "welcome":
            self.token = message["token"]
        if "options" in message:
            self.options = message["options"]
        elif message["type"] == "update":
            self.options = []


def record(game: str) -> str:
    """The conversation about one table of the game."""
    lines: list[str] = []
    cluster = MemoryCluster([play.DIALECT], seed=5)
    ada, bob, eve = (Recorder(name, cluster, lines) for name in ("ada", "bob", "eve"))
    ada.connect()
    bob.connect()
    eve.connect()
    eve.ask("rooms", live=True)
    ada.ask("create", game=game, seats=2, wants=["options"])
    table = ada.last["room"]
    bob.ask("join", room=table, wants=["options"])
    eve.ask("spectate", room=table, wants=["view"])
    eve.ask("view", room=table)
    _play(Dice(7, game), MOVES[game] // 2, table, (ada, bob))
    _talk_and_return(table, ada, bob, eve)
    _play(Dice(8, game), MOVES[game] // 2, table, (ada, bob))
    for player in (ada, bob):
        player.ask("view", room=table, wants=["options"])
        player.ask("rematch", room=table)
    for player in (ada, bob, eve):
        player.ask("leave", room=table)
        player.send("bye")
    close_all()
    return "".join(f"{line}\n" for line in lines)


def _play(dice: Dice, most: int, table: int, players: tuple[Recorder, ...]) -> None:
    for _ in range(most):
        acting = next((player for player in players if player.options), None)
        if acting is None:
            return
        acting.ask("act", room=table, command=dice.choice(acting.options))


def _talk_and_return(table: int, ada: Recorder, bob: Recorder, eve: Recorder) -> None:
    ada.ask("say", room=table, text="good luck")
    bob.ask("say", room=table, text="thank you", to="ada")
    bob.send("ping", t=1)
    eve.ask("act", room=table, command={"type": "take", "count": 1})
    eve.send("nonsense")
    eve.ask("match", game="stones", options={"stones": 3})
    eve.ask("fill", room=eve.last["room"])
    position = {key: bob.last[key] for key in ("epoch", "offset") if key in bob.last}
    bob.drop()
    ada.ask("say", room=table, text="come back")
    bob.connect()
    bob.ask("resume", room=table, wants=["options"], **(position or {"epoch": 0, "offset": 1}))


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for game in MOVES:
        (FOLDER / f"{game}.txt").write_text(record(game))


if __name__ == "__main__":
    main()
