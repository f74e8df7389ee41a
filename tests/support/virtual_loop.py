"""An event loop in virtual time, and random numbers of a seed: what makes a cluster in memory repeatable."""

import asyncio
import selectors
from dataclasses import replace
from random import Random
from typing import Any

from shared.game import AnyGame
from shared.ids import Seat
from tests.support.fake_store import VirtualTime


class _Instant(selectors.SelectSelector):
    """Never waits: nothing comes from outside."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop whose clock is a `VirtualTime`."""

    def __init__(self, time: VirtualTime) -> None:
        super().__init__(_Instant())
        self._virtual = time
        # asyncio adds this to the time to find due timers. A nanosecond is lost in such large floats
        self._clock_resolution = 1e-5

    def time(self) -> float:
        return self._virtual.now_s

    @property
    def next_timer_s(self) -> float | None:
        """The time of the earliest timer."""
        times = [timer.when() for timer in self._scheduled if not timer.cancelled()]  # type: ignore[attr-defined]
        return min(times, default=None)

    @property
    def has_ready(self) -> bool:
        """Whether something can run at this time."""
        if self._ready:  # type: ignore[attr-defined]
            return True
        at = self.next_timer_s
        return at is not None and at <= self.time()

    def run_ready(self) -> None:
        """Run callbacks, and those that they lead to, until there is none for this time."""
        while self.has_ready:
            self.call_soon(self.stop)
            self.run_forever()


class VirtualCpu:
    """The CPU clock of one simulated process. Using the processor takes time, in which nothing else happens."""

    def __init__(self, time: VirtualTime) -> None:
        self._time = time
        self._used_s = 0.0

    def used_s(self) -> float:
        return self._used_s

    def use(self, for_ms: float) -> None:
        self._used_s += for_ms / 1_000
        self._time.advance(for_ms)

    def charge(self, game: AnyGame, decide_ms: float) -> AnyGame:
        """The game, with moves that cost this much."""

        def decide(state: Any, seat: Seat, command: Any) -> Any:
            self.use(decide_ms)
            return game.decide(state, seat, command)

        return replace(game, decide=decide)


class SeededSecrets:
    """Stands in for the `secrets` module, so that a seed decides these too."""

    def __init__(self, dice: Random) -> None:
        self._dice = dice

    def randbelow(self, limit: int) -> int:
        return self._dice.randrange(limit)

    def randbits(self, bits: int) -> int:
        return self._dice.getrandbits(bits)

    def token_hex(self, size: int) -> str:
        return f"{self._dice.getrandbits(8 * size):0{2 * size}x}"
