"""The number of examples that property tests try: the profiles of tests/conftest.py decide, slow tests take a part of that."""

from hypothesis import settings


def fewer_examples(divisor: int) -> settings:
    """A decorator for tests whose examples are whole games: the profile's number of examples, divided."""
    return settings(max_examples=max(1, settings().max_examples // divisor))
