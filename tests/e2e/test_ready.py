"""`/readyz` says that no move can be made, and why."""

import json

from tests.support.cluster import QUICK, Cluster, Node
from tests.support.valkey import ValkeyServer
from tests.support.waiting import eventually


def reason(node: Node) -> str | None:
    """The reason why a process is not ready; empty if it is; None if it does not answer."""
    try:
        return str(json.loads(node.get("/readyz")[1])["reason"])
    except OSError:
        return None


def test_nothing_is_ready_without_a_worker_and_while_replicas_are_missing() -> None:
    with Cluster(durability="replicated", **QUICK) as cluster:
        cluster.store.start()
        with ValkeyServer(extra=("--replicaof", f"127.0.0.1 {cluster.store.port}")) as replica:
            gateway, worker = cluster.node("gateway"), cluster.node("worker")
            gateway.launch()
            eventually(lambda: reason(gateway) == "workers", "the gateway has no worker")
            worker.launch()
            eventually(lambda: reason(worker) == "", "the worker is ready")
            eventually(lambda: reason(gateway) == "", "the gateway is ready")
            replica.kill()
            eventually(lambda: reason(worker) == "durability", "the worker has no replica")
            eventually(lambda: reason(gateway) == "durability", "the gateway knows why")
            replica.restart()
            eventually(lambda: reason(worker) == "", "the worker is ready again")
            eventually(lambda: reason(gateway) == "", "the gateway is ready again")
