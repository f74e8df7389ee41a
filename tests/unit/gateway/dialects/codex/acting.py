"""Clients of the dialect that play up to a given point of a game, for tests."""

from typing import Any

from gateway.dialects.codex import CodexSettings
from shared.games.codex.game import GAME
from tests.support.codex_table import Client, Cluster

Message = dict[str, Any]
NAMES = ("Ann", "Bob", "Cid", "Dot")


def types(messages: list[Message]) -> list[str]:
    """The names of the messages, without their common suffix."""
    return [message["type"].removesuffix("Message") for message in messages]


def one(messages: list[Message], kind: str) -> Message:
    """The only message of this type."""
    found = [message for message in messages if message["type"] == kind + "Message"]
    assert len(found) == 1, found
    return found[0]


class Stage:
    """Connected players at one table, by name."""

    def __init__(
        self, players: int = 2, seed: int = 1, settings: CodexSettings | None = None, *, full: bool = True
    ) -> None:
        self.cluster = Cluster(seed, settings)
        self.clients: dict[str, Client] = {}
        for name in NAMES[:players] if full else NAMES[:1]:
            self.clients[name] = client = self.cluster.connect()
            if name == NAMES[0]:
                client.say({"type": "CreateGameMessage", "numPlayers": players, "nickname": name})
            else:
                client.say({"type": "JoinGameMessage", "nickname": name})

    @property
    def room(self) -> Any:
        return next(iter(self.cluster.rooms.values()))

    @property
    def order(self) -> list[str]:
        return [self.room.seats[seat].name for seat in self.room.play.table.order]

    @property
    def current(self) -> str:
        return str(self.room.seats[self.room.play.table.current].name)

    def hush(self) -> None:
        """Discard all messages so far."""
        for client in self.clients.values():
            client.heard()

    def heard(self) -> dict[str, list[Message]]:
        return {name: client.heard() for name, client in self.clients.items()}

    def act(self, **changes: Any) -> None:
        """Make a legal move for the current player."""
        self.clients[self.current].say(self.move(**changes))

    def move(self, **changes: Any) -> Message:
        """A legal move of the current player."""
        name, table = self.current, self.room.play.table
        command = GAME.options(self.room.play, table.current)[0]
        kinds: dict[str, Message] = {
            "ChooseStarting": {"player": name, "face": "FRONT"},
            "PickColor": {"nickname": name, "color": str(getattr(command, "color", "")).upper()},
            "ChooseObjective": {"player": name, "choose": 1},
            "DrawResource": {"nickname": name},
            "DrawGold": {"nickname": name},
            "DrawTable": {"nickname": name, "choice": getattr(command, "choice", 0)},
            "PlaceCard": {
                "player": name,
                "choice": getattr(command, "choice", 0),
                "i": getattr(command, "i", 0),
                "j": getattr(command, "j", 0),
                "face": str(getattr(command, "face", "")).upper(),
            },
        }
        kind = type(command).__name__
        return {"type": kind + "Message", **kinds[kind], **changes}

    def play_until(self, state: str) -> None:
        """Play on until the game is in this state, and discard the messages on the way."""
        while self.room.play.table.phase.upper() != state:
            self.act()
        self.hush()

    def come_back(self, name: str, **extra: Any) -> Client:
        self.clients[name] = client = self.cluster.connect()
        client.say({"type": "RejoinGameMessage", "nickname": name, **extra})
        return client
