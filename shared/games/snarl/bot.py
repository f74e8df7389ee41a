"""The bot: applies the strategy to what the player of its seat has seen in this level."""

from shared.dice import Dice
from shared.games.snarl.commands import Command, ForfeitTurn, Move
from shared.games.snarl.pieces import SIGHT, TILES, Kind, Point
from shared.games.snarl.rules import options
from shared.games.snarl.state import State
from shared.games.snarl.strategy import Known, choose
from shared.games.snarl.windows import view_of
from shared.ids import Seat


def bot(state: State, seat: Seat, dice: Dice) -> Command:
    """The command of a bot, which never passes a turn."""
    move = Move(choose(known_to(state, seat), dice))
    legal = [command for command in options(state, seat) if not isinstance(command, ForfeitTurn)]
    return move if move in legal else dice.choice(legal)


def known_to(state: State, seat: Seat) -> Known:
    """Everything that the player has seen since the level began."""
    board, trail, window = state.scene.whole, state.trails[seat], view_of(state.scene, seat).window
    if window is None:
        raise LookupError(f"the player of seat {seat} is not in the level")
    tiles = {
        (row, column): TILES[board.at((row, column))]
        for center in trail
        for row in range(center[0] - SIGHT, center[0] + SIGHT + 1)
        for column in range(center[1] - SIGHT, center[1] + SIGHT + 1)
    }

    def seen(point: Point | None) -> Point | None:
        return point if point in tiles else None

    return Known(
        position=window.position,
        tiles=tiles,
        key=seen(board.key),
        exit=seen(board.exit),
        unlocked=board.key is None,
        adversaries=tuple(actor for actor in window.actors if actor.kind is not Kind.PLAYER),
        players={actor.position for actor in window.actors if actor.kind is Kind.PLAYER},
    )
