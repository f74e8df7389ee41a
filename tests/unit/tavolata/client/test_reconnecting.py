"""Delays before a client tries again."""

from tavolata.client.reconnecting import CROWDED, CROWDED_DELAY_S, LONGEST_DELAY_S, busy_delay, reconnect_delay


def test_delays_grow_up_to_a_limit() -> None:
    delays = [reconnect_delay(1006, "", losses, 1.0) for losses in range(1, 30)]
    assert delays == sorted(delays)
    assert delays[0] < 0.2
    assert LONGEST_DELAY_S < delays[-1] < LONGEST_DELAY_S + 0.1


def test_delays_are_spread() -> None:
    assert reconnect_delay(1006, "", 5, 0.0) < reconnect_delay(1006, "", 5, 0.9)
    assert busy_delay(3, 0.0) < busy_delay(3, 0.9)


def test_a_gateway_that_stops_names_the_delay() -> None:
    assert reconnect_delay(1012, "come back in 750 ms", 1, 0.5) == 0.75


def test_a_crowded_gateway_is_left_alone_for_a_second() -> None:
    assert reconnect_delay(CROWDED, "", 1, 0.0) == CROWDED_DELAY_S
