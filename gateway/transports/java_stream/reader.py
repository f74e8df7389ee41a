"""The reading end of an object stream: bytes in, values out, one error at most."""

from gateway.transports.java_stream.grammar import Grammar
from gateway.transports.java_stream.limits import DEFAULT_LIMITS, Limits
from gateway.transports.java_stream.source import Source
from gateway.transports.java_stream.types import ClassTable, JavaValue
from shared.errors import ProtocolError


class ObjectReader:
    """One connection's stream, with its handles."""

    def __init__(self, table: ClassTable, limits: Limits = DEFAULT_LIMITS) -> None:
        self._source = Source(limits)
        self._grammar = Grammar(table, self._source, limits)
        self._parsing = self._grammar.stream()
        self._ended = False

    def feed(self, data: bytes) -> list[JavaValue | ProtocolError]:
        """The values that are complete now. An error is the last element: the rest of the stream cannot be parsed,
        because nothing in it marks where the next object begins, so all later bytes are ignored."""
        if self._ended:
            return []
        self._source.append(data)
        self._grammar.found = values = list[JavaValue | ProtocolError]()
        try:
            next(self._parsing)
        except ProtocolError as error:
            self._ended = True
            self._source.clear()
            self._grammar.handles.clear()
            values.append(error)
        return values
