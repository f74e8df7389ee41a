"""A store as text, so that a store which another release wrote can be a fixture.

`python -m tests.support.store_dump` lets the previous release, from a git worktree, write the fixture again.
"""

import asyncio
import json
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.cluster import ROOT, Cluster
from tests.support.player import Player
from tests.support.stones import StonesTable

COMMIT = (ROOT / "tests" / "previous_release").read_text().strip()
FIXTURE = ROOT / "tests" / "fixtures" / "previous_release_store.json"
SECRET = "a secret that is known to tests"
STONES = 20
"""The stones of the game in the fixture, of which each of the two players has taken two."""


def dump(client: Any) -> dict[str, Any]:
    """All keys but those of live processes, by name."""
    names = sorted(name for name in client.scan_iter("*") if not name.startswith(("tavolata:{", "tavolata:drain")))
    return {name: {"type": client.type(name), "value": _value(client, name)} for name in names}


def _value(client: Any, name: str) -> Any:
    match client.type(name):
        case "string":
            return client.get(name)
        case "hash":
            return client.hgetall(name)
        case "set":
            return sorted(client.smembers(name))
        case "zset":
            return client.zrange(name, 0, -1, withscores=True)
        case "stream":
            return client.xrange(name)
        case other:
            raise ValueError(f"{name} has the type {other}")


def load(client: Any, stored: dict[str, Any]) -> None:
    """Write a dump into an empty store."""
    for name, one in stored.items():
        match one["type"], one["value"]:
            case "string", value:
                client.set(name, value)
            case "hash", value:
                client.hset(name, mapping=value)
            case "set", value:
                client.sadd(name, *value)
            case "zset", value:
                client.zadd(name, dict(value))
            case _, value:
                for entry, fields in value:
                    client.xadd(name, fields, id=entry)


@contextmanager
def previous_release() -> Iterator[Path]:
    """A worktree with the previous release."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "previous"
        git = ("git", "-C", str(ROOT), "worktree")
        subprocess.run((*git, "add", "--quiet", "--detach", str(path), COMMIT), check=True, capture_output=True)
        try:
            yield path
        finally:
            subprocess.run((*git, "remove", "--force", str(path)), check=True)


async def _write() -> None:
    with previous_release() as root, Cluster(root=root, secret=SECRET, partitions=2) as cluster:
        cluster.start(1, 1)
        async with Player("ada") as ada, Player("bob") as bob:
            for player in (ada, bob):
                await player.log_in(cluster.gateways[0].url)
            table = await StonesTable.open(ada, bob, stones=STONES, turn_ms=3_600_000)
            await table.moves(4)
            await (await StonesTable.open(ada, bob, stones=2)).moves(2)
            await ada.ask("create", game="stones", seats=2)
        cluster.workers[0].terminate()
        with cluster.redis() as client:
            FIXTURE.parent.mkdir(exist_ok=True)
            FIXTURE.write_text(json.dumps(dump(client), indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    asyncio.run(_write())
