"""One connection's side of the Snarl protocol: first the registration, then the game."""

from collections.abc import Iterable
from typing import Any, Final

from gateway.dialects.answers import Answer, Entered, RoomsChanged
from gateway.dialects.contract import DeliveredStep, Opening
from gateway.dialects.requests import CloseConnection, Output
from gateway.dialects.snarl.close_codes import BUSY, TOO_BIG
from gateway.dialects.snarl.listener_options import ListenerOptions
from gateway.dialects.snarl.playing import Playing
from gateway.dialects.snarl.registration import Registration
from gateway.dialects.snarl.settings import SnarlSettings
from gateway.dialects.snarl.url_options import UrlOptions
from shared.errors import ErrorCode

_REGISTRATION_TICK_MS: Final = 250
"""Precise enough to close a connection without a name on time."""
_PLAYING_TICK_MS: Final = 1_000
"""At a table, ticks only repeat requests that the cluster was too busy for."""


class SnarlConversation:
    """One connection. Frames that arrive while no prompt is open are dropped; after `CloseConnection` nothing is put
    out."""

    def __init__(
        self,
        opening: Opening,
        settings: SnarlSettings,
        listener: ListenerOptions,
        url: UrlOptions,
        table_options: dict[str, Any],
    ) -> None:
        self.tick_ms = max(50, min(_REGISTRATION_TICK_MS, settings.wait_ms // 2))
        self._settings = settings
        self._listener = listener
        self._registration = Registration(opening, settings, listener, url, table_options)
        self._playing: Playing | None = None
        self._closed = False

    def open(self) -> Iterable[Output]:
        return self._until_closed(self._registration.open())

    def receive(self, frame: bytes) -> Iterable[Output]:
        return self._until_closed(self._stage.receive(frame))

    def invalid_frame(self, code: ErrorCode, frame: bytes = b"") -> Iterable[Output]:
        match code:
            case "frame/too_big" | "frame/endless":
                return self._until_closed((CloseConnection(TOO_BIG),))
            case "busy/rate":
                return self._until_closed((CloseConnection(BUSY),) if self._stage.prompted else ())
            case _:
                return self._until_closed(self._stage.malformed())

    def answer(self, ref: Any, answer: Answer) -> Iterable[Output]:
        if isinstance(answer, Entered):
            self._playing = Playing(answer, self._settings.asks, self._listener)
            self.tick_ms = _PLAYING_TICK_MS
            return self._until_closed(self._playing.resume())
        return self._until_closed(self._stage.answer(ref, answer))

    def deliver(self, step: DeliveredStep, ref: Any) -> Iterable[Output]:
        return () if self._playing is None else self._until_closed(self._playing.deliver(step, ref))

    def rooms_changed(self, change: RoomsChanged) -> Iterable[Output]:
        return ()

    def tick(self, now_ms: int) -> Iterable[Output]:
        return self._until_closed(self._stage.tick(now_ms))

    @property
    def _stage(self) -> Registration | Playing:
        return self._playing or self._registration

    def _until_closed(self, outputs: Iterable[Output]) -> list[Output]:
        """The outputs, up to the one that closes the connection."""
        passed: list[Output] = []
        if self._closed:
            return passed
        for output in outputs:
            passed.append(output)
            if isinstance(output, CloseConnection):
                self._closed = True
                break
        return passed
