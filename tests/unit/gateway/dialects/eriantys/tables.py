"""Tables to test dialects at: two or three players who have sat down, each on the line of a dialect."""

from typing import Any

from shared.games.eriantys.state import State
from tests.support.eriantys_room import HouseRoom
from tests.support.eriantys_table import House, Line

EVENTS, PROMPTS, STATUS = "eriantys.events", "eriantys.prompts", "eriantys.status"
NAMES = ("ann", "bob", "cid", "dan")


def open_table(house: House, dialect: str, players: int, expert: bool) -> Line:
    """The first player, ann, has made the table 1000."""
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
    """A game that has begun. `at` puts a position on the table."""

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
            line.told()

    def say(self, seat: int, message: Any) -> list[Any]:
        """What the speaker is told; the others have forgotten what they were told before."""
        self.quiet()
        return self.lines[seat].say(message)

    def told(self, seat: int) -> list[Any]:
        return self.lines[seat].told()


def types(messages: list[Any]) -> list[str]:
    return [message["type"] for message in messages]


def word(answer: list[Any]) -> str:
    """The code word of a refusal of `eriantys.events`, which is all that is said."""
    assert types(answer) == ["Nack"]
    text: str = answer[0]["errorMessage"]
    return text.partition(":")[0]


def code(answer: list[Any]) -> str:
    """The code of a refusal of `eriantys.prompts`, which is all that is said."""
    assert types(answer) == ["Error"]
    assert answer[0]["string"]
    found: str = answer[0]["code"]
    return found


def status(answer: list[Any]) -> int:
    """The code of a refusal of `eriantys.status`, which is all that is said."""
    assert len(answer) == 1
    assert set(answer[0]) == {"status", "errorMessage"}
    found: int = answer[0]["status"]
    return found
