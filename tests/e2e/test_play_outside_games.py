"""Games that live outside the project in one file each: listed, played, and harmless when they are broken."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import NewPlayer
from tests.support.cluster import QUICK, Cluster
from tests.support.waiting import eventually

COIN = """
from tavolata import Dice, Game, Message, Outcome, Rejected, Seat, Table, Value


class Options(Value, frozen=True):
    pass


class Call(Message, frozen=True):
    side: str


class Began(Message, frozen=True):
    seed: int


class Tossed(Message, frozen=True):
    called: str
    fell: str


class State(Value, frozen=True):
    seed: int = 0
    called: str = ""
    fell: str = ""


def setup(table: Table[Options]) -> tuple[Began, ...]:
    return (Began(table.seed),)


def decide(state: State, seat: Seat, command: Call) -> tuple[Tossed, ...] | Rejected:
    if seat != 0:
        return Rejected("game/not_your_turn")
    if command.side == "edge":
        raise ZeroDivisionError("this game is broken on the edge")
    if command.side not in ("heads", "tails"):
        return Rejected("game/illegal")
    return (Tossed(command.side, Dice(state.seed, "coin").choice(("heads", "tails"))),)


def evolve(state: State, event: Began | Tossed) -> State:
    match event:
        case Began(seed=seed):
            return State(seed)
        case Tossed(called=called, fell=fell):
            return State(state.seed, called, fell)


def outcome(state: State) -> Outcome | None:
    if not state.fell:
        return None
    return Outcome((Seat(0) if state.called == state.fell else Seat(1),))


class View(Value, frozen=True):
    fell: str


def redact(event: Began | Tossed, seat: Seat | None) -> Began | Tossed:
    return Began(0) if isinstance(event, Began) else event


GAME = Game(
    name="coin",
    title="Heads or tails",
    seats=(2,),
    options_type=Options,
    state_type=State,
    command_type=Call,
    event_type=Began | Tossed,
    empty=State(),
    setup=setup,
    turn=lambda state: () if state.fell else (Seat(0),),
    options=lambda state, seat: (Call("heads"), Call("tails")) if not seat and not state.fell else (),
    decide=decide,
    evolve=evolve,
    view=lambda state, seat: View(state.fell),
    outcome=outcome,
    redact=redact,
)
"""
BOMB = """
from msgspec.structs import replace

from tavolata import Game, Message, Seat, Value


class Options(Value, frozen=True):
    pass


class Press(Message, frozen=True):
    explode: bool = False
    hang: bool = False


class Pressed(Message, frozen=True):
    explode: bool


class State(Value, frozen=True):
    presses: int = 0


def decide(state: State, seat: Seat, command: Press) -> tuple[Pressed, ...]:
    while command.hang:
        pass
    return (Pressed(command.explode),)


def evolve(state: State, event: Pressed) -> State:
    if event.explode:
        raise RuntimeError("boom")
    return replace(state, presses=state.presses + 1)


GAME = Game(
    name="bomb",
    title="The bomb",
    seats=(1,),
    options_type=Options,
    state_type=State,
    command_type=Press,
    event_type=Pressed,
    empty=State(),
    setup=lambda table: (Pressed(False),),
    turn=lambda state: (Seat(0),),
    options=lambda state, seat: (Press(),),
    decide=decide,
    evolve=evolve,
    view=lambda state, seat: state,
    outcome=lambda state: None,
)
"""


@pytest.fixture(scope="module")
def open_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster with two games from a folder that is not the project's."""
    folder: Path = tmp_path_factory.mktemp("games")
    (folder / "coin_game.py").write_text(COIN)
    (folder / "bomb_game.py").write_text(BOMB)
    settings = QUICK | {"games": "coin_game, bomb_game", "partitions": 2}
    with Cluster(env={"PYTHONPATH": str(folder)}, **settings) as cluster:
        yield cluster.start(2, 1)


async def test_a_game_of_one_file_outside_the_project_is_listed_and_played(
    open_house: Cluster, new_player: NewPlayer
) -> None:
    games = {game["name"]: game for game in open_house.gateways[1].json("/api/games")["games"]}
    assert (games["coin"]["title"], games["coin"]["seats"]) == ("Heads or tails", [2])
    first, second = [await new_player(gateway) for gateway in open_house.gateways]
    room = (await first.ask("create", game="coin", seats=2))["room"]
    await second.ask("join", room=room)
    await second.wait_for_event(room, "room.started")
    assert (await second.wait_for_event(room, "began"))["seed"] == 0
    assert (await first.act(room, {"type": "call", "side": "rim"}))["code"] == "game/illegal"
    assert (await first.act(room, {"type": "call", "side": "tails"}))["type"] == "ack"
    ended = await second.wait_for_event(room, "room.ended")
    tossed = await second.wait_for_event(room, "tossed")
    assert ended["winners"] == ([0] if tossed["fell"] == "tails" else [1])


async def test_a_rule_that_raises_costs_the_command_and_not_the_room(
    open_house: Cluster, new_player: NewPlayer
) -> None:
    first, second = [await new_player(gateway) for gateway in open_house.gateways]
    room = (await first.ask("create", game="coin", seats=2))["room"]
    await second.ask("join", room=room)
    await first.wait_for_event(room, "room.started")
    assert (await first.act(room, {"type": "call", "side": "edge"}))["code"] == "internal"
    assert (await first.act(room, {"type": "call", "side": "heads"}))["type"] == "ack"
    await second.wait_for_event(room, "room.ended")


async def test_a_room_that_breaks_is_put_aside_and_its_neighbours_go_on(
    open_house: Cluster, new_player: NewPlayer
) -> None:
    victim, *others = [await new_player(open_house.gateways[number % 2]) for number in range(5)]
    room = (await victim.ask("create", game="bomb", seats=1))["room"]
    neighbours = [(player, (await player.ask("create", game="bomb", seats=1))["room"]) for player in others]
    assert (await victim.act(room, {"type": "press"}))["type"] == "ack"
    assert (await victim.act(room, {"type": "press", "explode": True}))["code"] == "room/quarantined"
    assert (await victim.act(room, {"type": "press"}))["code"] == "room/quarantined"
    assert (await victim.ask("view", room=room))["code"] == "room/quarantined"
    for player, own in neighbours:
        assert (await player.act(own, {"type": "press"}))["type"] == "ack"
    with open_house.redis() as store:
        quarantined = [number for key in store.scan_iter("*:quarantine") for number in store.hkeys(key)]
    assert str(room) in quarantined
    assert not {str(own) for _, own in neighbours} & {*quarantined}


async def test_a_move_that_never_ends_is_broken_off(open_house: Cluster, new_player: NewPlayer) -> None:
    victim, *others = [await new_player(open_house.gateways[number % 2]) for number in range(5)]
    room = (await victim.ask("create", game="bomb", seats=1))["room"]
    neighbours = [(player, (await player.ask("create", game="bomb", seats=1))["room"]) for player in others]
    assert (await victim.act(room, {"type": "press", "hang": True}))["code"] == "internal"
    for player, own in [(victim, room), *neighbours]:
        assert (await player.act(own, {"type": "press"}))["type"] == "ack"


async def test_a_room_that_was_put_aside_stays_so_with_the_next_owner_and_can_be_let_out(
    open_house: Cluster, new_player: NewPlayer
) -> None:
    victim = await new_player(open_house.gateways[0])
    room = (await victim.ask("create", game="bomb", seats=1))["room"]
    assert (await victim.act(room, {"type": "press", "explode": True}))["code"] == "room/quarantined"
    open_house.workers[0].kill()
    open_house.mend()
    assert (await victim.act(room, {"type": "press"}))["code"] == "room/quarantined"
    with open_house.redis() as store:
        for key in store.scan_iter("*:quarantine"):
            store.hdel(key, room)
    open_house.workers[0].kill()
    open_house.mend()
    assert (await victim.act(room, {"type": "press"}))["type"] == "ack"


async def test_rooms_wait_for_a_worker_that_knows_their_game_and_then_go_on(
    open_house: Cluster, new_player: NewPlayer
) -> None:
    """A worker without the game gets no partition with its rooms; while it is alone, the rooms wait."""
    players = [await new_player(open_house.gateways[number % 2]) for number in range(12)]
    rooms = [(player, (await player.ask("create", game="bomb", seats=1))["room"]) for player in players]
    other = open_house.node("worker", games="")
    other.start()
    eventually(lambda: len(open_house.shares()) == 2, "the other worker is registered")
    try:
        for player, room in rooms:
            assert (await player.act(room, {"type": "press"}))["type"] == "ack"
        open_house.workers[0].terminate()
        eventually(lambda: min(waiting(open_house)) >= 12, "the gateways know that the rooms wait")
        for player, room in rooms:
            assert (await player.act(room, {"type": "press"}))["code"] == "busy/no_worker"
    finally:
        other.terminate()
        open_house.workers.remove(other)
        open_house.mend()
    eventually(lambda: max(waiting(open_house)) == 0, "the gateways know that the rooms go on")
    for player, room in rooms:
        assert (await player.act(room, {"type": "press"}))["type"] == "ack"


def waiting(cluster: Cluster) -> list[float]:
    """The number of rooms of the game that wait for a worker, as each gateway reports it."""
    name = 'tavolata_rooms_without_worker{game="bomb@1"}'
    return [gateway.metrics().get(name, 0) for gateway in cluster.gateways]


async def test_a_game_that_no_worker_plays_any_more_is_not_offered(open_house: Cluster, new_player: NewPlayer) -> None:
    player = await new_player(open_house.gateways[0])
    other = open_house.node("worker", games="")
    other.start()
    open_house.workers[0].terminate()

    def listed() -> set[str]:
        return {game["name"] for game in open_house.gateways[1].json("/api/games")["games"]}

    try:
        eventually(lambda: "coin" not in listed(), "the game is gone")
        assert "stones" in listed()
        refusal = await player.ask("create", game="coin", seats=2)
        assert refusal["code"] == "game/unknown"
    finally:
        other.terminate()
        open_house.workers.remove(other)
        open_house.mend()
    assert "coin" in listed()
