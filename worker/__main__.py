"""Runs one worker (`python -m worker`), with settings from the environment."""

from shared.runtime.bootstrap import run
from shared.runtime.settings import PREFIX, WorkerSettings
from worker.app import WorkerApp
from worker.games import GAMES

DIALECT_PREFIXES = tuple(f"{PREFIX}{game.name.upper()}_" for game in GAMES)
"""Variables of dialects are named after their game. Gateways check them; a worker has no list of them."""


async def start(settings: WorkerSettings) -> None:
    await WorkerApp(settings).run()


if __name__ == "__main__":
    run(WorkerSettings, start, unchecked=DIALECT_PREFIXES)
