"""The commands for changes of rules and of releases: `replay-check`, `upgrade`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from deploy import replay_check as replays
from deploy import upgrade as upgrades
from deploy.data_commands import Data, Redis, named_store
from deploy.errors import USAGE, CommandError
from deploy.store_session import with_store
from shared.bus.store import Store
from shared.runtime.settings import SettingError
from worker.games import GameCatalog, load_catalog
from worker.replay_check import CheckedRoom


def replay_check(
    games: Annotated[str, typer.Option(metavar="MODULES", help="Additional games, separated by commas.")] = "",
    data: Data = Path(".tavolata"),
    redis: Redis = None,
) -> None:
    """Replay every room of a running cluster with the games at hand, and name those that come out differently.

    Nothing is written. The exit code is 1 if a room differs, or if the game version of an unfinished room is unknown.
    """
    catalog = _catalog(games)
    checked = with_store(named_store(redis, data).address, lambda store: _check(store, catalog))
    wrong = [room for room in checked if room.difference or (room.unknown and not room.over)]
    for room in wrong:
        typer.echo(replays.described(room))
    skipped = sum(1 for room in checked if room.unknown and room.over)
    steps = sum(room.steps for room in checked)
    typer.echo(f"{len(checked)} rooms, {steps} steps: {len(wrong)} differ; {skipped} finished rooms of unknown games")
    if wrong:
        raise CommandError("")


def _catalog(games: str) -> GameCatalog:
    """The games as a worker would load them: the current folder counts too."""
    try:
        return load_catalog(games)
    except SettingError as error:
        raise CommandError(str(error).replace("TAVOLATA_GAMES", "--games"), USAGE) from None


async def _check(store: Store, catalog: GameCatalog) -> list[CheckedRoom]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("replaying rooms", total=None)
        checked = []
        async for room in replays.check(store, catalog, lambda rooms: progress.update(task, total=rooms)):
            checked.append(room)
            progress.advance(task)
        return checked


def upgrade(
    finish: Annotated[
        bool, typer.Option("--finish", help="Write the format of this release; the release before cannot read it.")
    ] = False,
    data: Data = Path(".tavolata"),
    redis: Redis = None,
) -> None:
    """Report which format the processes of a cluster write, or finish an upgrade."""
    typer.echo(with_store(named_store(redis, data).address, upgrades.finish if finish else upgrades.report))
