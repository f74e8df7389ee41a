"""A player of the simulation: speaks play, keeps what it was told, and believes nothing without looking."""

from collections.abc import Collection
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeAlias

import msgspec

from tests.support.memory_gateway import MemoryGateway, MemorySocket

_FED_UP = 0.02
"""The probability that a player leaves a game."""
_IMPATIENT = 0.1
"""The probability that a player sends a request for a table again before it is answered, and ignores the second
answer."""
_GONE = ("room/unknown", "room/closed", "room/not_seated")
"""Refusals after which a player has no seat in the room any more."""
_PATIENCE = 12
"""After a loss of writes: turns to act without anything new after which a player leaves. The other player may not know
of the table any more."""


StepPlace: TypeAlias = tuple[int, int, int]
"""Room, offset and epoch of a step. Epochs never repeat, so it names one step for ever."""


@dataclass(slots=True)
class Visit:
    """The observations and moves of one player in one room."""

    room: int
    seat: int
    sid: str
    entered: tuple[int, int]
    """Epoch and offset of the first view."""
    position: tuple[int, int]
    seen: list[dict[str, Any]] = field(default_factory=list)
    acked: dict[int, tuple[int, int]] = field(default_factory=dict)
    refused: dict[int, str] = field(default_factory=dict)
    believed: set[tuple[int, int]] = field(default_factory=set)
    """Epoch and offset of the steps that it was shown or acknowledged, and not told to be void."""
    over: bool = False
    left: bool = False
    """The player has given up its seat."""
    key: str = ""
    """The key of a private room."""


class SimulatedPlayer:
    def __init__(self, name: str, dice: Random, chatty: float) -> None:
        """`chatty`: how readily it talks; among silent players a lost last message is noticed by nothing else."""
        self.name = name
        self._dice = dice
        self._chatty = chatty
        self._ids = 0
        self._hellos = 0
        self.wire: MemorySocket | None = None
        self.token = ""
        self.sid = ""
        self.visit: Visit | None = None
        self.visits: list[Visit] = []
        self.pending: dict[int, dict[str, Any]] = {}
        """Commands without an answer, in order."""
        self._uncertain: set[int] = set()
        """Commands of which an earlier copy may have arrived: they keep their ids."""
        self._busy: set[int] = set()
        """Commands among these that were refused as busy: a later one may have been handled before them."""
        self._match: dict[str, Any] | None = None
        self._options: list[dict[str, Any]] = []
        self.errors: list[str] = []
        self._settled = False
        """Whether it has caught up on this connection and sent again what was unanswered."""
        self._resuming = 0
        self._fed_up = False
        """Whether it is about to leave, because it was left alone."""
        self.rewound = 0
        """Views that it was given because the store has lost writes."""
        self.store_lost_writes = False
        """Set by the simulation: seats, rooms and answers may be gone."""
        self.versions_differ = False
        """Set by the simulation: there may be no worker that knows the version of an old room."""
        self._idle = 0
        self._lost_wires: list[MemorySocket] = []

    # --- the connection ---------------------------------------------------------------------------------------------

    def connect(self, gateway: MemoryGateway) -> None:
        self.wire = gateway.accept(self.name)
        self._settled = False
        if self.token:
            self._send({"type": "hello", "token": self.token})
        else:
            self._hellos += 1
            self._send({"type": "hello", "name": f"{self.name}{self._hellos}"})

    def disconnect(self) -> None:
        """Lose the connection; the gateway will notice later."""
        if self.wire is not None:
            self.wire.cut = True
            self.wire.unseen += self.wire.down
            self.wire.down.clear()
            self._lost_wires.append(self.wire)
            self.wire = None
            self._uncertain |= self.pending.keys()
            for visit in self.visits:
                if visit is not self.visit or visit.over:  # it is not resumed, and nobody can tell the player anything
                    visit.believed.clear()

    @property
    def cut_off(self) -> bool:
        return self.wire is not None and self.wire.cut and not self.wire.down

    def read(self) -> None:
        assert self.wire is not None
        message = msgspec.json.decode(self.wire.down.popleft())
        match message["type"]:
            case "welcome":
                self._welcomed(message)
            case "entered":
                self._entered(message)
            case "resumed":
                self._resumed(message)
            case "update":
                self._updated(message)
            case "ack":
                self._acked(message)
            case "error":
                self._refused(message)
            case "view":
                self._viewed(message)
            case other:
                self.errors.append(f"{self.name} does not expect {other}")

    def _send(self, message: dict[str, Any]) -> None:
        if self.wire is not None and not self.wire.cut:
            self.wire.up.append(msgspec.json.encode(message))

    def _next_id(self) -> int:
        self._ids += 1
        return self._ids

    # --- what it is told --------------------------------------------------------------------------------------------

    def _welcomed(self, message: dict[str, Any]) -> None:
        self.token, self.sid = message["token"], message["session"]
        if self.visit is not None and not self.visit.over:
            epoch, offset = self.visit.position
            self._resuming = self._next_id()
            resume = {"type": "resume", "id": self._resuming, "room": self.visit.room, "epoch": epoch, "offset": offset}
            self._send(resume | {"wants": ["options"], "key": self.visit.key})
            return
        self._settled = True
        if self._match is not None:
            self._send(self._match)

    def _entered(self, message: dict[str, Any]) -> None:
        earlier = self._visit_of(message["room"])
        if earlier is not None and message.get("reason") == "rewound":
            earlier.believed.clear()
        if self._match is None or message["id"] != self._match["id"]:
            return
        self._match = None
        view = message["view"]
        place = (message["epoch"], message["offset"])
        self.visit = Visit(message["room"], message["seat"], self.sid, place, place, believed={place})
        self.visit.key = message.get("key", "")
        self.visits.append(self.visit)
        self._fed_up = False
        self._options = view.get("options") or []
        self.visit.over = view["status"] in ("finished", "closed")

    def _resumed(self, message: dict[str, Any]) -> None:
        if self.visit is None or message["id"] != self._resuming:
            return
        # A player whose seat was freed meanwhile resumes as a spectator, and spectators are not given the key.
        if message["seat"] is not None and message.get("key", "") != self.visit.key:
            self.errors.append(f"{self.name} was given two keys of room {self.visit.room}")
        self._settled = True
        for command in self.pending.values():
            self._send(command)

    def _updated(self, update: dict[str, Any]) -> None:
        visit = self._visit_of(update["room"])
        if visit is None:
            self.errors.append(f"{self.name} was told of room {update['room']}")
            return
        epoch, offset = visit.position
        if update["offset"] != offset + 1 or update["epoch"] < epoch:
            self.errors.append(f"{self.name} saw {offset} and then {update['offset']} of room {visit.room}")
        visit.position = (update["epoch"], update["offset"])
        if any(place[1] == update["offset"] for place in visit.believed):
            self.errors.append(
                f"{self.name} saw step {update['offset']} of room {visit.room} after its acknowledgement"
            )
        visit.believed.add(visit.position)
        visit.seen.append(update)
        self._idle = 0
        if visit is not self.visit:
            return
        self._options = update.get("options") or []
        kinds = {event["type"] for event in update["events"]}
        self._fed_up = self._fed_up or "room.left" in kinds
        if any(event["type"] == "room.left" and event["seat"] == visit.seat for event in update["events"]):
            self._end(visit)
        if kinds & {"room.ended", "room.closed"}:
            visit.over = True
            self.pending.clear()

    def _viewed(self, message: dict[str, Any]) -> None:
        """Only a store that has lost writes is a reason for a view that was not asked for."""
        visit = self._visit_of(message["room"])
        if message.get("reason") != "rewound" or not self.store_lost_writes or visit is None:
            self.errors.append(f"{self.name} was given a view: {message.get('reason')}")
            return
        self.rewound += 1
        visit.position = (message["epoch"], message["offset"])
        visit.believed = {visit.position}
        if visit is self.visit:
            self._options = message["view"].get("options") or []
            visit.over = message["view"]["status"] in ("finished", "closed") or message["seat"] is None

    def unaware_of(self, undone: Collection[StepPlace]) -> list[StepPlace]:
        """The undone steps that the player still relies on, though it has read all messages of its connection."""
        if not self._settled or self.wire is None or self.wire.cut:
            return []
        believed = [(visit.room, offset, epoch) for visit in self.visits for epoch, offset in visit.believed]
        return [step for step in believed if step in undone]

    def _visit_of(self, room: int) -> Visit | None:
        """The last visit to a room. A store that has lost a room gives its number to another one."""
        return next((visit for visit in reversed(self.visits) if visit.room == room), None)

    def _acked(self, message: dict[str, Any]) -> None:
        if self.pending.get(message["id"], {}).get("type") == "leave" and self.visit is not None:
            self._end(self.visit)
            return
        for visit in self.visits:
            if visit.room == message["room"] and "offset" in message:
                self.pending.pop(message["id"], None)
                self._once(visit, message["id"])
                visit.acked[message["id"]] = (message["epoch"], message["offset"])
        latest = self._visit_of(message["room"])
        if latest is not None and "offset" in message and not latest.left:
            latest.believed.add((message["epoch"], message["offset"]))

    def _end(self, visit: Visit) -> None:
        """The player has no seat in the room, and knows it: the gateway need not tell it anything."""
        visit.over = visit.left = True
        visit.believed.clear()
        if visit is self.visit:
            self.pending.clear()

    def _refused(self, message: dict[str, Any]) -> None:
        code, number = message["code"], message.get("id")
        if number is None and "room" in message:
            self._room_lost(message["room"], code)
            return
        if number is None:
            if code != "name/taken" and not code.startswith("busy/"):
                self.errors.append(f"{self.name} was refused: {code}")
            self.disconnect()
            return
        if code.startswith("busy/"):
            self._refused_as_busy(number)
            return
        if self.store_lost_writes and self._start_again(number):
            return
        if self._match is not None and number == self._match["id"]:
            if code != "game/unknown" or not self.versions_differ:
                self.errors.append(f"{self.name} finds no table: {code}")
            self._match = None
            return
        if number == self._resuming:
            self.errors.append(f"{self.name} cannot resume: {code}")
            return
        if self.pending.pop(number, None) is not None and self.visit is not None:
            self._command_refused(number, code, self.visit)

    def _command_refused(self, number: int, code: str, visit: Visit) -> None:
        # A store that loses writes can lose a command, and a later one be handled before its gateway adds it again.
        if code == "command/too_old" and not self._was_busy(number) and not self.store_lost_writes:
            self.errors.append(f"{self.name}'s command {number} is called too old")
        if code == "room/quarantined":
            self.errors.append(f"{self.name}'s room {visit.room} is quarantined")
        # A leave that was sent after a command may be carried out before the command is repeated: the seat is gone
        # then, and the refusal does not say what became of the first copy.
        if code != "room/not_seated" or not self._leaves_after(number):
            visit.refused[number] = code
        if self.store_lost_writes and code in _GONE:
            self._end(visit)

    def _was_busy(self, number: int) -> bool:
        """Whether a copy of the command was refused as busy, in an answer that may have been lost."""
        if number in self._busy:
            return True
        unseen = (msgspec.json.decode(frame) for wire in self._lost_wires for frame in wire.unseen)
        return any(answer.get("id") == number and answer.get("code", "").startswith("busy/") for answer in unseen)

    def _leaves_after(self, number: int) -> bool:
        return any(command["type"] == "leave" and later > number for later, command in self.pending.items())

    def _room_lost(self, room: int, code: str) -> None:
        """The gateway reports that the store has lost a room."""
        visit = self._visit_of(room)
        if code != "room/unknown" or not self.store_lost_writes or visit is None:
            self.errors.append(f"{self.name} lost room {room}: {code}")
            return
        self._end(visit)

    def give_up(self) -> None:
        """Leave the room: its other player may have lost the seat."""
        self._fed_up = True

    def _start_again(self, number: int) -> bool:
        """After a loss of writes, look for another table when this one, or the request for one, is unknown."""
        if self._match is not None and number == self._match["id"]:
            self._match = None
        elif number == self._resuming and self.visit is not None:
            self._end(self.visit)
            self._settled = True
        else:
            return False
        return True

    def _refused_as_busy(self, number: int) -> None:
        """The command was not tried: it is sent again on another connection, with a new id unless an earlier copy may
        have arrived."""
        if number in self._uncertain:
            self._busy.add(number)
        elif number in self.pending:
            command = self.pending.pop(number) | {"id": self._next_id()}
            self.disconnect()
            self.pending[command["id"]] = command
        self.disconnect()

    def _once(self, visit: Visit, number: int) -> None:
        if number in visit.refused:
            self.errors.append(f"{self.name}'s command {number} was refused and then applied")

    # --- what it does -----------------------------------------------------------------------------------------------

    def act(self) -> None:
        """Do something sensible, if there is something to do."""
        if not self._settled or self.wire is None or self.wire.cut:
            return
        visit = self.visit
        if visit is None or visit.over:
            if self._match is None:
                self._match = self._wanted_table() | {"id": self._next_id(), "game": "stones", "wants": ["options"]}
                self._match["options"] = {"stones": 7}
                self._send(self._match)
            elif self._dice.random() < _IMPATIENT:
                self._send(self._match)
            return
        if any(command["type"] in ("act", "leave") for command in self.pending.values()):
            return
        self._idle += 1
        bored = self.store_lost_writes and self._idle > _PATIENCE
        if self._fed_up or bored or self._dice.random() < _FED_UP:
            self._command({"type": "leave"}, visit)
        elif self._options:
            self._command({"type": "act", "command": self._dice.choice(self._options)}, visit)
        elif self._dice.random() < self._chatty and len(self.pending) < 3:
            self._command({"type": "say", "text": f"{self._ids}"}, visit)

    def _wanted_table(self) -> dict[str, Any]:
        """Now and then a private table with a bot."""
        if len(self.visits) % 3 == 1:
            return {"type": "create", "seats": 2, "bots": 1, "private": True}
        return {"type": "match"}

    def act_out_of_turn(self) -> None:
        visit = self.visit
        if visit is not None and not visit.over and self._settled and len(self.pending) < 3:
            self._command({"type": "act", "command": {"type": "take", "count": 1}}, visit)

    def _command(self, command: dict[str, Any], visit: Visit) -> None:
        command |= {"id": self._next_id(), "room": visit.room}
        self.pending[command["id"]] = command
        self._send(command)
