"""A client of `eriantys.status`: keeps the status that it has received, and counts the steps of its turn itself."""

from collections.abc import Iterable
from typing import Any

import orjson

from loadtest.clients.contract import SeatAssignment
from loadtest.clients.eriantys.board import Board, Card, Island, Person
from loadtest.clients.eriantys.common import Client
from loadtest.clients.eriantys.strategy import Choice
from shared.games.eriantys.cards import CARDS, Ask
from shared.games.eriantys.pieces import students_per_cloud, tally

STUDENTS, WALK, CLOUD, DONE = "students", "walk", "cloud", "done"
NOT_MY_TURN, WRONG_PHASE = 207, 208


class StatusPlayer(Client):
    def __init__(self, seating: SeatAssignment) -> None:
        super().__init__(seating)
        table = seating.table()
        self.path = "/ws/eriantys/status" + ("" if table is None else f"?table={table}")
        self._mother_tile = 1
        self._turn: tuple[int, str] | None = None
        self._step = STUDENTS
        self._left = 0
        self._played = 0
        self._taken: list[int] = []
        self._sent = ""

    def open(self) -> Iterable[bytes]:
        self.waiting = False
        self._turn, self.seat = None, -1
        self.received.room = self.received.room or self.seating.table()
        return (self.seating.name.encode(),)

    def repeat(self) -> Iterable[bytes]:
        return self._act() if self.seat >= 0 else (self.seating.name.encode(),)

    # --- messages -----------------------------------------------------------------------------------------------------

    def handle(self, message: Any) -> Iterable[bytes]:
        match message:
            case {"status": 0, "userID": seat}:
                return self._seated(seat)
            case {"status": 0, "winner": winner}:
                self._won(winner)
                return ()
            case {"status": 0}:
                return self._status(message)
            case {"status": int(code), "errorMessage": str(text)}:
                return self._error(code, text)
            case _:
                self.fault(f"unknown message {message}")
                return ()

    def _seated(self, seat: int) -> Iterable[bytes]:
        self.seat = seat
        if not self.seating.first or seat != 0 or self.board.people:
            return ()
        mode = "expert" if self.seating.options.get("expert") else "simple"
        return (orjson.dumps({"numPlayers": self.seating.seats, "gameMode": mode}),)

    def _won(self, winner: str) -> None:
        names = winner.split(", ") if winner else [person.name for person in self.board.people]
        self.ended(names)
        self.received.names = tuple(person.name for person in self.board.people)
        if not winner:
            self.received.result = []

    def _error(self, code: int, text: str) -> Iterable[bytes]:
        if not self.waiting:
            if self.seat < 0:
                self.seat_refused(str(code), text)
            elif not self.over:
                self.count(f"refused {code}")
            return ()
        self.refused(str(code))
        if text.startswith("BUSY") or code == NOT_MY_TURN or "paused" in text:
            self.due = True
            return ()
        if code == WRONG_PHASE:
            self._step = {STUDENTS: WALK, WALK: CLOUD}.get(self._step, STUDENTS)
        return () if self.over else self._act()

    def _status(self, message: Any) -> Iterable[bytes]:
        if self.waiting:
            self.acknowledged()
            self._after(self._sent)
        game = message.get("game", {})
        if "playerID" in message:
            seats = len(game["players"])
            self.board = Board([Person(player["nickName"], player["towerColour"]) for player in game["players"]])
            self.board.clouds = [[0] * 5 for _ in range(seats)]
        self._apply(game)
        if "turn" in message:
            self._change_turn(message["turn"]["player"], message["turn"]["phase"])
        return self._act()

    def _change_turn(self, player: int, phase: str) -> None:
        before, self._turn = self._turn, (player, phase)
        if phase == "planning" and (before is None or before[1] != "planning"):
            self._taken = []
        self._step, self._played = STUDENTS, 0
        moves = students_per_cloud(len(self.board.people))
        self._left = min(moves, sum(self.board.people[self.seat].entrance))
        if not self._left:
            self._step = WALK

    # --- the status --------------------------------------------------------------------------------------------------

    def _apply(self, game: Any) -> None:
        board = self.board
        groups = game.get("archipelagos", [])
        if len(groups) == 1:
            board.islands[groups[0]["index"] - 1] = island_of(groups[0])
        elif groups:
            board.islands = [island_of(group) for group in groups]
        self._mother_tile = game.get("motherNatureIndex", self._mother_tile)
        board.mother = next((i for i, island in enumerate(board.islands) if island.tile == self._mother_tile), 0)
        for cloud in game.get("clouds", []):
            board.clouds[cloud["index"]] = cloud["students"]
        for card in game.get("characterCards", []):
            self._apply_card(card)
        for player in game.get("players", []):
            self._apply_player(player)
        if "professors" in game:
            board.professors = [None if owner < 0 else owner for owner in game["professors"]]

    def _apply_card(self, card: Any) -> None:
        if "fileName" in card:
            self.board.cards[card["index"] :] = [Card(int(card["fileName"][1:3]))]
        known = self.board.cards[card["index"]]
        known.students = card.get("students", known.students)
        known.no_entry = card.get("noEntryTiles", known.no_entry)
        known.used = card.get("coinOnIt", known.used)

    def _apply_player(self, player: Any) -> None:
        person = self.board.people[player["index"]]
        person.entrance = player.get("studentsEntrance", person.entrance)
        person.hall = player.get("studentsHall", person.hall)
        person.towers = player.get("numTowers", person.towers)
        person.coins = player.get("coins", person.coins)
        if "assistantCardsLeft" in player:
            person.hand = [place + 1 for place in player["assistantCardsLeft"]]
        if "lastAssistantCardPlayed" in player:
            person.assistant = player["lastAssistantCardPlayed"] + 1
            self._taken.append(person.assistant)

    # --- moving ------------------------------------------------------------------------------------------------------

    def _act(self) -> Iterable[bytes]:
        if self.over or self.waiting or self._turn is None or self._turn[0] != self.seat:
            return ()
        me = self.board.people[self.seat]
        if self._turn[1] == "planning":
            return self._command("PLAYASSISTANTCARD", index=self.strategy.assistant(me.hand, self._taken) - 1)
        if not self._played and (place := self.strategy.card(self.board, self.seat)) is not None:
            return self._play(place)
        match self._step:
            case "students":
                student = self.strategy.student(self.board, self.seat)
                if student.island is None:
                    return self._command("MOVETOHALL", studentColour=student.colour.lower())
                tile = self.board.islands[student.island].tile
                return self._command("MOVETOISLAND", studentColour=student.colour.lower(), index=tile)
            case "walk":
                extra = CARDS[self._played].extra_steps if self._played else 0
                return self._command(
                    "MOVEMOTHERNATURE", motherNatureShifts=self.strategy.steps(self.board, self.seat, extra)
                )
            case "cloud" if any(map(any, self.board.clouds)):
                return self._command("TAKEFROMCLOUD", index=self.strategy.cloud(self.board))
            case _:
                return ()

    def _after(self, sent: str) -> None:
        """Advance the turn after an accepted command."""
        if sent in ("MOVETOHALL", "MOVETOISLAND"):
            self._left -= 1
            self._step = STUDENTS if self._left else WALK
        elif sent == "MOVEMOTHERNATURE":
            self._step = CLOUD
        elif sent == "TAKEFROMCLOUD":
            self._step = DONE

    def _play(self, place: int) -> Iterable[bytes]:
        card = self.board.cards[place]
        choice = self.strategy.choice(self.board, self.seat, card)
        if choice is None:
            return ()
        self._played = card.number
        self.count(f"character {card.number}")
        return self._command("PLAYCHARACTERCARD", index=place, **self._arguments(card.number, choice))

    def _arguments(self, number: int, choice: Choice) -> dict[str, Any]:
        arguments: dict[str, Any] = {}
        if choice.colour is not None:
            arguments["pColour"] = choice.colour
        if choice.island is not None:
            arguments["pIndex"] = self.board.islands[choice.island].tile
        if choice.swaps:
            given = tally(out for out, _ in choice.swaps)
            taken = tally(back for _, back in choice.swaps)
            card_first = CARDS[number].asks is Ask.CARD_SWAPS
            arguments["pStudentsFrom"], arguments["pStudentsTo"] = (taken, given) if card_first else (given, taken)
        return arguments

    def _command(self, name: str, **fields: Any) -> Iterable[bytes]:
        self._sent = name
        return self.send({"cmd": name, "playerId": self.seat, **fields})


def island_of(group: Any) -> Island:
    students = [sum(numbers) for numbers in zip(*(island["students"] for island in group["islands"]), strict=True)]
    towers = [island["towerColour"] for island in group["islands"] if "towerColour" in island]
    lowest = min(island["islandIndex"] for island in group["islands"])
    return Island(students, len(towers), towers[0] if towers else "", group.get("noEntryTiles", 0), lowest)
