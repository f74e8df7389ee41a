"""The number of examples of property tests: that of the profile in tests/conftest.py, or a part of it in slow tests."""

from hypothesis import settings


def fewer_examples(divisor: int) -> settings:
    """A decorator for tests whose examples are whole games: the profile's number of examples, divided."""
    return settings(max_examples=max(1, settings().max_examples // divisor))
