"""A TCP proxy to the store that tests can cut and mend while processes use it, and that can delay everything."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Self

from deploy.launcher.ports import LOOPBACK
from tests.support.free_ports import free_port


class Proxy:
    """Forwards bytes to and from a port, in its own thread."""

    def __init__(
        self,
        target: Callable[[], int],
        *,
        host: str = LOOPBACK,
        target_host: str = LOOPBACK,
        delay_s: float = 0.0,
    ) -> None:
        """`delay_s`: the time by which everything is late, in each direction."""
        self.port = free_port()
        self._target = target
        self._host = host
        self._target_host = target_host
        self._delay_s = delay_s
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def mend(self) -> None:
        """Accept connections."""
        self._run(self._open())

    def cut(self) -> None:
        """Abort all connections and refuse new ones."""
        self._run(self._close())

    async def _open(self) -> None:
        self._server = await asyncio.start_server(self._accept, self._host, self.port)

    async def _close(self) -> None:
        assert self._server is not None
        self._server.close()
        for writer in list(self._writers):
            writer.transport.abort()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            target_reader, target = await asyncio.open_connection(self._target_host, self._target())
        except OSError:
            writer.transport.abort()
            return
        for source, sink in ((reader, target), (target_reader, writer)):
            self._writers.add(sink)
            task = asyncio.create_task(self._forward(source, sink))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _forward(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(65_536):
                if self._delay_s:
                    await asyncio.sleep(self._delay_s)
                sink.write(data)
                await sink.drain()
        except OSError:
            pass
        finally:
            self._writers.discard(sink)
            sink.transport.abort()

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=20)

    def __enter__(self) -> Self:
        self._thread.start()
        self.mend()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cut()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
