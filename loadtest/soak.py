"""`make soak`: a cluster of its own, all games, all dialects and all faults for an hour, and a judgment of its growth.

Finished rooms are kept for a minute only, because by design they stay in the store for days: the memory of the store
would grow with the number of games. A gateway that stops waits for games for 20 s only: faults happen one after the
other."""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import orjson

from loadtest.measure.growth import Growth, growths

SETTINGS = {
    "TAVOLATA_KEEP_FINISHED_MS": "60000",
    "TAVOLATA_KEEP_UNPLAYED_MS": "60000",
    "TAVOLATA_REMATCH_MS": "10000",
    "TAVOLATA_DRAIN_GAMES_MS": "20000",
}
TEXTS = Path("docs/protocols/am24-texts.example.json")
LISTENERS = (
    "snarl={0}",
    "codex={1}",
    "eriantys.events={2}",
    "eriantys.prompts={3}",
    "eriantys.status={4}",
    "eriantys.status={5};compat=am28",
    "eriantys.events={6};compat=group3",
    f"eriantys.prompts={{7}};compat=am24;texts={TEXTS}",
)
READY = "tavolata down"
"""A part of the line that `up` prints when the cluster is ready."""
START_S = 60.0
_TAVOLATA = (sys.executable, "-m", "deploy.cli")


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=3600)
    options.add_argument("--every", type=float, default=8, help="seconds from one fault to the next")
    options.add_argument("--rooms", type=int, default=40)
    options.add_argument("--think", type=float, default=200, help="milliseconds before each move")
    options.add_argument("--port", type=int, default=8000)
    options.add_argument("--folder", type=Path, default=Path("build/soak"), help="for data, logs and report")
    options.add_argument("--faults", default="all")
    options.add_argument("--store", default="standalone", choices=("standalone", "sentinel", "cluster"))
    options.add_argument("--durability", default="fsync", choices=("fsync", "replicated"))
    options.add_argument("--seed", type=int, default=1)
    return options.parse_args()


def _start(options: argparse.Namespace, data: Path) -> "subprocess.Popen[bytes]":
    """Start the cluster; returns when it is ready."""
    output = options.folder / "up.log"
    ports = [options.port + 400 + number for number in range(len(LISTENERS))]
    listeners = ",".join(LISTENERS).format(*ports)
    words = ["up", "--port", str(options.port), "--data", str(data), "--gateways", "3", "--workers", "3"]
    words += ["--store", options.store, "--durability", options.durability]
    with output.open("wb") as file:
        process = subprocess.Popen(
            [*_TAVOLATA, *words, "--tcp", listeners],
            env={**os.environ, **SETTINGS},
            stdout=file,
            stderr=file,
            start_new_session=True,  # Ctrl-C ends the load tool alone
        )
    end = time.monotonic() + START_S
    while READY not in output.read_text():
        if process.poll() is not None or time.monotonic() > end:
            process.terminate()
            sys.exit(f"the cluster did not start: {output.read_text()}")
        time.sleep(0.1)
    return process


def _load(options: argparse.Namespace, data: Path, found: Path) -> int:
    words = ["load", "--data", str(data), "--mix", "--faults", options.faults, "--every", str(options.every)]
    words += ["--rooms", str(options.rooms), "--think", str(options.think), "--duration", str(options.seconds)]
    words += ["--seed", str(options.seed), "--spare-first", "--check-at-once"]
    words += ["--json", str(found), "--report", str(options.folder / "report.html")]
    with subprocess.Popen([*_TAVOLATA, *words]) as load:
        while True:
            try:
                return load.wait()
            except KeyboardInterrupt:  # the load tool has received it, too, and ends with a report
                continue


def _judge(found: dict[str, Any]) -> list[Growth]:
    """Print the growth of every process; returns those beyond the bounds."""
    grown = growths(found["course"]["processes"], found["seconds"])
    for growth in grown:
        sys.stdout.write(f"growth of {growth}{'' if growth.within_bounds else '  BEYOND THE BOUND'}\n")
    return [growth for growth in grown if not growth.within_bounds]


def main() -> int:
    options = _options()
    options.folder.mkdir(parents=True, exist_ok=True)
    data, found = options.folder / "data", options.folder / "found.json"
    found.unlink(missing_ok=True)
    cluster = _start(options, data)
    try:
        code = _load(options, data, found)
    finally:
        cluster.terminate()
        cluster.wait()
    if not found.exists():  # the load tool has not begun
        return code
    beyond = _judge(orjson.loads(found.read_bytes()))
    sys.stdout.write(f"the report is {options.folder / 'report.html'}\n")
    return 1 if code or beyond else 0


if __name__ == "__main__":
    sys.exit(main())
