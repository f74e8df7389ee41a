"""Parts of the paths of URLs: room ids, and paths outside the API."""

from starlette.convertors import Convertor, PathConvertor, register_url_convertor

from shared.ids import RoomId

ROOM = "{room:room}"
OUTSIDE_API = "{path:outside_api}"
_MOST_DIGITS = 15
_NO_ROOM = RoomId(10**_MOST_DIGITS)


class RoomIdConverter(Convertor[RoomId]):
    """Converts digits to a room id. A number that is longer than any room id stands for a room that does not exist."""

    regex = "[0-9]+"

    def convert(self, value: str) -> RoomId:
        return RoomId(int(value)) if len(value) <= _MOST_DIGITS else _NO_ROOM

    def to_string(self, value: RoomId) -> str:
        return str(value)


class OutsideApiConverter(PathConvertor):
    """Fits all paths but `/api` and those below it."""

    regex = "(?!api(?:/|$)).*"


register_url_convertor("room", RoomIdConverter())
register_url_convertor("outside_api", OutsideApiConverter())
