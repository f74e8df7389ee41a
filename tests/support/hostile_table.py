"""Four hostile players at one table of Stones, who talk more than they play. All ask for views with every update."""

from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

from shared.bus.keys import Keys
from shared.ids import RoomId, partition_of
from tests.support.cluster import Cluster
from tests.support.hostile import HostileClient, message
from tests.support.player import new_name

SEATS = 4


class HostileTable:
    """A context manager that opens the table. All methods block."""

    def __init__(self, port: int, stones: int = 21) -> None:
        self._port = port
        self._options = {"stones": stones}
        self._sockets = ExitStack()
        self.clients: list[HostileClient] = []
        self._ids = [0] * SEATS
        self.room = self.offset = 0
        """`offset`: the last step that an answer has named."""
        self.start: dict[str, int] = {}

    def __enter__(self) -> Self:
        with ExitStack() as sockets:
            self.clients = [sockets.enter_context(HostileClient(self._port)) for _ in range(SEATS)]
            for client in self.clients:
                client.login(new_name())
            opened = self.ask(0, type="create", game="stones", seats=SEATS, options=self._options, wants=["view"])
            self.room = opened["room"]
            self.start = {"epoch": opened["epoch"], "offset": opened["offset"]}
            for seat in range(1, SEATS):
                assert self.ask(seat, type="join", room=self.room, wants=["view"])["type"] == "entered"
            self._sockets = sockets.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._sockets.close()

    def ask(self, seat: int, **fields: Any) -> Any:
        return self.ask_all(seat, [fields])[0]

    def ask_all(self, seat: int, requests: list[dict[str, Any]]) -> list[Any]:
        """Send the requests of one player at once; returns their answers."""
        first = self._ids[seat] + 1
        self._ids[seat] += len(requests)
        client = self.clients[seat]
        client.send(b"".join(message(id=number, **fields) for number, fields in enumerate(requests, first)))
        answers = client.answers(first, self._ids[seat])
        self.offset = max([self.offset, *(answer.get("offset", 0) for answer in answers)])
        return answers

    def say(self, text: str, lines: int, *seats: int) -> list[str]:
        """Chat of some players; returns the codes of the answers, `ack` for a line that was accepted."""
        requests = [{"type": "say", "room": self.room, "text": text}] * lines
        answers = [answer for seat in seats for answer in self.ask_all(seat, requests)]
        return [answer.get("code", answer["type"]) for answer in answers]

    def take(self, seat: int, count: int) -> Any:
        return self.ask(seat, type="act", room=self.room, command={"type": "take", "count": count})

    def resume(self, seat: int) -> int:
        """Resume from the beginning; returns the bytes that are sent until the last step has come."""
        client = self.clients[seat]
        before = client.read
        client.send(message(type="resume", id=self._ids[seat] + 1, room=self.room, wants=["view"], **self.start))
        self._ids[seat] += 1
        while (said := client.next_message()) is not None:
            if said["type"] in ("update", "view") and said["offset"] >= self.offset:
                return client.read - before
            assert said["type"] != "error", said
        raise AssertionError("the connection was closed")

    def stored(self, cluster: Cluster) -> int:
        """Bytes that the store keeps of the room."""
        room = RoomId(self.room)
        keys = Keys(partition_of(room, cluster.partitions), cluster.partitions)
        with cluster.redis() as store:
            names = (keys.journal(room), keys.updates(room), keys.snapshot(room))
            return sum(store.memory_usage(name, samples=0) or 0 for name in names)
