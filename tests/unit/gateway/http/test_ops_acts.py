"""The operators' API on an in-memory cluster: acts, roles, lists and the audit."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from gateway.http.app import HttpApps
from gateway.http.named_operators import NamedOperator, OperatorFile, Role, hashed
from gateway.transports import close_codes
from shared.bus import drains, keys, meta, quarantine, revocations
from shared.ids import RoomId, SessionId, partition_of
from tests.support import asgi
from tests.support.memory_cluster import PARTITIONS, MemoryCluster
from tests.unit.gateway.test_seats_by_name import PlayClient

ROOM = 1000
ADMIN, OLGA, VIC = "the-admin-token", "the-token-of-olga", "the-token-of-vic"
WHY = {"reason": "spam"}


class Bench:
    """A cluster where ada and bob play stones, and its operators."""

    def __init__(self, folder: Path) -> None:
        file = folder / "operators"
        known = (NamedOperator("olga", Role.OPERATE, hashed(OLGA)), NamedOperator("vic", Role.VIEW, hashed(VIC)))
        file.write_text("\n".join(one.line() for one in known))
        self.cluster = MemoryCluster()
        self.ada, self.bob = PlayClient(self.cluster, name="ada"), PlayClient(self.cluster, name="bob")
        self.ada.ask("create", game="stones", seats=2)
        self.bob.ask("join", room=ROOM)
        self.node = self.cluster.gateway.node
        self._app = HttpApps(self.node, ADMIN, OperatorFile(str(file))).operators

    def run(self, work: Any) -> Any:
        tasks: list[asyncio.Task[Any]] = []
        self.cluster.do(lambda: tasks.append(asyncio.ensure_future(work)))
        return tasks[0].result()

    def post(self, path: str, body: object, token: str = OLGA) -> tuple[int, Any]:
        found: tuple[int, Any] = self.run(asgi.ask(self._app, "POST", f"/api/ops/{path}", token, body))
        return found

    def get(self, path: str, token: str = VIC) -> Any:
        status, body = self.run(asgi.ask(self._app, "GET", f"/api/ops/{path}", token))
        assert status == 200, body
        return body

    def audit(self) -> list[tuple[str, str, str, str]]:
        return [(act["kind"], act["author"], act["reason"], act["subject"]) for act in self.get("audit")["acts"]]

    def quarantine(self) -> None:
        partition = self.cluster.worker.node.ownership.partitions[partition_of(RoomId(ROOM), PARTITIONS)]
        del partition.rooms[RoomId(ROOM)]
        partition.quarantined.add(RoomId(ROOM))
        self.run(quarantine.mark(self.cluster.worker.store, [(partition.keys, RoomId(ROOM), "it broke")]))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


ACTS = [
    (f"rooms/{ROOM}/close", WHY),
    (f"rooms/{ROOM}/remove", {"player": "ada", **WHY}),
    (f"rooms/{ROOM}/free", WHY),
    ("drain", {"process": "w-1"}),
    ("revoke", {"name": "ada"}),
]


@pytest.mark.parametrize(("path", "body"), ACTS)
def test_an_operator_who_may_only_view_is_refused(bench: Bench, path: str, body: object) -> None:
    assert bench.post(path, body, VIC)[0] == 403
    assert bench.post(path, body, "wrong")[0] == 401
    assert bench.audit() == []


def test_a_room_is_closed_once_under_one_id(bench: Bench) -> None:
    for _ in range(2):
        assert bench.post(f"rooms/{ROOM}/close", {**WHY, "id": "a-1"}) == (
            200,
            {"id": "a-1", "act": "close", "room": ROOM},
        )
    assert bench.post(f"rooms/{ROOM}/close", WHY)[0] == 409
    assert bench.audit() == [("close", "olga", "spam", ""), ("close", "olga", "spam", "")]


def test_the_audit_shows_the_code_of_a_refused_act(bench: Bench) -> None:
    status, refused = bench.post(f"rooms/{ROOM}/remove", {"player": "eve", **WHY}, ADMIN)
    assert (status, refused["code"]) == (404, "room/nobody")
    (act,) = bench.get("audit")["acts"]
    assert (act["author"], act["code"], act["room"], act["id"]) == ("admin", "room/nobody", ROOM, refused["id"])


def test_a_player_is_removed_by_name(bench: Bench) -> None:
    assert bench.post(f"rooms/{ROOM}/remove", {"player": "Ada", **WHY})[0] == 200
    seats = bench.get(f"rooms/{ROOM}")["seats"]
    assert [(seat["name"], seat["left"]) for seat in seats] == [("ada", True), ("bob", False)]


def test_a_quarantined_room_is_shown_with_its_reason_and_freed(bench: Bench) -> None:
    bench.quarantine()
    assert bench.get(f"rooms/{ROOM}")["quarantine"] == "it broke"
    assert [room["quarantine"] for room in bench.get("rooms?quarantined=true")["rooms"]] == ["it broke"]
    status, refused = bench.post(f"rooms/{ROOM}/close", WHY)
    assert (status, refused["code"], refused["text"]) == (409, "room/quarantined", "it broke")
    assert bench.post(f"rooms/{ROOM}/free", WHY)[0] == 200
    assert bench.get(f"rooms/{ROOM}")["quarantine"] is None
    assert bench.get("rooms?quarantined=true")["rooms"] == []


def test_a_quarantined_room_with_a_damaged_journal_is_shown_as_far_as_it_can_be(bench: Bench) -> None:
    bench.quarantine()
    partition = bench.node.partitions[partition_of(RoomId(ROOM), PARTITIONS)]
    bench.run(bench.cluster.worker.store.call("XADD", partition.journal(RoomId(ROOM)), "1-0", "b", "torn"))
    shown = bench.get(f"rooms/{ROOM}")
    assert shown["quarantine"] == "it broke"
    assert "cannot be read" in shown["damage"]


def test_a_session_is_revoked_by_its_name_in_any_case_or_by_its_id(bench: Bench) -> None:
    status, answer = bench.post("revoke", {"name": "ADA", **WHY})
    assert status == 202
    assert bench.ada.memory.closed == close_codes.REVOKED
    assert bench.post("revoke", {"session": "s-x"})[1]["revoked"] == "s-x"
    for session in (answer["revoked"], "s-x"):
        assert bench.run(revocations.is_revoked(bench.node.store, SessionId(session)))
    assert bench.audit() == [("revoke", "olga", "", "s-x"), ("revoke", "olga", "spam", f"ADA ({answer['revoked']})")]


def test_the_session_of_a_name_can_be_looked_up_before_it_is_revoked(bench: Bench) -> None:
    found = bench.get("session?name=ADA")
    assert found["name"] == "ADA"
    assert bench.post("revoke", {"name": "ada"})[1]["revoked"] == found["session"]
    for query in ("session?name=nobody", "session"):
        with pytest.raises(AssertionError, match="no session has that name"):
            bench.get(query)


def test_a_process_is_drained_after_the_act_is_audited(bench: Bench) -> None:
    worker = bench.get("cluster")["workers"][0]["id"]
    assert bench.post("drain", {"process": worker, "id": "a-1"}) == (
        202,
        {"id": "a-1", "act": "drain", "draining": worker},
    )
    assert bench.run(drains.waiting(bench.node.store)) == [worker]
    assert bench.audit() == [("drain", "olga", "", worker)]


def test_during_an_upgrade_rooms_are_left_alone_and_processes_are_drained(bench: Bench) -> None:
    worker = bench.get("cluster")["workers"][0]["id"]
    bench.run(bench.node.store.call("HSET", keys.META, "format", meta.LAST_FORMAT))
    status, refused = bench.post(f"rooms/{ROOM}/close", WHY)
    assert (status, refused["code"]) == (409, "ops/upgrade")
    assert bench.post("drain", {"process": worker})[0] == 202
    assert bench.run(drains.waiting(bench.node.store)) == [worker]
    assert bench.audit() == []


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("drain", {"process": "w-none"}, 404),
        ("drain", {}, 400),
        ("revoke", {}, 400),
        ("revoke", {"name": "a", "session": "s"}, 400),
        ("revoke", {"who": "a"}, 400),
        ("revoke", {"name": "nobody"}, 404),
        ("rooms/1000/close", {}, 400),
        ("rooms/1000/close", {"reason": " "}, 400),
        ("rooms/1000/close", {"reason": "x" * 201}, 400),
        ("rooms/1000/close", {"reason": "a\nb"}, 400),
        ("rooms/1000/close", {"reason": "spam", "id": "a b"}, 400),
        ("rooms/1000/remove", WHY, 400),
        ("rooms/1000/free", WHY, 409),
        ("rooms/4711/close", WHY, 404),
        ("rooms/0/close", WHY, 404),
    ],
)
def test_a_request_that_cannot_be_carried_out_is_refused(bench: Bench, path: str, body: object, status: int) -> None:
    assert bench.post(path, body)[0] == status


def test_an_operator_learns_the_own_role(bench: Bench) -> None:
    assert bench.get("cluster")["operator"] == {"name": "vic", "role": "view"}


def test_rooms_are_listed_by_filters_of_the_query(bench: Bench) -> None:
    (room,) = bench.get("rooms?game=stones&player=AD&private=false&limit=1")["rooms"]
    assert (room["room"], room["players"]) == (ROOM, 2)
    assert bench.get("rooms?game=codex") == {"rooms": [], "more": False}
    for query in ("seats=2", "limit=x", "private=maybe"):
        assert bench.run(asgi.ask(bench._app, "GET", f"/api/ops/rooms?{query}", VIC))[0] == 400


def test_the_audit_is_read_page_by_page(bench: Bench) -> None:
    for number in range(5):
        bench.post(f"rooms/{ROOM}/remove", {"player": "eve", "id": f"a-{number}", **WHY})
    seen: list[str] = []
    before = ""
    while True:
        page = bench.get(f"audit?limit=2&before={before}")
        seen += [act["id"] for act in page["acts"]]
        if not page["more"]:
            break
        before = page["acts"][-1]["entry"]
    assert seen == [f"a-{number}" for number in reversed(range(5))]
    assert bench.run(asgi.ask(bench._app, "GET", "/api/ops/audit?before=x", VIC))[0] == 400
