"""Stream entries are bounded, so that a worker can end its turn between two of them."""

from collections.abc import Sequence

import msgspec

from shared.bus import command_streams
from shared.bus.command_streams import MOST_BYTES, MOST_COMMANDS
from shared.bus.keys import Keys
from shared.commands import Envelope, Say
from shared.ids import CommandId, Partition, RoomId, SessionId

P = Keys(Partition(0), 2)


def envelopes(count: int, text: str = "hello") -> list[Envelope]:
    return [Envelope(RoomId(1000), SessionId("ada"), CommandId(number), Say(text)) for number in range(1, count + 1)]


def bodies(added: Sequence[Envelope]) -> list[bytes]:
    adds = command_streams.adding_many(P, added)
    return [word for *_, word in adds if isinstance(word, bytes)]


def ids(entries: list[bytes]) -> list[list[int]]:
    return [[envelope.id for envelope in msgspec.json.decode(entry, type=list[Envelope])] for entry in entries]


def test_few_small_commands_are_one_entry() -> None:
    assert ids(bodies(envelopes(MOST_COMMANDS))) == [list(range(1, MOST_COMMANDS + 1))]


def test_many_commands_are_split_in_order() -> None:
    entries = ids(bodies(envelopes(3 * MOST_COMMANDS + 1)))
    assert [len(entry) for entry in entries] == [MOST_COMMANDS, MOST_COMMANDS, MOST_COMMANDS, 1]
    assert [number for entry in entries for number in entry] == list(range(1, 3 * MOST_COMMANDS + 2))


def test_large_commands_are_split_in_order() -> None:
    entries = bodies(envelopes(20, "x" * (MOST_BYTES // 4)))
    assert all(len(entry) <= MOST_BYTES for entry in entries)
    assert [number for entry in ids(entries) for number in entry] == list(range(1, 21))


def test_a_command_larger_than_an_entry_is_an_entry_of_its_own() -> None:
    assert ids(bodies(envelopes(3, "x" * MOST_BYTES))) == [[1], [2], [3]]
