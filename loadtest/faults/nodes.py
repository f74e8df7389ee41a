"""A primary with a replica that joins the Cluster of a running store, gets its share of the slots, and leaves again."""

import asyncio
import os
import random
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from loadtest.cluster_file import KnownProcess
from shared.bus import cluster_changes, store_address
from shared.bus.address import Address
from shared.bus.cluster_changes import SlotTransfer
from shared.bus.store import StoreDown, StoreRefused
from shared.bus.store_address import ClusterAddress

STAY_S = 3.0
"""Time for which the node keeps its slots."""


async def resize_store(url: str, model: KnownProcess, way: SlotTransfer) -> str:
    """Add a node with a replica, and remove both; returns their addresses. `model` is a server of the store: the new
    ones have its program and configuration file. Raises `StoreError`."""
    cluster = store_address.parse(url)
    if not isinstance(cluster, ClusterAddress):
        raise StoreRefused("the store has no nodes")
    with TemporaryDirectory(prefix="tavolata-nodes-") as folder:
        async with (
            _server(cluster, model, f"{folder}/1") as primary,
            _server(cluster, model, f"{folder}/2") as replica,
        ):
            await cluster_changes.join(cluster, primary, [replica], way)
            await asyncio.sleep(STAY_S)
            await cluster_changes.leave(cluster, primary, way)
            return f"{primary} with {replica}"


@asynccontextmanager
async def _server(cluster: ClusterAddress, model: KnownProcess, folder: str) -> AsyncIterator[Address]:
    program, file = _program(model)
    os.mkdir(folder)
    port, bus_port = _free_ports(2)
    own = ("--port", str(port), "--cluster-port", str(bus_port), "--dir", folder, "--logfile", f"{folder}/log")
    process = await asyncio.create_subprocess_exec(program, file, *own)
    try:
        yield cluster.at("127.0.0.1", port)
    finally:
        process.send_signal(signal.SIGKILL)  # it has left the Cluster, and its data is elsewhere
        await process.wait()


def _program(model: KnownProcess) -> tuple[str, str]:
    """The program and the configuration file of a running server. A server shows its address in place of its command
    line; the file is in the folder that it works in."""
    try:
        running = psutil.Process(model.pid)
        return running.exe(), str(Path(running.cwd()) / "valkey.conf")
    except psutil.Error as error:
        raise StoreDown(f"{model} has ended: {error}") from None


def _free_ports(count: int) -> list[int]:
    """Free ports. Outgoing connections, of which a run opens many, do not take them before the server does."""
    found: list[int] = []
    for port in random.sample(range(20_000, 32_000), 200):
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        found.append(port)
        if len(found) == count:
            return found
    raise StoreDown("no free port was found for a server")
