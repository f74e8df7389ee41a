"""The inflow of a connection decides when it is read: byte and control-frame budgets, turns of the loop, back-pressure.

A transport reports what it reads and handles. This class pauses the reading, and calls the transport again when it may
go on. It is independent of frames and dialects.
"""

import asyncio
from collections.abc import Callable

BYTES_PER_S = 256 * 1024
BURST_BYTES = 512 * 1024
"""The bucket is looked at only when it is empty, and filled up then. So a client that was silent can send twice this
much at once, 1 MiB."""
CONTROLS_PER_S = 100
BURST_CONTROLS = 500
"""Control frames, fragments and binary frames, which pass no other limit. As with bytes, a client that was silent can
send twice this many at once."""
FRAMES_PER_TURN = 64
"""Frames of one connection that are handled before the loop serves the others."""
_LEAST_WAIT_S = 0.1
"""The bucket of control frames is filled for this long before it is used again, so that few timers are needed."""


class Inflow:
    """The reading side of one connection. A client over a budget is not refused: reading pauses until the budget has
    been refilled, and TCP slows the client down. A client that does not read is not read either, because every frame
    may cause an answer."""

    __slots__ = ("_bytes_at", "_controls", "_controls_at", "_go_on", "_loop", "_slow", "_timer", "_transport", "bytes")

    def __init__(self, loop: asyncio.AbstractEventLoop, go_on: Callable[[], None]) -> None:
        """`go_on` handles what was received and not handled yet."""
        self._loop = loop
        self._go_on = go_on
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.Handle | None = None
        self._slow = False
        self.bytes = BURST_BYTES
        """Bytes that may be read before the clock is looked at. The transport subtracts every read that is not charged
        to another limit, and calls `out_of_bytes` below zero: a few instructions for each read."""
        self._bytes_at = self._controls_at = loop.time()
        self._controls = float(BURST_CONTROLS)

    def opened(self, transport: asyncio.Transport) -> None:
        self._transport = transport

    def ended(self) -> None:
        """The connection is gone."""
        self._transport = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    @property
    def waiting(self) -> bool:
        """Received bytes must not be handled now; `go_on` will be called."""
        return self._timer is not None or self._slow

    def out_of_bytes(self) -> None:
        now = self._loop.time()
        self.bytes += min(BURST_BYTES, int((now - self._bytes_at) * BYTES_PER_S))
        self._bytes_at = now
        if self.bytes < 0 and self._timer is None:
            self._wait(-self.bytes / BYTES_PER_S)

    def take_control(self) -> bool:
        """Whether a control frame or a fragment may be handled now. If not, `go_on` is called later."""
        if self._controls < 1:
            now = self._loop.time()
            self._controls = min(BURST_CONTROLS, self._controls + (now - self._controls_at) * CONTROLS_PER_S)
            self._controls_at = now
            if self._controls < 1:
                self._wait(_LEAST_WAIT_S)
                return False
        self._controls -= 1
        return True

    def next_turn(self) -> None:
        """Let the loop serve others, then go on."""
        self._wait(0.0)

    def pause_writing(self) -> None:
        """The client does not read."""
        self._slow = True
        self._pause_reading()

    def resume_writing(self) -> None:
        self._slow = False
        if self._timer is None:
            self._wait(0.0)

    def _wait(self, wait_s: float) -> None:
        if self._transport is None:
            return
        self._pause_reading()
        if wait_s:
            self._timer = self._loop.call_later(wait_s, self._continue)
        else:
            self._timer = self._loop.call_soon(self._continue)

    def _continue(self) -> None:
        self._timer = None
        if self._slow:
            return
        if self.bytes < 0:  # the bytes before the pause were handled in turns
            self.out_of_bytes()
            if self.waiting:
                return
        self._go_on()
        # Reading goes on only after everything received was handled: the end of the stream must not overtake frames.
        if not self.waiting and self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()

    def _pause_reading(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.pause_reading()
