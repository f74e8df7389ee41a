"""Tasks that run beside the loops of a gateway."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

log = logging.getLogger("tavolata.gateway")


class BackgroundTasks:
    """Starts tasks and keeps them referenced until they end. A task that fails is logged."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(_logged(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def cancel(self) -> None:
        for task in self._tasks:
            task.cancel()


async def _logged(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except asyncio.CancelledError:
        raise
    except Exception:
        log.exception("a background task failed")
