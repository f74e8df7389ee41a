"""The listing of a running cluster."""

from benchmarks.peers.systems import parse_cluster
from deploy.launcher.cluster_file import RunningCluster, RunningProcess, process_lines


def test_a_cluster_listing_gives_gateway_urls_and_measured_processes() -> None:
    processes = (
        RunningProcess("supervisor", 1),
        RunningProcess("valkey", 2, 7000),
        RunningProcess("gateway", 3, 8001, 8201),
        RunningProcess("gateway", 4, 8002, 8202),
        RunningProcess("worker", 5, 8101),
    )
    listing = process_lines(RunningCluster("", "", processes), {3: "200 connections", 5: "16 partitions"})
    running = parse_cluster("\n".join(listing) + "\n")
    assert running.urls == ["ws://127.0.0.1:8001", "ws://127.0.0.1:8002"]
    assert running.servers == {2: "valkey", 3: "gateway", 4: "gateway", 5: "worker"}
