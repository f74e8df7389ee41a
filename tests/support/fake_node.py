"""A stand-in for a gateway or a worker: listens on its port, answers health checks, records when it was stopped."""

import asyncio
import os
import signal
import sys
from pathlib import Path

from deploy.launcher import store
from shared.runtime.settings import GatewaySettings, from_env

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readline()
    writer.write(OK)
    writer.close()


async def run(settings: GatewaySettings) -> None:
    stop = asyncio.Event()
    if "FAKE_STUBBORN" not in os.environ:
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
    else:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    async with await asyncio.start_server(answer, settings.host, settings.port):
        await stop.wait()


def record_stop(role: str, settings: GatewaySettings) -> None:
    if log := os.environ.get("FAKE_STOP_LOG"):
        with Path(log).open("a") as file:
            file.write(f"{role} {'with' if store.answers(settings.redis_url) else 'without'} store\n")


def main() -> None:
    role = sys.argv[1]
    if os.environ.get("FAKE_BROKEN") == role:
        sys.exit(f"tavolata: this {role} cannot start")
    settings = from_env(GatewaySettings, os.environ)
    asyncio.run(run(settings))
    record_stop(role, settings)


if __name__ == "__main__":
    main()
