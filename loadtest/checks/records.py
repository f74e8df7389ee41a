"""Reads rooms' records over HTTP, a few connections at a time, and holds the players' notes against them."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import msgspec

from loadtest.checks.checker import Findings, RoomRecord, Track, check_record

READERS = 8
TRIES = 20
WAIT_S = 0.5
_record = msgspec.json.Decoder(RoomRecord)


@dataclass(frozen=True, slots=True)
class Witness:
    """A seat's notes, and the right to read its room's record."""

    track: Track
    token: str


class Unreadable(Exception):
    """The server would not show a record."""


class Reader:
    """One HTTP connection that is kept open; another base is tried when one does not answer."""

    def __init__(self, bases: Sequence[str]) -> None:
        self._bases = [urlsplit(base) for base in bases]
        self._at = 0
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def record(self, room: int, token: str, top: int) -> RoomRecord:
        """The whole record of a room, in as many pages as it takes to reach the step `top`."""
        whole = await self._page(room, token, 0)
        while whole.updates and whole.updates[-1].offset < top:
            page = await self._page(room, token, whole.updates[-1].offset)
            if not page.updates:
                break
            whole.updates += page.updates
        return whole

    async def _page(self, room: int, token: str, after: int) -> RoomRecord:
        fault = ""
        for _ in range(TRIES):
            try:
                status, body = await self._get(f"/api/rooms/{room}/updates?after={after}", token)
                if status == 200:
                    return _record.decode(body)
                fault = f"HTTP {status} {body[:200]!r}"
                if status < 500:
                    break
            except (OSError, EOFError, ValueError) as error:
                fault = str(error) or type(error).__name__
            self.close()
            self._at += 1
            await asyncio.sleep(WAIT_S)
        raise Unreadable(fault)

    async def _get(self, path: str, token: str) -> tuple[int, bytes]:
        base = self._bases[self._at % len(self._bases)]
        if self._streams is None:
            self._streams = await asyncio.open_connection(base.hostname, base.port, ssl=base.scheme == "wss" or None)
        reader, writer = self._streams
        head = f"GET {path} HTTP/1.1\r\nHost: {base.netloc}\r\nAuthorization: Bearer {token}\r\n\r\n"
        writer.write(head.encode())
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        if headers.get("transfer-encoding") == "chunked":
            body = await _chunks(reader)
        else:
            body = await reader.readexactly(int(headers.get("content-length", "0")))
        if headers.get("connection") == "close":
            self.close()
        return int(lines[0].split()[1]), body

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    parts = []
    while size := int((await reader.readline()).strip(), 16):
        parts.append(await reader.readexactly(size))
        await reader.readline()
    await reader.readline()
    return b"".join(parts)


async def audit(
    bases: Sequence[str],
    rooms: dict[int, list[Witness]],
    findings: Findings,
    progress: Callable[[int], None] = lambda _done: None,
) -> None:
    """Read the record of every room, as each of its seats may see it, and compare."""
    waiting = list(rooms.items())
    done = 0

    async def read(reader: Reader) -> None:
        nonlocal done
        try:
            while waiting:
                room, witnesses = waiting.pop()
                await _audit_room(reader, room, witnesses, findings)
                done += 1
                progress(done)
        finally:
            reader.close()

    await asyncio.gather(*(read(Reader([*bases[at:], *bases[:at]])) for at in _spread(len(bases))))


def _spread(bases: int) -> list[int]:
    return [number % bases for number in range(READERS)]


async def _audit_room(reader: Reader, room: int, witnesses: list[Witness], findings: Findings) -> None:
    for number, witness in enumerate(witnesses):
        try:
            record = await reader.record(room, witness.token, witness.track.top)
        except Unreadable as fault:
            findings.add("faults", f"the record of room {room} cannot be read: {fault}")
            return
        if number == 0:
            seats = [witness.track.seat for witness in witnesses]
            check_record(room, record, seats, findings)
        witness.track.compare(record)
