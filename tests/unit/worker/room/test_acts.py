"""Acts of operators on a room: each happens once, and author and reason are in the journal."""

from shared.acts import ActKind, AuditEntry, OperatorAct
from shared.commands import Enter, Envelope, Operate
from shared.ids import CommandId, GatewayId, Offset, SessionId
from shared.journal_records import Acted
from shared.room_events import RoomSpec, RoomStatus
from tests.support.batches import receivers
from tests.support.room_bench import G1, G2, ROOM, RoomBench, finished, opened, started, take


def order(kind: ActKind, subject: str = "", act: str = "a-1") -> Operate:
    return Operate(OperatorAct(act, kind, "olga", "spam", subject))


CLOSE = order(ActKind.CLOSE)
REMOVE_ADA = order(ActKind.REMOVE, "ada")


def send(bench: RoomBench, body: Operate, command: int = -1) -> str:
    """The code of the reply to an operator's gateway."""
    reply = bench.handle(Envelope(ROOM, SessionId(""), CommandId(command), body, GatewayId("g-ops"), 0))
    assert reply is not None
    return reply.code


def acts(bench: RoomBench) -> list[tuple[int, int, Acted, str]]:
    """The acts in the journal, with their places and codes."""
    return [
        (offset, number, note, record.code)
        for offset, number, record in bench.records
        for note in record.notes
        if isinstance(note, Acted)
    ]


def test_a_closed_room_is_over_for_its_players() -> None:
    bench = started()
    assert send(bench, CLOSE) == ""
    assert bench.events() == [{"type": "room.closed", "reason": "operator"}]
    assert receivers(bench.result) == [G1, G2]
    assert bench.room.state.status is RoomStatus.CLOSED
    assert bench.result.more.listing is None
    assert bench.code("ada", take(1)) == "room/closed"


def test_a_closed_room_has_no_deadlines_and_leaves_the_store_one_day() -> None:
    bench = started(RoomSpec("stones", 2, turn_ms=1_000))
    send(bench, CLOSE)
    assert bench.room.state.deadlines == {}
    assert bench.result.more.expires_ms


def test_an_act_is_journaled_and_audited_with_author_and_reason() -> None:
    bench = started()
    send(bench, CLOSE)
    step = bench.room.state.offset
    assert acts(bench) == [(step, 0, Acted(CLOSE.act, 2), "")]
    assert bench.result.more.audit == AuditEntry(bench.now_ms, ROOM, step, 0, CLOSE.act, 2)


def test_players_are_not_shown_the_author_and_the_reason() -> None:
    bench = started()
    send(bench, CLOSE)
    assert b"olga" not in bench.said
    assert b"spam" not in bench.said


def test_an_act_that_is_sent_again_is_carried_out_once_by_any_owner() -> None:
    bench = started()
    send(bench, REMOVE_ADA)
    for command in (-1, -2):
        assert send(bench, REMOVE_ADA, command) == ""
        assert bench.result.records == []
        assert bench.result.more.audit is None
        bench.reload()
    assert len(acts(bench)) == 1


def test_a_refused_act_stays_refused() -> None:
    bench = opened()
    absent = order(ActKind.REMOVE, "bob")
    assert send(bench, absent) == "room/nobody"
    bench.enter("bob")
    bench.reload()
    assert send(bench, absent) == "room/nobody"
    assert acts(bench) == [(1, 1, Acted(absent.act, 0), "room/nobody")]
    assert bench.room.state.seat_named("bob") is not None


def test_a_refused_act_is_audited_with_its_code() -> None:
    bench = opened()
    absent = order(ActKind.REMOVE, "bob")
    send(bench, absent)
    assert bench.result.more.audit == AuditEntry(bench.now_ms, ROOM, Offset(1), 1, absent.act, 0, "room/nobody")


def test_a_room_that_is_over_refuses_acts() -> None:
    bench = finished()
    assert send(bench, CLOSE) == "game/over"
    closed = opened()
    send(closed, CLOSE)
    assert send(closed, order(ActKind.CLOSE, act="a-2")) == "room/closed"


def test_a_room_that_was_never_opened_refuses_acts_and_keeps_nothing() -> None:
    bench = RoomBench()
    assert send(bench, CLOSE) == "room/unknown"
    assert bench.result.records == []
    assert bench.result.more.audit is None


def test_a_room_that_is_in_order_need_not_be_freed() -> None:
    assert send(started(), order(ActKind.FREE)) == "room/not_quarantined"


def test_a_player_who_is_removed_from_a_running_game_does_not_come_back() -> None:
    bench = started()
    assert send(bench, order(ActKind.REMOVE, "ADA")) == ""
    assert bench.events()[0] == {"type": "room.left", "seat": 0, "name": "ada", "reason": "removed"}
    assert receivers(bench.result) == [G1, G2]
    assert bench.result.more.gateway_removed == G1
    assert bench.code("ada", take(1)) == "room/not_seated"
    assert bench.code("eve", Enter("ada", by_name=True)) == "room/nobody"


def test_the_game_goes_on_without_a_removed_player() -> None:
    bench = started()
    send(bench, REMOVE_ADA)
    bench.expire("away.0")
    bench.ok("bob", take(1), gateway=G2)


def test_a_player_who_is_removed_before_the_start_gets_no_other_seat_there() -> None:
    bench = opened(RoomSpec("stones", 3))
    bench.enter("bob")
    send(bench, REMOVE_ADA)
    assert bench.code("ada", Enter("ann")) == "room/removed"
    bench.reload()
    assert bench.code("eve", Enter("Ada")) == "room/removed"
    assert bench.code("eve", Enter("eve")) == ""


def test_a_table_whose_last_player_was_removed_is_closed() -> None:
    bench = opened()
    send(bench, REMOVE_ADA)
    assert bench.kinds() == ["room.left", "room.closed"]


def test_bots_and_players_who_have_left_are_not_removed() -> None:
    bench = started(RoomSpec("stones", 3, bots=1))
    assert send(bench, order(ActKind.REMOVE, "Bot1")) == "room/nobody"
    send(bench, order(ActKind.REMOVE, "ada", "a-2"))
    assert send(bench, order(ActKind.REMOVE, "ada", "a-3")) == "room/nobody"


def test_a_room_that_is_loaded_again_is_as_it_was() -> None:
    bench = started()
    send(bench, REMOVE_ADA)
    send(bench, order(ActKind.REMOVE, "eve", "a-2"))
    for snapshots in (True, False):
        state = bench.loaded(snapshots=snapshots).state
        assert (state.seats, state.acts, state.removed) == (
            bench.room.state.seats,
            {"a-1": "", "a-2": "room/nobody"},
            bench.room.state.removed,
        )


def test_only_so_many_acts_are_remembered() -> None:
    bench = started()
    for number in range(200):
        send(bench, order(ActKind.REMOVE, "eve", f"a-{number}"))
    assert list(bench.room.state.acts) == [f"a-{number}" for number in range(136, 200)]
