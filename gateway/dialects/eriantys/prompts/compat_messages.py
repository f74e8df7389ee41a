"""The messages to the AM24 programs that differ from `eriantys.prompts`: the owner of a professor is an object."""

from typing import TypeAlias

from gateway.dialects.eriantys.prompts.messages import (
    Changed,
    Character,
    Cloud,
    InformationConnection,
    InformationGame,
    Island,
    Message,
    Object,
    Player,
)
from shared.games.eriantys.pieces import Color


class ProfessorOwner(Object, frozen=True):
    """The part of a player object that the programs read."""

    nickname: str


class Am24View(Object, frozen=True):
    virtual_world: tuple[Island, ...]
    virtual_players: tuple[Player, ...]
    virtual_clouds: tuple[Cloud, ...]
    virtual_profs: dict[Color, ProfessorOwner | None]
    virtual_characters: tuple[Character, ...]
    virtual_coins: int
    mn_pos: int


class Am24FullView(Message, frozen=True, tag="FullView"):
    virtual_view: Am24View


class Am24UpdateProfs(Message, frozen=True, tag="UpdateProfs"):
    profs: dict[Color, ProfessorOwner | None]


ToAm24: TypeAlias = Am24FullView | Am24UpdateProfs | InformationConnection | InformationGame | Changed
