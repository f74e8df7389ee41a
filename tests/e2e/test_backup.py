"""Backup under load, loss of the data folder, restore: games go on, and players who saw more are told."""

import asyncio
import json
import shutil
from pathlib import Path

from tests.support.launched import Launched, tavolata
from tests.support.player import Player
from tests.support.stones import StonesTable

CLI = "deploy.cli"


async def run(*words: str) -> str:
    """The output of the command."""
    done = await asyncio.to_thread(tavolata, *words, module=CLI)
    assert done.returncode == 0, done.stderr
    return done.stdout


async def back_up_under_load(table: StonesTable, file: Path, data: Path) -> None:
    backup = asyncio.create_task(run("backup", str(file), "--data", str(data)))
    while not backup.done():
        await table.move()
    await backup


async def test_a_cluster_restored_from_a_backup_goes_on_and_tells_players_who_saw_more(tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "backup"
    cluster = Launched(
        data, "--gateways", "1", "--workers", "1", "--partitions", "2", module=CLI, env={"TAVOLATA_DRAIN_MS": "0"}
    )
    url = f"ws://127.0.0.1:{cluster.port}"
    async with Player() as ada, Player() as bob:
        with cluster:
            for player in (ada, bob):
                await player.log_in(url)
            table = await StonesTable.open(ada, bob)
            await table.moves(4)
            await back_up_under_load(table, file, data)
            await table.moves(5)
            saw = ada.rooms[table.room].offset
            for player in (ada, bob):
                await player.close()
        shutil.rmtree(data)
        await run("restore", str(file), "--data", str(data))
        with cluster:
            for player in (ada, bob):
                await player.reconnect(url)
                view = await player.wait_for_message(lambda message: message.get("reason") == "rewound")
                assert view["room"] == table.room
                assert view["offset"] < saw - 4
            kept = ada.rooms[table.room].offset
            table.acked = [(number, offset) for number, offset in table.acked if offset <= kept]
            await table.moves(3)
            await table.check()
            exported = json.loads(await run("export", str(table.room), "--data", str(data)))
            moves = [record["id"] for record in exported["records"] if '"taken"' in json.dumps(record["events"])]
            assert moves == [number for number, _ in table.acked]
