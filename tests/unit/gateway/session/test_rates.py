"""The rates of requests, per session and per address."""

import pytest

from gateway.dialects.requests import (
    ActRequest,
    AttendRequest,
    ConfigureRequest,
    CreateRequest,
    JoinRequest,
    ListRoomsRequest,
    MatchRequest,
    Output,
    RematchRequest,
    SayRequest,
)
from gateway.session.rates import ADDRESS_RATES, SESSION_RATES, AddressMeters, Meter, RequestRates, meter_of
from shared.ids import Epoch, Offset, RoomId
from shared.room_events import NOTHING, RoomSpec
from shared.room_views import Position

ROOM = RoomId(1000)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("output", "meter"),
    [
        (CreateRequest(RoomSpec("stones", 2)), Meter.CREATE),
        (RematchRequest(ROOM), Meter.CREATE),
        (ConfigureRequest(ROOM, 2, {}), Meter.CREATE),
        (MatchRequest("stones"), Meter.MATCH),
        (SayRequest(ROOM, "hello"), Meter.SAY),
        (AttendRequest(ROOM), Meter.VIEW),
        (AttendRequest(ROOM, after=Position(Epoch(1), Offset(1))), Meter.RESUME),
        (ListRoomsRequest(tuple), Meter.LIST),
        (ActRequest(ROOM, NOTHING), None),
        (JoinRequest(ROOM), None),
        (b"a frame", None),
    ],
)
def test_each_kind_of_request_has_its_meter(output: Output, meter: Meter | None) -> None:
    assert meter_of(output) is meter


@pytest.mark.parametrize("meter", SESSION_RATES)
def test_a_session_has_a_burst_and_then_a_rate(meter: Meter) -> None:
    clock = Clock()
    rates = RequestRates(clock, AddressMeters(clock), "10.0.0.1")
    rate = SESSION_RATES[meter]
    assert [rates.take(meter) for _ in range(rate.burst + 1)] == [True] * rate.burst + [False]
    clock.now += 1.01 / rate.per_s
    assert [rates.take(meter), rates.take(meter)] == [True, False]


@pytest.mark.parametrize("meter", [meter for meter in ADDRESS_RATES if meter in SESSION_RATES])
def test_the_sessions_of_an_address_share_a_larger_burst(meter: Meter) -> None:
    clock = Clock()
    addresses = AddressMeters(clock)
    allowed = 0
    for _ in range(ADDRESS_RATES[meter].burst):
        allowed += RequestRates(clock, addresses, "10.0.0.1").take(meter)
    assert allowed == ADDRESS_RATES[meter].burst
    assert not RequestRates(clock, addresses, "10.0.0.1").take(meter)
    assert RequestRates(clock, addresses, "10.0.0.2").take(meter)


def test_an_address_may_create_five_thousand_rooms_at_once() -> None:
    assert ADDRESS_RATES[Meter.CREATE].burst >= 5_000


def test_resumes_are_not_limited_per_address() -> None:
    clock = Clock()
    addresses = AddressMeters(clock)
    assert all(RequestRates(clock, addresses, "10.0.0.1").take(Meter.RESUME) for _ in range(20_000))


def test_a_session_that_has_guessed_too_often_may_not_guess() -> None:
    clock = Clock()
    rates = RequestRates(clock, AddressMeters(clock), "10.0.0.1")
    for _ in range(20):
        assert rates.may_guess()
        rates.missed()
    assert not rates.may_guess()
    assert not rates.may_guess(resuming=True)
    clock.now += 3.1
    assert rates.may_guess()


def test_an_address_that_has_guessed_too_often_may_only_resume() -> None:
    clock = Clock()
    addresses = AddressMeters(clock)
    for _ in range(ADDRESS_RATES[Meter.MISS].burst):
        RequestRates(clock, addresses, "10.0.0.1").missed()
    fresh = RequestRates(clock, addresses, "10.0.0.1")
    assert not fresh.may_guess()
    assert fresh.may_guess(resuming=True)


def test_idle_addresses_are_forgotten() -> None:
    clock = Clock()
    addresses = AddressMeters(clock)
    for number in range(20_000):
        clock.now += 0.1
        addresses.take(f"10.0.{number}", Meter.CREATE)
    assert len(addresses) <= 1_000


def test_the_number_of_active_addresses_is_bounded() -> None:
    addresses = AddressMeters(Clock(), most=2_000)
    for number in range(10_000):
        addresses.take(f"10.0.{number}", Meter.CREATE)
    assert len(addresses) <= 2_000
