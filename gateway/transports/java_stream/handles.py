"""The reader's table of handles (specification, 6.2): everything since the last reset that the peer may refer to."""

from typing import TypeAlias

from gateway.transports.java_stream.constants import BASE_HANDLE
from gateway.transports.java_stream.types import ArrayClass, JavaClass, JavaValue
from shared.errors import ProtocolError

Referable: TypeAlias = JavaClass | ArrayClass | JavaValue


class Handles:
    """Values by handle, each with the size of its contents when references in it are written out."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: list[Referable] = []
        self._sizes: list[int] = []

    def reserve(self) -> int:
        """The place of the next handle. The grammar numbers an object before its contents, so the value comes later."""
        if len(self._values) >= self._most:
            raise ProtocolError("frame/too_big", f"the stream has more than {self._most} handles since its last reset")
        self._values.append(None)
        self._sizes.append(0)
        return len(self._values) - 1

    def complete(self, place: int, value: Referable, size: int = 0) -> None:
        self._values[place] = value
        self._sizes[place] = size

    def find(self, handle: int) -> tuple[Referable, int]:
        """The value and its size; raises `ProtocolError` if the handle is unknown or its value is not complete."""
        place = handle - BASE_HANDLE
        if not 0 <= place < len(self._values):
            raise ProtocolError("frame/malformed", f"the stream refers to the unknown handle {handle:#x}")
        value = self._values[place]
        # Null has no handle (6.4), so None can only be a value that is not complete: a reference from within itself.
        if value is None:
            raise ProtocolError("frame/malformed", f"the stream refers to {handle:#x} before its end")
        return value, self._sizes[place]

    def clear(self) -> None:
        self._values.clear()
        self._sizes.clear()
