"""Every key and channel, spelled once. All keys of a partition carry its hash tag, so they share a Cluster slot.

A process may put a prefix before all of them (`use_prefix`), so that several clusters can share a server.
"""

from binascii import crc_hqx
from collections.abc import Callable
from functools import lru_cache

from shared.ids import GatewayId, Partition, RoomId, SessionId
from shared.name_rules import folded

SLOTS = 16_384
FIELD = "b"
"""The one field of every stream entry; its value is JSON."""

META = "tavolata:meta"
SECRETS = "tavolata:secrets"
GAMES = "tavolata:games"
WORKERS = "tavolata:{workers}"
WORKER_STATUS = "tavolata:{workers}:status"
GATEWAYS = "tavolata:{gateways}"
GATEWAY_STATUS = "tavolata:{gateways}:status"
DRAIN = "tavolata:drain"
OWNERSHIP = "tavolata:tenancy"
"""Channel: a partition was released, or a worker came or went."""
LISTINGS = "tavolata:listings"
"""Channel: entries of the room directory changed."""

_prefix = ""
_WITHOUT_PREFIX = {
    name: text
    for name, text in globals().items()
    if name.isupper() and isinstance(text, str) and text.startswith("tavolata:")
}


def use_prefix(prefix: str) -> None:
    """Put a prefix before every key and channel of this process. It is called once, before any `Keys` are made: the
    prefix belongs to the process like its logs, and passing it to every function that names a key would hide the rest
    of what that function does."""
    globals().update({name: prefix + text for name, text in _WITHOUT_PREFIX.items()}, _prefix=prefix)


def name(text: str) -> str:
    """Names that differ in case or width only share one claim."""
    return f"{_prefix}tavolata:name:{folded(text)}"


def revoked(session: SessionId) -> str:
    """Kept for as long as a token is valid: by then all tokens of the session have expired."""
    return f"{_prefix}tavolata:revoked:{session}"


def control(gateway: GatewayId) -> str:
    """Channel: control messages to a gateway."""
    return f"{_prefix}tavolata:gateway:{gateway}"


def out(gateway: GatewayId) -> str:
    """Channel: deliveries to a gateway."""
    return f"{_prefix}tavolata:gateway:{gateway}:out"


def _tag(partition: int, partitions: int) -> str:
    """A hash tag whose slot lies in the partition's share of all slots: tags of plain numbers would spread unevenly
    over the servers of a Cluster."""
    first, end = partition * SLOTS // partitions, (partition + 1) * SLOTS // partitions
    number = 0
    while True:
        tag = f"p{partition}" if not number else f"p{partition}.{number}"
        if partitions > SLOTS or first <= crc_hqx(tag.encode(), 0) % SLOTS < end:
            return tag
        number += 1


class Keys:
    """The keys of one partition."""

    __slots__ = (
        "_rooms",
        "_sharded",
        "_tag",
        "audit",
        "commands",
        "deadlines",
        "directory",
        "games",
        "gateways",
        "journal_log",
        "out",
        "outages",
        "owner",
        "parked",
        "partition",
        "quarantine",
        "updates_log",
    )

    def __init__(self, partition: Partition, partitions: int, *, sharded: bool = False) -> None:
        """`sharded`: deliveries have a channel for each partition, in the partition's slot."""
        self.partition = partition
        self._sharded = sharded
        self._tag = _prefix + "{" + _tag(partition, partitions) + "}"
        self._rooms = f"{self._tag}:room:"
        self.commands = f"{self._tag}:commands"
        self.owner = f"{self._tag}:owner"
        self.journal_log = f"{self._tag}:journal"
        """Stream: the records of all rooms, an entry for each commit, until the rooms' own journals have them."""
        self.updates_log = f"{self._tag}:updates"
        """Stream: the steps of all rooms as receivers may see them, likewise. Gateways read this one."""
        self.directory = f"{self._tag}:rooms"
        self.games = f"{self._tag}:games"
        """Hash: the number of unfinished rooms of each game and version."""
        self.deadlines = f"{self._tag}:deadlines"
        self.gateways = f"{self._tag}:gateways"
        self.quarantine = f"{self._tag}:quarantine"
        self.parked = f"{self._tag}:parked"
        """Hash: commands that wait for an owner that can play their rooms."""
        self.outages = f"{self._tag}:outages"
        """Hash: times during which rooms were not played."""
        self.audit = f"{self._tag}:audit"
        """Stream: the acts of operators."""
        self.out: Callable[[GatewayId], str] = lru_cache(maxsize=1_024)(self._out)
        """Channel: deliveries of this partition to a gateway. Kept, because every commit needs it."""

    def journal(self, room: RoomId) -> str:
        return f"{self._rooms}{room}:journal"

    @property
    def journals(self) -> str:
        """A pattern that fits the keys of all journals."""
        return f"{self._rooms}*:journal"

    def room_of(self, journal: str) -> RoomId:
        """The room that a journal belongs to, by its key."""
        return RoomId(int(journal.removeprefix(self._rooms).removesuffix(":journal")))

    def updates(self, room: RoomId) -> str:
        return f"{self._rooms}{room}:updates"

    def snapshot(self, room: RoomId) -> str:
        return f"{self._rooms}{room}:snapshot"

    def _out(self, gateway: GatewayId) -> str:
        """On one server all partitions share a channel, so that their deliveries travel together."""
        return f"{self._tag}:out:{gateway}" if self._sharded else out(gateway)

    def at(self, gateway: GatewayId) -> str:
        """Set: the rooms of this partition whose updates a gateway receives."""
        return f"{self._tag}:at:{gateway}"


def all_keys(partitions: int, *, sharded: bool = False) -> tuple[Keys, ...]:
    return tuple(Keys(Partition(number), partitions, sharded=sharded) for number in range(partitions))
