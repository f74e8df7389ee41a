"""Recorded whole games: what is said on the wire does not change unnoticed."""

import pytest

from tests.support.eriantys_transcripts import SEEDS, path_of, record


@pytest.mark.parametrize("dialect", SEEDS)
def test_the_recorded_game_is_played_again_word_for_word(dialect: str) -> None:
    assert record(dialect).splitlines() == path_of(dialect).read_text(encoding="utf-8").splitlines()
