"""Every key and channel, spelled once. All keys of a partition carry its hash tag, so they share a Cluster slot."""

from binascii import crc_hqx

from shared.ids import GatewayId, Partition, RoomId

SLOTS = 16_384

META = "tavolata:meta"
SECRETS = "tavolata:secrets"
GAMES = "tavolata:games"
WORKERS = "tavolata:{workers}"
WORKER_STATUS = "tavolata:{workers}:status"
GATEWAYS = "tavolata:{gateways}"
GATEWAY_STATUS = "tavolata:{gateways}:status"
DRAIN = "tavolata:drain"
TENANCY = "tavolata:tenancy"
"""Channel: a partition was released, or a worker came or went."""
LISTINGS = "tavolata:listings"
"""Channel: rooms' entries in the directory changed."""
JOURNAL, UPDATES, SNAPSHOT = ":journal", ":updates", ":snapshot"
"""What a room has, behind its number."""


def name(text: str) -> str:
    return f"tavolata:name:{text}"


def control(gateway: GatewayId) -> str:
    """Channel: what concerns a gateway as a whole."""
    return f"tavolata:gateway:{gateway}"


def out(gateway: GatewayId) -> str:
    """Channel: what rooms have to say to a gateway."""
    return f"tavolata:gateway:{gateway}:out"


def _tag(partition: int, partitions: int) -> str:
    """A tag whose slot lies in the partition's share of all slots: plain numbers would fall unevenly."""
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
        """Begins the keys of every room."""
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
        """Set: the rooms of this partition that a gateway attends to."""
        return f"{self._tag}:at:{gateway}"


def all_keys(partitions: int) -> tuple[Keys, ...]:
    return tuple(Keys(Partition(number), partitions) for number in range(partitions))
