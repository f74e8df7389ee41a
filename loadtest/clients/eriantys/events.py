"""A client of `eriantys.events`: moves pieces on its own board as the events say, and plays its turns."""

from collections.abc import Iterable
from typing import Any

import orjson

from loadtest.clients.contract import SeatAssignment
from loadtest.clients.eriantys.board import Board, Card, Island, Person
from loadtest.clients.eriantys.common import Client
from loadtest.clients.eriantys.strategy import Choice
from shared.games.eriantys.cards import CARDS, Ask
from shared.games.eriantys.pieces import INDEX, Color

PLANNING, ONE, TWO, THREE = "PLANNING_PHASE", "ACTION_PHASE_ONE", "ACTION_PHASE_TWO", "ACTION_PHASE_THREE"


class EventsPlayer(Client):
    path = "/ws/eriantys/events"

    def __init__(self, seating: SeatAssignment) -> None:
        super().__init__(seating)
        self._known: dict[int, Person] = {}
        self._inside = False
        """In a room, or waiting for the answer to entering one."""
        self._used: set[int] = set()
        self._complete = False
        """A whole position is being sent; it ends with the turn."""
        self._phase = ""
        self._turn = ""
        self._taken: list[int] = []
        self._tried = 0
        self._played = 0
        """The character of this turn."""
        self._activated = 0
        """The last character that was activated, in any turn."""
        self._choices: list[dict[str, Any]] = []
        """Answers to the character that have not been sent yet."""

    def open(self) -> Iterable[bytes]:
        self._inside = self.waiting = False
        self._phase = self._turn = ""
        self._choices = []
        return (self._login(),)

    def _login(self) -> bytes:
        return orjson.dumps({"type": "Login", "username": self.seating.name})

    def repeat(self) -> Iterable[bytes]:
        if self._turn:
            return self._act()
        return self._enter() if self._inside else (self._login(),)

    def _enter(self) -> Iterable[bytes]:
        """After login: open the table, or enter it as soon as its number is known."""
        self._inside = True
        if self.seating.first and self.received.room is None:
            expert = bool(self.seating.options.get("expert"))
            room = {"numberOfPlayers": self.seating.seats, "expert": expert, "private": False}
            return (orjson.dumps({"type": "CreateRoom", **room}),)
        table = self.received.room or self.seating.table()
        if table is None:
            self.due = True
            return ()
        return (orjson.dumps({"type": "AccessRoom", "roomId": table}),)

    # --- messages -----------------------------------------------------------------------------------------------------

    def handle(self, message: Any) -> Iterable[bytes]:
        match message:
            case {"type": "PublicRooms"}:
                return () if self._inside else self._enter()
            case {"type": "RoomId", "roomId": room}:
                self._inside, self.received.room = True, room
                if self.seating.first:
                    self.seating.opened(room)
            case {"type": "Ack"}:
                return self._acked()
            case {"type": "Nack", "errorMessage": text}:
                return self._nacked(text)
            case {"type": "AddPlayer", "player": name, "color": colour, "position": seat}:
                self._add_player(name, colour, seat)
            case {"type": "ChangeTurn", "player": name}:
                return self._change_turn(name)
            case {"type": "ChangePhase", "phase": phase}:
                self._change_phase(phase)
                return self._act()
            case {"type": "EndGame", "winners": winners}:
                self.ended(winners)
                return (orjson.dumps({"type": "LeaveRoom"}),)
            case {"type": "StartGame"}:
                self._start()
            case _:
                self._move_pieces(message)
        return ()

    def _acked(self) -> Iterable[bytes]:
        if self.waiting:
            self.acknowledged()
            return self._act()
        return ()

    def _nacked(self, text: str) -> Iterable[bytes]:
        code = text.partition(":")[0]
        if self.waiting:
            self.refused(code)
            self._choices = self._owed() if code == "CHOICE_OWED" else []
            self._correct_hand(code)
            if code in ("BUSY", "PAUSED", "NOT_YOUR_TURN"):
                self.due = True
                return ()
            return () if self.over else self._act()
        self.seat_refused(code, text)
        return ()

    def _correct_hand(self, code: str) -> None:
        """The dialect does not send the hand after a reconnect: assistants that were played meanwhile are refused."""
        me = self.board.people[self.seat]
        if code == "ASSISTANT_GONE":
            me.hand = [value for value in me.hand if value != self._tried]
        elif code == "ASSISTANT_TAKEN":
            self._taken.append(self._tried)

    def _add_player(self, name: str, colour: str, seat: int) -> None:
        if name == self.seating.name:
            self.seat = seat
            self.received.room = self.received.room or self.seating.table()
        known = self._known.setdefault(seat, Person(name))
        known.name, known.tower = name, colour

    def _start(self) -> None:
        """A new board. Hands and used characters are kept, because the dialect does not send them after a reconnect."""
        seats = self.seating.seats
        hands = [person.hand for person in self.board.people]
        last = [person.assistant for person in self.board.people]
        self._used = {card.number for card in self.board.cards if card.used}
        self._complete = True
        self.board = Board([Person(self._known[seat].name, self._known[seat].tower) for seat in range(seats)])
        self.board.clouds = [[0] * 5 for _ in range(seats)]
        for seat, person in enumerate(self.board.people):
            person.towers = (6 if seats == 3 else 8) if seats < 4 or seat < 2 else 0
            if hands:
                person.hand, person.assistant = hands[seat], last[seat]

    def _change_turn(self, name: str) -> Iterable[bytes]:
        """The phase follows in its own message. In the planning phase, with the first turn, and in a whole position it
        came before."""
        self._turn = name
        self._played, self._choices = 0, []
        complete, self._complete = self._complete or self._phase in (PLANNING, ONE), False
        return self._act() if complete else ()

    def _change_phase(self, phase: str) -> None:
        if phase == PLANNING and self._phase != PLANNING:
            self._taken = []
        self._phase = phase

    # --- pieces ------------------------------------------------------------------------------------------------------

    def _move_pieces(self, message: Any) -> None:
        board = self.board
        match message:
            case {"type": "MoveStudent", "from": source, "to": to, "color": colour}:
                self._place(source, colour, -1)
                self._place(to, colour, 1)
            case {"type": "AddStudentTo", "where": where, "color": colour}:
                self._place(where, colour, 1)
            case {"type": "MoveTower", "from": source, "to": to}:
                self._move_tower(source, to)
            case {"type": "MergeIslands", "firstIsland": first, "secondIsland": second}:
                self._merge(first, second)
            case {"type": "SetProfessorTo", "professor": colour, "player": name}:
                board.professors[INDEX[Color(colour)]] = board.seat(name)
            case {"type": "MoveMotherNature", "destination": place}:
                board.mother = place
            case {"type": "PlayAssistanCard" | "PlayAssistantCard", "assistantCard": value, "player": name}:
                person = board.people[board.seat(name)]
                person.hand = [other for other in person.hand if other != value]
                person.assistant = value
                self._taken.append(value)
            case {"type": "PlayerDisconnect"}:
                self.count("disconnections seen")
            case _:
                self._apply_expert(message)

    def _apply_expert(self, message: Any) -> None:
        """Characters and coins, which only the expert game has."""
        board = self.board
        match message:
            case {"type": "ActivateCharacterCard", "characterCard": number}:
                board.card(number).used = True
            case {"type": "AddCoin", "player": name}:
                board.people[board.seat(name)].coins += 1
            case {"type": "RemoveCoin", "player": name}:
                board.people[board.seat(name)].coins -= 1
            case {"type": "NotifyCharacterCard", "card": number}:
                board.cards.append(Card(number, no_entry=CARDS[number].no_entry, used=number in self._used))
            case {"type": "NoEntry", "add": add, "islandIndex": place}:
                board.islands[place].no_entry += 1 if add else -1
                board.card(5).no_entry -= 1 if add else -1
            case _:
                self.fault(f"unknown message {message}")

    def _place(self, place: str, colour: str, count: int) -> None:
        kind, _, number = place.partition(":")
        board, which = self.board, int(number or 0)
        match kind:
            case "ENTRANCE":
                pile = board.people[which].entrance
            case "DININGROOM":
                pile = board.people[which].hall
            case "ISLAND":
                pile = board.islands[which].students
            case "CLOUD":
                pile = board.clouds[which]
            case "CARD":
                pile = board.card(which).students
            case _:
                return
        pile[INDEX[Color(colour)]] += count
        if pile[INDEX[Color(colour)]] < 0:
            self.fault(f"a {colour} student was taken from {place}, where there is none")

    def _move_tower(self, source: str, to: str) -> None:
        for place, count in ((source, -1), (to, 1)):
            kind, _, number = place.partition(":")
            if kind == "PLAYER":
                self.board.people[int(number)].towers += count
                continue
            island = self.board.islands[int(number)]
            island.towers += count
            if count > 0:
                island.colour = self.board.people[int(source.partition(":")[2])].tower

    def _merge(self, first: int, second: int) -> None:
        one, other = self.board.islands[first], self.board.islands.pop(second)
        students = [a + b for a, b in zip(one.students, other.students, strict=True)]
        merged = Island(students, one.towers + other.towers, one.colour, one.no_entry + other.no_entry)
        self.board.islands[first] = merged
        if self.board.mother == second:
            self.board.mother = first
        elif self.board.mother > second:
            self.board.mother -= 1

    # --- moving ------------------------------------------------------------------------------------------------------

    def _act(self) -> Iterable[bytes]:
        if self.over or self.waiting or self._turn != self.seating.name or not self._phase:
            return ()
        if self._phase == PLANNING:
            self._tried = self.strategy.assistant(self.board.people[self.seat].hand, self._taken)
            return self._event("PLAY_ASSISTANT_CARD", assistantCardValue=self._tried)
        if self._choices:
            return self.send(self._choices.pop(0))
        if not self._played and (place := self.strategy.card(self.board, self.seat)) is not None:
            return self._activate(self.board.cards[place])
        if self._phase == ONE:
            if not any(self.board.people[self.seat].entrance):
                return ()  # no student can be moved: the next phase follows
            student = self.strategy.student(self.board, self.seat)
            if student.island is None:
                return self._event("MOVE_STUDENT_FROM_ENTRANCE_TO_TABLE", color=student.colour)
            place = student.island
            return self._event("MOVE_STUDENT_FROM_ENTRANCE_TO_ISLAND", color=student.colour, islandIndex=place)
        if self._phase == TWO:
            extra = CARDS[self._played].extra_steps if self._played else 0
            return self._event("MOVE_MOTHER_NATURE", moveAmount=self.strategy.steps(self.board, self.seat, extra))
        return self._event("CHOOSE_CLOUD_TILE", cloudIndex=self.strategy.cloud(self.board))

    def _activate(self, card: Card) -> Iterable[bytes]:
        choice = self.strategy.choice(self.board, self.seat, card)
        if choice is None:
            return ()
        self._played = self._activated = card.number
        self._choices = self._answers(card.number, choice)
        self.count(f"character {card.number}")
        return self._event("ACTIVATE_CHARACTER_CARD", activatedCard=card.number)

    def _owed(self) -> list[dict[str, Any]]:
        """Answers to the character that was activated before the connection was lost."""
        choice = (
            self.strategy.choice(self.board, self.seat, self.board.card(self._activated)) if self._activated else None
        )
        return [] if choice is None else self._answers(self._activated, choice)

    def _answers(self, number: int, choice: Choice) -> list[dict[str, Any]]:
        match CARDS[number].asks:
            case Ask.NOTHING:
                return []
            case Ask.ISLAND:
                return [self._game_event("CHOOSE_ISLAND", islandIndex=choice.island)]
            case Ask.STUDENT:
                event = "MOVE_STUDENT_FROM_CARD_TO_ISLAND"
                return [self._game_event(event, color=choice.colour, islandIndex=choice.island)]
            case Ask.COLOR:
                return [self._game_event("CHOOSE_COLOR", color=choice.colour)]
            case Ask.CARD_SWAPS:
                event = "SWAP_STUDENT_CARD_ENTRANCE"
                return [self._game_event(event, color=back, color2=out) for out, back in choice.swaps]
            case Ask.HALL_SWAPS:
                event = "SWAP_STUDENT_ENTRANCE_TABLE"
                return [self._game_event(event, color=out, color2=back) for out, back in choice.swaps]

    def _event(self, event: str, **fields: Any) -> Iterable[bytes]:
        return self.send(self._game_event(event, **fields))

    def _game_event(self, event: str, **fields: Any) -> dict[str, Any]:
        return {"type": "GameEvent", "player": self.seating.name, "eventType": event, **fields}
