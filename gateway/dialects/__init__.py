"""The dialects that a gateway speaks. A new one is a module or folder, and a line here."""

from collections.abc import Mapping

from gateway.dialects import play
from gateway.dialects.base import Dialect


def dialects(env: Mapping[str, str]) -> tuple[Dialect, ...]:
    """All dialects, set up from the environment."""
    return (play.DIALECT,)
