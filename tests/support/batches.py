"""Stored records and steps, and questions to results, for tests that look into them."""

from collections.abc import Iterable

import msgspec

from shared.bus.keys import FIELD, Keys
from shared.bus.partition_log import decode_logged, journal_entry
from shared.bus.store import RedisCommand
from shared.deliveries import Reply, StepMessage
from shared.ids import GatewayId, RoomId
from shared.journal_records import JournalEntry, JournalRecord
from shared.results import FiledRecord, Result

decode_step = msgspec.json.Decoder(StepMessage).decode


def entry_of(filed: FiledRecord) -> JournalEntry:
    """The record, as rooms replay it."""
    return journal_entry(decode_logged(filed.body))


def filed(partition: Keys, room: RoomId, offset: int, number: int, record: JournalRecord) -> RedisCommand:
    """The command that writes a record to its room's journal, as a portion."""
    body = msgspec.json.encode([[room, offset, number, record]])
    return ("XADD", partition.journal(room), f"{offset}-{number}", FIELD, body)


def written(partition: Keys, step: StepMessage) -> RedisCommand:
    """The command that writes a step to the updates of its room, as a portion."""
    return ("XADD", partition.updates(step.room), f"{step.offset}-0", FIELD, msgspec.json.encode([step]))


def steps_for(results: Iterable[Result], gateway: GatewayId) -> list[StepMessage]:
    """The step messages that a gateway receives."""
    return [
        decode_step(filed.step)
        for result in results
        for filed in result.records
        if filed.step and gateway in filed.gateways
    ]


def receivers(result: Result) -> list[GatewayId]:
    """The gateways that receive steps of the result."""
    return sorted({gateway for filed in result.records for gateway in filed.gateways})


def replies_for(results: Iterable[Result], gateway: GatewayId) -> list[Reply]:
    return [result.reply for result in results if result.reply is not None and result.reply_to == gateway]
