"""Every key and channel, spelled once. All keys of a partition carry its hash tag, so they share a Cluster slot."""

from binascii import crc_hqx

from shared.ids import GatewayId, Partition, RoomId

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
JOURNAL, UPDATES, SNAPSHOT = ":journal", ":updates", ":snapshot"
"""The ends of a room's keys, behind its number."""


def name(text: str) -> str:
    return f"tavolata:name:{text}"


def control(gateway: GatewayId) -> str:
    """Channel: control messages to a gateway."""
    return f"tavolata:gateway:{gateway}"


def out(gateway: GatewayId) -> str:
    """Channel: deliveries to a gateway."""
    return f"tavolata:gateway:{gateway}:out"


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

    __slots__ = ("_tag", "commands", "deadlines", "directory", "gateways", "owner", "partition", "quarantine", "rooms")

    def __init__(self, partition: Partition, partitions: int) -> None:
        self.partition = partition
        self._tag = "{" + _tag(partition, partitions) + "}"
        self.rooms = f"{self._tag}:room:"
        """The beginning of the keys of every room."""
        self.commands = f"{self._tag}:commands"
        self.owner = f"{self._tag}:owner"
        self.directory = f"{self._tag}:rooms"
        self.deadlines = f"{self._tag}:deadlines"
        self.gateways = f"{self._tag}:gateways"
        self.quarantine = f"{self._tag}:quarantine"

    def journal(self, room: RoomId) -> str:
        return f"{self.rooms}{room}{JOURNAL}"

    def updates(self, room: RoomId) -> str:
        return f"{self.rooms}{room}{UPDATES}"

    def snapshot(self, room: RoomId) -> str:
        return f"{self.rooms}{room}{SNAPSHOT}"

    def at(self, gateway: GatewayId) -> str:
        """Set: the rooms of this partition whose updates a gateway receives."""
        return f"{self._tag}:at:{gateway}"


def all_keys(partitions: int) -> tuple[Keys, ...]:
    return tuple(Keys(Partition(number), partitions) for number in range(partitions))
