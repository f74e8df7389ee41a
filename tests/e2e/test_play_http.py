"""HTTP beside the sockets: health, metrics, lists, updates of one's own room, replays of finished games."""

import json

import pytest

from tests.e2e.conftest import NewPlayer
from tests.support.cluster import Cluster
from tests.support.stones import StonesTable
from tests.support.waiting import eventually, eventually_async

GATEWAY_METRICS = (
    "tavolata_connections",
    "tavolata_frame_to_ack_seconds_bucket",
    "tavolata_gaps_filled_total",
    "tavolata_resumes_total",
    "tavolata_rejections_total",
    "tavolata_outbox_bytes",
    "tavolata_pending_commands",
)
WORKER_METRICS = (
    "tavolata_commands_total",
    "tavolata_commits_total",
    "tavolata_batch_commands_bucket",
    "tavolata_partitions_held",
    "tavolata_lag_",
    "tavolata_rejections_total",
    "tavolata_steps_total",
    "tavolata_rooms_loaded",
)


def test_all_processes_are_alive_and_ready(calm: Cluster) -> None:
    for gateway in calm.gateways:
        assert gateway.json("/healthz")["ok"] is True
        assert gateway.json("/readyz")["ready"] is True
    for worker in calm.workers:
        assert worker.json("/healthz")["ok"] is True


async def test_gateways_and_workers_count_what_they_do(calm: Cluster, new_player: NewPlayer) -> None:
    first, second = [await new_player(gateway) for gateway in calm.gateways]
    table = await StonesTable.open(first, second)
    await table.moves(4)
    assert (await first.take(table.room, 9))["code"] == "game/illegal"
    second.drop()
    await second.reconnect(calm.gateways[0].url)
    await table.moves(2)
    owner = calm.owner(table.room)
    # Workers count their rooms once a second.
    await eventually_async(lambda: 'tavolata_rooms_loaded{game="stones"}' in owner.metrics(), "the rooms are counted")
    for node, names in [(calm.gateways[0], GATEWAY_METRICS), (owner, WORKER_METRICS)]:
        metrics = node.metrics()
        for name in names:
            assert any(sample.startswith(name) for sample in metrics), f"{name} of a {node.role}"
    gateway, worker = calm.gateways[0].metrics(), calm.owner(table.room).metrics()
    assert gateway['tavolata_connections{dialect="play"}'] >= 2
    assert gateway["tavolata_frame_to_ack_seconds_count"] > 0
    assert gateway['tavolata_rejections_total{code="game/illegal"}'] >= 1
    assert worker['tavolata_rejections_total{code="game/illegal"}'] >= 1
    assert worker['tavolata_commits_total{outcome="ok"}'] > 0
    eventually(lambda: sum(node.metrics()["tavolata_partitions_held"] for node in calm.workers) == calm.partitions)


def test_the_games_are_listed_with_their_schemas(calm: Cluster) -> None:
    games = {game["name"]: game for game in calm.gateways[0].json("/api/games")["games"]}
    assert games["stones"]["seats"] == [2, 3, 4]
    assert "stones" in json.dumps(games["stones"]["options"])
    assert "count" in json.dumps(games["stones"]["commands"])


async def test_public_rooms_are_listed_with_filters(calm: Cluster, new_player: NewPlayer) -> None:
    player = await new_player(calm.gateways[0])
    room = (await player.ask("create", game="stones", seats=3))["room"]
    hidden = (await player.ask("create", game="stones", seats=3, private=True))["room"]

    def listed(query: str) -> list[int]:
        return [entry["room"] for entry in calm.gateways[0].json(f"/api/rooms{query}")["rooms"]]

    assert room in listed("")
    assert hidden not in listed("")
    assert room in listed("?game=stones&status=waiting&seats=3")
    assert room not in listed("?seats=2")
    assert room not in listed("?status=playing")
    assert room not in listed("?game=codex")
    for nonsense in ("two", "-1", "%C2%B2", "9" * 5_000):
        assert calm.gateways[0].get(f"/api/rooms?seats={nonsense}")[0] == 400


async def test_a_seat_reads_its_updates_and_others_those_of_spectators(calm: Cluster, new_player: NewPlayer) -> None:
    first, second, other = [await new_player(calm.gateways[number % 2]) for number in range(3)]
    table = await StonesTable.open(first, second)
    await table.moves(5)
    path = f"/api/rooms/{table.room}/updates"
    for player in (first, second):
        record = calm.gateways[1].json(path, player.token)
        steps = player.rooms[table.room].steps
        assert record["trimmed"] is False
        assert {step["offset"]: step for step in record["updates"]}.items() >= steps.items()
    top = first.rooms[table.room].offset
    assert [step["offset"] for step in calm.gateways[0].json(f"{path}?after={top - 1}", first.token)["updates"]] == [
        top
    ]
    public = calm.gateways[0].json(path)["updates"]
    assert [step["offset"] for step in public] == list(range(1, top + 1))
    assert calm.gateways[0].get(path, "forged.token")[0] == 401
    assert calm.gateways[0].get(path, other.token)[0] == 403
    assert calm.gateways[0].get("/api/rooms/77777/updates", other.token)[0] == 404
    for nonsense in ("x", "-1", "%C2%B2", "9" * 30):
        assert calm.gateways[0].get(f"{path}?after={nonsense}", first.token)[0] == 400


async def test_players_and_spectators_at_all_gateways_are_counted(calm: Cluster, new_player: NewPlayer) -> None:
    first, second, watcher, other = [await new_player(calm.gateways[number % 2]) for number in range(4)]
    table = await StonesTable.open(first, second)
    for spectator in (watcher, other):
        await spectator.ask("spectate", room=table.room)
    path = f"/api/rooms/{table.room}/watchers"
    await eventually_async(lambda: calm.gateways[0].json(path)["watching"] == 2, "both spectators are counted")
    await eventually_async(lambda: calm.gateways[1].json("/api/players")["online"] >= 4, "all players are counted")
    assert calm.gateways[1].json("/api/rooms/77777/watchers") == {"watching": 0}


async def test_a_player_who_gave_a_seat_up_cannot_read_updates_of_its_next_player(
    calm: Cluster, new_player: NewPlayer
) -> None:
    first, second, third = [await new_player(calm.gateways[number % 2]) for number in range(3)]
    room = (await first.ask("create", game="stones", seats=3))["room"]
    seat = (await second.ask("join", room=room))["seat"]
    path = f"/api/rooms/{room}/updates"
    assert calm.gateways[0].get(path, second.token)[0] == 200
    await second.ask("leave", room=room)
    assert (await third.ask("join", room=room))["seat"] == seat
    assert calm.gateways[0].get(path, second.token)[0] == 403
    assert calm.gateways[0].get(path, third.token)[0] == 200


async def test_a_game_can_be_replayed_once_it_is_finished(calm: Cluster, new_player: NewPlayer) -> None:
    first, second = [await new_player(gateway) for gateway in calm.gateways]
    table = await StonesTable.open(first, second, stones=4)
    await first.ask("say", room=table.room, text="not for posterity")
    assert calm.gateways[0].get(f"/api/replays/{table.room}")[0] == 409
    await table.move(2)
    await table.move(2)
    await first.wait_for_event(table.room, "room.ended")
    status, body = calm.gateways[1].get(f"/api/replays/{table.room}")
    assert status == 200
    kinds = [event["type"] for step in json.loads(body)["steps"] for event in step["events"]]
    assert kinds[:2] == ["room.opened", "room.joined"]
    assert kinds[-3:] == ["taken", "taken", "room.ended"]
    assert b"posterity" not in body
    assert calm.gateways[0].get("/api/replays/77777")[0] == 404


async def test_a_private_game_is_replayed_for_its_seats_and_its_key_alone(calm: Cluster, new_player: NewPlayer) -> None:
    first, second, other = [await new_player(calm.gateways[number % 2]) for number in range(3)]
    table = await StonesTable.open(first, second, stones=1, private=True)
    await table.move()
    await first.wait_for_event(table.room, "room.ended")
    key = (await first.ask("view", room=table.room))["key"]
    path, gateway = f"/api/replays/{table.room}", calm.gateways[0]
    missing = gateway.get("/api/replays/77777")
    assert gateway.get(path) == gateway.get(path, other.token) == gateway.get(path, key="0" * 24) == missing
    updates = f"/api/rooms/{table.room}/updates"
    assert gateway.get(updates) == gateway.get(updates, other.token) == missing
    assert gateway.get(updates, key=key)[0] == 200
    assert gateway.get(path, second.token)[0] == gateway.get(path, key=key)[0] == 200


async def test_a_game_without_spectators_is_replayed_for_its_seats_alone(calm: Cluster, new_player: NewPlayer) -> None:
    first, second, other = [await new_player(calm.gateways[number % 2]) for number in range(3)]
    table = await StonesTable.open(first, second, stones=1, spectators="none")
    await table.move()
    await first.wait_for_event(table.room, "room.ended")
    path = f"/api/replays/{table.room}"
    status, body = calm.gateways[0].get(path, other.token)
    assert (status, json.loads(body)["code"]) == (403, "room/no_spectators")
    assert calm.gateways[0].get(path, second.token)[0] == 200


async def test_the_tokens_of_an_ended_session_read_nothing_at_any_gateway(calm: Cluster, new_player: NewPlayer) -> None:
    player = await new_player(calm.gateways[0])
    room = (await player.ask("create", game="stones", seats=2))["room"]
    path, token = f"/api/rooms/{room}/updates", player.token
    assert calm.gateways[1].get(path, token)[0] == 200
    await player.send(type="bye", forget=True)
    assert (await player.wait_closed())[0] == 1000
    status, body = calm.gateways[1].get(path, token)
    assert (status, json.loads(body)["code"]) == (401, "token/revoked")


async def test_a_replay_does_not_tell_the_options_that_are_secret(calm: Cluster, new_player: NewPlayer) -> None:
    player = await new_player(calm.gateways[0])
    options = {"levels": "shipped", "move_time_ms": 60_000}
    room = (await player.ask("create", game="snarl", seats=1, options=options))["room"]
    await player.wait_for_event(room, "room.started")
    await player.ask("leave", room=room)
    status, body = calm.gateways[1].get(f"/api/replays/{room}")
    assert (status, json.loads(body)["spec"]["options"]) == (200, {"move_time_ms": 60_000})


async def test_a_room_number_that_no_room_can_have_is_unknown(calm: Cluster, new_player: NewPlayer) -> None:
    player, far = await new_player(calm.gateways[0]), "9" * 5_000
    for path in (f"/api/replays/{far}", f"/api/rooms/{far}/updates"):
        status, body = calm.gateways[0].get(path, player.token)
        assert (status, json.loads(body)["code"]) == (404, "room/unknown")
    assert calm.gateways[0].get(f"/t/{far}") == calm.gateways[0].get("/t/77777")


@pytest.mark.parametrize(
    "path", ["/nothing", "/ws/nothing", "/api/rooms/abc/updates", "/api/replays/-1", "/api/replays/0"]
)
def test_paths_that_are_not_there_are_not_found(calm: Cluster, path: str) -> None:
    assert calm.gateways[0].get(path)[0] == 404
