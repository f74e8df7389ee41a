"""python -m worker: one worker, settings from the environment."""

from shared.runtime.bootstrap import run
from shared.runtime.settings import WorkerSettings
from worker.app import WorkerApp


async def start(settings: WorkerSettings) -> None:
    await WorkerApp(settings).run()


if __name__ == "__main__":
    run(WorkerSettings, start)
