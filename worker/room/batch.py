"""Everything that one batch of a partition's commands has come to, until it is committed in one go."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from shared.bus import directory, journal, keys, updates
from shared.bus.commits import Publication
from shared.bus.directory import ListingChange
from shared.bus.entries import NEXT, entry
from shared.bus.journal import JournalRecord
from shared.bus.keys import Keys
from shared.bus.store import RedisCommand
from shared.commands import Envelope
from shared.deliveries import Reply, StepMessage, encode_delivery
from shared.ids import Epoch, GatewayId, Offset, RoomId
from shared.room_views import Listing

_encode = msgspec.json.Encoder().encode
_TRIM_EVERY = 32
_CHUNK = 1_000
"""A script cannot call a command of many thousand words."""


@dataclass(frozen=True, slots=True, order=True)
class DueDeadline:
    """A deadline in the partition's index."""

    due_ms: int
    room: RoomId
    name: str
    generation: int

    @property
    def member(self) -> str:
        return f"{self.room}:{self.generation}:{self.name}"

    @staticmethod
    def parse(member: str, due_ms: int) -> "DueDeadline":
        room, generation, name = member.split(":", 2)
        return DueDeadline(due_ms, RoomId(int(room)), name, int(generation))


class Batch(msgspec.Struct):
    """The writes and messages of one commit. Rooms fill it, the partition's owner seals it."""

    partition: Keys
    epoch: Epoch
    updates_kept: int = 1_000
    entries: list[bytes] = []
    writes: list[RedisCommand] = []
    told: list[tuple[bytes, tuple[GatewayId, ...]]] = []
    """The steps, and who is to hear of each."""
    replies: list[tuple[Reply, GatewayId]] = []
    listings: dict[RoomId, Listing | None] = {}
    onward: list[Envelope] = []
    """Commands to other entities, to be put on their streams after the commit."""
    retimed: list[tuple[DueDeadline, bool]] = []
    """Deadlines that were started, and (False) those that were cleared and not replaced, in this order."""

    def mark(self, room: RoomId) -> "Mark":
        """Where the batch is now, to come back to if a command breaks its room."""
        return Mark(
            room,
            self.listings.get(room, msgspec.UNSET),
            len(self.entries),
            len(self.writes),
            len(self.told),
            len(self.replies),
            len(self.onward),
            len(self.retimed),
        )

    def roll_back(self, mark: "Mark") -> None:
        del self.entries[mark.entries :]
        del self.writes[mark.writes :]
        del self.told[mark.told :]
        del self.replies[mark.replies :]
        del self.onward[mark.onward :]
        del self.retimed[mark.retimed :]
        if mark.listing is msgspec.UNSET:
            self.listings.pop(mark.room, None)
        else:
            self.listings[mark.room] = mark.listing

    def write(self, command: RedisCommand) -> None:
        """Not an entry, but in its place among them: if the store refuses an entry, the rooms that came before it have
        all that belongs to their steps, such as deadlines."""
        self.entries.append(NEXT)
        self.writes.append(command)

    def file(self, room: RoomId, offset: Offset, number: int, record: JournalRecord) -> None:
        """What happened, of which nobody is told."""
        self.entries.append(entry(room, offset, number, _encode(record)))

    def step(self, record: JournalRecord, told: StepMessage, gateways: tuple[GatewayId, ...]) -> None:
        body = _encode(told)
        self.entries.append(entry(told.room, told.offset, 0, _encode(record), body))
        if told.offset > self.updates_kept and told.offset % _TRIM_EVERY == 0:
            self.write(updates.trimming(self.partition, told.room, self.updates_kept))
        self.told.append((body, gateways))

    def reply(self, envelope: Envelope, reply: Reply) -> None:
        if envelope.gateway:
            self.replies.append((reply, envelope.gateway))

    def snapshot(self, room: RoomId, offset: Offset, number: int, body: bytes) -> None:
        self.write(journal.snapshotting(self.partition, room, offset, number, body))

    def forget(self, room: RoomId, places: Sequence[tuple[Offset, int]]) -> None:
        """Delete records that the snapshot has."""
        for at in range(0, len(places), _CHUNK):
            self.write(journal.forgetting(self.partition, room, places[at : at + _CHUNK]))

    def forget_journal(self, room: RoomId, offset: Offset) -> None:
        """Drop the records before a snapshot, of an entity that nobody will replay."""
        self.write(("XTRIM", self.partition.journal(room), "MINID", "~", f"{offset}-0"))

    def start(self, due: DueDeadline) -> None:
        self.retimed.append((due, True))
        self.write(("ZADD", self.partition.deadlines, due.due_ms, due.member))

    def clear(self, due: DueDeadline, *, replaced: bool) -> None:
        if not replaced:
            self.retimed.append((due, False))
        self.write(("ZREM", self.partition.deadlines, due.member))

    def attend(self, room: RoomId, gateway: GatewayId) -> None:
        self.write(("SADD", self.partition.at(gateway), room))
        self.write(("SADD", self.partition.gateways, gateway))

    def turn_away(self, room: RoomId, gateway: GatewayId) -> None:
        self.write(("SREM", self.partition.at(gateway), room))

    def expire(self, room: RoomId, after_ms: int) -> None:
        """The room is over: it is kept for replays, then it is gone."""
        for key in (self.partition.journal(room), self.partition.updates(room), self.partition.snapshot(room)):
            self.write(("PEXPIRE", key, after_ms))

    def seal(self, numbers: dict[GatewayId, int]) -> tuple[list[RedisCommand], list[Publication]]:
        """The writes, and the messages to publish. `numbers` are those of the last messages; they are moved on."""
        writes = list(self.writes)
        messages: list[Publication] = []
        if self.listings:
            changes = [ListingChange(room, listing) for room, listing in self.listings.items()]
            writes += directory.storing(self.partition, changes)
            messages.append(directory.telling(changes))
        told: defaultdict[GatewayId, list[bytes]] = defaultdict(list)
        replies: defaultdict[GatewayId, list[Reply]] = defaultdict(list)
        for body, gateways in self.told:
            for gateway in gateways:
                told[gateway].append(body)
        for reply, gateway in self.replies:
            replies[gateway].append(reply)
        for gateway in told | replies:
            numbers[gateway] = number = numbers.get(gateway, 0) + 1
            said = encode_delivery(
                self.partition.partition, self.epoch, number, told.get(gateway, ()), replies.get(gateway, ())
            )
            messages.append((keys.out(gateway), said))
        return writes, messages


class Mark(msgspec.Struct, frozen=True, gc=False):
    room: RoomId
    listing: Listing | msgspec.UnsetType | None
    """What the directory was to be told of the room, if anything."""
    entries: int
    writes: int
    told: int
    replies: int
    onward: int
    retimed: int
