"""A worker put together: what it does when its store comes back."""

import pytest

from shared.bus import meta
from shared.bus.store import Argument, OutcomeUnknown
from shared.runtime.settings import WorkerSettings
from tests.support.fake_store import FakeStore
from worker.app import Worker


class Leaving(FakeStore):
    """Comes back, and is gone again as soon as it shall write."""

    here = False

    async def call(self, *command: Argument) -> object:
        if command[0] == "INFO":
            return b"run_id:another\r\n"
        if not self.here:
            raise OutcomeUnknown("the connection to the store was lost")
        return await super().call(*command)


async def test_a_store_that_came_back_for_a_moment_is_told_of_the_games_when_it_comes_to_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worker, store = Worker(WorkerSettings()), Leaving()
    monkeypatch.setattr(worker, "_store", store)
    await worker._look_who_came_back()
    store.here = True
    await worker._look_who_came_back()
    assert "stones" in await meta.games(store)
