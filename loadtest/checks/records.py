"""Reads the rooms' records over HTTP, over a few connections, and compares them with what the seats received."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlsplit

import msgspec

from loadtest.checks.checker import Findings, RoomRecord, Track, check_record
from shared.runtime.http_client import HttpClient

READERS = 8
ATTEMPTS = 20
RETRY_S = 0.5
_decode_record = msgspec.json.Decoder(RoomRecord).decode


@dataclass(frozen=True, slots=True)
class CheckedSeat:
    """A seat whose track is compared with the record, and the token that allows reading it."""

    track: Track
    token: str


class Unreadable(Exception):
    """The server does not return a record; the text is its last answer."""


class RecordReader:
    """Reads records over one connection. If a gateway does not answer, the next one is tried."""

    def __init__(self, urls: Sequence[str]) -> None:
        self._urls = [urlsplit(url) for url in urls]
        self._next = 0
        self._client = self._connect()

    def _connect(self) -> HttpClient:
        url = self._urls[self._next % len(self._urls)]
        self._next += 1
        return HttpClient(url.hostname or "", url.port or 0, tls=url.scheme == "wss")

    async def record(self, room: int, token: str, last: int) -> RoomRecord:
        """The record of a room, read page by page up to the step `last`. Raises `Unreadable`."""
        whole = await self._page(room, token, 0)
        while whole.updates and whole.updates[-1].offset < last:
            page = await self._page(room, token, whole.updates[-1].offset)
            if not page.updates:
                break
            whole.updates += page.updates
        return whole

    async def _page(self, room: int, token: str, after: int) -> RoomRecord:
        fault = ""
        for _ in range(ATTEMPTS):
            try:
                response = await self._client.get(
                    f"/api/rooms/{room}/updates?after={after}", {"Authorization": f"Bearer {token}"}
                )
                if response.status == 200:
                    return _decode_record(response.body)
                fault = f"HTTP {response.status} {response.body[:200]!r}"
                if response.status < 500 and response.status != HTTPStatus.TOO_MANY_REQUESTS:
                    break
            except (OSError, msgspec.DecodeError) as error:
                fault = str(error) or type(error).__name__
            self.close()
            self._client = self._connect()
            await asyncio.sleep(RETRY_S)
        raise Unreadable(fault)

    def close(self) -> None:
        self._client.close()


async def check_records(
    urls: Sequence[str],
    rooms: dict[int, list[CheckedSeat]],
    findings: Findings,
    progress: Callable[[int], None] = lambda _done: None,
) -> None:
    """Read the record of every room, as each of its seats may see it, and compare."""
    waiting = list(rooms.items())
    done = 0

    async def read(reader: RecordReader) -> None:
        nonlocal done
        try:
            while waiting:
                room, seats = waiting.pop()
                await _check_room(reader, room, seats, findings)
                done += 1
                progress(done)
        finally:
            reader.close()

    starts = [number % len(urls) for number in range(READERS)]
    await asyncio.gather(*(read(RecordReader([*urls[start:], *urls[:start]])) for start in starts))


async def _check_room(reader: RecordReader, room: int, seats: list[CheckedSeat], findings: Findings) -> None:
    for seat in seats:
        if seat.track.undone:
            seat.track.count_undone()
    for number, seat in enumerate([seat for seat in seats if not seat.track.undone]):
        try:
            record = await reader.record(room, seat.token, seat.track.last)
        except Unreadable as error:
            findings.add("faults", f"the record of room {room} cannot be read: {error}")
            return
        if number == 0:
            check_record(room, record, [seat.track.seat for seat in seats], findings)
        seat.track.compare(record)
