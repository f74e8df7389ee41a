"""Every tag, field name and key that crosses a socket or is kept in the store, compared with a pinned list.

Classes may be renamed and moved; `wire_names.txt` holds the names that clients and stored data depend on. Add a line
there when a protocol or the store format gains a name; a line that has to change or go is a change of the format.
"""

import importlib
import pkgutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from shared.bus import keys
from shared.ids import GatewayId, Partition, RoomId, SessionId

PACKAGES = ("gateway", "worker", "shared")
PINNED = Path(__file__).with_name("wire_names.txt")


def _structs() -> Iterator[type[msgspec.Struct]]:
    for package in PACKAGES:
        for found in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if found.name.endswith("__main__"):
                continue
            for value in vars(importlib.import_module(found.name)).values():
                if isinstance(value, type) and issubclass(value, msgspec.Struct) and value.__module__ == found.name:
                    yield value


def _described(struct: type[msgspec.Struct]) -> str:
    config = struct.__struct_config__
    tag = "untagged" if config.tag is None else f"{config.tag_field}={config.tag}"
    form = "array" if config.array_like else "object"
    return f"{tag} {form} {','.join(struct.__struct_encode_fields__) or '-'}"


def _named_on_the_wire(struct: type[msgspec.Struct]) -> bool:
    """Whether it can only be meant for a wire or the store: other structs may come and go."""
    bare = not struct.__struct_encode_fields__ and bool(struct.__subclasses__())
    return not bare and (struct.__struct_config__.tag is not None or struct.__struct_config__.array_like)


def _keys() -> Iterator[str]:
    of_one, gateway, room = keys.Keys(Partition(3), 16), GatewayId("g"), RoomId(1000)
    yield from (of_one.commands, of_one.owner, of_one.directory, of_one.deadlines, of_one.gateways, of_one.quarantine)
    yield from (of_one.journal(room), of_one.updates(room), of_one.snapshot(room), of_one.at(gateway))
    yield from (of_one.journal_log, of_one.updates_log, of_one.games, of_one.parked, of_one.outages)
    yield of_one.audit
    yield from (keys.META, keys.SECRETS, keys.GAMES, keys.WORKERS, keys.WORKER_STATUS, keys.GATEWAYS)
    yield from (keys.GATEWAY_STATUS, keys.DRAIN, keys.LISTINGS, keys.name("n"))
    yield keys.revoked(SessionId("s"))
    yield from (keys.control(gateway), keys.out(gateway), keys.Keys(Partition(3), 16, sharded=True).out(gateway))


def test_names_of_the_pinned_list_are_still_written_and_read() -> None:
    pinned = Counter(PINNED.read_text().splitlines())
    current = Counter([*map(_described, _structs()), *(f"key {key}" for key in _keys())])
    assert not pinned - current


def test_names_on_the_wire_are_in_the_pinned_list() -> None:
    pinned = Counter(PINNED.read_text().splitlines())
    assert not Counter(_described(struct) for struct in _structs() if _named_on_the_wire(struct)) - pinned
