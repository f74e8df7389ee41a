"""`tavolata snarl`: a Snarl server on a small cluster of its own, and the observer."""

import asyncio
import os
import secrets
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.live import Live

from deploy.errors import USAGE, CommandError
from deploy.launcher import ports
from deploy.launcher.plan import ClusterPlan, Layout, plan_from_env
from deploy.launcher.supervisor import Supervisor
from deploy.snarl_server.observer import Observer
from gateway.dialects.snarl import SnarlSettings
from shared.runtime.files import read_text
from shared.runtime.settings import PREFIX


@dataclass(frozen=True, slots=True, kw_only=True)
class SnarlServer:
    """The options of the command."""

    levels: Path | None
    clients: int
    wait: float
    observe: bool
    address: str
    port: int
    url: str | None

    async def run(self, console: Console) -> None:
        """Serve until Ctrl-C, and draw if asked for; with `url`, only observe the running cluster."""
        if self.url is not None:
            await self._draw(self.url, console)
            return
        with tempfile.TemporaryDirectory(prefix="tavolata-snarl-") as data:
            await self._serve(Path(data), console)

    async def _serve(self, data: Path, console: Console) -> None:
        plan = self._plan(data)
        drawings: list[asyncio.Task[None]] = []

        def report(text: str) -> None:
            if not self.observe:
                console.print(text, markup=False, highlight=False)

        def ready(plan: ClusterPlan, _layout: Layout) -> None:
            players = "1 player" if self.clients == 1 else f"{self.clients} players"
            console.print(f"Snarl is up on {self.address}:{self.port} for {players} a game; Ctrl-C ends it.")
            if self.observe:
                drawings.append(asyncio.create_task(self._draw(plan.url.replace("http", "ws", 1), console)))

        try:
            await Supervisor(plan, report, ready).run()
        finally:
            for task in drawings:
                task.cancel()
            await asyncio.gather(*drawings, return_exceptions=True)

    def _plan(self, data: Path) -> ClusterPlan:
        options = {
            "HOST": self.address,
            "PORT": str(ports.free_port()),
            "TCP": f"snarl={self.port}",
            "SNARL_CLIENTS": str(self.clients),
            "SNARL_WAIT": f"{self.wait:g}",
        }
        if self.observe:
            options["SNARL_WHOLE_LEVEL"] = "on"
        if self.levels is not None:
            options["SNARL_LEVELS"] = str(self.levels.absolute())
        env = {**os.environ, **{PREFIX + name: value for name, value in options.items()}}
        env.pop(PREFIX + "REDIS_URL", None)
        try:
            SnarlSettings.from_env(env, read_text)
        except ValueError as error:
            raise CommandError(str(error), USAGE) from None
        ports.require_free(self.port, self.address, "--port")
        return plan_from_env(data, 1, 1, env)

    async def _draw(self, url: str, console: Console) -> None:
        name = f"observer-{secrets.token_hex(3)}"
        if not console.is_terminal:
            await Observer(console, None).watch(url, name)
            return
        with Live(console=console, auto_refresh=False) as live, suppress(asyncio.CancelledError):
            await Observer(console, live).watch(url, name)
