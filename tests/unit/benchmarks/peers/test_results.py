"""JSON lines of the peer comparison."""

import pytest

from benchmarks.peers.errors import BenchmarkError
from benchmarks.peers.results import decode_lines, encode_line
from tests.unit.benchmarks.peers.series import RUNS, series


def test_a_series_survives_encoding() -> None:
    decoded, runs = decode_lines([encode_line(series()), *map(encode_line, RUNS)])
    assert decoded == series()
    assert list(runs) == RUNS


@pytest.mark.parametrize("lines", [[], [encode_line(RUNS[0])], [b"{}\n"], [b"nonsense\n"]])
def test_a_file_that_does_not_begin_with_a_series_is_refused(lines: list[bytes]) -> None:
    with pytest.raises(BenchmarkError, match="malformed results"):
        decode_lines(lines)
