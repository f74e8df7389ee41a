"""The index of a partition's deadlines: a sorted set, by the time at which each is due."""

from shared.bus.keys import Keys
from shared.bus.store import RedisCommand
from shared.ids import RoomId
from shared.results import DueDeadline


def changing(partition: Keys, due: DueDeadline, *, started: bool) -> RedisCommand:
    """The command that adds a started deadline to the index, or removes a cleared one."""
    if started:
        return ("ZADD", partition.deadlines, due.due_ms, member(due))
    return ("ZREM", partition.deadlines, member(due))


def reading(partition: Keys) -> RedisCommand:
    """The command that reads the index; `parse` takes its reply."""
    return ("ZRANGE", partition.deadlines, 0, -1, "WITHSCORES")


def parse(reply: list[bytes]) -> list[DueDeadline]:
    return [_deadline(reply[at].decode(), int(float(reply[at + 1]))) for at in range(0, len(reply), 2)]


def member(due: DueDeadline) -> str:
    """The name comes last, because games choose names for their timers and a name may contain colons."""
    return f"{due.room}:{due.generation}:{due.name}"


def _deadline(text: str, due_ms: int) -> DueDeadline:
    room, generation, name = text.split(":", 2)
    return DueDeadline(due_ms, RoomId(int(room)), name, int(generation))
