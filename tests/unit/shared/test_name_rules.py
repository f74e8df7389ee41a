"""The rules for player names: valid texts, and names that count as the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.name_rules import MOST_CHARACTERS, folded, is_valid

GOOD = [
    "Ann",
    "ann 2",
    "Jos\u00e9",
    "Ана",
    "Ελένη",
    "李小龍",
    "می\u200cخواهم",
    "👩\u200d💻",
    "❤\ufe0f",
    "O'Neil-7",
    "x" * 32,
]
INVISIBLE = ["\u200b", "\u2060", "\ufeff", "\u00ad", "\u3164", "\u115f", "\uffa0", "\u2800", "\u034f", "\u180e"]
BLANKS = ["\u00a0", "\u2003", "\u3000", "\t", "\n", "\u2028"]
DIRECTIONS = ["\u202e", "\u2066", "\u200f"]
UNASSIGNED = ["\u0378", "\ue000", "\x00", "\x7f"]


@pytest.mark.parametrize("name", GOOD)
def test_names_of_all_scripts_are_good(name: str) -> None:
    assert is_valid(name)


@pytest.mark.parametrize("hidden", [*INVISIBLE, *BLANKS, *DIRECTIONS, *UNASSIGNED])
def test_a_name_has_no_character_that_shows_nothing(hidden: str) -> None:
    assert not is_valid(f"An{hidden}n")
    assert not is_valid(hidden)


@pytest.mark.parametrize("joiner", ["\u200c", "\u200d", "\ufe0f"])
def test_joiners_are_refused_where_they_have_no_effect(joiner: str) -> None:
    assert not is_valid(f"An{joiner}n")
    assert not is_valid(f"{joiner}Ann")


@pytest.mark.parametrize("name", ["", " ", "x" * (MOST_CHARACTERS + 1), "Jose\u0301"])
def test_a_name_has_1_to_32_composed_characters(name: str) -> None:
    assert not is_valid(name)


@pytest.mark.parametrize("name", ["Bot1", "bot", "BOT 12", "b\uff4ft3", "Bot_2", "\U0001d401ot1"])
def test_a_name_does_not_look_like_that_of_a_bot(name: str) -> None:
    assert not is_valid(name)


@pytest.mark.parametrize("name", ["Botanist", "Robot1", "Bot1 slayer"])
def test_a_name_may_contain_that_of_a_bot(name: str) -> None:
    assert is_valid(name)


@pytest.mark.parametrize("name", ["\u0410nn", "Bo\u0431", "\u039fliver", "Ann \u0430nn"])
def test_a_word_does_not_mix_latin_with_letters_that_look_alike(name: str) -> None:
    assert not is_valid(name)


def test_words_of_different_alphabets_may_stand_side_by_side() -> None:
    assert is_valid("Ann \u0410\u043d\u043d\u0430")


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ann", "aNN"), ("Stra\u00dfe", "STRASSE"), ("\uff21nn", "Ann"), (" Ann", "Ann "), ("A  nn", "A nn")],
)
def test_names_that_look_alike_count_as_the_same(one: str, other: str) -> None:
    assert folded(one) == folded(other)


def test_different_names_stay_different() -> None:
    assert len({folded(name) for name in ("Ann", "Anne", "An n", "\u00c4nn")}) == 4


@given(st.text(max_size=40))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert folded(folded(text)) == folded(text)
