"""Runs one gateway (`python -m gateway`), with settings from the environment."""

from gateway.app import Gateway
from gateway.dialects import variables
from shared.runtime.bootstrap import run
from shared.runtime.settings import GatewaySettings


async def start(settings: GatewaySettings) -> None:
    await Gateway(settings).run()


if __name__ == "__main__":
    run(GatewaySettings, start, variables())
