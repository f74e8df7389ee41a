"""The bytes of a room in the store: chat, views, updates, snapshots, and how long it is kept."""

import dataclasses

import msgspec
import pytest

from shared.commands import Act, Enter, Envelope, Leave, Rematch, Say, Wants, Watch
from shared.games import stones
from shared.ids import CommandId, Offset, RoomId, Seat, SessionId
from shared.room_events import RoomSpec
from tests.support.batches import decode_step
from tests.support.room_bench import COMMIT, G1, ROOM, SETTINGS, RoomBench, finished, opened, started, take
from worker.games import GameCatalog
from worker.room.kept_updates import KeptUpdates, slice_bytes
from worker.room.play import MOST_TEXT
from worker.room.room import Room

DAY_MS = 24 * 3_600_000
QUIET = dataclasses.replace(SETTINGS, snapshot_every=1_000)


# --- chat -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("character", ["\x00", "\x01", "\n", "\t", "\x7f", "\x85"])
def test_chat_with_control_characters_is_refused(character: str) -> None:
    assert started().code("ada", Say(f"well{character}played")) == "room/bad_text"


@pytest.mark.parametrize("character", ["x", '"', "\\", "é", "\u20ac", "\U0001f3b2"])
def test_an_accepted_chat_line_has_at_most_2000_bytes(character: str) -> None:
    bench = started()
    text = character * MOST_TEXT
    assert bench.code("ada", Say(text)) == ""
    assert len(msgspec.json.encode(text)) <= 2_000 + len('""')


def test_a_room_refuses_chat_beyond_its_share_and_goes_on_with_moves() -> None:
    bench = started(settings=dataclasses.replace(SETTINGS, chat_bytes=2_000))
    lines = 0
    while not (code := bench.code("ada", Say("x" * 200))):
        lines += 1
    assert code == "room/chat_full"
    assert 4 <= lines <= 6
    assert bench.code("bob", Say("y")) == "room/chat_full"
    assert bench.code("ada", take(1)) == ""


def test_the_share_of_chat_is_known_to_the_next_owner() -> None:
    bench = started(settings=dataclasses.replace(SETTINGS, chat_bytes=2_000))
    while not bench.code("ada", Say("x" * 200)):
        pass
    for snapshots in (True, False):
        assert bench.loaded(snapshots=snapshots).state.said_bytes == bench.room.state.said_bytes
    bench.reload()
    assert bench.code("ada", Say("x")) == "room/chat_full"


def test_a_refusal_does_not_quote_a_whole_command() -> None:
    bench = started()
    reply = bench.send("ada", Act(msgspec.Raw(msgspec.json.encode({"type": "x" * 60_000}))))
    assert reply is not None
    assert reply.code == "command/bad"
    assert len(msgspec.json.encode(bench.records[-1])) < 1_000


# --- views ------------------------------------------------------------------------------------------------------------


def watched(wants: int = Wants.VIEW) -> RoomBench:
    """A game of ada, who wants views, and bob, with a spectator who wants views."""
    bench = started()
    bench.ok("ada", Watch(), wants=wants)
    bench.ok("eve", Watch(), wants=Wants.VIEW)
    return bench


def test_views_in_updates_have_no_chat() -> None:
    bench = watched()
    bench.ok("bob", Say("hello"))
    bench.ok("ada", take(1))
    for part in (bench.updates[-1].seats[Seat(0)], bench.updates[-1].watchers):
        view = msgspec.json.decode(part)["view"]
        assert view["game"]["stones"] == 8
        assert "chat" not in view


def test_views_that_are_asked_for_have_the_chat() -> None:
    bench = watched()
    bench.ok("bob", Say("hello"))
    assert [said.text for said in bench.view(bench.ok("ada", Watch())).chat] == ["hello"]


def test_updates_are_kept_without_views() -> None:
    bench = watched(Wants.VIEW | Wants.OPTIONS)
    bench.ok("ada", take(1))
    bench.ok("bob", take(1))
    (filed,) = bench.result.records
    sent, kept = decode_step(filed.step), decode_step(filed.kept)
    assert "view" in msgspec.json.decode(sent.seats[Seat(0)])
    assert b'"view"' not in filed.kept
    assert kept.public == sent.public
    assert msgspec.json.decode(kept.seats[Seat(0)])["options"]


def test_a_message_without_views_is_kept_as_it_is() -> None:
    bench = started()
    bench.ok("ada", take(1))
    (filed,) = bench.result.records
    assert filed.kept is filed.step


# --- updates ----------------------------------------------------------------------------------------------------------


def test_updates_beyond_the_limit_are_trimmed() -> None:
    bench = started(RoomSpec("stones", 2, {"stones": 10_000}), dataclasses.replace(QUIET, updates_bytes=16_384))
    trims: list[tuple[int, int]] = []
    for number in range(400):
        bench.ok("ada" if number % 2 == 0 else "bob", take(1), gateway=G1)
        if bench.result.more.trim_updates:
            trims.append((bench.room.state.offset, bench.result.more.trim_updates))
    sizes = {message.offset: len(msgspec.json.encode(message)) for message in bench.updates}
    assert trims
    for offset, first in trims:
        kept = sum(size for step, size in sizes.items() if first <= step <= offset)
        assert 16_384 * 14 / 16 < kept <= 16_384


def test_the_history_of_a_room_is_written_before_it_becomes_large() -> None:
    bench = started(RoomSpec("stones", 2, {"stones": 10_000}), dataclasses.replace(QUIET, updates_bytes=16_384))
    unwritten = [0]
    for number in range(40):
        bench.ok("ada" if number % 2 == 0 else "bob", take(1))
        unwritten[-1] += len(bench.result.records[0].kept)
        if bench.result.more.write_history:
            unwritten.append(0)
    assert len(unwritten) > 6
    assert max(unwritten) < 1_024 + len(bench.result.records[0].kept)


def test_a_slice_of_the_kept_updates_is_no_larger_than_a_portion_of_history() -> None:
    assert slice_bytes(16_384) == 1_024
    assert slice_bytes(1_024 * 1_024) == 64 * 1_024
    assert slice_bytes(1_024 * 1_024 * 1_024) == 64 * 1_024


def test_a_single_step_larger_than_the_limit_is_kept() -> None:
    kept = KeptUpdates()
    trims = []
    for offset, size in ((1, 100), (2, 5_000), (3, 5_000)):
        kept.size += size
        trims.append(kept.end_slice(Offset(offset), 1_600))
    assert trims == [0, 2, 3]


def test_the_next_owner_goes_on_counting_updates() -> None:
    bench = started(RoomSpec("stones", 2, {"stones": 10_000}))
    for number in range(8):
        bench.ok("ada" if number % 2 == 0 else "bob", take(1))
    before = bench.room.state.kept_updates.size
    bench.reload()
    assert before / 2 < bench.room.state.kept_updates.size <= before


# --- the end ----------------------------------------------------------------------------------------------------------


def test_chat_in_a_finished_room_takes_no_snapshot() -> None:
    bench = finished()
    bench.ok("ada", Say("well played"))
    assert bench.result.more.snapshot is None
    for _ in range(SETTINGS.snapshot_every):
        bench.ok("ada", Say("again"))
    assert bench.snapshot is not None
    assert bench.snapshot.offset > 5


def test_chat_in_a_finished_room_does_not_prolong_its_life() -> None:
    bench = finished()
    expires_ms = bench.result.more.expires_ms
    for _ in range(10):
        bench.now_ms += DAY_MS // 2
        bench.ok("ada", Say("still here"))
        assert bench.result.more.expires_ms == expires_ms
    bench.reload()
    bench.code("ada", take(1))
    assert bench.result.more.expires_ms == expires_ms


def test_a_rematch_of_a_finished_room_is_remembered_without_a_snapshot() -> None:
    bench = finished()
    bench.ok("ada", Rematch(RoomId(7)))
    bench.reload()
    assert bench.room.state.rematch == 7


def test_a_room_closed_before_its_start_is_kept_for_minutes() -> None:
    bench = opened()
    bench.ok("ada", Leave())
    assert bench.room.state.status == "closed"
    assert bench.result.more.expires_ms == bench.now_ms + SETTINGS.keep_unplayed_ms
    bench.now_ms += 60_000
    bench.ok("eve", Watch())
    assert bench.result.more.expires_ms == bench.now_ms - 60_000 + SETTINGS.keep_unplayed_ms


def test_a_game_that_was_abandoned_is_kept_like_a_finished_one() -> None:
    bench = started()
    bench.ok("ada", take(1))
    bench.ok("ada", Leave())
    bench.ok("bob", Leave(), gateway=G1)
    bench.expire("abandoned")
    assert bench.room.state.status == "closed"
    assert bench.result.more.expires_ms == bench.now_ms + SETTINGS.keep_finished_ms


def test_a_running_room_does_not_expire() -> None:
    bench = started()
    bench.ok("ada", take(1))
    assert bench.result.more.expires_ms == 0
    assert bench.room.expires_ms == 0


# --- options ----------------------------------------------------------------------------------------------------------


class FewStones(stones.Options, frozen=True):
    """The options of players: no more than nine stones."""

    def __post_init__(self) -> None:
        if self.stones > 9:
            raise ValueError("too many stones")


LIMITED = GameCatalog((dataclasses.replace(stones.GAME, options_type=FewStones, trusted_options_type=stones.Options),))


def test_limits_for_players_do_not_apply_to_the_configuration_of_a_gateway() -> None:
    many = RoomSpec("stones", 2, {"stones": 10})
    assert RoomBench(catalog=LIMITED).code("ada", Enter("ada", many)) == "room/bad_options"
    trusted = RoomBench(catalog=LIMITED)
    trusted.enter("ada", msgspec.structs.replace(many, trusted=True))
    assert trusted.room.state.status == "waiting"


def test_a_table_that_is_there_starts_even_if_the_limit_is_lower_now() -> None:
    bench = RoomBench()
    bench.enter("ada", RoomSpec("stones", 2, {"stones": 10}))
    later = Room(ROOM, bench.epoch, LIMITED, SETTINGS, bench.stored())
    result = later.handle(Envelope(ROOM, SessionId("bob"), CommandId(1), Enter("bob"), G1, 2), bench.now_ms, COMMIT)
    assert result.reply is not None
    assert not result.reply.code
    assert later.state.status == "playing"
