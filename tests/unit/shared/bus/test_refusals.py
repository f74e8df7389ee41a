"""The meaning of error replies."""

import pytest

from shared.bus.refusals import RefusalKind, redirection, refusal


@pytest.mark.parametrize("kind", [kind for kind in RefusalKind if kind is not RefusalKind.OTHER])
def test_the_first_word_tells_the_meaning(kind: RefusalKind) -> None:
    assert refusal(f"{kind} and a text") is kind


@pytest.mark.parametrize("error", ["ERR unknown command", "MOVEDLY", "", "WRONGTYPE LOADING"])
def test_any_other_error_may_have_had_an_effect(error: str) -> None:
    assert refusal(error) is RefusalKind.OTHER


@pytest.mark.parametrize(
    ("error", "place"),
    [
        ("MOVED 3999 127.0.0.1:6381", (3999, "127.0.0.1", 6381)),
        ("ASK 1 host.example:7000", (1, "host.example", 7000)),
        ("MOVED 5 :6381", (5, "", 6381)),
        ("MOVED 5 ::1:6381", (5, "::1", 6381)),
    ],
)
def test_a_redirection_names_slot_host_and_port(error: str, place: tuple[int, str, int]) -> None:
    assert redirection(error) == place
