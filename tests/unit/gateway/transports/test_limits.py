"""Limits on the messages of a client."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.transports.client_address import client_address
from gateway.transports.limits import ConnectionLimiter, RateLimit, TokenBucket


def test_a_burst_is_allowed() -> None:
    bucket = TokenBucket(10, 5, 0.0)
    assert [bucket.take(0.0) for _ in range(6)] == [True] * 5 + [False]


def test_time_fills_the_bucket() -> None:
    bucket = TokenBucket(10, 5, 0.0)
    for _ in range(5):
        bucket.take(0.0)
    assert [bucket.take(0.2) for _ in range(3)] == [True, True, False]


def test_a_full_bucket_stays_full() -> None:
    bucket = TokenBucket(10, 5, 0.0)
    assert [bucket.take(1_000.0) for _ in range(6)] == [True] * 5 + [False]


def test_being_refused_costs_nothing() -> None:
    bucket = TokenBucket(1, 1, 0.0)
    bucket.take(0.0)
    for moment in range(9):
        bucket.take(moment / 10)
    assert bucket.take(1.0)


def taken(limit: RateLimit, *moments: float) -> list[bool]:
    """Whether each of one client's requests is allowed."""
    used_until, allowed = moments[0], []
    for moment in moments:
        until = limit.take(used_until, moment)
        allowed.append(until is not None)
        used_until = used_until if until is None else until
    return allowed


@given(
    st.integers(1, 20),
    st.sampled_from((0.0, 1_000_000.0)),
    st.lists(st.one_of(st.just(0), st.integers(0, 32), st.integers(0, 10_000)), min_size=1, max_size=100),
)
def test_a_rate_limit_allows_what_a_bucket_of_tokens_allows(burst: int, moment: float, pauses: list[int]) -> None:
    moments = [moment := moment + pause / 64 for pause in pauses]
    bucket = TokenBucket(8, burst, moments[0])
    assert taken(RateLimit(8, burst), *moments) == [bucket.take(moment) for moment in moments]


@pytest.mark.parametrize("rate", [3, 500, 10_007])
def test_a_rate_limit_allows_the_whole_burst_although_intervals_are_rounded(rate: int) -> None:
    assert taken(RateLimit(rate, 1_000), *[1e6] * 1_001) == [True] * 1_000 + [False]


def test_a_crowd_has_a_limit() -> None:
    crowd = ConnectionLimiter(2, 10)
    assert [crowd.enter(f"10.0.0.{number}") for number in range(3)] == [True, True, False]


def test_an_address_has_a_limit() -> None:
    crowd = ConnectionLimiter(10, 2)
    assert [crowd.enter("10.0.0.1") for _ in range(3)] == [True, True, False]


def test_another_address_has_its_own_limit() -> None:
    crowd = ConnectionLimiter(10, 1)
    crowd.enter("10.0.0.1")
    assert crowd.enter("10.0.0.2")


def test_a_connection_that_leaves_makes_room() -> None:
    crowd = ConnectionLimiter(1, 1)
    crowd.enter("10.0.0.1")
    crowd.leave("10.0.0.1")
    assert crowd.enter("10.0.0.1")


@pytest.mark.parametrize(
    ("forwarded", "trusted", "address"),
    [
        ("", (), "10.0.0.1"),
        ("1.2.3.4", (), "10.0.0.1"),
        ("1.2.3.4", ("10.0.0.1",), "1.2.3.4"),
        ("1.2.3.4", ("10.0.0.9",), "10.0.0.1"),
        ("1.2.3.4", ("*",), "1.2.3.4"),
        ("6.6.6.6, 1.2.3.4", ("10.0.0.1",), "1.2.3.4"),
        ("", ("*",), "10.0.0.1"),
        (" , ", ("*",), "10.0.0.1"),
    ],
)
def test_only_a_trusted_proxy_speaks_for_others(forwarded: str, trusted: tuple[str, ...], address: str) -> None:
    assert client_address("10.0.0.1", forwarded, frozenset(trusted)) == address
