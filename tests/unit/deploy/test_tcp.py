"""The form of --tcp."""

import pytest

from deploy.errors import USAGE, CommandError
from deploy.launcher import listeners


def test_repeated_options_and_commas_mean_the_same() -> None:
    both = "snarl=45678,codex=45680,snarl=45679;separator=none"
    assert listeners.joined(["snarl=45678,codex=45680", "snarl=45679;separator=none"]) == both
    assert listeners.joined([" snarl=45678 , codex=45680,", "snarl=45679;separator=none"]) == both


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("snarl=45678", [45678]),
        ("snarl=45678, codex=45680", [45678, 45680]),
        ("eriantys.events=9999,snarl=45679;separator=none;strict", [9999, 45679]),
    ],
)
def test_the_ports_are_read(text: str, found: list[int]) -> None:
    assert listeners.ports(text) == found


@pytest.mark.parametrize(
    "text",
    ["snarl", "snarl=", "=45678", "snarl=x", "Snarl=1", "snarl=0", "snarl=65536", "snarl=1;", "a=1,b=1", "a=1 b"],
)
def test_a_wrong_form_is_a_wrong_option(text: str) -> None:
    with pytest.raises(CommandError, match="--tcp") as caught:
        listeners.ports(text)
    assert caught.value.code == USAGE
