"""`tavolata snarl`: the command line of a Snarl server, with a raw TCP client as its player."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.launcher.ports import listener
from tests.support.free_ports import free_port
from tests.support.launched import ROOT
from tests.support.waiting import eventually

LEVEL = {
    "type": "level",
    "rooms": [
        {
            "type": "room",
            "origin": [0, 0],
            "bounds": {"rows": 4, "columns": 8},
            "layout": [[0] * 8, [0, 1, 1, 1, 1, 1, 1, 0], [0, 1, 1, 1, 1, 1, 1, 0], [0] * 8],
        }
    ],
    "hallways": [],
    "objects": [{"type": "key", "position": [1, 1]}, {"type": "exit", "position": [2, 6]}],
}


@contextmanager
def snarl(*arguments: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "deploy.cli", "snarl", *arguments]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=30)


def connected(port: int) -> socket.socket:
    eventually(lambda: listener(port) is not None, f"a server on port {port}", limit_s=40)
    return socket.create_connection(("127.0.0.1", port), timeout=20)


def test_snarl_serves_the_levels_of_a_file_and_draws_them(tmp_path: Path) -> None:
    levels = tmp_path / "one.levels"
    levels.write_text(f"1\n\n{json.dumps(LEVEL)}\n")
    port = free_port()
    arguments = ("--levels", str(levels), "--clients", "1", "--observe", "--port", str(port))
    with snarl(*arguments) as server, connected(port) as player, player.makefile("rw", encoding="utf-8") as stream:
        assert json.loads(stream.readline())["type"] == "welcome"
        assert json.loads(stream.readline()) == "name"
        stream.write('"alice"\n')
        stream.flush()
        assert json.loads(stream.readline()) == {"type": "start-level", "level": 1, "players": ["alice"]}
        assert json.loads(stream.readline())["type"] == "player-update"
        assert json.loads(stream.readline()) == "move"
        assert server.stdout is not None
        picture = ""
        while "alice" not in picture:
            picture += server.stdout.readline()
    assert "Level 1 of 1" in picture


def test_a_wrong_levels_file_is_reported_in_one_line(tmp_path: Path) -> None:
    levels = tmp_path / "bad.levels"
    levels.write_text("2\n\n{}")
    command = [sys.executable, "-m", "deploy.cli", "snarl", "--levels", str(levels)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "bad.levels" in done.stderr
