"""Gateways behind the real HAProxy with the configuration that ships: drains, an outage of the store, its own stop."""

import json
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from signal import SIGTERM

import pytest

from tests.support.cluster import ROOT, Cluster
from tests.support.haproxy import HAPROXY, UPGRADE, HAProxy, NamedGateways, players_at
from tests.support.waiting import eventually

pytestmark = pytest.mark.skipif(
    HAPROXY is None, reason="!!! haproxy is not installed: the shipped configuration was not tried"
)
ROOMS = 15


@pytest.fixture(scope="module")
def gateways() -> Iterator[NamedGateways]:
    """Two workers, and two gateways that the proxy finds by their name."""
    # Long leases: a busy machine must not cause reconnects of its own.
    with Cluster(drain_ms=1_000, gateway_lease_ms=20_000) as cluster, NamedGateways(cluster) as named:
        cluster.start(gateways=0, workers=2)
        for _ in range(2):
            named.add()
        yield named


@pytest.fixture
def proxied(gateways: NamedGateways, tmp_path: Path) -> Iterator[HAProxy]:
    gateways.cluster.mend()
    with HAProxy(gateways, tmp_path) as proxy:
        yield proxy.start()


class NewSockets:
    """Opens WebSockets through the proxy one after the other, and counts the answers."""

    def __init__(self, proxy: HAProxy) -> None:
        self.answers: Counter[int] = Counter()
        self._proxy = proxy
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        while not self._ended.is_set():
            self.answers[self._proxy.new_socket()] += 1

    def __enter__(self) -> "NewSockets":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def more(self, number: int) -> None:
        """Wait until that many more sockets were answered."""
        before = self.answers.total()
        eventually(lambda: self.answers.total() >= before + number, f"{number} more sockets: {self.answers}")


def test_a_drain_under_load_refuses_no_socket_and_costs_each_player_one_reconnect(
    proxied: HAProxy, gateways: NamedGateways, tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    words = ["--url", proxied.url, "--game", "stones", "--rooms", str(ROOMS), "--duration", "8", "--think", "10"]
    with (tmp_path / "output.txt").open("wb") as output:
        load = subprocess.Popen(
            [sys.executable, "-m", "deploy.cli", "load", *words, "--json", str(report)],
            cwd=ROOT,
            stdout=output,
            stderr=output,
        )
    leaving, staying = gateways.cluster.gateways
    try:
        eventually(lambda: players_at(leaving) + players_at(staying) >= 2 * ROOMS, "all players are connected")
        moved = int(players_at(leaving))
        with NewSockets(proxied) as sockets:
            sockets.more(5)
            assert leaving.terminate() == 0
            sockets.more(50)
        code = load.wait(timeout=90)
    finally:
        load.kill()
        load.wait()
    assert code == 0, (tmp_path / "output.txt").read_text()
    assert sockets.answers.keys() == {101}
    found = json.loads(report.read_text())
    assert moved > 0
    assert found["reconnects"] == moved
    assert found["good"] is True


def test_without_the_store_every_answer_is_json(proxied: HAProxy, gateways: NamedGateways) -> None:
    gateways.cluster.store.kill()
    answers = [proxied.get("/api/replays/1000")]
    eventually(lambda: proxied.get("/")[0] == 503, "the proxy has noticed that no gateway is ready")
    answers += [proxied.get("/"), proxied.get("/api/replays/1000"), proxied.get("/ws/play", *UPGRADE)]
    for status, kind, body in answers:
        assert status == 503
        assert kind == "application/json"
        assert json.loads(body)["code"] == "busy/store"
    gateways.cluster.store.restart()
    eventually(lambda: proxied.get("/api/games")[0] == 200, "the proxy has a gateway again")


def test_the_proxy_ends_although_sockets_are_open(proxied: HAProxy) -> None:
    with proxied.open_socket():
        assert proxied.stop() in (0, 143, -SIGTERM)
