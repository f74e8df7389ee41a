"""The rules for player names: valid texts, and names that count as the same.

The rules keep out names that look like no name, like another player's or like a bot's. They cannot tell whole words of
different scripts apart that look alike.
"""

import re
from itertools import pairwise
from unicodedata import category, is_normalized, name, normalize

MOST_CHARACTERS = 32
_REFUSED_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})
"""Control, format, unassigned, private and surrogate characters, and all separators (the plain blank is allowed)."""
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Characters of other categories that show nothing: fillers, blank patterns, selectors of variants."""
_JOINERS = "\u200c\u200d\ufe0f"
"""Zero-width characters that some scripts and emoji need. They are allowed where they can have an effect, and do not
count when names are compared."""
_JOINED_CATEGORIES = frozenset({"Lo", "Mc", "Mn", "Sk", "So"})
_BOT = re.compile(r"bot[\W_]*[0-9]*")
_LOOK_ALIKES = ("CYRILLIC", "GREEK")
"""Scripts with letters that look like Latin ones."""


def is_valid(text: str) -> bool:
    """Whether a player may have this name."""
    return (
        1 <= len(text) <= MOST_CHARACTERS
        and is_normalized("NFC", text)
        and any(character != " " for character in text)
        and not any(_is_refused(character, before) for before, character in pairwise(" " + text))
        and not _BOT.fullmatch(folded(text))
        and (text.isascii() or not any(map(_mixes_scripts, text.split(" "))))
    )


def folded(text: str) -> str:
    """The form in which names are compared: without differences in case, in width or in the number of blanks."""
    text = "".join(character for character in text if character not in _JOINERS)
    return " ".join(normalize("NFKC", normalize("NFKC", text).casefold()).split())


def _is_refused(character: str, before: str) -> bool:
    if character in _JOINERS:
        return category(before) not in _JOINED_CATEGORIES
    return character != " " and (category(character) in _REFUSED_CATEGORIES or bool(_INVISIBLE.match(character)))


def _mixes_scripts(word: str) -> bool:
    """Whether a word has Latin letters beside letters of another script that look like them."""
    scripts = {name(character, "").partition(" ")[0] for character in normalize("NFKC", word) if character.isalpha()}
    return "LATIN" in scripts and not scripts.isdisjoint(_LOOK_ALIKES)
