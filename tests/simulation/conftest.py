"""Warnings that the end of a simulated process may cause."""

import pytest

_CUT_OFF = ("ignore:coroutine .* was never awaited", "ignore::pytest.PytestUnraisableExceptionWarning")


def pytest_itemcollected(item: pytest.Item) -> None:
    """A process that crashes leaves tasks behind that were made and have not begun yet."""
    for text in _CUT_OFF:
        item.add_marker(pytest.mark.filterwarnings(text))
