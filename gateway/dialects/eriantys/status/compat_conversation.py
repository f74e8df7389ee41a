"""The conversation of `eriantys.status` with an AM28 program (the listener's option `compat=am28`).

The conversation is that of the dialect. Only what is written differs: `compat_render` says how.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from gateway.dialects.contract import Opening
from gateway.dialects.eriantys.common.codec import error_name
from gateway.dialects.eriantys.common.table import Table
from gateway.dialects.eriantys.status import compat_messages, compat_render, messages, render
from gateway.dialects.eriantys.status.compat_messages import Am28Answer, Am28Status
from gateway.dialects.eriantys.status.conversation import StatusConversation, ping_of
from gateway.dialects.requests import Output
from gateway.transports.close_codes import BYE
from shared.games.eriantys.events import Event
from shared.games.eriantys.views import View
from shared.room_events import RoomEvent, Started

COMPAT: Final = "am28"
PING_MS: Final = "3000"
SILENCE_MS: Final = 10_000
"""Time without a byte after which the programs end by themselves."""

_encode = msgspec.json.Encoder().encode


class Am28Conversation(StatusConversation):
    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self.tick_ms = ping_of(opening.compat.get("ping_ms", PING_MS))
        self._first = False
        """The client was asked for the parameters of the game."""

    # --- before the game ---------------------------------------------------------------------------------------------

    def encode_seat(self, table: Table) -> bytes:
        self._first = compat_render.is_first(table)
        return _encode(compat_render.answer(table))

    def configured(self, table: Table, seats: int) -> Iterator[Output]:
        if len(table.seats) < seats:
            code, text = compat_messages.WAIT_FOR_PLAYERS, "waiting for other players"
            yield _encode(Am28Answer(messages.FINE, code, error_message=text))

    def sent_away(self, text: str) -> Iterator[Output]:
        """The programs wait for ever after this message, so the connection is closed."""
        yield _encode(Am28Answer(messages.KICKED_OUT, compat_messages.SENT_AWAY, error_message=text))
        yield self.close(BYE)

    # --- in the game -------------------------------------------------------------------------------------------------

    def encode_full_status(self, table: Table) -> bytes:
        return _encode(compat_render.full_status(table))

    def encode_step(self, table: Table, before: View, events: list[RoomEvent | Event]) -> Iterator[bytes]:
        if any(isinstance(event, Started) for event in events):
            yield self.encode_full_status(table)
        elif before.players:
            status = compat_render.update(table, before, events)
            if status is not None:
                yield _encode(status)
        elif compat_render.is_first(table) and not self._first:
            # The player who should have sent the parameters has gone, and this client is the first now.
            yield self.encode_seat(table)

    # --- refusals ----------------------------------------------------------------------------------------------------

    def encode_error(self, code: str, text: str) -> bytes:
        status = messages.STATUS.get(code, messages.ILLEGAL)
        if code.startswith("busy/"):
            text = f"{error_name(code)}: {text}"
        table = self._table
        if table is None or not table.view.players:
            return _encode(Am28Answer(status, self._code(code, status), error_message=text))
        refused = Am28Status(status, self._code(code, status), error_message=text)
        return _encode(self._with_missed_lines(refused, code, table))

    def _code(self, code: str, status: int) -> int:
        if code == "name/bad":
            return compat_messages.BAD_NAME
        if code == "command/bad" and not (self._table is not None and compat_render.is_first(self._table)):
            return compat_messages.NOT_FIRST
        return compat_messages.BAD_ARGUMENT if status == messages.ILLEGAL else status

    def _with_missed_lines(self, refused: Am28Status, code: str, table: Table) -> Am28Status:
        """A client that acts out of turn or after the end has dropped the line that said so, while its menu was shown.
        It reads the answer to its command, so that line is repeated there."""
        if table.room.outcome is not None:
            winner = render.winner(table, table.room.outcome.winners).winner
            return msgspec.structs.replace(refused, winner=winner)
        if code != "game/not_your_turn":
            return refused
        missed = compat_render.full_status(table)
        return msgspec.structs.replace(
            missed, status=refused.status, status_code=refused.status_code, error_message=refused.error_message
        )
