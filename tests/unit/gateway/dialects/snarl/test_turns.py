"""Turns, results, updates and ends: the right messages reach the right players in the right order."""

from typing import Any

import msgspec
import pytest

from gateway.dialects.snarl import SnarlSettings
from gateway.dialects.snarl.close_codes import BUSY, GAME_OVER
from tests.support.memory_cluster import MemoryClient
from tests.support.snarl_clients import STAY, move, start_game, summary
from tests.support.snarl_stage import HALL, WORKED, statue, zombie


@pytest.fixture(autouse=True)
def _adversaries_do_not_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.games.snarl.rounds.next_step", statue)


def test_the_result_comes_first_and_all_players_get_the_update() -> None:
    _, (alice, bob) = start_game(HALL, {"alice": (3, 5), "bob": (1, 5)}, [zombie(1, (1, 8))])
    alice.send_json(move(3, 6))
    assert summary(alice) == ["OK", ("update", "Player alice moved.")]
    assert summary(bob) == [("update", "Player alice moved."), "move"]
    bob.send_json(STAY)
    assert summary(bob) == ["OK", ("update", "Player bob moved."), ("update", None)]
    assert summary(alice) == [("update", "Player bob moved."), ("update", None), "move"]


def test_one_update_for_every_adversary() -> None:
    _, (alice,) = start_game(HALL, {"alice": (3, 5)}, [zombie(1, (1, 8)), zombie(2, (1, 7))])
    alice.send_json(STAY)
    assert summary(alice) == ["OK", ("update", "Player alice moved."), ("update", None), ("update", None), "move"]


def test_after_an_invalid_move_only_its_player_gets_messages() -> None:
    _, (alice, bob) = start_game(HALL, {"alice": (3, 5), "bob": (1, 5)})
    alice.send_json(move(0, 5))
    assert summary(alice) == ["Invalid", "move"]
    assert summary(bob) == []
    alice.send_json(move(3, 6))
    assert summary(alice)[0] == "OK"


@pytest.mark.parametrize("answer", [b"{", b'"up"', b"[3, 6]", b"null", b'{"type": "move", "to": [3.0, 6]}'])
def test_a_malformed_answer_is_an_invalid_move(answer: bytes) -> None:
    _, (alice,) = start_game(HALL, {"alice": (3, 5)})
    alice.send(answer)
    assert summary(alice) == ["Invalid", "move"]
    alice.send_invalid("frame/binary")
    assert summary(alice) == ["Invalid", "move"]
    assert alice.closed is None


def test_after_the_third_invalid_answer_the_turn_passes_without_update() -> None:
    _, (alice, bob) = start_game(HALL, {"alice": (3, 5), "bob": (1, 5)}, [zombie(1, (1, 8))])
    for answer in (move(0, 0), "nonsense", move(10**30, 5)):
        alice.send_json(answer)
    assert summary(alice) == ["Invalid", "move", "Invalid", "move", "Invalid"]
    assert summary(bob) == ["move"]
    bob.send_json(STAY)
    assert summary(alice) == [("update", "Player bob moved."), ("update", None), "move"]
    alice.send_json("nonsense")
    assert summary(alice) == ["Invalid", "move"]


def test_the_number_of_asks_is_a_setting() -> None:
    _, (alice, bob) = start_game(HALL, {"alice": (3, 5), "bob": (1, 5)}, settings=SnarlSettings(asks=1))
    alice.send_json(move(0, 0))
    assert summary(alice) == ["Invalid"]
    assert summary(bob) == ["move"]


def test_frames_that_arrive_while_no_prompt_is_open_are_dropped() -> None:
    _, (alice, bob) = start_game(HALL, {"alice": (3, 5), "bob": (1, 5)})
    bob.send_json(move(1, 6))
    bob.send(b"rubbish")
    bob.send_invalid("frame/binary")
    alice.send_json(move(3, 6))
    alice.send_json(move(3, 7))
    assert summary(alice) == ["OK", ("update", "Player alice moved.")]
    assert summary(bob) == [("update", "Player alice moved."), "move"]
    bob.send_json(STAY)
    assert summary(bob)[0] == "OK"


@pytest.mark.parametrize("first", [move(0, 5), "nonsense"])
def test_a_second_message_right_after_an_invalid_one_is_dropped_too(first: Any) -> None:
    _, (alice, _) = start_game(HALL, {"alice": (3, 5), "bob": (1, 5)})
    alice.send_together(*(msgspec.json.encode(message) for message in (first, move(3, 6))))
    assert summary(alice) == ["Invalid", "move"]


def test_key_exit_and_the_end_of_the_game() -> None:
    _, (alice, bob) = start_game(HALL, {"alice": (1, 2), "bob": (4, 7)}, [zombie(1, (2, 1))])
    alice.send_json(move(1, 1))
    assert summary(alice) == ["Key", ("update", "Player alice found the key.")]
    assert summary(bob) == [("update", "Player alice found the key."), "move"]
    bob.send_json(move(4, 8))
    assert summary(bob) == ["Exit"]
    assert summary(alice) == [("update", "Player bob exited."), ("update", None), "move"]
    alice.send_json(move(2, 1))
    scores = [
        {"type": "player-score", "name": "bob", "exits": 1, "ejects": 0, "keys": 0},
        {"type": "player-score", "name": "alice", "exits": 0, "ejects": 1, "keys": 1},
    ]
    end = [
        {"type": "end-level", "key": "alice", "exits": ["bob"], "ejects": ["alice"]},
        {"type": "end-game", "scores": scores},
    ]
    assert alice.received_json() == ["Eject", *end]
    assert bob.received_json() == end
    assert alice.closed is bob.closed is GAME_OVER


def test_a_level_without_exits_ends_with_null_and_empty_lists() -> None:
    _, (alice,) = start_game(HALL, {"alice": (1, 7)}, [zombie(1, (1, 8))], last=2)
    alice.send_json(move(1, 8))
    assert alice.received_json()[1] == {"type": "end-level", "key": None, "exits": [], "ejects": ["alice"]}
    assert alice.closed is GAME_OVER


def test_a_player_who_left_the_level_gets_no_updates_until_the_next_level() -> None:
    _, (alice, bob) = start_game(HALL, {"alice": (1, 2), "bob": (4, 7)}, last=2)
    alice.send_json(move(1, 1))
    bob.send_json(move(4, 8))
    bob.received()
    alice.send_json(STAY)
    alice.send_json(STAY)
    assert summary(bob) == []
    bob.send_json(STAY)
    for to in ((1, 3), (1, 5), (3, 5), (4, 6)):
        alice.send_json(move(*to))
    alice.received()
    alice.send_json(move(4, 8))
    assert summary(bob) == ["end-level", "start-level", ("update", None)]
    assert summary(alice) == ["Exit", "end-level", "start-level", ("update", None), "move"]


def test_staying_on_the_unlocked_exit_is_leaving() -> None:
    _, (alice, bob) = start_game(HALL, {"alice": (1, 2), "bob": (4, 8)})
    alice.send_json(move(1, 1))
    bob.received()
    bob.send_json(STAY)
    assert summary(bob) == ["Exit"]


def test_an_expelled_player_gets_one_last_update(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    _, (alice, bob) = start_game(HALL, {"alice": (1, 6), "bob": (4, 1)}, [zombie(1, (1, 5))])
    alice.send_json(STAY)
    bob.send_json(STAY)
    *_, last = alice.received_json()
    assert last["message"] == "Player alice was expelled."
    assert last["position"] == [1, 6]
    assert {"type": "zombie", "name": "zombie1", "position": [1, 6]} in last["actors"]
    assert summary(bob)[-2:] == [("update", "Player alice was expelled."), "move"]
    bob.send_json(STAY)
    assert summary(alice) == []


def test_the_last_update_of_an_expelled_player_comes_before_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    _, (alice,) = start_game(HALL, {"alice": (1, 6)}, [zombie(1, (1, 5))])
    alice.send_json(STAY)
    assert summary(alice) == [
        "OK",
        ("update", "Player alice moved."),
        ("update", "Player alice was expelled."),
        "end-level",
        "end-game",
    ]


def test_a_disconnection_is_announced_at_once_even_between_prompt_and_result() -> None:
    _, (alice, bob, carol) = start_game(
        HALL, {"alice": (1, 3), "bob": (3, 5), "carol": (4, 3)}, settings=SnarlSettings(grace_ms=0)
    )
    carol.drop()
    assert summary(alice) == summary(bob) == [("update", "Player carol disconnected.")]
    alice.send_json(STAY)
    assert summary(alice) == ["OK", ("update", "Player alice moved.")]
    assert summary(bob)[-1] == "move"
    bob.drop()
    assert summary(alice) == [("update", "Player bob disconnected."), "move"]


def test_updates_show_the_names_of_others_and_never_the_receiver() -> None:
    _, (alice, _) = start_game(HALL, {"alice": (3, 5), "bob": (3, 6)}, [zombie(1, (1, 5))])
    alice.send_json(STAY)
    _, update = alice.received_json()
    assert update["actors"] == [
        {"type": "player", "name": "bob", "position": [3, 6]},
        {"type": "zombie", "name": "zombie1", "position": [1, 5]},
    ]
    assert list(update) == ["type", "layout", "position", "objects", "actors", "message"]


def test_a_move_is_repeated_while_the_cluster_is_busy_and_counts_once() -> None:
    cluster, (alice, _) = start_game(HALL, {"alice": (3, 5), "bob": (1, 5)})
    with cluster.store_lost():
        alice.send_json(move(3, 6))
        cluster.advance(2_000)
        assert summary(alice) == []
    cluster.advance(1_500)
    assert summary(alice) == ["OK", ("update", "Player alice moved.")]
    cluster.advance(2_000)
    assert summary(alice) == []


def test_a_dropped_answer_to_a_prompt_closes_the_connection() -> None:
    _, (alice,) = start_game(HALL, {"alice": (3, 5)})
    alice.send_invalid("busy/rate")
    assert alice.closed is BUSY


def test_the_worked_example_on_the_wire() -> None:
    _, (dio, ferd) = start_game(WORKED, {"dio": (4, 3), "ferd": (11, 10)}, [zombie(1, (9, 10))])
    moves: list[tuple[MemoryClient, dict[str, Any], list[Any]]] = [
        (dio, move(4, 4), ["OK"]),
        (ferd, move(12, 10), ["Invalid", "move"]),
        (ferd, move(10, 10), ["Key"]),
        (dio, move(4, 6), ["OK"]),
        (ferd, STAY, ["OK"]),
        (dio, move(4, 8), ["OK"]),
        (ferd, move(11, 11), ["OK"]),
        (dio, move(4, 10), ["OK"]),
        (ferd, move(9, 11), ["OK"]),
        (dio, move(4, 12), ["Invalid", "move"]),
        (dio, move(6, 10), ["OK"]),
        (ferd, move(9, 10), ["Eject"]),
    ]
    for client, answer, expected in moves:
        dio.received()
        ferd.received()
        client.send_json(answer)
        others = summary(dio if client is ferd else ferd)
        own = summary(client)
        assert own[: len(expected)] == expected
        if "Invalid" in expected:
            assert others == []
        elif "Eject" in expected:
            assert own == ["Eject"]
            assert others == [("update", "Player ferd was expelled."), ("update", None), "move"]
        else:
            assert own[1][0] == others[0][0] == "update"
