"""The commands of the game."""

from typing import TypeAlias

from shared.game import Message
from shared.games.codex.pieces import Color, Face


class ChooseStarting(Message, frozen=True, tag="choose_starting"):
    """Place the starting card with this face up."""

    face: Face


class PickColor(Message, frozen=True, tag="pick_color"):
    color: Color


class ChooseObjective(Message, frozen=True, tag="choose_objective"):
    """Keep the first or the second of the two objectives on offer."""

    choose: int


class PlaceCard(Message, frozen=True, tag="place_card"):
    """Place a card of the hand, counted from 1, in row i and column j of the own area."""

    choice: int
    i: int
    j: int
    face: Face


class DrawTable(Message, frozen=True, tag="draw_table"):
    """Take a face-up card: 1 and 2 are the resource places, 3 and 4 the gold places."""

    choice: int


class DrawResource(Message, frozen=True, tag="draw_resource"):
    """Take the top card of the resource deck."""


class DrawGold(Message, frozen=True, tag="draw_gold"):
    """Take the top card of the gold deck."""


Command: TypeAlias = ChooseStarting | PickColor | ChooseObjective | PlaceCard | DrawTable | DrawResource | DrawGold
