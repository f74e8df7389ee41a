"""Numbers in the queries of URLs: offsets, room ids, sizes of pages."""

from typing import Final

LIMIT_WANTED: Final = "limit is a whole number, 0 or more"
"""The text of the refusal of a `limit`."""


def number(text: str | None) -> int | None:
    """A number that the store can look up as an offset; None for anything else."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 16 else None


def page_size(text: str | None, usual: int, most: int) -> int | None:
    """The entries of a page for the parameter `limit`: the usual number if it is missing or 0, and never more than
    `most`, because every page says whether more entries follow. None: it is not a number."""
    wanted = number(text or "0")
    return None if wanted is None else min(wanted or usual, most)
