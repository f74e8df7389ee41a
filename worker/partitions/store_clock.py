"""An estimate of the store's clock between two of its replies."""

import time
from collections.abc import Callable


class StoreClock:
    """The store's time: the last one that it reported, carried on with the monotonic clock of this process."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._ahead_ms = time.time() * 1_000 - monotonic() * 1_000

    def set(self, now_ms: int) -> None:
        self._ahead_ms = now_ms - self._monotonic() * 1_000

    def now_ms(self) -> int:
        return int(self._monotonic() * 1_000 + self._ahead_ms)
