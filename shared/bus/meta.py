"""Facts that all processes of a cluster share: the format of the store, its secrets, the announced games."""

import asyncio
import secrets
from collections.abc import Sequence

import msgspec

from shared.bus import keys, store_figures
from shared.bus.connection import Check
from shared.bus.store import Store

FORMAT = 5
"""The newest format of keys, envelopes, journals and snapshots that this program writes."""
LAST_FORMAT = FORMAT - 1
"""The format of the release before. This program reads it, and writes it until the operator has finished the upgrade,
so that processes of both releases can work side by side (docs/decisions/0019)."""

_REPLICAS_S = 10.0
TOKENS, ADMIN_TOKEN = "tokens", "admin_token"
"""The names of the cluster's secrets."""


class IncompatibleStore(Exception):
    """This process cannot work with the store; the text says why, in one line."""


class GameCard(msgspec.Struct, frozen=True):
    """The description of a game for gateways and clients, which do not have its code."""

    name: str
    title: str
    version: int
    seats: tuple[int, ...]
    options: msgspec.Raw
    """JSON schema of the table's options."""
    commands: msgspec.Raw
    """JSON schema of the commands."""
    least: int | None = None
    events: msgspec.Raw = msgspec.Raw(b"{}")
    """JSON schema of the events."""
    view: msgspec.Raw = msgspec.Raw(b"{}")
    """JSON schema of the views."""


class _Status(msgspec.Struct, frozen=True):
    """The part of a worker's status that names its games."""

    games: frozenset[str] | None = None


_decode_card = msgspec.json.Decoder(GameCard).decode
_decode_status = msgspec.json.Decoder(_Status).decode


async def agree(store: Store, partitions: int) -> None:
    """Store the number of partitions and the format at the first start. Later, refuse to go on if the number differs,
    or if this program cannot read the format."""
    await store.pipe(
        (("HSETNX", keys.META, "partitions", partitions), ("HSETNX", keys.META, "format", FORMAT)),
    )
    stored, form = await store.call("HMGET", keys.META, "partitions", "format")
    if int(form) not in (LAST_FORMAT, FORMAT):
        raise IncompatibleStore(
            f"the store was written in format {int(form)}, this program reads formats {LAST_FORMAT} and {FORMAT}: use "
            "an empty store (another --data folder), or the version that wrote it"
        )
    if int(stored) != partitions:
        raise IncompatibleStore(
            f"the store is divided into {int(stored)} partitions: set TAVOLATA_PARTITIONS={int(stored)}"
        )


async def partitions(store: Store) -> int:
    """The number of partitions of the cluster that uses the store; 0 if none has used it."""
    return int(await store.call("HGET", keys.META, "partitions") or 0)


async def stored_format(store: Store) -> int:
    """The format that processes write now. It rises when an operator finishes an upgrade."""
    stored = await store.call("HGET", keys.META, "format")
    return FORMAT if stored is None else int(stored)


async def finish_upgrade(store: Store) -> None:
    """Let all processes write the newest format from now on."""
    await store.call("HSET", keys.META, "format", FORMAT)


async def check_durability(store: Store, durability: str) -> None:
    """Check that the store is configured for durability `fsync`, if that is required."""
    for command, check in durability_checks(durability):
        for reply in (await store.each(*command)).values():
            if reason := check(reply):
                raise IncompatibleStore(reason)


async def check_replicas(store: Store, replicas: int) -> None:
    """Check that every primary has enough replicas for durability `replicated`; waits a moment for those that are just
    being connected. Without them no move would ever be acknowledged."""
    if not replicas:
        return
    loop = asyncio.get_running_loop()
    end = loop.time() + _REPLICAS_S
    while (fewest := min(len(server.replicas) for server in await store_figures.read(store))) < replicas:
        if loop.time() > end:
            raise IncompatibleStore(
                f"TAVOLATA_DURABILITY=replicated needs {replicas} replicas (TAVOLATA_REPLICAS) of every primary, and "
                f"one has {fewest}: attach replicas, or choose another durability"
            )
        await asyncio.sleep(_REPLICAS_S / 50)


def durability_checks(durability: str) -> Sequence[Check]:
    """The checks that a server must pass before anything is written to it. A replica that was promoted may be
    configured otherwise than the primary that was checked at the start."""
    return ((("CONFIG", "GET", "append*"), _not_on_disk),) if durability == "fsync" else ()


def _not_on_disk(reply: list[bytes]) -> str:
    config = {reply[at].decode(): reply[at + 1].decode() for at in range(0, len(reply), 2)}
    if config.get("appendonly") == "yes" and config.get("appendfsync") == "always":
        return ""
    return (
        "TAVOLATA_DURABILITY=fsync needs a store with appendonly yes and appendfsync always; "
        "configure it so, or set TAVOLATA_DURABILITY=applied"
    )


async def secret(store: Store, name: str, setting: str) -> str:
    """A secret of the cluster: the setting, or one that is generated once and kept in the store."""
    if setting:
        return setting
    await store.call("HSETNX", keys.SECRETS, name, secrets.token_urlsafe(24))
    return str((await store.call("HGET", keys.SECRETS, name)).decode())


async def announce(store: Store, cards: list[GameCard]) -> None:
    """Announce the games that this worker can play."""
    if cards:
        pairs = [item for card in cards for item in (card.name, msgspec.json.encode(card))]
        await store.call("HSET", keys.GAMES, *pairs)


async def games(store: Store) -> dict[str, GameCard]:
    """The games that can be played now: those that registered workers name in their status. While no worker is
    registered, or one does not name its games, all games that were ever announced."""
    reply, statuses = await store.pipe((("HGETALL", keys.GAMES), ("HGETALL", keys.WORKER_STATUS)))
    cards = {reply[at].decode(): _decode_card(reply[at + 1]) for at in range(0, len(reply), 2)}
    played: set[str] = set()
    for status in statuses[1::2]:
        theirs = _decode_status(status).games
        if theirs is None:
            return cards
        played |= theirs
    return {name: card for name, card in cards.items() if name in played} if statuses else cards
