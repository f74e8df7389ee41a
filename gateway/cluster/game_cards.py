"""The games that the workers of the cluster have announced."""

from collections.abc import Mapping

from shared.bus import meta
from shared.bus.meta import GameCard
from shared.bus.store import Store


class GameCards:
    """This gateway's copy of the announced games."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.cards: Mapping[str, GameCard] = {}

    async def read(self) -> None:
        """Read the announced games again; raises `StoreError`."""
        self.cards = await meta.games(self._store)

    async def including(self, wanted: str) -> Mapping[str, GameCard]:
        """The announced games; they are read again if one is wanted that is not among them."""
        if wanted and wanted not in self.cards:
            await self.read()
        return self.cards
