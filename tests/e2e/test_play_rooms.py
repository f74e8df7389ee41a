"""Rooms over /ws/play: opening, joining, looking on, talking, leaving, playing again."""

import asyncio

import pytest

from tests.e2e.conftest import NewPlayer
from tests.support.cluster import Cluster
from tests.support.player import Message, ReceivedRoom
from tests.support.stones import StonesTable


async def test_a_request_for_a_room_that_does_not_exist_is_refused(calm: Cluster, new_player: NewPlayer) -> None:
    player = await new_player(calm.gateways[0])
    for kind in ("join", "spectate", "view", "leave", "rematch"):
        assert (await player.ask(kind, room=77_777))["code"] == "room/unknown"
    assert (await player.ask("resume", room=77_777, epoch=1, offset=1))["code"] == "room/unknown"
    assert (await player.take(77_777))["code"] == "room/unknown"
    assert (await player.ask("say", room=77_777, text="hello?"))["code"] == "room/unknown"


@pytest.mark.parametrize("room", [0, -1, 2**40])
async def test_numbers_that_no_room_can_have_are_unknown_rooms(calm: Cluster, new_player: NewPlayer, room: int) -> None:
    player = await new_player(calm.gateways[0])
    for kind in ("join", "spectate", "leave"):
        answer = await player.ask(kind, room=room)
        assert answer["type"] == "error"
        assert answer["code"] == "room/unknown"
    assert (await player.ask("create", game="stones", seats=2))["type"] == "entered"


async def test_a_table_for_too_many_or_with_odd_options_is_not_opened(calm: Cluster, new_player: NewPlayer) -> None:
    player = await new_player(calm.gateways[0])
    assert (await player.ask("create", game="stones", seats=5))["code"] == "room/bad_seats"
    assert (await player.ask("create", game="stones", seats=2, bots=2))["code"] == "room/bad_seats"
    assert (await player.ask("create", game="stones", seats=2, options={"stones": "a"}))["code"] == "room/bad_options"
    assert (await player.ask("create", game="stones", seats=2, turn_ms=-1))["code"] == "room/bad_options"
    assert (await player.ask("create", game="chess", seats=2))["code"] == "game/unknown"
    assert (await player.ask("match", game="chess"))["code"] == "game/unknown"


async def test_a_room_that_was_left_before_its_start_leaves_the_store_within_minutes(
    calm: Cluster, new_player: NewPlayer
) -> None:
    player, watcher = await new_player(calm.gateways[0]), await new_player(calm.gateways[1])
    room = (await player.ask("create", game="stones", seats=2))["room"]
    assert (await player.ask("leave", room=room))["type"] == "ack"
    assert (await watcher.ask("view", room=room))["view"]["status"] == "closed"
    with calm.redis() as store:
        kept = {key: store.pttl(key) for key in store.scan_iter(f"*:room:{room}:*")}
    assert {key.rpartition(":")[2] for key in kept} == {"journal", "updates", "snapshot"}
    assert all(0 < life_ms <= 300_000 for life_ms in kept.values()), kept


async def test_a_full_or_started_room_takes_nobody_else(calm: Cluster, new_player: NewPlayer) -> None:
    first, second, third = [await new_player(calm.gateways[number % 2]) for number in range(3)]
    table = await StonesTable.open(first, second)
    assert (await third.ask("join", room=table.room))["code"] == "room/started"
    await table.moves(2)
    await table.check()


async def test_the_last_seat_goes_to_one_of_those_who_want_it(calm: Cluster, new_player: NewPlayer) -> None:
    opener, *others = [await new_player(calm.gateways[number % 2]) for number in range(6)]
    room = (await opener.ask("create", game="stones", seats=2))["room"]
    answers = await asyncio.gather(*(player.ask("join", room=room) for player in others))
    kinds = [answer["code"] if answer["type"] == "error" else "entered" for answer in answers]
    assert sorted(kinds) == ["entered", *["room/started"] * 4]


async def test_spectators_see_every_step_but_act_not(calm: Cluster, new_player: NewPlayer) -> None:
    first, second, third = [await new_player(calm.gateways[number % 2]) for number in range(3)]
    table = await StonesTable.open(first, second)
    watching = await third.ask("spectate", room=table.room)
    assert (watching["type"], watching["seat"]) == ("watching", None)
    await table.moves(4)
    await third.wait_for_step(table.room, first.rooms[table.room].offset)
    common = third.rooms[table.room].steps
    assert len(common) == 4
    assert all(step == first.rooms[table.room].steps[offset] for offset, step in common.items())
    assert (await third.take(table.room))["code"] == "room/not_seated"
    assert (await third.ask("say", room=table.room, text="hi"))["code"] == "room/not_seated"
    assert (await third.ask("leave", room=table.room))["type"] == "ack"
    await table.moves(2)
    assert len(third.rooms[table.room].steps) == 4
    assert (await third.ask("spectate", room=table.room))["offset"] == first.rooms[table.room].offset


def _codex_secrets(steps: list[Message]) -> list[Message]:
    return [event for step in steps for event in step["events"] if not event["type"].startswith("room.")]


async def test_secrets_reach_their_own_seat_only(calm: Cluster, new_player: NewPlayer) -> None:
    first, second, spectator = [await new_player(calm.gateways[number % 2]) for number in range(3)]
    room = (await first.ask("create", game="codex", seats=2))["room"]
    await second.ask("join", room=room)
    for player in (first, second):
        await player.wait_for_event(room, "room.started")
    assert (await spectator.ask("spectate", room=room))["type"] == "watching"
    views = [(await player.ask("view", room=room))["view"]["game"] for player in (first, second, spectator)]
    assert len({repr(view) for view in views}) == 3
    told = [_codex_secrets(list(player.rooms[room].steps.values())) for player in (first, second)]
    assert told[0] != told[1]


async def test_chat_reaches_all_and_private_chat_the_two_alone(calm: Cluster, new_player: NewPlayer) -> None:
    players = [await new_player(calm.gateways[number % 2]) for number in range(4)]
    table = await StonesTable.open(*players[:3])
    await players[3].ask("spectate", room=table.room)
    await players[0].ask("say", room=table.room, text="good evening")
    ack = await players[1].ask("say", room=table.room, text="psst", to=players[2].name)
    assert ack["type"] == "ack"
    for player in players:
        await player.wait_for_step(table.room, ack["offset"])
    texts = [[e["text"] for e in player.rooms[table.room].events if e["type"] == "room.said"] for player in players]
    assert texts == [["good evening"], ["good evening", "psst"], ["good evening", "psst"], ["good evening"]]
    chats = [
        [message["text"] for message in (await player.ask("view", room=table.room))["view"]["chat"]]
        for player in players
    ]
    assert chats == texts


async def test_private_chat_is_not_for_the_next_player_of_the_seat(calm: Cluster, new_player: NewPlayer) -> None:
    first, second, third = [await new_player(calm.gateways[number % 2]) for number in range(3)]
    room = (await first.ask("create", game="stones", seats=3))["room"]
    seat = (await second.ask("join", room=room))["seat"]
    for sender, receiver in ((first, second), (second, first)):
        await sender.ask("say", room=room, text="for two", to=receiver.name)
    await first.ask("say", room=room, text="for all")
    await second.ask("leave", room=room)
    entered = await third.ask("join", room=room)
    await third.wait_for_step(room, entered["offset"])
    third.rooms[room] = ReceivedRoom(entered["epoch"], 1, {})
    await third.resume(room)
    await third.wait_for_step(room, entered["offset"])
    read = calm.gateways[0].json(f"/api/rooms/{room}/updates", third.token)["updates"]
    assert entered["seat"] == seat
    assert len(third.rooms[room].steps) == entered["offset"] - 1
    assert "for all" in str(third.messages)
    assert "for all" in str(read)
    assert "for two" not in str(third.messages)
    assert "for two" not in str(read)


async def test_invalid_chat_is_refused(calm: Cluster, new_player: NewPlayer) -> None:
    first, second = await new_player(calm.gateways[0]), await new_player(calm.gateways[1])
    table = await StonesTable.open(first, second)
    assert (await first.ask("say", room=table.room, text="  "))["code"] == "room/bad_text"
    assert (await first.ask("say", room=table.room, text="x" * 501))["code"] == "room/bad_text"
    assert (await first.ask("say", room=table.room, text="hi", to="nobody"))["code"] == "room/nobody"
    assert (await first.ask("say", room=table.room, text="x" * 500))["type"] == "ack"


async def test_a_finished_game_is_over_and_its_players_meet_again_for_a_rematch(
    calm: Cluster, new_player: NewPlayer
) -> None:
    first, second = await new_player(calm.gateways[0]), await new_player(calm.gateways[1])
    table = await StonesTable.open(first, second, stones=3)
    assert (await first.ask("rematch", room=table.room))["code"] == "room/not_finished"
    await table.move(3)
    ended = await second.wait_for_event(table.room, "room.ended")
    assert (ended["winners"], ended["names"]) == ([0], [first.name])
    assert (await second.take(table.room))["code"] == "game/over"
    answers = await asyncio.gather(first.ask("rematch", room=table.room), second.ask("rematch", room=table.room))
    rooms = {answer["room"] for answer in answers}
    assert len(rooms) == 1
    assert rooms != {table.room}
    again = rooms.pop()
    for player in (first, second):
        await player.wait_for_event(again, "room.started")
        assert (await player.wait_for_event(table.room, "room.rematched"))["room"] == again
    view = (await first.ask("view", room=again))["view"]
    assert view["spec"] == (await first.ask("view", room=table.room))["view"]["spec"]


async def test_leaving_a_waiting_table_frees_the_seat_and_the_last_player_closes_it(
    calm: Cluster, new_player: NewPlayer
) -> None:
    first, second, third = [await new_player(calm.gateways[number % 2]) for number in range(3)]
    room = (await first.ask("create", game="stones", seats=3))["room"]
    await second.ask("join", room=room)
    assert (await second.ask("leave", room=room))["type"] == "ack"
    assert (await first.wait_for_event(room, "room.left"))["name"] == second.name
    assert (await third.ask("join", room=room))["seat"] == 1
    assert (await third.ask("leave", room=room))["type"] == "ack"
    assert (await first.ask("leave", room=room))["type"] == "ack"
    assert (await second.ask("join", room=room))["code"] == "room/closed"


async def test_the_list_of_rooms_is_filtered_and_live_at_every_gateway(calm: Cluster, new_player: NewPlayer) -> None:
    watcher, first, second = [await new_player(calm.gateways[number % 2]) for number in range(3)]
    assert (await watcher.ask("rooms", game="stones", status="waiting", seats=2, live=True))["type"] == "rooms"
    room = (await first.ask("create", game="stones", seats=2))["room"]
    hidden = (await first.ask("create", game="stones", seats=2, private=True))["room"]
    other = (await first.ask("create", game="stones", seats=3))["room"]
    shown = await watcher.wait_for_message(
        lambda message: (
            message["type"] == "rooms_changed" and any(entry["room"] == room for entry in message["changed"])
        )
    )
    entry = next(entry for entry in shown["changed"] if entry["room"] == room)
    assert (entry["names"], entry["free"], entry["status"]) == ({"0": first.name}, 1, "waiting")
    await second.ask("join", room=room)
    await watcher.wait_for_message(lambda message: message["type"] == "rooms_changed" and room in message["gone"])
    changes = [message for message in watcher.messages if message["type"] == "rooms_changed"]
    everything = [entry["room"] for message in changes for entry in message["changed"]]
    assert hidden not in everything
    assert other not in everything
    listed = (await second.ask("rooms", game="stones", seats=3))["rooms"]
    assert other in [entry["room"] for entry in listed]
    assert hidden not in [entry["room"] for entry in (await second.ask("rooms"))["rooms"]]


async def test_a_private_room_is_joined_with_its_key(calm: Cluster, new_player: NewPlayer) -> None:
    first, second, other = [await new_player(calm.gateways[number % 2]) for number in range(3)]
    table = await StonesTable.open(first, second, private=True)
    assert 100_000_000 <= table.room < 1_000_000_000
    assert (await other.ask("spectate", room=table.room))["code"] == "room/unknown"
    key = (await second.ask("view", room=table.room))["key"]
    assert (await other.ask("spectate", room=table.room, key=key))["type"] == "watching"
    await table.moves(2)
    await table.check()


async def test_updates_carry_options_and_views_for_those_who_want_them(calm: Cluster, new_player: NewPlayer) -> None:
    first, second = await new_player(calm.gateways[0]), await new_player(calm.gateways[1])
    opened = await first.ask("create", game="stones", seats=2, options={"stones": 5}, wants=["options", "view"])
    room = opened["room"]
    await second.ask("join", room=room)
    await first.wait_for_event(room, "room.started")
    await second.wait_for_event(room, "room.started")
    (start,) = [step for step in first.rooms[room].steps.values() if step["events"][0]["type"] == "room.started"]
    assert [option["count"] for option in start["options"]] == [1, 2, 3]
    assert start["view"]["game"]["stones"] == 5
    await first.take(room, 3)
    await second.wait_for_step(room, first.rooms[room].offset)
    assert "options" not in first.rooms[room].steps[first.rooms[room].offset]
    assert not any("view" in step or "options" in step for step in second.rooms[room].steps.values())


async def test_three_and_four_players_take_turns_over_all_gateways(calm: Cluster, new_player: NewPlayer) -> None:
    for seats in (3, 4):
        players = [await new_player(calm.gateways[number % 2]) for number in range(seats)]
        table = await StonesTable.open(*players, stones=10)
        await table.moves(10)
        ended = await players[0].wait_for_event(table.room, "room.ended")
        assert ended["winners"] == [9 % seats]
        await table.check()
