"""Recorded whole games are reproduced message by message, so that no change of the wire goes unnoticed."""

import pytest

from tests.support.eriantys_transcripts import SEEDS, path_of, record


@pytest.mark.parametrize("dialect", SEEDS)
def test_the_recorded_game_is_reproduced(dialect: str) -> None:
    assert record(dialect).splitlines() == path_of(dialect).read_text(encoding="utf-8").splitlines()
