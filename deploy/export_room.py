"""`tavolata export`: all that a room's journal has, secrets included, as one JSON object."""

from typing import Any

import msgspec

from deploy.errors import CommandError
from deploy.store_session import with_store
from gateway.http.recent_log import RecentLogs
from gateway.http.room_recording import RoomRecording
from shared.bus import journal, keys, meta
from shared.bus.store import Store
from shared.bus.store_address import StoreAddress
from shared.ids import RoomId, partition_of
from shared.journal_records import JournalEntry


def export(address: StoreAddress, room: RoomId) -> bytes:
    """The room as JSON. Raises `CommandError`."""
    found = with_store(address, lambda store: read(store, room))
    return msgspec.json.format(msgspec.json.encode(found)) + b"\n"


async def read(store: Store, room: RoomId) -> dict[str, Any]:
    """The facts of the room and all its records. Raises `CommandError` if there is no such room."""
    partitions = await meta.partitions(store)
    if not partitions:
        raise CommandError("the store has no data of a cluster")
    partition = keys.all_keys(partitions)[partition_of(room, partitions)]
    # The log first: a record is written to the room's journal before it is trimmed from the log.
    latest = await RecentLogs(store).records(partition, room)
    entries = [entry async for portion in journal.portions(store, partition, room) for entry in portion]
    last = entries[-1][:2] if entries else (0, 0)
    entries += [entry for entry in latest if entry[:2] > last]
    recording = RoomRecording(room)
    recording.follow(entries)
    if recording.last is None:
        raise CommandError(f"there is no room {room}: it was never opened, or has left the store")
    return {
        "room": room,
        "status": recording.status,
        "spec": recording.spec,
        "seats": {str(seat): recorded for seat, recorded in recording.seats.items()},
        "outcome": recording.outcome,
        "records": [_record(entry) for entry in entries],
    }


def _record(entry: JournalEntry) -> dict[str, Any]:
    offset, number, record = entry
    fields: dict[str, Any] = {name: getattr(record, name) for name in record.__struct_fields__}
    return {"offset": offset, "number": number, **{name: value for name, value in fields.items() if value != ""}}
