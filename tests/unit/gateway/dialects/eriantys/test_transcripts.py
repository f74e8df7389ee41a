"""Recorded whole games are reproduced byte by byte, so that no change of the wire goes unnoticed."""

import pytest

from tests.support.eriantys_transcripts import RECORDINGS, path_of, record


@pytest.mark.parametrize("name", RECORDINGS)
def test_the_recorded_game_is_reproduced(name: str) -> None:
    assert record(name).splitlines() == path_of(name).read_text(encoding="utf-8").splitlines()
