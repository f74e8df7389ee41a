"""Sessions, tokens and names: one connection each, one name each, over all gateways."""

from gateway.cluster.tokens import Tokens
from shared.ids import SessionId
from tests.e2e.conftest import NewPlayer
from tests.support.cluster import Cluster
from tests.support.player import Player, new_name
from tests.support.stones import StonesTable


async def test_a_forged_token_is_refused(calm: Cluster, new_player: NewPlayer) -> None:
    victim = await new_player(calm.gateways[0])
    body, _, signature = victim.token.partition(".")
    other = Tokens("another secret", 10**9).issue(SessionId("s-1"), victim.name, 10**13)
    async with Player() as thief:
        await thief.connect(calm.gateways[1].url)
        for token in (
            "",
            ".",
            "x",
            "a.b.c",
            body,
            f"{body}.{signature[:-4]}AAAA",
            f"{body[:-4]}AAAA.{signature}",
            other,
        ):
            assert (await thief.hello(token=token))["code"] == "token/bad"
        assert (await thief.hello(name=thief.name))["type"] == "welcome"
    assert victim.closed is None


async def test_an_expired_token_is_refused(calm: Cluster) -> None:
    old = Tokens("a secret that is known to tests", 1_000).issue(SessionId("s-1"), "old hand", 1_000)
    async with Player() as player:
        await player.connect(calm.gateways[0].url)
        assert (await player.hello(token=old))["code"] == "token/expired"


async def test_the_newer_of_two_sockets_of_a_session_wins_at_one_gateway(calm: Cluster, new_player: NewPlayer) -> None:
    older = await new_player(calm.gateways[0])
    async with Player() as newer:
        await newer.connect(calm.gateways[0].url)
        assert (await newer.hello(token=older.token))["name"] == older.name
        assert (await older.wait_closed())[0] == 4001


async def test_the_newer_of_two_sockets_of_a_session_wins_across_gateways_and_plays_on(
    calm: Cluster, new_player: NewPlayer
) -> None:
    first, second = await new_player(calm.gateways[0]), await new_player(calm.gateways[1])
    table = await StonesTable.open(first, second)
    await table.moves(3)
    async with Player() as newer:
        await newer.connect(calm.gateways[1].url)
        welcome = await newer.hello(token=first.token)
        assert welcome["rooms"] == [table.room]
        newer.rooms = first.rooms
        resumed = await newer.resume(table.room)
        assert (resumed["type"], resumed["seat"]) == ("resumed", 0)
        assert (await first.wait_closed())[0] == 4001
        table.players[0] = newer
        await table.moves(3)
        await table.check()


async def test_a_name_is_used_once_over_all_gateways(calm: Cluster, new_player: NewPlayer) -> None:
    player = await new_player(calm.gateways[0])
    for gateway in calm.gateways:
        async with Player() as other:
            await other.connect(gateway.url)
            assert (await other.hello(name=player.name))["code"] == "name/taken"
    assert player.closed is None


async def test_of_many_who_want_a_name_at_once_one_gets_it(calm: Cluster) -> None:
    name = new_name()
    crowd = [await Player().connect(calm.gateways[number % 2].url) for number in range(8)]
    for player in crowd:
        await player.send(type="hello", name=name)
    answers = [
        await player.wait_for_message(lambda message: message["type"] in ("welcome", "error")) for player in crowd
    ]
    assert sorted(answer.get("code", "welcome") for answer in answers) == [*["name/taken"] * 7, "welcome"]
    for player in crowd:
        await player.close()


async def test_bye_ends_the_session_and_frees_the_name_at_once(calm: Cluster, new_player: NewPlayer) -> None:
    player = await new_player(calm.gateways[0])
    await player.send(type="bye")
    assert (await player.wait_closed())[0] == 1000
    async with Player(player.name) as other:
        await other.connect(calm.gateways[1].url)
        answer = await other.hello(name=player.name)
        assert answer["type"] == "welcome"
        assert answer["rooms"] == []


async def test_a_player_who_lost_the_connection_keeps_name_and_seat(calm: Cluster, new_player: NewPlayer) -> None:
    first, second = await new_player(calm.gateways[0]), await new_player(calm.gateways[1])
    table = await StonesTable.open(first, second)
    await table.move()
    first.drop()
    away = await second.wait_for_event(table.room, "room.away")
    assert away["seat"] == 0
    async with Player() as thief:
        await thief.connect(calm.gateways[1].url)
        assert (await thief.hello(name=first.name))["code"] == "name/taken"
    await first.reconnect(calm.gateways[1].url)
    assert (await second.wait_for_event(table.room, "room.back"))["seat"] == 0
    await table.moves(3)
    await table.check()


async def test_another_gateway_sends_exactly_the_missed_steps(calm: Cluster, new_player: NewPlayer) -> None:
    first, second, third = [await new_player(calm.gateways[0]) for _ in range(3)]
    table = await StonesTable.open(first, second, third)
    await table.moves(2)
    before = third.rooms[table.room].offset
    third.drop()
    await first.wait_for_event(table.room, "room.away")
    for text in ("one", "two", "three"):
        await first.ask("say", room=table.room, text=text)
    resumed = await third.reconnect(calm.gateways[1].url)
    await table.seen(first.rooms[table.room].offset)
    missed = [step for offset, step in resumed.rooms[table.room].steps.items() if offset > before]
    kinds = [event["type"] for step in missed for event in step["events"]]
    assert kinds == ["room.away", "room.said", "room.said", "room.said", "room.back"]
    await table.check()


async def test_a_position_that_never_was_is_answered_with_a_full_view(calm: Cluster, new_player: NewPlayer) -> None:
    first, second = await new_player(calm.gateways[0]), await new_player(calm.gateways[1])
    table = await StonesTable.open(first, second)
    await table.moves(4)
    for epoch, offset in ((1, 3), (first.rooms[table.room].epoch, 10_000)):
        before = len(first.messages)
        await first.ask("resume", room=table.room, epoch=epoch, offset=offset)
        view = await first.wait_for_message(lambda message: message["type"] == "view", after=before)
        assert view["reason"] == "rewound"
        assert view["offset"] == second.rooms[table.room].offset
    await table.moves(2)
    await table.check()
