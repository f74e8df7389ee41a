"""Growth of processes over a long run: compares the memory and open files at its end with those after a warm-up. No
IO; works on the data of `--json`."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]

MEMORY_FACTOR, MEMORY_BYTES = 1.25, 16 * 2**20
"""A process may end with this many times its memory after the warm-up, and this many bytes more."""
FILES = 32
"""Open files that a process may have more at the end than after the warm-up."""
SHARE = 0.2
"""The warm-up is this share of the run; the samples of the next such share are compared with those of the last one."""
_LONG_LIFE = 0.9
"""Processes that lived for this share of the run are judged; those that faults have ended are not."""


@dataclass(frozen=True, slots=True)
class Growth:
    """One process: its size after the warm-up and at the end, as medians."""

    name: str
    rss_before: float
    rss_after: float
    files_before: float
    files_after: float

    @property
    def within_bounds(self) -> bool:
        return (
            self.rss_after <= self.rss_before * MEMORY_FACTOR + MEMORY_BYTES
            and self.files_after <= self.files_before + FILES
        )

    def __str__(self) -> str:
        mib = 2**20
        return (
            f"{self.name}: {self.rss_before / mib:.1f} to {self.rss_after / mib:.1f} MiB, "
            f"{self.files_before:g} to {self.files_after:g} files"
        )


def growths(sizes: Sequence[Json], seconds: float) -> list[Growth]:
    """The growth of every process that lived through the run. A restarted store loads its data again, so its
    successors count as the same process."""
    lives: dict[tuple[str, int | None, int], list[Json]] = {}
    for size in sizes:
        pid = 0 if size["role"].startswith("valkey") else size["pid"]
        lives.setdefault((size["role"], size["port"], pid), []).append(size)
    found = []
    for (role, port, _), samples in sorted(lives.items(), key=lambda one: str(one[0])):
        if samples[-1]["at_s"] - samples[0]["at_s"] >= _LONG_LIFE * seconds:
            found.append(_growth(f"{role} :{port}", samples, seconds))
    return found


def _growth(name: str, samples: Sequence[Json], seconds: float) -> Growth:
    early = [one for one in samples if SHARE * seconds <= one["at_s"] < 2 * SHARE * seconds] or samples[:1]
    late = [one for one in samples if one["at_s"] >= (1 - SHARE) * seconds] or samples[-1:]
    before, after = (
        {key: median(one[key] for one in some) for key in ("rss_bytes", "files")} for some in (early, late)
    )
    return Growth(name, before["rss_bytes"], after["rss_bytes"], before["files"], after["files"])
