"""The commands that save and restore a cluster's data: `backup`, `restore`, `export`."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from deploy import backup as backups
from deploy import export_room
from deploy.errors import USAGE, CommandError
from deploy.launcher import cluster_file
from deploy.launcher.primaries import StoreAccess
from shared.bus import keys, store_address
from shared.bus.address import BadUrl, TlsFiles
from shared.ids import RoomId
from shared.runtime.settings import SettingError, StoreSettings, from_env

_URL_VARIABLE = "TAVOLATA_REDIS_URL"

Redis = Annotated[
    str | None,
    typer.Option(metavar="URL", show_default="that of the cluster on --data", help="Address of the store."),
]
Data = Annotated[Path, typer.Option(help="Data folder of the cluster.")]
Program = Annotated[
    str,
    typer.Option(
        metavar="PROGRAM",
        show_default="the embedded Valkey",
        help="Server program that reads the copy, for other stores.",
    ),
]


def backup(
    file: Annotated[Path, typer.Argument(help="File to write; -: standard output.")],
    data: Data = Path(".tavolata"),
    redis: Redis = None,
    server: Program = "",
) -> None:
    """Save a running cluster's data, as of one point in time, and read the copy back."""
    made = backups.back_up(named_store(redis, data), file, server)
    _say(f"saved {made.keys} keys, {made.bytes} bytes; the copy was read back")


def restore(
    file: Annotated[Path, typer.Argument(help="File that `backup` has written; -: standard input.")],
    data: Data = Path(".tavolata"),
    redis: Redis = None,
    server: Program = "",
) -> None:
    """Restore the data of a stopped cluster: into an empty store (--redis), or into the data folder."""
    url = redis or os.environ.get(_URL_VARIABLE)
    if url:
        made = backups.restore_to_store(file, _parsed(url), server)
    else:
        made = backups.restore_to_folder(file, data, server)
    _say(f"restored {made.keys} keys as of {made.made_at}")


def export(
    room: Annotated[int, typer.Argument(min=1, help="Number of the room.")],
    data: Data = Path(".tavolata"),
    redis: Redis = None,
) -> None:
    """Print a room's whole game as JSON: facts, and all records of its journal, secrets included."""
    sys.stdout.buffer.write(export_room.export(named_store(redis, data).address, RoomId(room)))


def named_store(redis: str | None, data: Path) -> StoreAccess:
    """The store at `redis`, the configured one, or that of the cluster that runs on the data folder. Raises
    `CommandError`."""
    return _parsed(redis or os.environ.get(_URL_VARIABLE) or cluster_file.running_cluster(data).redis_url)


def _parsed(url: str) -> StoreAccess:
    try:
        settings = from_env(StoreSettings, os.environ)
        keys.use_prefix(settings.key_prefix)
        tls = TlsFiles.named_in(settings)
        return StoreAccess(store_address.parse(url, tls), tls)
    except (BadUrl, SettingError) as error:
        raise CommandError(str(error), USAGE) from None


def _say(text: str) -> None:
    """Standard output may be the backup."""
    print(text, file=sys.stderr)
