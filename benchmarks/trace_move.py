"""Traces one move of Stones from socket to socket: the modules it passes, in order, and how often JSON is decoded and
encoded. Two gateways and a worker run in this process, over a Valkey of their own; the players are in a thread.

python -m benchmarks.trace_move
"""

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec
from websockets.sync.client import ClientConnection, connect

from deploy.launcher import store, valkey
from deploy.launcher.ports import LOOPBACK, free_port
from gateway.app import Gateway
from shared.runtime.settings import GatewaySettings, WorkerSettings
from worker.app import WorkerApp

MOVES = 12
"""Moves that are traced. Timers run beside each of them; the parts that every trace has are those of the move."""
_ROOT = str(Path(__file__).parents[1])
_OURS = ("gateway", "worker", "shared", "tavolata")


@dataclass(slots=True)
class MoveTrace:
    """The modules that ran during one move, in order of first use, and the calls of the JSON library."""

    modules: dict[str, None] = field(default_factory=dict)
    decodes: set[str] = field(default_factory=set)
    encodes: set[str] = field(default_factory=set)
    """The places in the source. Both gateways decode their delivery at the same place, each in its own process."""

    def __call__(self, frame: FrameType, event: str, called: Any) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(_ROOT):
            module = os.path.relpath(path, _ROOT)
            if module.split(os.sep)[0] in _OURS:
                self.modules[module] = None
        elif event == "c_call" and path.startswith(_ROOT):
            self._count(called, f"{os.path.relpath(path, _ROOT)}:{frame.f_lineno}")

    def _count(self, called: Any, place: str) -> None:
        of_json = isinstance(getattr(called, "__self__", None), msgspec.json.Decoder | msgspec.json.Encoder)
        if of_json or called in (msgspec.json.decode, msgspec.json.encode):
            (self.decodes if called.__name__ == "decode" else self.encodes).add(place)


class TracedPlayer:
    """A client of `/ws/play` at one gateway."""

    def __init__(self, socket: ClientConnection, name: str) -> None:
        self._socket = socket
        self._command = 1
        self.ask({"type": "hello", "name": name}, "welcome")

    def ask(self, message: dict[str, Any], kind: str) -> dict[str, Any]:
        """Send a message and wait for a frame of this type."""
        self._socket.send(msgspec.json.encode(message), text=True)
        return self.wait(kind)

    def wait(self, kind: str) -> dict[str, Any]:
        while True:
            frame: dict[str, Any] = msgspec.json.decode(self._socket.recv(timeout=10))
            if frame["type"] == kind:
                return frame

    def take_stone(self, room: int) -> None:
        self._command += 1
        self.ask({"type": "act", "id": self._command, "room": room, "command": {"type": "take", "count": 1}}, "ack")


def trace_moves(ports: list[int]) -> list[MoveTrace]:
    """Play with two players at two gateways; the trace of each move. Runs in a thread of its own."""
    first, second = (f"ws://{LOOPBACK}:{port}/ws/play" for port in ports)
    with connect(first) as one, connect(second) as other:
        return _play(TracedPlayer(one, "ada"), TracedPlayer(other, "bob"))


def _play(ada: TracedPlayer, bob: TracedPlayer) -> list[MoveTrace]:
    options = {"stones": 10 * MOVES}
    room = ada.ask({"type": "create", "id": 1, "game": "stones", "seats": 2, "options": options}, "entered")["room"]
    bob.ask({"type": "join", "id": 1, "room": room}, "entered")
    ada.wait("update")
    traces = []
    for number in range(MOVES):
        mover, other = (ada, bob) if number % 2 == 0 else (bob, ada)
        trace = MoveTrace()
        _HOOK.append(trace)
        mover.take_stone(room)
        other.wait("update")
        _HOOK.clear()
        traces.append(trace)
    return traces


_HOOK: list[MoveTrace] = []
"""The trace of the move that is under way; read by the profiler of the event loop's thread."""


def _profile(frame: FrameType, event: str, called: Any) -> None:
    if _HOOK:
        _HOOK[0](frame, event, called)


async def _trace(redis_url: str) -> list[MoveTrace]:
    ports = [free_port(), free_port()]
    apps = [WorkerApp(WorkerSettings(redis_url=redis_url, durability="applied", port=-1)).run()]
    for port in ports:
        apps.append(Gateway(GatewaySettings(redis_url=redis_url, durability="applied", port=port)).run())
    running = [asyncio.ensure_future(app) for app in apps]
    await asyncio.sleep(1.5)
    sys.setprofile(_profile)
    try:
        return await asyncio.to_thread(trace_moves, ports)
    finally:
        sys.setprofile(None)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


@contextmanager
def _store() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        config = valkey.ValkeyConfig(port=free_port(), directory=Path(folder), appendonly=False)
        server = subprocess.Popen(valkey.command(config), stdout=subprocess.DEVNULL)
        try:
            while not store.answers(config.url):
                if server.poll() is not None:
                    raise SystemExit("the embedded Valkey did not start")
            yield config.url
        finally:
            server.terminate()
            server.wait()


def main() -> None:
    with _store() as url:
        traces = asyncio.run(_trace(url))
    common = [module for module in traces[-1].modules if all(module in trace.modules for trace in traces)]
    for module in common:
        sys.stdout.write(f"{module}\n")
    decodes = set.intersection(*(trace.decodes for trace in traces))
    encodes = set.intersection(*(trace.encodes for trace in traces))
    sys.stdout.write(f"decoded at {', '.join(sorted(decodes))}\nencoded at {', '.join(sorted(encodes))}\n")
    sys.stdout.write(f"{len(common)} modules and one script, {len(decodes)} decodes, {len(encodes)} encodes\n")


if __name__ == "__main__":
    main()
