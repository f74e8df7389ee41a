"""`tavolata dev`: runs a cluster with one game, and restarts its workers when the game's files change."""

import asyncio
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from deploy import check_game

POLL_S = 0.5
CHECK = (sys.executable, "-P", "-m", "deploy.cli", "check-game", "--games", "1")


def sources(module: str) -> list[Path]:
    """The Python files of a module or package that can be imported, without its tests."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        return []
    origin = Path(spec.origin)
    if origin.name != "__init__.py":
        return [origin]
    return sorted(path for path in origin.parent.rglob("*.py") if not path.name.startswith("test_"))


class RestartsRoles(Protocol):
    """The supervisor of a cluster."""

    def restart(self, role: str) -> None: ...


class GameWatcher:
    """Restarts the workers of a cluster after every change that leaves the game in order."""

    def __init__(self, module: str, supervisor: RestartsRoles, report: Callable[[str], None]) -> None:
        """Raises `CommandError` if the module has no game."""
        check_game.load(module)
        self._module = module
        self._supervisor = supervisor
        self._report = report
        self._seen = self._stamps()

    async def watch(self) -> None:
        while True:
            await asyncio.sleep(POLL_S)
            stamps = self._stamps()
            if stamps != self._seen:
                self._seen = stamps
                await self._take_over()

    def _stamps(self) -> dict[Path, tuple[int, int]]:
        """Time and size of each file: a file that is written twice in one tick of the clock may keep its time."""
        found = ((path, path.stat()) for path in sources(self._module) if path.exists())
        return {path: (status.st_mtime_ns, status.st_size) for path, status in found}

    async def _take_over(self) -> None:
        """Workers that run go on with the old rules if the new ones cannot be loaded or break the contract."""
        checked = await asyncio.create_subprocess_exec(
            *CHECK, self._module, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        output, errors = await checked.communicate()
        if checked.returncode:
            reason = errors.decode(errors="replace").strip().removeprefix("tavolata: ")
            self._report(f"{self._module} has changed, but the old rules go on: {reason}")
            return
        self._report(f"{self._module} has changed: {output.decode(errors='replace').strip()}")
        self._supervisor.restart("worker")
