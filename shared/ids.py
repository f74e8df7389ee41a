"""The identifiers that all other modules are typed with, and the partition of a room."""

from typing import NewType

RoomId = NewType("RoomId", int)
"""The number of a room, the same in all dialects."""
Seat = NewType("Seat", int)
"""A place in a room, numbered from 0."""
SessionId = NewType("SessionId", str)
"""The identity that seats belong to. It outlives a connection."""
GatewayId = NewType("GatewayId", str)
WorkerId = NewType("WorkerId", str)
Partition = NewType("Partition", int)
"""The number of a partition, from 0."""
Epoch = NewType("Epoch", int)
"""The fencing number of a partition's owner. It rises with every owner and never repeats."""
Offset = NewType("Offset", int)
"""The number of a step in its room."""
CommitNumber = NewType("CommitNumber", int)
"""The number of a commit in its partition. It rises by one with every commit, across all owners."""
CommandId = NewType("CommandId", int)
"""The number of a command within its session. It rises, and a room carries out each one at most once."""
TraceId = NewType("TraceId", str)
GameVersion = NewType("GameVersion", str)
"""A game and its version, such as `stones@1`."""

LOBBY = RoomId(0)
"""The room id of the lobby, which handles commands as a room does."""

FIRST_ROOM = 1000
"""The lowest id that the lobby gives to a room."""
PRIVATE_ROOMS = range(100_000_000, 1_000_000_000)
"""The ids of private rooms, drawn at random so that they cannot be guessed."""


def partition_of(room: RoomId, partitions: int) -> Partition:
    return Partition(room % partitions)


def game_version(game: str, version: int) -> GameVersion:
    return GameVersion(f"{game}@{version}")


def name_and_version(game: GameVersion) -> tuple[str, int]:
    name, _, version = game.rpartition("@")
    return name, int(version)
