"""Players' names, and who has them."""

from shared.bus import keys, revocations
from shared.bus import player_names as name_claims
from shared.bus.player_names import Claimed, Taken
from shared.bus.store import Store
from shared.ids import (
    GatewayId,
    RoomId,
    SessionId,
)
from tests.support.bus import LONG_MS, ROOM

ADA, EVE = SessionId("s-ada"), SessionId("s-eve")
G1, G2 = GatewayId("g-1"), GatewayId("g-2")


async def test_a_free_name_can_be_claimed(store: Store) -> None:
    assert await name_claims.claim(store, "ada", ADA, G1, 1) == Claimed(GatewayId(""), 0)


async def test_a_claimed_name_is_taken(store: Store) -> None:
    await name_claims.claim(store, "ada", ADA, G1, 1)
    assert await name_claims.claim(store, "ada", EVE, G2, 2) == Taken(ADA, G1, ())


async def test_a_taken_name_tells_the_rooms_that_keep_it(store: Store) -> None:
    await name_claims.claim(store, "ada", ADA, G1, 1)
    await name_claims.note(store, "ada", ROOM)
    assert await name_claims.claim(store, "ada", EVE, G2, 2) == Taken(ADA, G1, (ROOM,))


async def test_a_session_that_claims_its_name_again_learns_where_it_was(store: Store) -> None:
    await name_claims.claim(store, "ada", ADA, G1, 7)
    assert await name_claims.claim(store, "ada", ADA, G2, 2) == Claimed(G1, 7)


async def test_a_stale_claim_can_be_taken_over(store: Store) -> None:
    await name_claims.claim(store, "ada", ADA, G1, 1)
    await name_claims.claim(store, "ada", EVE, G2, 2, taken_from=ADA)
    assert await name_claims.claim(store, "ada", ADA, G1, 3) == Taken(EVE, G2, ())


async def test_a_claim_cannot_be_taken_over_from_somebody_who_does_not_have_it(store: Store) -> None:
    await name_claims.claim(store, "ada", ADA, G1, 1)
    assert isinstance(await name_claims.claim(store, "ada", EVE, G2, 2, taken_from=SessionId("s-x")), Taken)


async def test_a_taken_name_tells_whether_its_session_has_a_token(store: Store) -> None:
    await name_claims.claim(store, "ada", ADA, G1, 1, token=True)
    assert await name_claims.claim(store, "ada", EVE, G2, 2) == Taken(ADA, G1, (), token=True)
    await name_claims.claim(store, "ada", EVE, G2, 2, taken_from=ADA, with_rooms=True)
    assert await name_claims.claim(store, "ada", ADA, G1, 1) == Taken(EVE, G2, ())


async def test_a_name_of_a_session_with_a_token_is_free_after_its_time(store: Store) -> None:
    await name_claims.claim(store, "ada", ADA, G1, 1, token=True)
    await name_claims.release(store, "ada", ADA, G1, 1, 0)
    assert await name_claims.claim(store, "ada", EVE, G2, 2) == Claimed(GatewayId(""), 0)


async def test_names_that_differ_in_case_only_share_one_claim(store: Store) -> None:
    await name_claims.claim(store, "Ada", ADA, G1, 1)
    assert await name_claims.claim(store, "aDA", EVE, G2, 2) == Taken(ADA, G1, ())
    assert await name_claims.holder(store, "ADA") == ADA
    assert await name_claims.holder(store, "eve") is None


async def test_a_revoked_session_is_known_until_its_tokens_have_expired(store: Store) -> None:
    await revocations.revoke(store, ADA, 50_000)
    assert await revocations.is_revoked(store, ADA)
    assert not await revocations.is_revoked(store, EVE)
    assert 0 < await store.call("PTTL", keys.revoked(ADA)) <= 50_000
    await revocations.publish(store, [G1, G2], ADA)


async def test_rooms_of_the_holder_before_do_not_pass_to_the_next(store: Store) -> None:
    await name_claims.claim(store, "ada", ADA, G1, 1)
    await name_claims.note(store, "ada", ROOM)
    await name_claims.claim(store, "ada", EVE, G2, 2, taken_from=ADA)
    assert await name_claims.rooms(store, "ada") == ()


async def test_rooms_pass_to_the_session_of_a_player_who_came_back(store: Store) -> None:
    await name_claims.claim(store, "ada", ADA, G1, 1)
    await name_claims.note(store, "ada", ROOM)
    await name_claims.claim(store, "ada", EVE, G2, 2, taken_from=ADA, with_rooms=True)
    assert await name_claims.rooms(store, "ada") == (ROOM,)


async def test_a_name_that_is_let_go_without_a_time_is_free(store: Store) -> None:
    await name_claims.claim(store, "ada", ADA, G1, 1)
    await name_claims.release(store, "ada", ADA, G1, 1, 0)
    assert isinstance(await name_claims.claim(store, "ada", EVE, G2, 2), Claimed)


async def test_a_name_that_is_let_go_with_a_time_is_kept(store: Store) -> None:
    await name_claims.claim(store, "ada", ADA, G1, 1)
    await name_claims.release(store, "ada", ADA, G1, 1, LONG_MS)
    assert await name_claims.claim(store, "ada", EVE, G2, 2) == Taken(ADA, GatewayId(""), ())


async def test_a_name_that_is_kept_for_a_time_is_free_afterwards(store: Store) -> None:
    await name_claims.claim(store, "ada", ADA, G1, 1)
    await name_claims.release(store, "ada", ADA, G1, 1, 5)
    while isinstance(await name_claims.claim(store, "ada", EVE, G2, 2), Taken):
        pass
    assert isinstance(await name_claims.claim(store, "ada", ADA, G1, 3), Taken)


async def test_a_player_who_returns_in_time_keeps_the_name(store: Store) -> None:
    await name_claims.claim(store, "ada", ADA, G1, 1)
    await name_claims.release(store, "ada", ADA, G1, 1, LONG_MS)
    await name_claims.claim(store, "ada", ADA, G2, 5)
    assert await store.call("PTTL", keys.name("ada")) > LONG_MS


async def test_a_name_that_nobody_lets_go_of_is_not_kept_for_ever(store: Store) -> None:
    await name_claims.claim(store, "ada", ADA, G1, 1)
    assert await store.call("PTTL", keys.name("ada")) > 0


async def test_an_old_connection_cannot_let_go_of_a_name_that_a_newer_one_has(store: Store) -> None:
    await name_claims.claim(store, "ada", ADA, G1, 1)
    await name_claims.claim(store, "ada", ADA, G2, 5)
    await name_claims.release(store, "ada", ADA, G1, 1, 0)
    assert await name_claims.claim(store, "ada", EVE, G1, 9) == Taken(ADA, G2, ())


async def test_rooms_are_forgotten_one_by_one(store: Store) -> None:
    await name_claims.claim(store, "ada", ADA, G1, 1)
    for room in (ROOM, RoomId(1002)):
        await name_claims.note(store, "ada", room)
    await name_claims.forget(store, "ada", (ROOM,))
    assert await name_claims.rooms(store, "ada") == (RoomId(1002),)
