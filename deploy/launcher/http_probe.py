"""Asking a process over HTTP whether it is well."""

import asyncio

LIMIT_S = 2.0
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}


def reachable(host: str) -> str:
    """Where to reach, from this machine, what listens on `host`."""
    return EVERYWHERE.get(host, host)


async def is_well(host: str, port: int, path: str) -> bool:
    """Whether GET answers 200."""
    try:
        async with asyncio.timeout(LIMIT_S):
            return await _status(reachable(host), port, path) == b"200"
    except (OSError, TimeoutError):
        return False


async def _status(host: str, port: int, path: str) -> bytes:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n".encode())
        words = (await reader.readline()).split()
        return words[1] if len(words) > 1 else b""
    finally:
        writer.close()
