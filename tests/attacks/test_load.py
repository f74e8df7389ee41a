"""The promise beside attacks: the load tool plays and checks while a hostile client does its worst."""

import json
import subprocess
import sys
from pathlib import Path

from tests.attacks.conftest import Ports
from tests.support.cluster import ROOT, Cluster
from tests.support.hostile import PING, HostileClient, frame, message
from tests.support.player import new_name

ROUND_S = 0.5


def _floods() -> list[bytes]:
    nested = message(type="act", id=1, room=1000, command={"type": "take", "count": [[]] * 15_000})
    return [
        frame(opcode=PING) * 20_000,
        nested * 30,
        message(type="rooms", id=1) * 1_000,
        message(type="create", id=1, game="stones", seats=99) * 1_000,
        b"".join(message(type="join", id=number, room=number) for number in range(1, 1_000)),
        frame(b"{" * 60_000) * 20,
    ]


def _do_harm(load: "subprocess.Popen[bytes]", port: int, snarl_port: int) -> int:
    """Flood the gateway in one way after the other until the load tool is done; returns the number of floods."""
    floods, done = _floods(), 0
    while load.poll() is None:
        with HostileClient(port, window=4_096).login(new_name()) as hostile:
            hostile.send(floods[done % len(floods)], ROUND_S)
        with HostileClient(snarl_port) as hostile:
            hostile.send(b" " * 1_000_000, ROUND_S)
        done += 1
    return done


def test_the_load_tool_finds_no_fault_while_a_hostile_client_runs_beside_it(
    attacked: Cluster, ports: Ports, tmp_path: Path
) -> None:
    report, gateway = tmp_path / "report.json", attacked.gateways[0]
    words = ["--url", gateway.url, "--game", "stones", "--rooms", "20", "--duration", "4", "--think", "10"]
    with (tmp_path / "output.txt").open("wb") as output:
        load = subprocess.Popen(
            [sys.executable, "-m", "deploy.cli", "load", *words, "--json", str(report)],
            cwd=ROOT,
            stdout=output,
            stderr=output,
        )
    try:
        floods = _do_harm(load, gateway.port, ports.snarl)
        code = load.wait(timeout=60)
    finally:
        if load.poll() is None:
            load.kill()
            load.wait()
    assert code == 0, (tmp_path / "output.txt").read_text()
    assert json.loads(report.read_text())["moves"] > 0
    assert floods > 1
