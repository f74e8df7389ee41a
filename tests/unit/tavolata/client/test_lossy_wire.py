"""The core of the client over connections that are cut at random moments, against a gateway and a worker in memory."""

from collections import Counter, deque
from random import Random
from typing import Any

import pytest

from tavolata.client.core import ClientCore
from tavolata.client.errors import RequestRefused
from tavolata.client.events import Event, SessionOver
from tavolata.client.messages import AttachedMessage, Resumed, TableUpdate
from tavolata.client.requests import PendingRequest
from tests.support.memory_cluster import MemoryClient, MemoryCluster

STEPS = 300
CALM_MS = 500
MOST_CALM = 400
QUIET = 20
"""Calm rounds in a row after which everything has arrived: longer than the delays of reconnections."""
CUT = 0.06
"""The probability that the next thing that happens to a player is the loss of its connection."""


class LossyPlayer:
    """A core, and the frames that are under way in both directions. A cut loses all of them."""

    def __init__(self, cluster: MemoryCluster, name: str, dice: Random) -> None:
        self.core = ClientCore(1_000, name=name, jitter=dice.random)
        self.requests: list[PendingRequest] = []
        self.done: Counter[int] = Counter()
        """Times that each request was reported as done, by its place in `requests`."""
        self.offsets: list[int] = []
        """The offsets of the view that the player entered with, and of all updates."""
        self.cuts = 0
        self._cluster = cluster
        self._dice = dice
        self._up: deque[bytes] = deque()
        self._down: deque[bytes] = deque()
        self._socket: MemoryClient | None = None
        self._connect_at = 0.0

    @property
    def now(self) -> float:
        return self._cluster.time.now_s

    @property
    def idle(self) -> bool:
        under_way = self._socket is None or self._up or self._down
        return not under_way and all(request.done for request in self.requests)

    def request(self, kind: str, **fields: Any) -> PendingRequest:
        request = self.core.request(kind, fields, self.now)
        self.requests.append(request)
        return request

    def step(self, *, calm: bool = False) -> None:
        """One thing happens: a frame arrives, a timer runs out, or the connection is lost or made."""
        if self._socket is None:
            if self.now >= self._connect_at:
                self._connect()
        elif self._socket.closed is not None:
            self._lose(self._socket.closed.code, self._socket.closed.reason)
        elif not calm and self._dice.random() < CUT:
            self.cuts += 1
            self._socket.drop()
            self._lose(1006, "")
        elif self._up and (not self._down or self._dice.random() < 0.5):
            self._socket.send(self._up.popleft())
            self._down += self._socket.received()
        elif self._down:
            self._take(self.core.receive(self._down.popleft(), self.now))
        self._take(self.core.tick(self.now))
        if self._socket is not None:
            self._down += self._socket.received()
            self._up += self.core.take_frames()

    def _connect(self) -> None:
        self._socket = self._cluster.connect("play")
        self.core.open(self.now)

    def _lose(self, code: int, reason: str) -> None:
        self._up.clear()
        self._down.clear()
        self._socket = None
        self._take(self.core.lost(code, reason, self.now))
        self._connect_at = self.now + self.core.reconnect_s

    def _take(self, events: Any) -> None:
        for event in events:
            self._note(event)

    def _note(self, event: Event) -> None:
        match event:
            case PendingRequest():
                self.done[self.requests.index(event)] += 1
            case TableUpdate(offset=offset):
                self.offsets.append(offset)
            case AttachedMessage(offset=offset) if not isinstance(event, Resumed) and not self.offsets:
                self.offsets.append(offset)
            case SessionOver(error=error):
                raise AssertionError(error)


def let_pass(cluster: MemoryCluster, players: list[LossyPlayer]) -> None:
    """Without further faults, until every request is answered and nothing is under way for a while."""
    quiet = 0
    for _ in range(MOST_CALM):
        for player in players:
            for _ in range(50):
                player.step(calm=True)
        quiet = quiet + 1 if all(player.idle for player in players) else 0
        if quiet == QUIET:
            return
        cluster.advance(CALM_MS)
    raise AssertionError([request for player in players for request in player.requests if not request.done])


def spectator(cluster: MemoryCluster, room: int) -> MemoryClient:
    """A client with a good connection, which receives every step from now on."""
    client = cluster.connect("play")
    client.send_json({"type": "hello", "name": "eve"})
    client.send_json({"type": "spectate", "id": 1, "room": room})
    return client


@pytest.mark.parametrize("seed", range(12))
def test_every_request_is_carried_out_once_and_every_step_is_received_once(seed: int) -> None:
    dice, cluster = Random(seed), MemoryCluster(seed=seed)
    ada, bob = players = [LossyPlayer(cluster, name, dice) for name in ("ada", "bob")]
    opened = ada.request("create", game="stones", seats=2, options={"stones": 400})
    let_pass(cluster, players)
    assert isinstance(opened.answer, AttachedMessage)
    room = opened.answer.room
    eve = spectator(cluster, room)
    bob.request("join", room=room)
    for number in range(STEPS):
        player = dice.choice(players)
        waiting = [request for request in player.requests if not request.done]
        if dice.random() < 0.2 and len(waiting) < 4 and room in player.core.rooms:
            if dice.random() < 0.3:
                player.request("say", room=room, text=f"{number}")
            else:
                player.request("act", room=room, command={"type": "take", "count": 1})
        player.step()
        if dice.random() < 0.2:
            cluster.advance(dice.choice((10, 200, 1_000)))
    let_pass(cluster, players)
    steps = [message for message in eve.received_json() if message["type"] == "update"]
    assert ada.cuts
    assert bob.cuts
    for player in players:
        assert set(player.done.values()) == {1}, "a request was answered twice"
        assert len(player.done) == len(player.requests)
        assert player.offsets == list(range(player.offsets[0], steps[-1]["offset"] + 1))
        check_requests(player, room, steps)


def check_requests(player: LossyPlayer, room: int, steps: list[dict[str, Any]]) -> None:
    """Answered requests are in the record once, and refused ones are not in it."""
    seat = player.core.rooms[room].seat
    caused = Counter(step["id"] for step in steps if step.get("by") == seat)
    said = Counter(event["text"] for step in steps for event in step["events"] if event["type"] == "room.said")
    for request in player.requests:
        if request.kind in ("create", "join"):
            assert isinstance(request.answer, AttachedMessage)
            continue
        refused = isinstance(request.error, RequestRefused)
        assert refused or request.error is None
        assert caused[request.id] == (0 if refused else 1), request
        if request.kind == "say":
            assert said[str(request.fields["text"])] == (0 if refused else 1), request
    takes = [event for step in steps for event in step["events"] if event["type"] == "taken" and event["seat"] == seat]
    answered = [request for request in player.requests if request.kind == "act" and request.answer is not None]
    assert len(takes) == len(answered)
