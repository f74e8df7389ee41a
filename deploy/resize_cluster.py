"""Adds a primary with its replicas to a Cluster, or removes one, while games go on.

`python -m deploy.resize_cluster join HOST:PORT REPLICA:PORT...` gives an empty server its share of the slots;
`python -m deploy.resize_cluster leave HOST:PORT` gives the slots of a primary to the others, and has the Cluster forget
it and its replicas. TAVOLATA_REDIS_URL names some nodes of the Cluster, with the operator's login.
"""

import asyncio
import os
import sys
from collections.abc import Sequence

from shared.bus import cluster_changes, store_address
from shared.bus.address import Address, BadUrl
from shared.bus.cluster_changes import SlotTransfer
from shared.bus.store import StoreError
from shared.bus.store_address import ClusterAddress
from shared.runtime.settings import StoreSettings, from_env

USAGE = "usage: python -m deploy.resize_cluster join HOST:PORT [REPLICA:PORT...] | leave HOST:PORT"


async def resize(cluster: ClusterAddress, words: Sequence[str]) -> str:
    """Carry the words of the command line out; returns what was done. Raises `StoreError` or `ValueError`."""
    whole = await cluster_changes.can_move_whole(cluster)
    way = SlotTransfer.WHOLE if whole else SlotTransfer.KEY_BY_KEY
    match words:
        case ["join", primary, *replicas]:
            await cluster_changes.join(
                cluster, _server(cluster, primary), [_server(cluster, one) for one in replicas], way
            )
            return f"{primary} has its share of the slots; name it in TAVOLATA_REDIS_URL at the next restart"
        case ["leave", primary]:
            await cluster_changes.leave(cluster, _server(cluster, primary), way)
            return f"{primary} and its replicas have left the Cluster and can be stopped"
        case _:
            raise ValueError(USAGE)


def _server(cluster: ClusterAddress, text: str) -> Address:
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit():
        raise ValueError(f"{text!r} is not HOST:PORT")
    return cluster.at(host, int(port))


def main(words: Sequence[str]) -> None:
    try:
        address = store_address.named_in(from_env(StoreSettings, os.environ))
        if not isinstance(address, ClusterAddress):
            sys.exit("TAVOLATA_REDIS_URL must begin with redis+cluster:// or rediss+cluster://")
        sys.stdout.write(f"{asyncio.run(resize(address, words))}\n")
    except (BadUrl, StoreError, ValueError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1:])
