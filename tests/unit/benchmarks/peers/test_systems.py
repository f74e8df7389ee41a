"""The listing of a running cluster."""

from benchmarks.peers.systems import parse_cluster


def test_a_cluster_listing_gives_gateway_urls_and_measured_processes() -> None:
    running = parse_cluster("supervisor 1 -\nvalkey 2 7000\ngateway 3 8001\ngateway 4 8002\nworker 5 8101\n")
    assert running.urls == ["ws://127.0.0.1:8001", "ws://127.0.0.1:8002"]
    assert running.servers == {2: "valkey", 3: "gateway", 4: "gateway", 5: "worker"}
