"""Opens sessions that do nothing, and tells what each costs the gateways in memory."""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from loadtest.clients.play.messages import Error, Hello, Welcome, hear, say
from loadtest.clients.websocket import WebSocket, Wire
from loadtest.measure.processes import roles, usage

AT_ONCE = 50
REST_S = 1.0
"""So long the gateways may put their memory in order before it is read."""


class Idler:
    """One session: says hello, and then nothing."""

    def __init__(self, name: str) -> None:
        self.fault = ""
        self.settled = asyncio.Event()
        self.wire: Wire | None = None
        self._name = name

    def connected(self, wire: Wire) -> None:
        self.wire = wire
        wire.send([say(Hello(name=self._name))])

    def receive(self, frames: list[bytes]) -> None:
        match hear(frames[0]):
            case Welcome():
                self.settled.set()
            case Error(code=code, text=text):
                self._fail(f"{code}: {text}")
            case _:
                self._fail(f"unexpected: {frames[0][:100]!r}")

    def lost(self, code: int, reason: str) -> None:
        self._fail(f"closed with {code} {reason}".strip())

    def _fail(self, fault: str) -> None:
        self.fault = self.fault or fault
        self.settled.set()


@dataclass(frozen=True, slots=True)
class Cost:
    sessions: int
    """That were welcomed."""
    gateways: int
    """That can be seen."""
    before_bytes: int
    after_bytes: int
    faults: list[str]

    @property
    def kib_each(self) -> float:
        return (self.after_bytes - self.before_bytes) / 1024 / max(1, self.sessions)


async def measure(
    urls: tuple[str, ...], count: int, data: Path, named: dict[int, str], progress: Callable[[int], None]
) -> Cost:
    tag = secrets.token_hex(3)
    gateways, before = _memory(data, named)
    idlers = [Idler(f"{tag}-{number}") for number in range(count)]
    for begin in range(0, count, AT_ONCE):
        batch = idlers[begin : begin + AT_ONCE]
        await asyncio.gather(
            *(_open(urls[number % len(urls)], idler) for number, idler in enumerate(batch, begin)),
        )
        progress(begin + len(batch))
    await asyncio.sleep(REST_S)
    _, after = _memory(data, named)
    faults = [idler.fault for idler in idlers if idler.fault]
    for idler in idlers:
        if idler.wire is not None:
            idler.wire.close()
    return Cost(count - len(faults), gateways, before, after, faults)


async def _open(url: str, idler: Idler) -> None:
    parts = urlsplit(url)
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(30):
            await loop.create_connection(
                lambda: WebSocket(url + "/ws/play", idler),
                parts.hostname or "",
                parts.port or 0,
                ssl=parts.scheme == "wss" or None,
            )
            await idler.settled.wait()
    except (OSError, TimeoutError) as fault:
        idler.lost(1006, str(fault) or "no answer in time")


def _memory(data: Path, named: dict[int, str]) -> tuple[int, int]:
    """How many gateways can be seen, and their memory in bytes."""
    pids = [pid for pid, role in roles(data, named).items() if role == "gateway"]
    seen = [found for pid in pids if (found := usage(pid)) is not None]
    return len(seen), sum(found.rss_bytes for found in seen)
