"""Upgrades: a store of the release before, its processes beside ours, versions of games that come and go."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from gateway.cluster.tokens import Tokens
from shared.bus import keys, meta
from shared.ids import SessionId
from tests.e2e.conftest import NewPlayer
from tests.support import store_dump
from tests.support.cluster import QUICK, ROOT, Cluster
from tests.support.player import Player
from tests.support.stones import StonesTable
from tests.support.store_dump import FIXTURE, SECRET, STONES, previous_release
from tests.support.waiting import eventually, eventually_async

PEBBLES = """
from dataclasses import replace
from shared.games import stones
GAME = replace(stones.GAME, name="pebbles", version={version})
"""
LATER = 1_000_000
"""The first id of requests that follow on those of the fixture's sessions."""
ROOMS = 100
"""Rooms of each of the two versions."""
PAIRS = 25
MOVES = 40


def tavolata(cluster: Cluster, *words: str, path: Path = ROOT) -> "subprocess.CompletedProcess[str]":
    """Run a command on the cluster's store; `path` is a folder with games."""
    command = [sys.executable, "-m", "deploy.cli", *words, "--redis", cluster.store.url]
    env = {**os.environ, "PYTHONPATH": str(path)}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=60, check=False)


# --- a store of the release before ------------------------------------------------------------------------------------


async def test_a_store_of_the_release_before_opens_and_its_games_go_on() -> None:
    stored = json.loads(FIXTURE.read_text())
    sessions = {claim["value"]["session"]: name for name, claim in stored.items() if name.startswith("tavolata:name:")}
    with Cluster(secret=SECRET, partitions=2, **QUICK) as cluster:
        cluster.store.start()
        with cluster.redis() as client:
            store_dump.load(client, stored)
        for role in ("worker", "gateway"):
            cluster.node(role)
        cluster.mend()
        tokens = Tokens(SECRET, 600_000)
        async with Player("ada") as ada, Player("bob") as bob:
            for player in (ada, bob):
                sid = next(sid for sid, name in sessions.items() if name.endswith(f":{player.name}"))
                await player.connect(cluster.gateways[0].url)
                welcome = await player.hello(token=tokens.issue(SessionId(sid), player.name, _now_ms(cluster)))
                assert welcome["type"] == "welcome", welcome
            room = await _room_in_play(cluster, ada)
            for player in (ada, bob):
                assert (await player.ask("view", room=room))["view"]["game"]["stones"] == STONES - 4
            for number, mover in enumerate((ada, bob, ada, bob), LATER):
                await mover.send(type="act", id=number, room=room, command={"type": "take", "count": 1})
                assert (await mover.answer(number))["type"] == "ack"
        checked = tavolata(cluster, "replay-check")
        assert checked.returncode == 0, checked.stdout + checked.stderr
        assert "3 rooms" in checked.stdout
        with cluster.redis() as client:
            assert client.hget(keys.META, "format") == str(meta.LAST_FORMAT)


async def _room_in_play(cluster: Cluster, player: Player) -> int:
    listed = await player.ask("rooms", game="stones", status="playing")
    (room,) = listed["rooms"]
    return int(room["room"])


def _now_ms(cluster: Cluster) -> int:
    with cluster.redis() as client:
        return int(client.time()[0]) * 1_000


@pytest.fixture(scope="module")
def before() -> Iterator[Path]:
    found = subprocess.run(
        ("git", "-C", str(ROOT), "cat-file", "-e", f"{store_dump.COMMIT}^{{commit}}"), check=False, capture_output=True
    )
    if found.returncode:
        pytest.skip(f"the previous release ({store_dump.COMMIT}) is not in this clone")
    with previous_release() as root:
        yield root


@pytest.mark.verify
async def test_both_releases_work_side_by_side_and_the_old_one_can_come_back(
    before: Path, new_player: NewPlayer
) -> None:
    with Cluster(root=before, **QUICK) as cluster:
        cluster.start(1, 1)
        old_worker, old_gateway = cluster.workers[0], cluster.gateways[0]
        first = await new_player(old_gateway)
        second = await new_player(old_gateway)
        table = await StonesTable.open(first, second, stones=200, turn_ms=600_000)
        await table.moves(4)

        new_worker, new_gateway = cluster.node_of(ROOT, "worker"), cluster.node_of(ROOT, "gateway")
        new_worker.start()
        new_gateway.start()
        third, fourth = await new_player(new_gateway), await new_player(old_gateway)
        across = [await StonesTable.open(third, fourth, stones=200) for _ in range(4)]
        for one in (table, *across):
            await one.moves(4)
        refused = tavolata(cluster, "upgrade", "--finish")
        assert refused.returncode == 1
        assert "still running" in refused.stderr

        await asyncio.to_thread(old_worker.terminate)
        for one in (table, *across):
            await one.moves(4)
        await asyncio.to_thread(old_worker.start)
        await asyncio.to_thread(new_worker.terminate)
        for one in (table, *across):
            await one.moves(4)
            await one.check()

        await asyncio.to_thread(new_worker.start)
        await asyncio.to_thread(old_worker.terminate)
        await asyncio.to_thread(old_gateway.terminate)
        for player in (first, second, fourth):
            await player.wait_closed()
            await player.reconnect(new_gateway.url)
        await _gone(cluster, "gateways", 1)
        finished = tavolata(cluster, "upgrade", "--finish")
        assert finished.returncode == 0, finished.stderr
        for one in (table, *across):
            await one.moves(4)
            await one.check()
        old_worker.launch()
        eventually(lambda: not old_worker.alive, "the old worker refuses the new format")
        assert "format 5" in old_worker.log()


async def _gone(cluster: Cluster, kind: str, left: int) -> None:
    with cluster.redis() as client:
        await eventually_async(lambda: client.zcard(f"tavolata:{{{kind}}}") == left, "the old processes are gone")


# --- versions of games ------------------------------------------------------------------------------------------------


@pytest.fixture
def pebbles(tmp_path: Path) -> Path:
    for version in (1, 2):
        (tmp_path / f"pebbles_v{version}.py").write_text(PEBBLES.format(version=version))
    return tmp_path


class PebblesTable:
    """Two players at a table, who play to the end whatever the cluster goes through."""

    def __init__(self, room: int, players: tuple[Player, Player]) -> None:
        self.room = room
        self.players = players
        self.acked = 0
        self.busy = 0
        self.version = 0

    async def play(self) -> None:
        for number in range(MOVES):
            mover = self.players[number % 2]
            await mover.until(partial(self._has_seen, mover, number), "the turn has come")
            while (answer := await mover.take(self.room, 1))["type"] != "ack":
                assert answer["code"].startswith("busy/"), answer
                self.busy += 1
                await asyncio.sleep(0.2)
            self.acked += 1
            await asyncio.sleep(0.3)

    def _has_seen(self, player: Player, moves: int) -> bool:
        return player.rooms[self.room].kinds().count("taken") == moves


async def _open(pair: tuple[Player, Player], version: int) -> PebblesTable:
    first, second = pair
    opened = await first.ask("create", game="pebbles", seats=2, options={"stones": MOVES})
    assert opened["type"] == "entered", opened
    assert opened["view"]["version"] == version
    table = PebblesTable(opened["room"], pair)
    assert (await second.ask("join", room=table.room))["type"] == "entered"
    await first.wait_for_event(table.room, "room.started")
    await second.wait_for_event(table.room, "room.started")
    table.version = version
    return table


async def _replace(cluster: Cluster, games: str) -> None:
    """Replace all workers, one after the other, by workers with other games."""
    for old in list(cluster.workers):
        new = cluster.node("worker", games=games)
        await asyncio.to_thread(new.start)
        await asyncio.to_thread(old.terminate)
        cluster.workers.remove(old)


@pytest.mark.verify
@pytest.mark.timeout(600)
async def test_200_rooms_of_two_versions_outlast_a_rolling_change_of_all_workers(
    pebbles: Path, new_player: NewPlayer
) -> None:
    settings = QUICK | {"games": "pebbles_v1", "lease_ms": 1_500}
    with Cluster(env={"PYTHONPATH": str(pebbles)}, **settings) as cluster:
        cluster.start(2, 2)
        players = [await new_player(cluster.gateways[number % 2]) for number in range(2 * PAIRS)]
        pairs = list(zip(players[::2], players[1::2], strict=True))
        each = ROOMS // PAIRS
        tables = [await _open(pair, 1) for pair in pairs for _ in range(each)]
        playing = [asyncio.create_task(table.play()) for table in tables]
        await _replace(cluster, "pebbles_v1,pebbles_v2")
        newer = [await _open(pair, 2) for pair in pairs for _ in range(each)]
        tables += newer
        playing += [asyncio.create_task(table.play()) for table in newer]
        await _replace(cluster, "pebbles_v2")
        waiting = 'tavolata_rooms_without_worker{game="pebbles@1"}'
        await eventually_async(lambda: cluster.gateways[0].metrics().get(waiting, 0) > 0, "rooms of version 1 wait")
        await _replace(cluster, "pebbles_v1,pebbles_v2")
        await asyncio.gather(*playing)
        assert {table.acked for table in tables} == {MOVES}
        for table in tables:
            for player in table.players:
                await player.wait_for_event(table.room, "room.ended")
                assert player.rooms[table.room].kinds().count("taken") == MOVES
        with cluster.redis() as client:
            assert not list(client.scan_iter("*:quarantine"))
            assert not list(client.scan_iter("*:parked"))
        checked = tavolata(cluster, "replay-check", "--games", "pebbles_v1,pebbles_v2", path=pebbles)
        assert checked.returncode == 0, checked.stdout + checked.stderr


async def test_replay_check_names_the_room_and_the_step_of_a_changed_rule(pebbles: Path, calm: Cluster) -> None:
    async with Player() as first, Player() as second:
        for player in (first, second):
            await player.log_in(calm.gateways[0].url)
        table = await StonesTable.open(first, second, stones=5)
        await table.moves(5)
    changed = "from dataclasses import replace\nfrom shared.games import stones\n"
    changed += "GAME = replace(stones.GAME, outcome=lambda state: None)\n"
    (pebbles / "changed_stones.py").write_text(changed)
    same = tavolata(calm, "replay-check")
    assert same.returncode == 0, same.stdout + same.stderr
    found = tavolata(calm, "replay-check", "--games", "changed_stones", path=pebbles)
    last = first.rooms[table.room].offset
    assert found.returncode == 1, found.stdout + found.stderr
    assert f"room {table.room} (stones@1), step {last}: the game ended here, and goes on by these rules" in found.stdout
