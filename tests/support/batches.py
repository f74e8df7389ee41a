"""What batches and their entries say, for tests that look into them."""

from collections.abc import Iterator

import msgspec

from shared.bus.entries import FIELD, NEXT
from shared.bus.journal import JournalRecord
from shared.bus.keys import Keys
from shared.bus.store import RedisCommand
from shared.deliveries import Reply, StepMessage
from shared.ids import GatewayId, RoomId
from worker.room.batch import Batch

_decode = msgspec.json.Decoder(StepMessage).decode


def filed(partition: Keys, room: RoomId, offset: int, number: int, record: JournalRecord) -> RedisCommand:
    """The command that appends what a commit would."""
    return ("XADD", partition.journal(room), f"{offset}-{number}", FIELD, msgspec.json.encode(record))


def told(partition: Keys, step: StepMessage) -> RedisCommand:
    return ("XADD", partition.updates(step.room), f"{step.offset}-0", FIELD, msgspec.json.encode(step))


def appended(batch: Batch) -> list[tuple[str, str, bytes]]:
    """Stream, id and body of what the batch appends."""
    return [one for entry in batch.entries if entry != NEXT for one in _appended(batch.partition, entry)]


def _appended(partition: Keys, entry: bytes) -> Iterator[tuple[str, str, bytes]]:
    number, place, record, step, end = entry.split(b"\n")
    assert not end
    room = RoomId(int(number))
    yield partition.journal(room), place.decode(), record
    if step:
        yield partition.updates(room), place.decode(), step


def steps_for(batch: Batch, gateway: GatewayId) -> list[StepMessage]:
    return [_decode(body) for body, gateways in batch.told if gateway in gateways]


def hearers(batch: Batch) -> list[GatewayId]:
    """Whom the batch tells of steps."""
    return sorted({gateway for _, gateways in batch.told for gateway in gateways})


def replies_for(batch: Batch, gateway: GatewayId) -> list[Reply]:
    return [reply for reply, to in batch.replies if to == gateway]
