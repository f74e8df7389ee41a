"""Which texts are player names."""

from unicodedata import bidirectional, category

MOST_CHARACTERS = 32
_CONTROL_CATEGORIES = {"Cc", "Cs", "Zl", "Zp"}
"""Characters that end lines, control terminals, or are surrogates."""
_DIRECTION_CHANGES = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
"""Characters that change the writing direction, also of the text that follows the name."""


def is_valid(name: str) -> bool:
    return (
        1 <= len(name) <= MOST_CHARACTERS
        and any(character.isprintable() and not character.isspace() for character in name)
        and not any(_is_harmful(character) for character in name)
    )


def _is_harmful(character: str) -> bool:
    return category(character) in _CONTROL_CATEGORIES or bidirectional(character) in _DIRECTION_CHANGES
