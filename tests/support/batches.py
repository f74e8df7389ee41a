"""What batches and their entries say, for tests that look into them."""

import msgspec

from shared.bus import journal, updates
from shared.bus.entries import FIELD, NEXT
from shared.bus.journal import Record
from shared.bus.keys import Keys
from shared.bus.store import Command
from shared.envelopes import Reply, Told
from shared.ids import GatewayId, Offset, RoomId
from worker.batch import Batch

_decode = msgspec.json.Decoder(Told).decode


def filed(partition: Keys, room: RoomId, offset: int, number: int, record: Record) -> Command:
    """The command that appends what a commit would."""
    return appending(journal.filing(partition, room, Offset(offset), number, record))


def told(partition: Keys, step: Told) -> Command:
    return appending(updates.telling(partition, step, msgspec.json.encode(step)))


def appending(entry: bytes) -> Command:
    stream, place, body = lines(entry)
    return ("XADD", stream, place, FIELD, body)


def lines(entry: bytes) -> tuple[str, str, bytes]:
    """Stream, id and body."""
    stream, place, body, end = entry.split(b"\n")
    assert not end
    return stream.decode(), place.decode(), body


def appended(batch: Batch) -> list[tuple[str, str, bytes]]:
    return [lines(entry) for entry in batch.entries if entry != NEXT]


def steps_for(batch: Batch, gateway: GatewayId) -> list[Told]:
    return [_decode(body) for body, gateways in batch.told if gateway in gateways]


def hearers(batch: Batch) -> list[GatewayId]:
    """Whom the batch tells of steps."""
    return sorted({gateway for _, gateways in batch.told for gateway in gateways})


def replies_for(batch: Batch, gateway: GatewayId) -> list[Reply]:
    return [reply for reply, to in batch.replies if to == gateway]
