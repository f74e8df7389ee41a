"""JSON lines of the peer comparison."""

import msgspec
import pytest

from benchmarks.peers.errors import BenchmarkError
from benchmarks.peers.results import decode_lines, encode_line, merged
from tests.unit.benchmarks.peers.series import RUNS, series


def test_a_series_survives_encoding() -> None:
    decoded, runs = decode_lines([encode_line(series()), *map(encode_line, RUNS)])
    assert decoded == series()
    assert list(runs) == RUNS


@pytest.mark.parametrize("lines", [[], [encode_line(RUNS[0])], [b"{}\n"], [b"nonsense\n"]])
def test_a_file_that_does_not_begin_with_a_series_is_refused(lines: list[bytes]) -> None:
    with pytest.raises(BenchmarkError, match="malformed results"):
        decode_lines(lines)


def test_short_series_are_merged_with_consecutive_repeats() -> None:
    later = msgspec.structs.replace(series(), started="2026-01-02 05:06 UTC", repeats=1)
    whole, runs = merged([(series(), RUNS), (later, RUNS[:2])])
    assert whole == msgspec.structs.replace(series(), repeats=4)
    assert [run.repeat for run in runs[len(RUNS) :]] == [3, 3]


def test_series_of_different_versions_are_not_merged() -> None:
    other = msgspec.structs.replace(series(), versions={})
    with pytest.raises(BenchmarkError, match="conditions differ"):
        merged([(series(), RUNS), (other, RUNS)])
