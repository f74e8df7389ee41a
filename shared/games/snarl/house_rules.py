"""The points of the rules on which tables of Snarl may differ."""

from typing import Annotated

from msgspec import Meta

from shared.game import Value


class HouseRules(Value, frozen=True, forbid_unknown_fields=True):
    """The defaults are the rules as docs/games/snarl.md recommends them."""

    spawn_distance: Annotated[int, Meta(ge=0, le=20)] = 0
    """The distance from all players at which adversaries are placed, if the level has the room."""
    occupants_block: bool = False
    """Players cannot walk past an occupied tile."""
    adversary_first: bool = True
    """An adversary guards the key or the exit it stands on."""
    stay_exits: bool = True
    """Staying on the unlocked exit has the effect of arriving there."""
    ghosts_share: bool = False
    """A ghost may enter a tile with another adversary."""
    loss_ejects: bool = False
    """A player who is disconnected while active in a level counts as ejected."""
