"""Requests to a store with the operator's login, from tools beside the cluster: its version, and faults on purpose."""

import asyncio
from typing import Any

from shared.bus import store_address
from shared.bus.address import Address
from shared.bus.connection import connect
from shared.bus.sentinel import SentinelPrimary
from shared.bus.store import RedisCommand, StoreRefused
from shared.bus.store_address import ClusterAddress, SentinelAddress


async def _servers(url: str) -> list[Address]:
    """The servers that take writes, and the replicas of a Cluster that the URL names."""
    match store_address.parse(url):
        case SentinelAddress() as address:
            primary = SentinelPrimary(address)
            await primary.start()
            try:
                return [await primary.find()]
            finally:
                await primary.stop()
        case ClusterAddress(nodes):
            return list(nodes)
        case Address() as server:
            return [server]


async def ask(server: Address, *command: str) -> Any:
    """The reply of one server to one command. Raises `StoreError`."""
    connection = await connect(server, lambda: None)
    request: RedisCommand = command
    try:
        (reply,) = await connection.request([request])
    finally:
        connection.abort()
        await asyncio.sleep(0)  # the socket is closed in the next tick
    if isinstance(reply, Exception):
        raise StoreRefused(str(reply))
    return reply


async def cut_subscriptions(url: str) -> int:
    """Close the connections of all subscribers; returns how many there were. Raises `StoreError`."""
    return sum([int(await ask(server, "CLIENT", "KILL", "TYPE", "pubsub")) for server in await _servers(url)])


async def server_version(url: str) -> str:
    """Name and version of the server, such as `valkey 9.1.0`. Raises `StoreError`."""
    first, *_ = await _servers(url)
    lines = bytes(await ask(first, "INFO", "server")).decode().splitlines()
    fields = {name: value for name, _, value in (line.partition(":") for line in lines)}
    name = fields.get("server_name", "redis")
    return f"{name} {fields.get(f'{name}_version') or fields.get('redis_version', '')}".strip()
