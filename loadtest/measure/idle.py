"""Opens sessions that do nothing, and measures the memory that each costs the gateways."""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from loadtest.clients.websocket import Connection, WebSocket
from loadtest.measure.processes import process_usage, roles
from tavolata.client.messages import ErrorAnswer, Welcome, decode, hello

OPENED_AT_ONCE = 50
SETTLE_S = 1.0
"""Time for the gateways to release temporary memory before it is measured."""
CONNECT_S = 30


class IdleSession:
    """One session that sends `hello` and nothing else."""

    def __init__(self, name: str) -> None:
        self.fault = ""
        self.done = asyncio.Event()
        """The session was accepted, or has failed."""
        self.connection: Connection | None = None
        self._name = name

    def connected(self, connection: Connection) -> None:
        self.connection = connection
        connection.send([hello(self._name, "")])

    def receive(self, frames: list[bytes]) -> None:
        match decode(frames[0]):
            case Welcome():
                self.done.set()
            case ErrorAnswer(code=code, text=text):
                self._fail(f"{code}: {text}")
            case _:
                self._fail(f"unexpected message: {frames[0][:100]!r}")

    def lost(self, code: int, reason: str) -> None:
        self._fail(f"closed with {code} {reason}".strip())

    def _fail(self, fault: str) -> None:
        self.fault = self.fault or fault
        self.done.set()


@dataclass(frozen=True, slots=True)
class IdleCost:
    sessions: int
    """Sessions that were accepted."""
    gateways: int
    """Gateways whose memory could be read."""
    before_bytes: int
    after_bytes: int
    faults: list[str]

    @property
    def kib_per_session(self) -> float:
        return (self.after_bytes - self.before_bytes) / 1024 / max(1, self.sessions)


async def measure(
    urls: tuple[str, ...], count: int, data: Path, named: dict[int, str], progress: Callable[[int], None]
) -> IdleCost:
    tag = secrets.token_hex(3)
    gateways, before = _memory(data, named)
    sessions = [IdleSession(f"{tag}-{number}") for number in range(count)]
    for begin in range(0, count, OPENED_AT_ONCE):
        batch = sessions[begin : begin + OPENED_AT_ONCE]
        await asyncio.gather(
            *(_open(urls[number % len(urls)], session) for number, session in enumerate(batch, begin)),
        )
        progress(begin + len(batch))
    await asyncio.sleep(SETTLE_S)
    _, after = _memory(data, named)
    faults = [session.fault for session in sessions if session.fault]
    for session in sessions:
        if session.connection is not None:
            session.connection.close()
    return IdleCost(count - len(faults), gateways, before, after, faults)


async def _open(url: str, session: IdleSession) -> None:
    parts = urlsplit(url)
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(CONNECT_S):
            await loop.create_connection(
                lambda: WebSocket(url + "/ws/play", session),
                parts.hostname or "",
                parts.port or 0,
                ssl=parts.scheme == "wss" or None,
            )
            await session.done.wait()
    except (OSError, TimeoutError) as error:
        session.lost(1006, str(error) or "no answer in time")


def _memory(data: Path, named: dict[int, str]) -> tuple[int, int]:
    """The number of gateways that can be read, and their memory in bytes."""
    pids = [pid for pid, role in roles(data, named).items() if role == "gateway"]
    usages = [usage for pid in pids if (usage := process_usage(pid)) is not None]
    return len(usages), sum(usage.rss_bytes for usage in usages)
