"""Acts of operators in an in-memory cluster: what players see of them in every dialect, and what the store keeps."""

import asyncio
from typing import Any

import pytest

from gateway.cluster.operator_acts import WAIT_S
from gateway.dialects.snarl import close_codes as snarl_codes
from gateway.transports import close_codes
from loadtest.clients.eriantys import AM24, AM28, GROUP3
from shared.acts import ActKind, OperatorAct
from shared.bus import audit, journal, keys, quarantine
from shared.bus.keys import Keys
from shared.errors import Rejected
from shared.ids import LOBBY, RoomId, partition_of
from shared.journal_records import Acted, JournalEntry
from shared.results import FiledRecord
from tests.support.memory_cluster import PARTITIONS, MemoryClient, MemoryCluster
from tests.support.snarl_clients import join as join_snarl
from tests.support.snarl_clients import snarl_cluster
from tests.unit.gateway.dialects.codex.played_game import PlayedGame, one
from tests.unit.gateway.dialects.eriantys.tables import EVENTS, PROMPTS, STATUS, Seats
from tests.unit.gateway.test_seats_by_name import PlayClient

ROOM = RoomId(1000)
KEYS = keys.all_keys(PARTITIONS)


def run(cluster: MemoryCluster, work: Any) -> Any:
    """The result of a coroutine, run inside the cluster's loop."""
    tasks: list[asyncio.Task[Any]] = []
    cluster.do(lambda: tasks.append(asyncio.ensure_future(work)))
    return tasks[0].result()


def order(cluster: MemoryCluster, kind: ActKind, subject: str = "", act: str = "a-1", room: RoomId = ROOM) -> str:
    """The code with which an act was refused; empty if it was carried out."""
    order = OperatorAct(act, kind, "olga", "spam", subject)
    refused: Rejected | None = run(cluster, cluster.gateway.node.acts.order(room, order))
    return "" if refused is None else refused.code


def audited(cluster: MemoryCluster) -> list[tuple[RoomId, int, int, OperatorAct, str]]:
    found = run(cluster, audit.read(cluster.gateway.node.store, KEYS, 100))
    entries = [one.entry for one in reversed(found.acts)]
    return [(entry.room, entry.offset, entry.number, entry.act, entry.code) for entry in entries]


def journaled(cluster: MemoryCluster, room: RoomId) -> list[tuple[RoomId, int, int, OperatorAct, str]]:
    """The acts in a room's journal, read as a new owner reads it."""
    partition = cluster.worker.node.ownership.partitions[partition_of(room, PARTITIONS)]
    written = run(cluster, _written(cluster, partition.keys, room))
    return [
        (room, offset, number, note.act, record.code)
        for offset, number, record in (*written, *partition.unwritten.records(room))
        for note in record.notes
        if isinstance(note, Acted)
    ]


async def _written(cluster: MemoryCluster, partition: Keys, room: RoomId) -> list[JournalEntry]:
    return [entry async for some in journal.portions(cluster.worker.store, partition, room) for entry in some]


def two_at_stones(cluster: MemoryCluster) -> tuple[PlayClient, PlayClient]:
    ada, bob = PlayClient(cluster, name="ada"), PlayClient(cluster, name="bob")
    ada.ask("create", game="stones", seats=2)
    bob.ask("join", room=ROOM)
    ada.memory.received()
    bob.memory.received()
    return ada, bob


def last_events(client: MemoryClient) -> list[dict[str, Any]]:
    updates = [message for message in client.received_json() if message["type"] == "update"]
    events: list[dict[str, Any]] = updates[-1]["events"]
    return events


def test_players_of_a_closed_room_see_that_an_operator_closed_it() -> None:
    cluster = MemoryCluster()
    ada, bob = two_at_stones(cluster)
    assert order(cluster, ActKind.CLOSE) == ""
    for player in (ada, bob):
        assert last_events(player.memory) == [{"type": "room.closed", "reason": "operator"}]
    assert ada.ask("act", room=ROOM, command={"type": "take", "count": 1})["code"] == "room/closed"
    assert cluster.gateway.node.rooms.get(ROOM) is None


def test_a_removed_player_of_play_sees_the_removal_and_nothing_after_it() -> None:
    cluster = MemoryCluster()
    ada, bob = two_at_stones(cluster)
    assert order(cluster, ActKind.REMOVE, "ada") == ""
    assert last_events(ada.memory)[0] == {"type": "room.left", "seat": 0, "name": "ada", "reason": "removed"}
    bob.ask("say", room=ROOM, text="gone at last")
    assert ada.memory.received() == []
    assert ada.memory.closed is None
    assert ada.ask("act", room=ROOM, command={"type": "take", "count": 1})["code"] == "room/not_seated"


def test_the_next_player_of_a_seat_has_its_secrets_alone() -> None:
    cluster = MemoryCluster()
    ada, bob, cid = (PlayClient(cluster, name=name) for name in ("ada", "bob", "cid"))
    ada.ask("create", game="stones", seats=3)
    bob.ask("join", room=ROOM)
    order(cluster, ActKind.REMOVE, "bob")
    assert bob.ask("join", room=ROOM)["code"] == "room/removed"
    cid.ask("join", room=ROOM)
    ada.ask("say", room=ROOM, text="psst", to="cid")
    assert b"psst" in b"".join(cid.memory.received())
    assert b"psst" not in b"".join(bob.memory.received())


@pytest.mark.parametrize("dialect", [EVENTS, PROMPTS, STATUS])
def test_a_removed_player_of_eriantys_is_disconnected_and_the_others_play_on(dialect: str) -> None:
    seats = Seats(EVENTS, dialect)
    assert order(seats.cluster, ActKind.REMOVE, "bob") == ""
    assert seats.clients[1].closed == close_codes.REMOVED
    assert seats.received(1)
    assert seats.clients[0].closed is None
    assert {"type": "PlayerDisconnect", "player": "bob"} in seats.received(0)


@pytest.mark.parametrize("dialect", [AM24, AM28, GROUP3])
def test_an_original_program_whose_player_is_removed_is_disconnected(dialect: str) -> None:
    seats = Seats(EVENTS, dialect)
    order(seats.cluster, ActKind.REMOVE, "bob")
    assert seats.clients[1].closed is not None


def test_eriantys_tells_players_in_words_of_each_dialect_that_the_room_is_closed() -> None:
    seats = Seats(EVENTS, PROMPTS, STATUS)
    order(seats.cluster, ActKind.CLOSE)
    assert seats.received(0) == [{"type": "EndGame", "winners": []}]
    closed, *_ = seats.received(1)
    assert closed == {
        "type": "InformationConnection",
        "string": "an operator has closed the lobby (3 of 3)",
        "lobbyIndex": 1000,
    }
    assert seats.received(2) == [{"status": 102, "errorMessage": "an operator has closed the table"}]


@pytest.mark.parametrize("dialect", [AM24, AM28, GROUP3])
def test_original_programs_get_a_message_that_the_room_is_closed(dialect: str) -> None:
    seats = Seats(EVENTS, dialect)
    order(seats.cluster, ActKind.CLOSE)
    assert seats.received(1)


def test_codex_tells_a_removed_player_and_the_players_of_a_closed_table() -> None:
    game = PlayedGame(2)
    order(game.cluster, ActKind.REMOVE, "Bob", room=ROOM)
    assert game.clients["Bob"].memory.closed == close_codes.REMOVED
    assert "an operator has removed you" in str(one(game.clients["Bob"].received(), "Error"))
    order(game.cluster, ActKind.CLOSE, act="a-2", room=ROOM)
    assert "closed: by an operator" in str(one(game.clients["Ann"].received(), "Error"))


def test_snarl_closes_the_connections_of_a_removed_player_and_of_a_closed_table() -> None:
    cluster = snarl_cluster()
    alice, bob = join_snarl(cluster, "alice", {"players": "2"}), join_snarl(cluster, "bob")
    order(cluster, ActKind.REMOVE, "alice")
    assert alice.closed == snarl_codes.REMOVED
    order(cluster, ActKind.CLOSE, act="a-2")
    assert bob.closed == snarl_codes.TABLE_CLOSED


def test_the_audit_equals_the_journal() -> None:
    cluster = MemoryCluster()
    two_at_stones(cluster)
    order(cluster, ActKind.REMOVE, "eve", "a-1")
    order(cluster, ActKind.REMOVE, "ada", "a-2")
    order(cluster, ActKind.REMOVE, "ada", "a-2")
    order(cluster, ActKind.CLOSE, act="a-3")
    order(cluster, ActKind.DRAIN, "w-1", "a-4", LOBBY)
    of_room = [entry for entry in audited(cluster) if entry[0] == ROOM]
    of_lobby = [entry for entry in audited(cluster) if entry[0] == LOBBY]
    assert [act.id for _, _, _, act, _ in of_room] == ["a-1", "a-2", "a-3"]
    assert [code for *_, code in of_room] == ["room/nobody", "", ""]
    assert of_room == journaled(cluster, ROOM)
    assert of_lobby == journaled(cluster, LOBBY)


def test_a_quarantined_room_is_freed_by_an_act_and_goes_on() -> None:
    cluster = MemoryCluster()
    ada, _ = two_at_stones(cluster)
    partition = cluster.worker.node.ownership.partitions[partition_of(ROOM, PARTITIONS)]
    del partition.rooms[ROOM]
    partition.quarantined.add(ROOM)
    run(cluster, quarantine.mark(cluster.worker.store, [(partition.keys, ROOM, "it broke")]))
    assert ada.ask("act", room=ROOM, command={"type": "take", "count": 1})["code"] == "room/quarantined"
    assert run(cluster, quarantine.reasons(cluster.gateway.node.store, KEYS)) == {ROOM: "it broke"}
    assert order(cluster, ActKind.FREE) == ""
    assert run(cluster, quarantine.reasons(cluster.gateway.node.store, KEYS)) == {}
    assert ada.ask("act", room=ROOM, command={"type": "take", "count": 1})["type"] == "ack"
    assert audited(cluster) == journaled(cluster, ROOM)


def test_a_room_that_cannot_be_loaded_stays_quarantined() -> None:
    cluster = MemoryCluster()
    two_at_stones(cluster)
    partition = cluster.worker.node.ownership.partitions[partition_of(ROOM, PARTITIONS)]
    del partition.rooms[ROOM]
    partition.unwritten.rooms[ROOM][0] = FiledRecord(b"[1000,9,0,[1,1]]")
    partition.quarantined.add(ROOM)
    assert order(cluster, ActKind.FREE) == "room/quarantined"
    assert "cannot be loaded" in run(cluster, quarantine.reasons(cluster.gateway.node.store, KEYS))[ROOM]
    assert audited(cluster) == []


def test_an_act_is_refused_while_the_store_is_away() -> None:
    cluster = MemoryCluster()
    two_at_stones(cluster)
    with cluster.store_lost():
        assert order(cluster, ActKind.CLOSE) == "busy/store"


def test_an_act_without_an_answer_in_time_is_uncertain() -> None:
    cluster = MemoryCluster()
    two_at_stones(cluster)
    partition = cluster.worker.node.ownership.partitions.pop(partition_of(ROOM, PARTITIONS))
    tasks: list[asyncio.Task[Rejected | None]] = []
    act = OperatorAct("a-1", ActKind.CLOSE, "olga", "spam")
    cluster.do(lambda: tasks.append(asyncio.ensure_future(cluster.gateway.node.acts.order(ROOM, act))))
    assert not tasks[0].done()
    cluster.worker.node.ownership.draining = True
    assert partition is not None
    cluster.advance(WAIT_S * 1_000)
    refused = tasks[0].result()
    assert refused is not None
    assert refused.code == "ops/unanswered"
