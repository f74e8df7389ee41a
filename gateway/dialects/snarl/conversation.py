"""One connection of the Snarl protocol, from the welcome to the end of the game."""

from collections.abc import Iterable
from typing import Any, Final

from gateway.dialects.answers import Answer, Entered, RoomsChanged
from gateway.dialects.contract import DeliveredStep, Opening
from gateway.dialects.requests import CloseConnection, Output
from gateway.dialects.snarl.close_codes import BUSY, TOO_BIG
from gateway.dialects.snarl.listener_options import Compat
from gateway.dialects.snarl.playing import Playing
from gateway.dialects.snarl.registration import Registration
from gateway.dialects.snarl.settings import SnarlSettings
from gateway.dialects.snarl.url_options import Wishes
from shared.errors import ErrorCode

_NAMING_TICK_MS: Final = 250
_PLAYING_TICK_MS: Final = 1_000
"""Who gives no name is closed on time; at a table the clock serves only what the cluster was too busy for."""


class SnarlConversation:
    """Whatever comes while no prompt is open is dropped; after a hang-up nothing is said or heard any more."""

    def __init__(
        self, opening: Opening, settings: SnarlSettings, compat: Compat, wishes: Wishes, table_options: dict[str, Any]
    ) -> None:
        self.tick_ms = max(50, min(_NAMING_TICK_MS, settings.wait_ms // 2))
        self._settings = settings
        self._compat = compat
        self._registration = Registration(opening, settings, compat, wishes, table_options)
        self._playing: Playing | None = None
        self._over = False

    def open(self) -> Iterable[Output]:
        return self._speak(self._registration.open())

    def receive(self, frame: bytes) -> Iterable[Output]:
        return self._speak(self._part.receive(frame))

    def invalid_frame(self, code: ErrorCode, frame: bytes = b"") -> Iterable[Output]:
        match code:
            case "frame/too_big" | "frame/endless":
                return self._speak((CloseConnection(TOO_BIG),))
            case "busy/rate":
                return self._speak((CloseConnection(BUSY),) if self._part.prompted else ())
            case _:
                return self._speak(self._part.malformed())

    def answer(self, ref: Any, answer: Answer) -> Iterable[Output]:
        if isinstance(answer, Entered):
            self._playing = Playing(answer, self._settings.asks, self._compat)
            self.tick_ms = _PLAYING_TICK_MS
            return self._speak(self._playing.resume())
        return self._speak(self._part.answer(ref, answer))

    def deliver(self, step: DeliveredStep, ref: Any) -> Iterable[Output]:
        return () if self._playing is None else self._speak(self._playing.deliver(step, ref))

    def rooms_changed(self, change: RoomsChanged) -> Iterable[Output]:
        return ()

    def tick(self, now_ms: int) -> Iterable[Output]:
        return self._speak(self._part.tick(now_ms))

    @property
    def _part(self) -> Registration | Playing:
        return self._playing or self._registration

    def _speak(self, out: Iterable[Output]) -> list[Output]:
        """All that is said, up to the end of the conversation."""
        said: list[Output] = []
        if self._over:
            return said
        for word in out:
            said.append(word)
            if isinstance(word, CloseConnection):
                self._over = True
                break
        return said
