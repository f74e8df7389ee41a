"""The numbers of rooms in the paths of HTTP."""

from starlette.convertors import Convertor, register_url_convertor

from shared.ids import RoomId

ROOM = "{room:room}"
_MOST_DIGITS = 15
_NO_ROOM = RoomId(10**_MOST_DIGITS)


class RoomIdConverter(Convertor[RoomId]):
    """Whatever is longer than the number of any room stands for one that is not there."""

    regex = "[0-9]+"

    def convert(self, value: str) -> RoomId:
        return RoomId(int(value)) if len(value) <= _MOST_DIGITS else _NO_ROOM

    def to_string(self, value: RoomId) -> str:
        return str(value)


register_url_convertor("room", RoomIdConverter())
