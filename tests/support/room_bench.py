"""A room under test: commands go in one by one, and all results are kept for inspection."""

from typing import Any

import msgspec

from shared.bus.journal import StoredRoom
from shared.commands import Act, Enter, Envelope, Expired, RoomCommand
from shared.deliveries import CompletedCommand, Reply, StepMessage
from shared.games import stones
from shared.ids import CommandId, CommitNumber, Epoch, GatewayId, RoomId, Seat, SessionId
from shared.journal_records import JournalEntry
from shared.results import Result, Snapshot
from shared.room_events import RoomSpec
from shared.room_views import RoomView, Update
from shared.runtime.settings import WorkerSettings
from tests.support.batches import decode_step, entry_of, steps_for
from tests.support.toys import TOY
from worker.games import GameCatalog
from worker.room.room import Room

ROOM = RoomId(1000)
COMMIT = CommitNumber(7)
CATALOG = GameCatalog((stones.GAME, TOY))
SETTINGS = WorkerSettings(
    snapshot_every=4, grace_ms=10_000, away_ms=30_000, abandoned_ms=600_000, bot_ms=500, rematch_ms=60_000
)
STONES = RoomSpec("stones", 2, {"stones": 9})
TWO = RoomSpec("toy", 2)
SECRET_SEED = 8_765_432_109_876
G1, G2 = GatewayId("g-one"), GatewayId("g-two")

_decode_update = msgspec.json.Decoder(Update).decode
_decode_view = msgspec.json.Decoder(RoomView).decode


def act(command: msgspec.Struct) -> Act:
    return Act(msgspec.Raw(msgspec.json.encode(command)))


def take(count: int) -> Act:
    return act(stones.Take(count))


class RoomBench:
    def __init__(self, settings: WorkerSettings = SETTINGS, catalog: GameCatalog = CATALOG) -> None:
        self.settings = settings
        self._catalog = catalog
        self.epoch = Epoch(1)
        self.now_ms = 1_000_000
        self.records: list[JournalEntry] = []
        self.snapshot: Snapshot | None = None
        self.updates: list[StepMessage] = []
        self.replies: list[Reply] = []
        self.result = Result(ROOM)
        self.room = self.loaded()
        self._ids: dict[str, int] = {}
        self.conns: dict[str, int] = {}

    # --- asking -----------------------------------------------------------------------------------------------------

    def send(self, who: str, body: RoomCommand, command: int | None = None, **more: Any) -> Reply | None:
        """A command of a session, by default from its own connection; the reply."""
        if command is None:
            command = self._ids[who] = self._ids.get(who, 0) + 1
        conn = self.conns.setdefault(who, len(self.conns) + 1)
        place: dict[str, Any] = {"gateway": G1, "conn": conn, "trace": f"t{command}"} | more
        return self.handle(Envelope(ROOM, SessionId(who), CommandId(command), body, **place))

    def handle(self, envelope: Envelope) -> Reply | None:
        self.result = self.room.handle(envelope, self.now_ms, COMMIT)
        self._keep(self.result)
        replies = [] if self.result.reply is None else [self.result.reply]
        done = CompletedCommand(envelope.gateway, envelope.conn, envelope.id)
        steps = [step for step in steps_for([self.result], envelope.gateway) if step.done == done]
        replies += [Reply(done.conn, ROOM, done.id, "", "", step.epoch, step.offset) for step in steps]
        self.replies += replies
        return replies[-1] if replies else None

    def ok(self, who: str, body: RoomCommand, command: int | None = None, **more: Any) -> Reply:
        reply = self.send(who, body, command, **more)
        assert reply is not None
        assert not reply.code, reply.code
        return reply

    def code(self, who: str, body: RoomCommand, command: int | None = None, **more: Any) -> str:
        reply = self.send(who, body, command, **more)
        assert reply is not None
        return reply.code

    def enter(self, who: str, spec: RoomSpec | None = None, **more: Any) -> Reply:
        dialect = spec.only if spec else ""
        return self.ok(who, Enter(who, spec, SECRET_SEED if spec else 0, dialect=dialect), **more)

    def own(self, body: RoomCommand) -> None:
        """A command of the cluster itself."""
        self.handle(Envelope(ROOM, SessionId(""), CommandId(0), body))

    def expire(self, name: str, *, late_ms: int = 0) -> None:
        """Let a deadline of the room pass, at its time."""
        deadline = self.room.state.deadlines[name]
        self.now_ms = max(self.now_ms, deadline.due_ms + late_ms)
        self.own(Expired(name, deadline.generation))

    # --- looking ----------------------------------------------------------------------------------------------------

    def events(self, seat: int | None = None, step: int = -1) -> list[dict[str, Any]]:
        """The events of a step (by default the last) as a seat or a spectator sees them."""
        message = self.updates[step]
        raw = message.public if seat is None else message.seats.get(Seat(seat), message.public)
        decoded: list[dict[str, Any]] = msgspec.json.decode(_decode_update(raw).events)
        return decoded

    def kinds(self, seat: int | None = None, step: int = -1) -> list[str]:
        return [event["type"] for event in self.events(seat, step)]

    def view(self, reply: Reply) -> RoomView:
        return _decode_view(reply.view)

    @property
    def said(self) -> bytes:
        """Everything that ever left the room towards gateways."""
        parts = [bytes(part) for step in self.updates for part in (step.public, *step.seats.values(), step.watchers)]
        return b"\n".join((*parts, *(bytes(reply.view) for reply in self.replies)))

    # --- coming back ------------------------------------------------------------------------------------------------

    def stored(self, *, snapshots: bool = True) -> StoredRoom:
        if not snapshots or self.snapshot is None:
            return StoredRoom(None, tuple(self.records))
        place = (self.snapshot.offset, self.snapshot.number)
        return StoredRoom(self.snapshot.body, tuple(entry for entry in self.records if entry[:2] > place))

    def loaded(self, *, snapshots: bool = True) -> Room:
        return Room(ROOM, self.epoch, self._catalog, self.settings, self.stored(snapshots=snapshots))

    def reload(self) -> None:
        """Another worker takes over."""
        self.epoch = Epoch(self.epoch + 1)
        self.room = self.loaded()

    def _keep(self, result: Result) -> None:
        """Do with a result what its commit would do in the store."""
        for filed in result.records:
            entry = entry_of(filed)
            assert not self.records or self.records[-1][:2] < entry[:2], "filed out of order"
            self.records.append(entry)
            if filed.step:
                self.updates.append(decode_step(filed.step))
        if result.more.snapshot is not None:
            self.snapshot = result.more.snapshot
            self.records = [entry for entry in self.records if entry[:2] not in result.more.snapshot.covered]


def opened(spec: RoomSpec = STONES, settings: WorkerSettings = SETTINGS) -> RoomBench:
    """A room with one player, ada."""
    bench = RoomBench(settings)
    bench.enter("ada", spec)
    return bench


def started(spec: RoomSpec = STONES, settings: WorkerSettings = SETTINGS) -> RoomBench:
    """A room where ada and bob play; it is ada's turn."""
    bench = opened(spec, settings)
    bench.enter("bob", gateway=G2)
    return bench


def finished() -> RoomBench:
    """A room whose game is over: bob has won."""
    bench = started(RoomSpec("stones", 2, {"stones": 2}))
    bench.ok("ada", take(1))
    bench.ok("bob", take(1))
    return bench
