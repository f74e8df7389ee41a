"""Requests to a store with the operator's login, from tools beside the cluster: its version, and faults on purpose."""

from typing import Any

from shared.bus.address import Address
from shared.bus.connection import connect
from shared.bus.store import RedisCommand, StoreRefused


async def _ask(url: str, *command: str) -> Any:
    connection = await connect(Address.parse(url), lambda: None)
    request: RedisCommand = command
    try:
        (reply,) = await connection.request([request])
    finally:
        connection.abort()
    if isinstance(reply, Exception):
        raise StoreRefused(str(reply))
    return reply


async def cut_subscriptions(url: str) -> int:
    """Close the connections of all subscribers; returns how many there were. Raises `StoreError`."""
    return int(await _ask(url, "CLIENT", "KILL", "TYPE", "pubsub"))


async def server_version(url: str) -> str:
    """Name and version of the server, such as `valkey 9.1.0`. Raises `StoreError`."""
    lines = bytes(await _ask(url, "INFO", "server")).decode().splitlines()
    fields = {name: value for name, _, value in (line.partition(":") for line in lines)}
    name = fields.get("server_name", "redis")
    return f"{name} {fields.get(f'{name}_version') or fields.get('redis_version', '')}".strip()
