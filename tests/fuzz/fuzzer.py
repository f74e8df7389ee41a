"""One round of fuzzing: a table in memory, frames from a seat and from a stranger, and checks after every frame."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from random import Random
from typing import Any

import msgspec

from gateway.dialects.framing import MOST_BYTES
from gateway.dialects.snarl import close_codes as snarl_close_codes
from gateway.transports import close_codes
from gateway.transports.close_codes import CloseCode
from loadtest.clients.contract import SeatAssignment
from loadtest.clients.registry import player_for
from shared.game import AnyGame
from shared.runtime.settings import GatewaySettings
from tests.fuzz.grammar import Grammar
from tests.fuzz.mutations import encode, mutated
from tests.fuzz.subjects import Subject, decoded
from tests.support.memory_cluster import PARTITIONS, MemoryClient, MemoryCluster
from tests.support.party import FIRST_ROOM, Party

FRAMES = 40
"""Frames of one round."""
BETWEEN_MS = 25
"""Virtual time between two frames, so that an honest rate is not exceeded."""
CPU_PER_FRAME_S = 0.020
CPU_PER_BYTE_S = 0.000_002
SLACK_S = 0.5
"""CPU time that a round may take beyond the budget of its frames."""
MOST_ANSWERED = 400_000
"""Bytes that one frame may cause to be sent to its own sender."""
CONTROL_EVERY = 10
_OPPONENT_FRAMES = 3
_STONES = 1_000_000
_GATEWAY = GatewaySettings(partitions=PARTITIONS, durability="applied", linger_ms=0)


DOCUMENTED = frozenset(
    code
    for module in (close_codes, snarl_close_codes)
    for code in vars(module).values()
    if isinstance(code, CloseCode) and code != close_codes.BROKEN
)
"""The ends of a connection that the documents of the protocols name; `BROKEN` is a fault of the server."""


class FuzzFailure(AssertionError):
    """A check that failed, with the frame that it failed for."""


class ControlTable:
    """Two innocent players in the same cluster."""

    def __init__(self, cluster: MemoryCluster) -> None:
        self._clients = [cluster.connect("play") for _ in range(2)]
        self._ids = count(1)
        for number, client in enumerate(self._clients):
            client.send_json({"type": "hello", "name": f"control{number}"})
        options = {"stones": _STONES}
        entered = self._ask(0, {"type": "create", "game": "stones", "seats": 2, "options": options})
        self._room = entered["room"]
        assert self._ask(1, {"type": "join", "room": self._room})["type"] == "entered"
        self._moves = 0

    def _ask(self, player: int, request: dict[str, Any]) -> Any:
        client, number = self._clients[player], next(self._ids)
        client.received()
        client.send_json(request | {"id": number})
        answers = [said for said in client.received_json() if said.get("id") == number and said["type"] != "update"]
        assert len(answers) == 1, answers
        return answers[0]

    def move(self) -> None:
        command = {"type": "take", "count": 1}
        answer = self._ask(self._moves % 2, {"type": "act", "room": self._room, "command": command})
        assert answer["type"] == "ack", answer
        self._moves += 1


class Fuzzer:
    """A table of one dialect. Seat 0 or 1 is the fuzzer's; a client of the load tool plays the other one."""

    def __init__(self, subject: Subject, seed: int) -> None:
        self._subject = subject
        self._dice = Random(f"{subject} {seed}")
        self.cluster = MemoryCluster(seed=seed, gateway=_GATEWAY)
        factory: Callable[[SeatAssignment], Any] = partial(player_for, subject.dialect)
        self._party = Party(self.cluster, subject.game, [(subject.dialect, factory)] * 2, seed=seed)
        self._party.take_seats()
        self._party.run_for(self._dice.randrange(10))
        self._control = ControlTable(self.cluster)
        seat = self._dice.randrange(2)
        self._seated = self._party.release(seat)
        self._stranger = self.cluster.connect(subject.dialect)
        self._names = (f"player{seat}", f"player{seat}", f"player{seat}", f"player{1 - seat}", "stranger")
        self._seen: dict[str, Any] = {}
        self._request_ids = count(5 * 10**15)  # higher than those of the load tool, below the highest id
        self._grammar = Grammar(self._dice, self._known())
        self.cpu_s = self.budget_s = 0.0
        self.sent = 0

    # --- drawing frames ----------------------------------------------------------------------------------------------

    def _known(self) -> dict[str, Callable[[], Any]]:
        dice = self._dice
        rooms = (FIRST_ROOM, FIRST_ROOM, FIRST_ROOM, FIRST_ROOM + 1, FIRST_ROOM + 2, 1)
        known: dict[str, Callable[[], Any]] = {
            "id": self._request_id,
            "command": self._command,
            "seats": lambda: 2,
            "row": lambda: (self._seen.get("position") or (5, 5))[0],
            "column": lambda: (self._seen.get("position") or (5, 5))[1],
        }
        known |= dict.fromkeys(("room", "gameId", "roomId"), lambda: dice.choice(rooms))
        own = ("nickname", "player", "sender", "username", "name")
        known |= dict.fromkeys(own, lambda: dice.choice(self._names))
        known |= dict.fromkeys(("recipient", "to"), lambda: self._names[3])
        known |= dict.fromkeys(("numPlayers", "numberOfPlayers"), lambda: dice.choice((2, 2, 3)))
        known |= {name: partial(dice.choice, values) for name, values in self._subject.words.items()}
        return known

    def _request_id(self) -> int:
        """A new id; now and then one that was used before, for another request."""
        number = next(self._request_ids)
        return number if self._dice.random() < 0.9 else number - self._dice.randint(1, 5)

    def _command(self) -> Any:
        """A command that the server has offered, or any command of the game."""
        offered = self._seen.get("options")
        if offered and self._dice.random() < 0.7:
            return self._dice.choice(offered)
        return self._grammar.any_of(self._room_game().command_type)

    def _room_game(self) -> AnyGame:
        game = self._party.room._draft.game
        assert game is not None
        return game

    def _draw(self) -> bytes:
        message = self._subject.draw(self._grammar)
        valid = message if isinstance(message, bytes) else encode(message)
        return valid if self._dice.random() < 0.4 else mutated(self._dice, valid)

    # --- sending and checking ----------------------------------------------------------------------------------------

    def run(self, frames: int = FRAMES) -> None:
        """Send frames until the seat's connection is closed, at most `frames`."""
        for number in range(frames):
            if self._seated.closed is not None:
                return
            if self._stranger.closed is not None:
                self._stranger = self.cluster.connect(self._subject.dialect)
            client = self._seated if self._dice.random() < 0.7 else self._stranger
            frame = self._draw()
            try:
                with errors_fail():
                    self._send(client, frame)
                    self._let_opponent_play()
                    self.cluster.advance(BETWEEN_MS)
                    if number % CONTROL_EVERY == 0:
                        self._control.move()
            except Exception as error:
                raise FuzzFailure(f"{type(error).__name__}: {error}; the frame was {frame[:2_000]!r}") from error
        assert self.cpu_s <= self.budget_s + SLACK_S, f"{self.cpu_s:.2f} s of CPU for {self.sent} frames"

    def _let_opponent_play(self) -> None:
        """A few frames of the other player: alone at the table, it would play on for long."""
        left = iter(range(_OPPONENT_FRAMES))
        self._party.run(until=lambda: next(left, None) is None)

    def _send(self, client: MemoryClient, frame: bytes) -> None:
        client.received()
        prompted, before = self._prompted(client), self._position()
        began = time.process_time()
        if len(frame) > MOST_BYTES:
            client.send_invalid("frame/too_big")
        else:
            client.send(frame)
        self.cpu_s += time.process_time() - began
        self.budget_s += CPU_PER_FRAME_S + CPU_PER_BYTE_S * len(frame)
        self.sent += 1
        answers = client.received()
        self._check(client, frame, answers, changed=self._position() != before, prompted=prompted)

    def _check(
        self, client: MemoryClient, frame: bytes, answers: list[bytes], *, changed: bool, prompted: bool
    ) -> None:
        said = [decoded(answer) for answer in answers]
        assert client.closed is None or client.closed in DOCUMENTED, client.closed
        assert sum(map(len, answers)) <= MOST_ANSWERED
        if client.closed is None and not said and prompted and not changed:
            assert self._subject.keeps_silent(decoded(frame)), "there is no answer"
        if client.closed is None and self._subject.refuses(said):  # a seat whose connection is closed is away
            assert not changed, f"the frame was refused and has changed the room: {said}"
        if client is self._seated:
            self._harvest(said)

    def _prompted(self, client: MemoryClient) -> bool:
        """Whether the client is owed an answer. Only Snarl drops frames that it has not asked for."""
        if self._subject.dialect != "snarl":
            return True
        stage = getattr(client.conversation, "_stage", None)
        return bool(getattr(stage, "prompted", False))

    def _position(self) -> tuple[int, int, bytes]:
        """The room that the fuzzer plays in: its last step, its chat, and the state of its game."""
        room = self._party.room
        return room.state.offset, len(room.state.chat), msgspec.json.encode(room._draft.play)

    def _harvest(self, said: list[Any]) -> None:
        """Keep what the server has said about legal moves and positions."""
        for message in said:
            if isinstance(message, dict):
                found = message.get("view") or message
                for name in ("options", "position"):
                    if found.get(name):
                        self._seen[name] = found[name]


@contextmanager
def errors_fail() -> Iterator[None]:
    """Fail if anything is logged as an error: exceptions inside the gateway or worker are."""
    records: list[str] = []

    class Collect(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(self.format(record))

    handler, logger = Collect(logging.ERROR), logging.getLogger("tavolata")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
    assert not records, records[0]
