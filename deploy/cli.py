"""The `tavolata` command: its options, and how its failures are shown. The work is done elsewhere."""

import asyncio
import os
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from deploy import check_game, data_commands, new_game, settings_reference, upgrade_commands
from deploy.command_group import CommandGroup
from deploy.console import make_console, show_banner
from deploy.dev import GameWatcher
from deploy.errors import CommandError
from deploy.launcher import cluster_file, store, store_status
from deploy.launcher.plan import MOST_PROCESSES, ClusterPlan, Layout, joined_listeners, plan_from_env
from deploy.launcher.supervisor import Supervisor
from deploy.ops.commands import ops
from deploy.snarl_server.command import SnarlServer
from gateway.dialects import variables
from loadtest.cli import Command, load
from shared.bus.address import TlsFiles
from shared.runtime.bootstrap import prefer_throughput, warn
from shared.runtime.settings import PREFIX, StoreSettings, from_env, unknown_variables
from shared.runtime.version import VERSION

INTERRUPTED = 130


app = typer.Typer(
    cls=CommandGroup,
    help="A cluster for turn-based games: gateways, workers and a store.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"tavolata {VERSION}")
        raise typer.Exit


@app.callback()
def options(
    _version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """A cluster for turn-based games: gateways, workers and a store."""


Data = Annotated[Path, typer.Option(help="Data folder: the store's data, logs, process list.")]


@app.command(cls=Command)
def up(
    gateways: Annotated[int, typer.Option(min=1, max=MOST_PROCESSES, help="Number of gateways.")] = 2,
    workers: Annotated[int, typer.Option(min=0, max=MOST_PROCESSES, help="Number of workers.")] = 2,
    port: Annotated[
        int | None,
        typer.Option(show_default="8000", help="Port that all gateways share; gateway N also listens on PORT+N."),
    ] = None,
    host: Annotated[str | None, typer.Option(show_default="127.0.0.1", help="Address to listen on.")] = None,
    data: Data = Path(".tavolata"),
    redis: Annotated[
        str | None, typer.Option(metavar="URL", show_default="an embedded Valkey", help="Address of the store.")
    ] = None,
    store_topology: Annotated[
        str | None,
        typer.Option(
            "--store",
            show_default="standalone",
            help="Embedded store: standalone, sentinel (one primary, two replicas, three sentinels) or cluster (three "
            "primaries with a replica each).",
        ),
    ] = None,
    tcp_ports: Annotated[
        list[str] | None,
        typer.Option(
            "--tcp",
            metavar="NAME=PORT",
            help="TCP listeners, separated by commas. ;OPTION=VALUE may follow a port, such as "
            "'eriantys.status=1234;compat=am28'.",
        ),
    ] = None,
    durability: Annotated[
        str | None,
        typer.Option(
            show_default="fsync", help="What must hold before a move is acknowledged: fsync, applied or replicated."
        ),
    ] = None,
    games: Annotated[str | None, typer.Option(help="Additional games: modules, separated by commas.")] = None,
    partitions: Annotated[
        int | None, typer.Option(show_default="16", help="Number of partitions; fixed at the first start.")
    ] = None,
) -> None:
    """Run a whole cluster on this machine until Ctrl-C.

    TAVOLATA_* variables (see `tavolata settings`) are passed on to all processes; options take precedence.
    """
    options = {
        "PORT": port,
        "HOST": host,
        "REDIS_URL": redis,
        "STORE_TOPOLOGY": store_topology,
        "TCP": joined_listeners(tcp_ports) if tcp_ports else None,
        "DURABILITY": durability,
        "GAMES": games,
        "PARTITIONS": partitions,
    }
    given = {PREFIX + name: str(value) for name, value in options.items() if value is not None}
    _run_cluster(plan_from_env(data, gateways, workers, {**os.environ, **given}))


def _run_cluster(plan: ClusterPlan, watched: str = "") -> None:
    """Run a cluster until Ctrl-C. Its workers are restarted when the files of the module `watched` change."""
    for line in unknown_variables(os.environ, variables()):
        warn(line)
    console = make_console()

    def report(text: str) -> None:
        with suppress(OSError):
            console.print(text, markup=False, highlight=False, soft_wrap=True)

    def ready(plan: ClusterPlan, layout: Layout) -> None:
        with suppress(OSError):
            show_banner(console, plan, layout)

    async def run() -> None:
        supervisor = Supervisor(plan, report, ready)
        watching = asyncio.create_task(GameWatcher(watched, supervisor, report).watch()) if watched else None
        try:
            await supervisor.run()
        finally:
            if watching is not None:
                watching.cancel()

    prefer_throughput()
    report("starting; the logs are in " + str(plan.data / "logs"))
    asyncio.run(run())
    report("stopped")


@app.command(cls=Command)
def ps(
    data: Data = Path(".tavolata"),
    url: Annotated[bool, typer.Option("--url", help="Print the store's URL, with its password, instead.")] = False,
    admin_token: Annotated[
        bool, typer.Option("--admin-token", help="Print the generated admin token instead.")
    ] = False,
) -> None:
    """Print role, pid, port and uptime of every process of a running cluster, and the gateways' ports for operators."""
    cluster = cluster_file.running_cluster(data)
    if url:
        print(cluster.redis_url)
    elif admin_token:
        settings = from_env(StoreSettings, os.environ)
        token = store.admin_token(cluster.redis_url, TlsFiles.named_in(settings), settings.key_prefix)
        if token is None:
            raise CommandError("the store keeps no admin token: the cluster was started with TAVOLATA_ADMIN_TOKEN")
        print(token)
    else:
        print("\n".join(cluster_file.process_lines(*store_status.observed(cluster))))


@app.command(cls=Command)
def down(
    data: Data = Path(".tavolata"),
    limit: Annotated[float, typer.Option(min=0, help="Seconds to wait until all processes have ended.")] = 60,
) -> None:
    """Stop a running cluster: gateways, workers, store."""
    cluster_file.stop_cluster(data, limit)
    print("stopped")


app.command("load", cls=Command)(load)
app.add_typer(ops, name="ops")
app.command("backup", cls=Command)(data_commands.backup)
app.command("restore", cls=Command)(data_commands.restore)
app.command("export", cls=Command)(data_commands.export)


@app.command("check-game", cls=Command)
def check_game_module(
    module: Annotated[str, typer.Argument(help="A module with a GAME, such as shared.games.stones.")],
    games: Annotated[int, typer.Option(min=1, help="Games to play with every number of players.")] = 50,
) -> None:
    """Play a game with bots and check that it keeps the contract."""
    game = check_game.load(module)
    events = tried = 0
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(game.title, total=games * len(game.seats))
        for played in check_game.check(game, games):
            events += played.events
            tried += played.tried
            progress.update(task, advance=1, description=f"{game.title}, {played.seats} players")
    total = games * len(game.seats)
    played_games = "1 game" if total == 1 else f"{total} games"
    print(f"{game.name}@{game.version} keeps the contract: {played_games}, {events} events, {tried} options tried")


app.command("replay-check", cls=Command)(upgrade_commands.replay_check)
app.command("upgrade", cls=Command)(upgrade_commands.upgrade)


@app.command("new-game", cls=Command)
def write_new_game(
    name: Annotated[str, typer.Argument(help="Name of the game: a Python package of this name is written.")],
) -> None:
    """Write a package with a game, its tests and a README into the current folder."""
    for path in new_game.write(name, Path()):
        print(path)
    print(f"next: tavolata dev {name}")


@app.command(cls=Command)
def dev(
    module: Annotated[str, typer.Argument(help="A module with a GAME in the current folder, such as connect4.")],
    port: Annotated[int, typer.Option(help="Port of the page.")] = 8000,
) -> None:
    """Run a game in the page until Ctrl-C, and restart the workers when its files change.

    The cluster has one gateway and one worker, and begins with an empty store each time.
    """
    check_game.load(module)
    with TemporaryDirectory(prefix="tavolata-", ignore_cleanup_errors=True) as data:
        options = {"PORT": str(port), "GAMES": module, "DURABILITY": "applied"}
        given = {PREFIX + name: value for name, value in options.items()}
        _run_cluster(plan_from_env(Path(data), 1, 1, {**os.environ, **given}), watched=module)


@app.command(cls=Command)
def settings(
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown, as in docs/operations.md.")] = False,
) -> None:
    """List all TAVOLATA_* variables with their defaults."""
    if markdown:
        print(settings_reference.markdown(), end="")
        return
    console = make_console()
    for title, rows in settings_reference.sections():
        table = Table("variable", "default", "meaning", title=title, title_justify="left")
        for name, default, text in rows:
            table.add_row(name, default, text)
        console.print(table)


@app.command(cls=Command)
def snarl(
    levels: Annotated[
        Path | None, typer.Option(show_default="snarl.levels, or else the shipped levels", help="File with the levels.")
    ] = None,
    clients: Annotated[int, typer.Option(min=1, max=4, help="Players per game.")] = 4,
    wait: Annotated[float, typer.Option(help="Seconds to wait for another player before a game starts.")] = 60,
    observe: Annotated[bool, typer.Option("--observe", help="Draw the whole level after every move.")] = False,
    address: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65_535, help="TCP port to listen on.")] = 45_678,
    url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Observe a running cluster (ws://host:port) instead of starting one."),
    ] = None,
) -> None:
    """Serve Snarl over TCP on a cluster of its own until Ctrl-C."""
    server = SnarlServer(
        levels=levels, clients=clients, wait=wait, observe=observe, address=address, port=port, url=url
    )
    asyncio.run(server.run(make_console()))


def main() -> None:
    """The entry point. Expected failures are one line on stderr and an exit code."""
    try:
        sys.exit(app(prog_name="tavolata", standalone_mode=False) or 0)
    except CommandError as error:
        _fail(str(error), error.code)
    except typer.TyperException as error:
        _fail(error.format_message().replace("Value error, ", ""), error.exit_code)  # words of Typer's parser
    except (typer.Abort, KeyboardInterrupt):
        sys.exit(INTERRUPTED)


def _fail(text: str, code: int) -> None:
    if text:
        print(f"tavolata: {' '.join(text.split())}", file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
