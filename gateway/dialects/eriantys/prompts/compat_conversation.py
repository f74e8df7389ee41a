"""The conversation of `eriantys.prompts` with an AM24 program (the listener's option `compat=am24`).

The conversation is that of the dialect. It differs in the texts and messages (`compat_render`), in the order of the
answers to a refused seat, in the pace of pings, and in that assistants are named by their places in the hand.
"""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from gateway.dialects.answers import RoomsChanged
from gateway.dialects.contract import Opening
from gateway.dialects.eriantys.common.codec import error_name, text_of
from gateway.dialects.eriantys.common.table import GAME, Table
from gateway.dialects.eriantys.prompts import compat_render, messages, render
from gateway.dialects.eriantys.prompts.compat_render import LONGEST_NAME
from gateway.dialects.eriantys.prompts.compat_texts import Texts
from gateway.dialects.eriantys.prompts.conversation import PromptsConversation
from gateway.dialects.eriantys.prompts.render import Notice
from gateway.dialects.requests import Output
from shared.games.eriantys.events import Event, Resumed
from shared.room_events import RoomEvent

COMPAT: Final = "am24"
TICKS_PER_PING: Final = 5
"""A ping every five seconds: the programs write from two threads into one stream, and a pong at the same instant as a
command destroys the command."""

_encode = msgspec.json.Encoder().encode


class Am24Conversation(PromptsConversation):
    max_unanswered_pings = 3

    def __init__(self, opening: Opening, texts: Texts) -> None:
        super().__init__(opening)
        self._texts = texts
        self._ticks_since_ping = 0
        self._welcomed = False
        self._refused = False
        """A seat was refused since the last tick."""

    # --- time and lobbies --------------------------------------------------------------------------------------------

    def tick(self, now_ms: int) -> Iterable[Output]:
        self._ticks_since_ping += 1
        outputs: list[Output] = []
        if self._ticks_since_ping == TICKS_PER_PING:
            self._ticks_since_ping = 0
            outputs.extend(super().tick(now_ms))
        refused, self._refused = self._refused, False
        if self._missed_change and not (refused or self._busy or self._closed or self._table is not None):
            outputs.append(self._welcome())
        return outputs

    def rooms_changed(self, change: RoomsChanged) -> Iterable[Output]:
        """The first list is sent at once. Later ones wait for a tick: the programs end if more than 20 messages are
        waiting, and ask no question again if one follows a refusal."""
        if self._welcomed:
            self._missed_change = True
            return []
        self._welcomed = True
        return super().rooms_changed(change)

    def refuse_seat(self, wanted: messages.GameParams | messages.Join, code: str, text: str) -> Iterator[Output]:
        """The list precedes the refusal: the programs only ask again if no message is waiting behind it."""
        self._refused = True
        yield self._welcome()
        shown = compat_render.text_of_refusal(self._texts, code, lobbies=bool(self._rooms.listed(GAME)))
        yield _encode(messages.Error(shown, error_name(code)))

    def after_game(self) -> Iterable[Output]:
        """The programs cannot begin a second game on the same connection."""
        return ()

    # --- messages of the client --------------------------------------------------------------------------------------

    def parse(self, frame: bytes) -> messages.FromClient:
        message = super().parse(frame)
        if isinstance(message, messages.ChooseAssistant) and self._table is not None and self._table.playing:
            hand = self._table.view.players[self._table.seat].hand
            return messages.ChooseAssistant(hand[message.index - 1] if 0 < message.index <= len(hand) else 0)
        return message

    def _enter(self, wanted: messages.GameParams | messages.Join) -> Iterator[Output]:
        if self._table is None and len(wanted.nickname) > LONGEST_NAME:
            return self.refuse_seat(wanted, "name/bad", text_of("name/bad"))
        return super()._enter(wanted)

    # --- messages to the client --------------------------------------------------------------------------------------

    def put(self, shown: Iterable[messages.ToClient]) -> Iterable[Output]:
        assert self._table is not None
        return map(_encode, compat_render.translated(self._table, shown, self._texts))

    def notify(self, table: Table, what: Notice, name: str = "") -> Iterable[Output]:
        return (_encode(compat_render.notice(table, what, name, self._texts)),)

    def show_game(self, table: Table, *, back: bool) -> Iterable[Output]:
        start = () if back else (messages.GameStart(),)
        return self.put((*render.full_view(table, table.view), *start, render.prompt(table)))

    def render(self, table: Table, events: list[RoomEvent | Event]) -> Iterator[Output]:
        if any(isinstance(event, Resumed) for event in events):
            yield _encode(compat_render.connection(table, self._texts.continued))
        yield from super().render(table, events)
