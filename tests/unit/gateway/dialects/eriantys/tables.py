"""Tables for tests: two or three seated players, each connected in some dialect."""

from typing import Any

from shared.games.eriantys.state import State
from tests.support.eriantys_room import HouseRoom
from tests.support.eriantys_table import House, Line

EVENTS, PROMPTS, STATUS = "eriantys.events", "eriantys.prompts", "eriantys.status"
NAMES = ("ann", "bob", "cid", "dan")


def open_table(house: House, dialect: str, players: int, expert: bool) -> Line:
    """A table with the number 1000, opened by the first player, ann."""
    line = house.connect(dialect)
    match dialect:
        case "eriantys.events":
            line.say({"type": "Login", "username": NAMES[0]})
            line.say({"type": "CreateRoom", "numberOfPlayers": players, "expert": expert, "private": False})
        case "eriantys.prompts":
            line.say(
                {"type": "GameParams", "numPlayers": players, "expert": expert, "nickname": NAMES[0], "mage": "MAGE1"}
            )
        case _:
            line.say(NAMES[0].encode())
            line.say({"numPlayers": players, "gameMode": "expert" if expert else "simple"})
    return line


def join_table(house: House, dialect: str, seat: int) -> Line:
    line = house.connect(dialect, {"table": "1000"})
    match dialect:
        case "eriantys.events":
            line.say({"type": "Login", "username": NAMES[seat]})
            line.say({"type": "AccessRoom", "roomId": 1000})
        case "eriantys.prompts":
            line.say({"type": "Join", "nickname": NAMES[seat], "mage": f"MAGE{seat + 1}", "index": 1000})
        case _:
            line.say(NAMES[seat].encode())
    return line


class Seats:
    """A game that has begun. `position` replaces the initial position."""

    def __init__(self, *dialects: str, expert: bool = True, position: State | None = None) -> None:
        self.house = House()
        first = open_table(self.house, dialects[0], len(dialects), expert)
        others = (join_table(self.house, dialect, seat) for seat, dialect in enumerate(dialects[1:], 1))
        self.lines = [first, *others]
        self.quiet()
        if position is not None:
            self.house.arrange(self.room, position)

    @property
    def room(self) -> HouseRoom:
        return next(iter(self.house.rooms.values()))

    def quiet(self) -> None:
        for line in self.lines:
            line.received()

    def say(self, seat: int, message: Any) -> list[Any]:
        """The messages that the sender gets back. Earlier messages to the other seats are discarded."""
        self.quiet()
        return self.lines[seat].say(message)

    def received(self, seat: int) -> list[Any]:
        return self.lines[seat].received()


def types(messages: list[Any]) -> list[str]:
    return [message["type"] for message in messages]


def word(answer: list[Any]) -> str:
    """The error name of a refusal in `eriantys.events`, which must be the only message."""
    assert types(answer) == ["Nack"]
    text: str = answer[0]["errorMessage"]
    return text.partition(":")[0]


def code(answer: list[Any]) -> str:
    """The code of a refusal in `eriantys.prompts`, which must be the only message."""
    assert types(answer) == ["Error"]
    assert answer[0]["string"]
    found: str = answer[0]["code"]
    return found


def status(answer: list[Any]) -> int:
    """The code of a refusal in `eriantys.status`, which must be the only message."""
    assert len(answer) == 1
    assert set(answer[0]) == {"status", "errorMessage"}
    found: int = answer[0]["status"]
    return found
