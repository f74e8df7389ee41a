"""Results of earlier commands, kept per seat: each command id is carried out at most once, and its answer repeated."""

from itertools import islice
from typing import Protocol

import msgspec

from shared.errors import Rejected, refusal
from shared.ids import CommandId, Epoch, Offset

RESULTS_KEPT = 64
_RESULTS_SPARE = 16


class CommandResult(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """The step that applied a command, or the reason why it was refused."""

    offset: Offset = Offset(0)
    """0: the command needed no step."""
    code: str = ""
    text: str = ""
    epoch: Epoch = Epoch(0)
    """The epoch under which the command was handled."""


class CommandHistory(Protocol):
    """The part of a seat that this module reads and writes."""

    last_id: CommandId
    results: dict[CommandId, CommandResult]


def known(history: CommandHistory, command: CommandId) -> CommandResult | Rejected | None:
    """The result of a command that was handled before; a refusal if its result is not kept any more; None if the
    command is new. Ids rise per session, so every id above the last one is new."""
    if command > history.last_id:
        return None
    return history.results.get(command) or refusal("command/too_old")


def remember(history: CommandHistory, command: CommandId, result: CommandResult) -> None:
    history.last_id = command
    results = history.results
    results[command] = result
    # Old results are dropped many at a time: dropping the first one each time makes a dictionary skip all that were
    # dropped before it.
    if len(results) > RESULTS_KEPT + _RESULTS_SPARE:
        for old in list(islice(results, len(results) - RESULTS_KEPT)):
            del results[old]
