"""A Valkey on a copy of a store's data, for one command alone: it listens on a socket that only this user can open."""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from deploy.errors import CommandError
from deploy.launcher import store, valkey
from deploy.launcher.die_with_parent import bound_to_parent
from deploy.launcher.primaries import StoreAccess
from shared.bus import keys
from shared.bus.address import Address

DUMP = "dump.rdb"
_LOAD_S = 600.0
_REWRITE_S = 600.0
_POLL_S = 0.02


@contextmanager
def opened(folder: Path, program: str = "") -> Iterator[Any]:
    """A client of a server that has loaded `dump.rdb` of the folder. `program` is another server program than the
    embedded Valkey. Raises `CommandError` if the file cannot be read as a whole."""
    sockets = Path(tempfile.mkdtemp(prefix="tavolata-"))  # a path of its own: that of a socket must be short
    address = Address(path=str(sockets / "s"))
    with (sockets / "log").open("wb") as log:
        process = subprocess.Popen(
            bound_to_parent(_command(folder, address.path, program)), stdout=log, stderr=log, stdin=subprocess.DEVNULL
        )
    try:
        _await_loading(process, address, sockets / "log")
        with StoreAccess(address).client_of(address) as client:
            yield client
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(sockets)


def _command(folder: Path, path: str, program: str) -> list[str]:
    options = {
        "port": "0",
        "unixsocket": path,
        "unixsocketperm": "700",
        "dir": str(folder),
        "dbfilename": DUMP,
        "daemonize": "no",
        "save": "",
        "appendonly": "no",
        "appendfsync": "no",
    }
    if not program:
        # Newer versions of Redis count their formats on; the types that Tavolata stores are unchanged in them.
        options["rdb-version-check"] = "relaxed"
    words = [part for name, value in options.items() for part in (f"--{name}", value)]
    return [program or str(valkey.binary()), *words]


def _await_loading(process: "subprocess.Popen[bytes]", address: Address, log: Path) -> None:
    end = time.monotonic() + _LOAD_S
    while not store.answers(f"unix://{address.path}"):
        if process.poll() is not None or time.monotonic() > end:
            lines = log.read_text(errors="replace").strip().splitlines() or ["it ended without a message"]
            raise CommandError(f"a server cannot read the copy: {lines[-1]}")
        time.sleep(_POLL_S)


def contents(client: Any) -> tuple[int, int | None]:
    """The number of keys, and the format of the cluster's data if this server has the key with it."""
    form = client.hget(keys.META, "format")
    return client.dbsize(), None if form is None else int(form)


def write_append_only_file(client: Any) -> None:
    """Make the server write all data to `appendonlydir` in its folder. Raises `CommandError`."""
    client.config_set("appendonly", "yes")
    end = time.monotonic() + _REWRITE_S
    while (state := client.info("persistence"))["aof_rewrite_in_progress"] or state["aof_rewrite_scheduled"]:
        if time.monotonic() > end:
            raise CommandError("writing the append-only file takes too long")
        time.sleep(_POLL_S)
    if state["aof_last_bgrewrite_status"] != "ok":
        raise CommandError("the append-only file could not be written: is the disk full?")
