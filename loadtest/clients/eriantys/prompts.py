"""A client of `eriantys.prompts`: keeps the view that it has received, and answers the prompts."""

from collections.abc import Iterable
from typing import Any

import orjson

from loadtest.clients.contract import SeatAssignment
from loadtest.clients.eriantys.board import Board, Card, Island, Person, counted
from loadtest.clients.eriantys.common import Client
from shared.games.eriantys.cards import CARDS, Ask
from shared.games.eriantys.pieces import COLORS, Mage


class PromptsPlayer(Client):
    path = "/ws/eriantys/prompts"

    def __init__(self, seating: SeatAssignment) -> None:
        super().__init__(seating)
        self._inside = False
        self._mages: dict[int, list[str]] = {}
        """Mages that are taken, by lobby."""
        self._prompt: Any = None
        self._played = 0
        self._swaps_left = 0
        self._owed = False

    def open(self) -> Iterable[bytes]:
        self._inside = self.waiting = False
        self._prompt = None
        return ()

    def repeat(self) -> Iterable[bytes]:
        if self._prompt is not None:
            return self._act()
        return () if self._inside else self._enter()

    def _enter(self) -> Iterable[bytes]:
        """Open the table, or join it with a free mage; also after a reconnect."""
        table = self.received.room or self.seating.table()
        free = [mage for mage in range(len(Mage)) if tuple(Mage)[mage] not in self._mages.get(table or 0, ())]
        player = {"nickname": self.seating.name, "mage": tuple(Mage)[self.strategy.pick(free or [0])]}
        if table is not None:
            return (orjson.dumps({"type": "Join", **player, "index": table}),)
        if not self.seating.first:
            self.due = True
            return ()
        expert = bool(self.seating.options.get("expert"))
        return (orjson.dumps({"type": "GameParams", **player, "numPlayers": self.seating.seats, "expert": expert}),)

    # --- messages -----------------------------------------------------------------------------------------------------

    def handle(self, message: Any) -> Iterable[bytes]:
        match message:
            case {"type": "Ping"}:
                return (b'{"type":"Pong"}',)
            case {"type": "Welcome", "lobbies": lobbies}:
                self._mages = {lobby["lobbyIndex"]: lobby["mages"] for lobby in lobbies}
                self.due = not self._inside and not self.over
            case {"type": "Error", "code": code, "string": text}:
                return self._error(code, text)
            case {"type": "InformationConnection", "lobbyIndex": room}:
                self._entered(room)
            case {"type": "InformationGame", "player": name, "phase": phase}:
                return self._informed(message, name, phase)
            case {"type": "SelectAssistant" | "MoveStudentRequest" | "MoveMNRequest" | "SelectCloud"}:
                return self._prompted(message)
            case {"type": "GameEnded", "winners": winners}:
                self.ended(winners)
            case {"type": "GameMustEnd", "reason": reason}:
                self.count(f"last round {reason}") if self.seating.first else None
            case {"type": "GameStart" | "NotifyDisconnection"}:
                pass
            case _:
                self._changed(message)
        return ()

    def _entered(self, room: int) -> None:
        self.received.room = room
        if not self._inside and self.seating.first:
            self.seating.opened(room)
        self._inside = True

    def _error(self, code: str, text: str) -> Iterable[bytes]:
        if self.waiting:
            self.refused(code)
            if code in ("BUSY", "PAUSED", "NOT_YOUR_TURN"):
                self.due = True
                return ()
            return () if self.over else self._act()
        self.seat_refused(code, text)
        return ()

    def _informed(self, message: Any, name: str, phase: str) -> Iterable[bytes]:
        """The turn or phase has changed; in the phase CHARACTER_ACTION this player may owe a choice."""
        if self.waiting:
            self.acknowledged()
        if name != self.seating.name:
            self._played, self._owed, self._swaps_left = 0, False, 0
        self._prompt = message if name == self.seating.name and phase == "CHARACTER_ACTION" else None
        return self._act()

    def _prompted(self, message: Any) -> Iterable[bytes]:
        if self.waiting:
            self.acknowledged()
        self._prompt = message
        return self._act()

    # --- the view ----------------------------------------------------------------------------------------------------

    def _changed(self, message: Any) -> None:
        board = self.board
        match message:
            case {"type": "FullView", "virtualView": view}:
                self._look(view)
            case {"type": "UpdateWorld", "islands": islands}:
                board.islands = [island_of(island) for island in islands]
            case {"type": "UpdateIsland", "island": island, "index": index}:
                board.islands[index] = island_of(island)
            case {"type": "UpdateMN", "index": index}:
                board.mother = index
            case {"type": "UpdatePlayer", "player": player, "index": index}:
                board.people[index] = person_of(player, board.people[index].tower)
            case {"type": "UpdateProfs", "profs": profs}:
                self._professors(profs)
            case {"type": "CreateClouds", "clouds": clouds}:
                board.clouds = [counted(cloud["students"]) for cloud in clouds]
            case {"type": "ReplaceCloud", "cloud": cloud, "index": index}:
                board.clouds[index] = counted(cloud["students"])
            case _:
                self._changed_expert(message)

    def _changed_expert(self, message: Any) -> None:
        """Characters and coins, which only the expert game has."""
        match message:
            case {"type": "CreateCharacters", "characters": characters}:
                self.board.cards = [card_of(character) for character in characters]
            case (
                {"type": "ReplaceCharacter", "character": character, "index": index}
                | {"type": "ReplaceCharacterStudents", "virtualCharacterWithStudents": character, "index": index}
                | {"type": "ReplaceCharacterWithNoEntry", "characterWithNoEntry": character, "index": index}
            ):
                self.board.cards[index] = card_of(character)
            case {"type": "UpdateCoins" | "UpdateActiveCharacter"}:
                pass  # the same is in UpdatePlayer and ReplaceCharacter
            case _:
                self.fault(f"unknown message {message}")

    def _look(self, view: Any) -> None:
        seats = self.seating.seats
        colours = [towers_of(player) for player in view["virtualPlayers"]]
        if seats == 4:
            colours[2:] = colours[:2]
        self.board = Board(
            [person_of(player, colour) for player, colour in zip(view["virtualPlayers"], colours, strict=True)],
            [island_of(island) for island in view["virtualWorld"]],
            view["mnPos"],
            [counted(cloud["students"]) for cloud in view["virtualClouds"]],
            [card_of(character) for character in view["virtualCharacters"]],
        )
        self._professors(view["virtualProfs"])
        self.seat = self.board.seat(self.seating.name)

    def _professors(self, profs: dict[str, str | None]) -> None:
        names = (profs[colour] for colour in COLORS)
        self.board.professors = [None if name is None else self.board.seat(name) for name in names]

    # --- moving ------------------------------------------------------------------------------------------------------

    def _act(self) -> Iterable[bytes]:
        """Answer the prompt, or play a character first. A choice that is owed may legally be made later."""
        prompt = self._prompt
        if self.over or self.waiting or prompt is None:
            return ()
        if prompt["type"] == "SelectAssistant":
            self._played, self._owed, self._swaps_left = 0, False, 0
            return self.send({"type": "ChooseAssistant", "index": self.strategy.pick(prompt["available"])})
        if prompt["type"] == "InformationGame":
            return self._choose()
        if (self._owed or self._swaps_left) and self.strategy.chance(60) and (sent := self._choose()):
            return sent
        if not self._played and (place := self.strategy.card(self.board, self.seat)) is not None:
            return self._play(self.board.cards[place])
        match prompt["type"]:
            case "MoveStudentRequest":
                student = self.strategy.student(self.board, self.seat)
                if student.island is None:
                    return self.send({"type": "EntranceToHall", "colorS": student.colour})
                return self.send({"type": "MoveToIsland", "colorS": student.colour, "index": student.island})
            case "MoveMNRequest":
                return self.send(
                    {"type": "MoveMN", "steps": self.strategy.pick(list(range(1, prompt["maxSteps"] + 1)))}
                )
            case _:
                return self.send({"type": "ChooseCloud", "index": self.strategy.pick(prompt["available"])})

    def _play(self, card: Card) -> Iterable[bytes]:
        facts = CARDS[card.number]
        self._played = card.number
        self._owed = facts.asks is not Ask.NOTHING
        self._swaps_left = facts.choices if facts.asks in (Ask.CARD_SWAPS, Ask.HALL_SWAPS) else 0
        self.count(f"character {card.number}")
        return self.send({"type": "PlayCharacter", "c": f"CHAR{card.number}"})

    def _choose(self) -> Iterable[bytes]:
        """One choice for the character that was played, if it allows one."""
        choice = self.strategy.choice(self.board, self.seat, self.board.card(self._played), most=1)
        if choice is None:
            self._owed, self._swaps_left = False, 0
            return ()
        self._owed, self._swaps_left = False, max(0, self._swaps_left - 1)
        match CARDS[self._played].asks:
            case Ask.ISLAND:
                return self.send({"type": "ChooseIsland", "islandIndex": choice.island})
            case Ask.STUDENT:
                move = {"type": "SpecialMoveIsland", "student": choice.colour, "islandIndex": choice.island}
                return self.send(move)
            case Ask.COLOR:
                return self.send({"type": "ChooseColor", "color": choice.colour})
            case Ask.HALL_SWAPS:
                out, back = choice.swaps[0]
                return self.send({"type": "ChooseTwoColors", "firstColor": back, "secondColor": out})
            case _:
                out, back = choice.swaps[0]
                return self.send({"type": "ChooseTwoColors", "firstColor": out, "secondColor": back})


def island_of(island: Any) -> Island:
    towers = island["towers"]
    return Island(counted(island["students"]), len(towers), towers[0] if towers else "", island["noEntry"])


def towers_of(player: Any) -> str:
    towers = player["virtualBoard"]["towers"]
    return towers[0] if towers else ""


def person_of(player: Any, colour: str) -> Person:
    board = player["virtualBoard"]
    last = player.get("virtualLastAssistant")
    return Person(
        player["nickname"],
        colour or towers_of(player),
        len(board["towers"]),
        counted(board["entrance"]),
        [board["hall"][colour] for colour in COLORS],
        player["virtualCoins"],
        [card["turn"] for card in player["virtualHand"]["cards"]],
        last["turn"] if last else None,
    )


def card_of(character: Any) -> Card:
    students = counted(character.get("students", []))
    return Card(character["number"], students, character.get("noEntry", 0), character["alreadyPlayed"])
