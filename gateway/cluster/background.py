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
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a background task failed", exc_info=error)

    def cancel(self) -> None:
        for task in self._tasks:
            task.cancel()
