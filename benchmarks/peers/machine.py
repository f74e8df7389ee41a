"""Describes the machine and the runtimes that a series runs on."""

import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

from benchmarks.peers.results import MachineInfo
from deploy.launcher import valkey


def cpu_model(cpuinfo: str) -> str:
    """The processor's name in /proc/cpuinfo; the architecture where it has none."""
    match = re.search(r"^model name\s*:\s*(.+)$", cpuinfo, re.MULTILINE)
    return " ".join(match[1].split()) if match else platform.machine()


def memory_gib(meminfo: str) -> float:
    """The total in /proc/meminfo."""
    match = re.search(r"^MemTotal:\s*(\d+) kB$", meminfo, re.MULTILINE)
    return round(int(match[1]) / 2**20, 1) if match else 0.0


def _version_of(program: str | None, pattern: str) -> str:
    if program is None:
        return "none"
    try:
        answer = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    match = re.search(pattern, answer.stdout)
    return match[1] if match else answer.stdout.strip()


def describe_machine(proc: Path = Path("/proc")) -> MachineInfo:
    return MachineInfo(
        cpu=cpu_model((proc / "cpuinfo").read_text()),
        cores=len(os.sched_getaffinity(0)),
        memory_gib=memory_gib((proc / "meminfo").read_text()),
        kernel=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        node=_version_of(shutil.which("node"), r"v?(\S+)"),
        store=_version_of(str(valkey.binary()), r"v=(\S+)"),
    )
