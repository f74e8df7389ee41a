"""The projection of a room for each receiver: no update contains a secret."""

from shared.commands import Enter, Gone, Leave, Say, Wants, Watch
from shared.ids import Seat
from shared.room_events import NOTHING, RoomSpec
from tests.support.room_bench import G2, SECRET_SEED, STONES, TWO, RoomBench, act, opened, started, take
from tests.support.toys import Guess


def played() -> RoomBench:
    """A game of the toy with everything that might tell a secret."""
    bench = started(TWO)
    bench.ok("eve", Watch(), gateway=G2, wants=Wants.VIEW)
    bench.ok("ada", act(Guess(1)))
    bench.ok("bob", Say("psst", "ada"), gateway=G2)
    bench.ok("ada", Gone(), -1)
    bench.ok("ada", Watch(), wants=Wants.VIEW | Wants.OPTIONS)
    bench.ok("bob", act(Guess(2)), gateway=G2)
    return bench


def secret(bench: RoomBench, seat: int) -> bytes:
    secrets: dict[int, int] = bench.room._draft.play.secrets
    return b"%d" % secrets[seat]


def test_the_seed_reaches_no_client() -> None:
    assert b"%d" % SECRET_SEED not in played().said


def test_session_ids_reach_no_client() -> None:
    bench = started()
    bench.ok("ada", Gone(), -1)
    bench.ok("session-of-ada", Enter("ada", by_name=True))
    bench.ok("session-of-ada", take(1))
    assert b"session-of-ada" not in bench.said


def test_a_seats_secret_is_not_public() -> None:
    bench = played()
    assert all(secret(bench, 0) not in bytes(step.public) + bytes(step.watchers) for step in bench.updates)


def test_a_seats_secret_does_not_reach_another_seat() -> None:
    bench = played()
    assert all(secret(bench, 0) not in bytes(step.seats.get(Seat(1), b"")) for step in bench.updates)


def test_a_seat_sees_its_own_secret() -> None:
    bench = started(TWO)
    assert bench.events(1)[1]["secrets"] == {"1": int(secret(bench, 1))}


def test_only_the_player_of_a_move_sees_its_secret_part() -> None:
    bench = started(TWO)
    bench.ok("ada", act(Guess(1)))
    assert [bench.events(seat)[0].get("secret") for seat in (0, 1, None)] == [int(secret(bench, 0)), 0, 0]


def test_a_spectators_view_has_no_secret() -> None:
    bench = played()
    view = bytes(bench.ok("zoe", Watch()).view)
    assert secret(bench, 0) not in view
    assert secret(bench, 1) not in view


def test_the_journal_has_everything() -> None:
    bench = started(TWO)
    assert any(secret(bench, 0) in bytes(record.events) for _, _, record in bench.records)


def test_an_update_that_is_the_same_for_all_is_sent_once() -> None:
    bench = started()
    bench.ok("ada", take(1))
    assert bench.updates[-1].seats == {}


def test_an_update_that_is_redacted_for_all_alike_is_sent_once() -> None:
    bench = started(TWO)
    bench.ok("ada", act(Guess(1)))
    joining, guessing = bench.updates[1], bench.updates[-1]
    assert (list(joining.seats), list(guessing.seats)) == ([], [0])


def test_options_go_to_the_seat_that_wants_them_and_has_the_turn() -> None:
    bench = RoomBench()
    for who in ("ada", "bob"):
        bench.enter(who, STONES, wants=Wants.OPTIONS)
    bench.ok("ada", take(1))
    assert [b'"options"' in bytes(part) for part in bench.updates[-1].seats.values()] == [True]


def test_views_go_to_seats_that_want_them() -> None:
    bench = started()
    bench.ok("ada", Watch(), wants=Wants.VIEW)
    bench.ok("ada", take(1))
    assert list(bench.updates[-1].seats) == [0]


def test_spectators_who_want_views_get_them() -> None:
    bench = started()
    bench.ok("eve", Watch(), gateway=G2, wants=Wants.VIEW)
    bench.ok("ada", take(1))
    assert b'"view"' in bytes(bench.updates[-1].watchers)


def test_spectators_who_want_nothing_get_the_public_update() -> None:
    bench = started()
    bench.ok("eve", Watch(), gateway=G2)
    bench.ok("ada", take(1))
    assert bench.updates[-1].watchers == NOTHING


def test_a_view_is_given_only_if_it_is_wanted() -> None:
    assert started().ok("ada", Watch(view=False)).view == NOTHING


def test_a_view_is_stamped_with_the_last_step_and_its_epoch() -> None:
    bench = started()
    bench.reload()
    view = bench.view(bench.ok("ada", Watch()))
    assert (view.epoch, view.offset) == (1, 3)


def test_a_view_before_the_start_has_no_game() -> None:
    bench = RoomBench()
    assert bench.view(bench.enter("ada", STONES)).game == NOTHING


def test_private_chat_of_a_seat_is_hidden_from_its_next_player() -> None:
    bench = opened(RoomSpec("stones", 3))
    bench.enter("bob")
    bench.ok("ada", Say("for two", "bob"))
    bench.ok("bob", Say("for two", "ada"))
    bench.ok("ada", Say("for all"))
    bench.ok("bob", Leave())
    entered = bench.enter("eve")
    assert (entered.seat, entered.since) == (1, entered.offset)
    assert b"for two" not in bytes(entered.view)
    assert b"for all" in bytes(entered.view)
