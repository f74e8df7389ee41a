"""The `tavolata ops` commands: what they ask, what they order, and how they fail."""

import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, NamedTuple, TypeAlias

import msgspec
import pytest

from deploy import cli
from deploy.ops import texts
from gateway.http.named_operators import Role, hashed, parse

ROOM = {
    "room": 1000,
    "partition": 8,
    "owner": {"worker": "w-1"},
    "offset": 5,
    "status": "playing",
    "quarantine": "it broke",
    "damage": "",
    "players": 1,
    "seats": [
        {"seat": 0, "name": "ada", "bot": False, "here": True, "left": False, "gateway": "g-1"},
        {"seat": 1, "name": "Bot1", "bot": True, "here": True, "left": False, "gateway": ""},
    ],
}
LISTED = {
    "room": 1000,
    "game": "stones",
    "status": "playing",
    "names": ["ada", "Bot1"],
    "players": 1,
    "seats": 2,
    "private": True,
    "quarantine": None,
}
ACT = {
    "entry": "7-0",
    "at": 1_760_000_000_000,
    "author": "olga",
    "kind": "close",
    "room": 1000,
    "subject": "",
    "players": 1,
    "code": "",
    "reason": "spam",
}
CLUSTER = {
    "gateways": [{"id": "g-1", "live": True, "connections": 3}],
    "workers": [{"id": "w-1", "live": True, "partitions": [1, 2]}, {"id": "w-2", "live": True, "partitions": [3]}],
}
NOBODY = {"code": "room/nobody", "text": "no session has that name"}


class Outcome(NamedTuple):
    code: object
    out: str
    err: str


Run: TypeAlias = Callable[..., Outcome]


class Gateway(HTTPServer):
    """Answers like a gateway's operators' port, and keeps the bodies of orders."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.orders: list[tuple[str, Any]] = []
        self.status = 200
        self.tokens: set[str] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Gateway

    def do_GET(self) -> None:
        answers: dict[str, Any] = {
            "/api/ops/rooms/1000": ROOM,
            "/api/ops/rooms": {"rooms": [LISTED], "more": True},
            "/api/ops/audit": {"acts": [ACT], "more": False},
            "/api/ops/cluster": CLUSTER,
            "/api/ops/session?name=ada": {"name": "ada", "session": "s-4f1c"},
        }
        answer = answers.get(self.path) or answers.get(self.path.partition("?")[0])
        self._answer(200 if answer else 404, answer or NOBODY)

    def do_POST(self) -> None:
        body = msgspec.json.decode(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.orders.append((self.path, body))
        act = self.path.rpartition("/")[2]
        refusal = {"code": "ops/role", "text": "not permitted"}
        self._answer(self.server.status, {"id": body["id"], "act": act} if self.server.status < 300 else refusal)

    def _answer(self, status: int, body: object) -> None:
        self.server.tokens.add(self.headers["Authorization"])
        self.send(status, msgspec.json.encode(body))

    def send(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged."""


@pytest.fixture
def gateway() -> Iterator[Gateway]:
    server = Gateway()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], gateway: Gateway) -> Run:
    monkeypatch.setenv("TAVOLATA_OPS_URL", gateway.url)
    monkeypatch.setenv("TAVOLATA_OPS_TOKEN", "the-token")

    def run(*words: str) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["tavolata", "ops", *words])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        return Outcome(caught.value.code, *capsys.readouterr())

    return run


@pytest.mark.parametrize("url", ["ftp://x", "x", "http://[x", "http://127.0.0.1:x", "http://127.0.0.1:0"])
def test_a_malformed_address_is_one_line(run: Run, url: str) -> None:
    refusal = f"tavolata: the address of an operators' port is http://host:port, not {url!r}\n"
    assert run("rooms", "--url", url) == Outcome(1, "", refusal)


def test_rooms_and_acts_are_listed(run: Run) -> None:
    assert run("rooms", "--quarantined").out.splitlines() == [
        "1000  stones  playing  1/2  ada, Bot1  private",
        "more: --after 1000",
    ]
    assert run("audit").out == "2025-10-09 08:53:20Z  olga  close room 1000  1 player  spam\n"
    assert "seat 0: ada (here, at g-1)" in run("room", "1000").out


@pytest.mark.parametrize(
    ("words", "path", "subject", "said"),
    [
        (("close", "1000"), "rooms/1000/close", {}, "ends without a result for 1 player (ada)"),
        (("remove", "1000", "ada"), "rooms/1000/remove", {"player": "ada"}, "1 of 1 player (ada) loses the seat"),
        (("free", "1000"), "rooms/1000/free", {}, "is quarantined: it broke"),
        (("revoke", "ada"), "revoke", {"name": "ada"}, "1 player (ada) is disconnected, and all tokens of session"),
        (("revoke", "--session", "s-1"), "revoke", {"session": "s-1"}, "The player of session s-1, if there is one"),
        (("drain", "g-1"), "drain", {"process": "g-1"}, "closes 3 connections; the players come back"),
        (("drain", "w-1"), "drain", {"process": "w-1"}, "hands over 2 partitions"),
    ],
)
def test_an_act_says_what_it_touches_and_is_ordered_with_its_reason(
    run: Run, gateway: Gateway, words: tuple[str, ...], path: str, subject: dict[str, str], said: str
) -> None:
    outcome = run(*words, "--reason", "spam", "--id", "a-1", "--yes")
    assert said in outcome.err
    assert gateway.orders == [(f"/api/ops/{path}", {"reason": "spam", "id": "a-1", **subject})]
    assert gateway.tokens == {"Bearer the-token"}
    assert outcome.code == 0


def test_nothing_is_done_without_a_confirmation(run: Run, gateway: Gateway) -> None:
    outcome = run("close", "1000", "--reason", "spam")
    assert "add --yes" in outcome.err
    assert outcome.code == 1
    assert gateway.orders == []


def test_the_question_before_closing_a_room_that_is_over_says_so() -> None:
    assert texts.before_close({**ROOM, "status": "finished"}) == "Room 1000 is over already (finished)."


def test_the_question_before_removing_a_player_who_has_no_seat_says_so() -> None:
    assert texts.before_remove(ROOM, "bob") == "bob has no seat in room 1000."
    assert texts.before_remove(ROOM, "ADA").startswith("1 of 1 player (ADA)")


def test_a_drain_of_the_last_gateway_says_so(run: Run) -> None:
    assert "No other gateway is alive." in run("drain", "g-1").err
    assert "No other" not in run("drain", "w-1").err


def test_a_refused_act_is_one_line_and_an_exit_code(run: Run, gateway: Gateway) -> None:
    gateway.status = 403
    outcome = run("close", "1000", "--reason", "spam", "--yes")
    assert outcome.err.splitlines()[-1] == "tavolata: not permitted (ops/role)"
    assert outcome.code == 1


def test_an_act_without_an_answer_is_repeated_under_its_id(run: Run, gateway: Gateway) -> None:
    gateway.status = 503
    assert "repeat the command with --id a-7" in run("drain", "g-1", "--id", "a-7", "--yes").err


def test_a_name_that_no_session_has_is_refused_before_anything_is_said_of_it(run: Run, gateway: Gateway) -> None:
    for words in ((), ("--yes",)):
        refusal = "tavolata: no session has that name (room/nobody)\n"
        assert run("revoke", "nobody", "--reason", "spam", *words) == Outcome(1, "", refusal)
    assert gateway.orders == []


def test_a_name_in_place_of_a_session_id_is_refused(run: Run, gateway: Gateway) -> None:
    refusal = "tavolata: a session id begins with s-, unlike 'ada'; a name needs no --session\n"
    assert run("revoke", "--session", "ada", "--reason", "spam", "--yes") == Outcome(2, "", refusal)
    assert gateway.orders == []


def test_an_unknown_status_is_refused_with_the_known_ones(run: Run) -> None:
    refusal = "tavolata: Invalid value for '--status': 'bad' is not one of 'waiting', 'playing'.\n"
    assert run("rooms", "--status", "bad") == Outcome(2, "", refusal)
    assert run("rooms", "--status", "playing").code == 0


@pytest.mark.parametrize("plain", [True, False])
def test_a_server_that_is_no_operators_port_is_one_line(
    run: Run, gateway: Gateway, monkeypatch: pytest.MonkeyPatch, plain: bool
) -> None:
    body = b"there is no such page\n" if plain else msgspec.json.encode({"code": "http/unknown_path", "text": "none"})
    monkeypatch.setattr(Handler, "do_GET", lambda handler: handler.send(404, body))
    outcome = run("rooms")
    assert outcome.err.startswith(f"tavolata: {gateway.url} is not the operators' port of a gateway, or the gateway is")
    assert outcome.err.count("\n") == 1
    assert outcome.code == 1


def test_a_gateway_that_does_not_answer_is_one_line(run: Run) -> None:
    assert "no answer from the operators' port" in run("rooms", "--url", "http://127.0.0.1:1").err


def test_an_entry_has_the_hash_of_the_token_that_is_shown_once(run: Run) -> None:
    outcome = run("hash", "olga", "--role", "operate")
    (operator,) = parse(outcome.out)
    assert (operator.name, operator.role) == ("olga", Role.OPERATE)
    assert operator.token_hash == hashed(outcome.err.split()[-1])


@pytest.mark.parametrize("words", [("hash", "admin"), ("revoke", "--reason", "x"), ("close", "0", "--reason", "x")])
def test_wrong_usage_is_one_line(run: Run, words: tuple[str, ...]) -> None:
    outcome = run(*words)
    assert outcome.err.startswith("tavolata: ")
    assert outcome.code == 2
