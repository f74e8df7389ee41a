"""Play: moves of players and bots, chat, and the agreement on a rematch.

The functions add events to the draft of a step, or return a refusal; then nothing was added.
"""

import logging
import re
from typing import Any

import msgspec

from shared.commands import Act, Rematch, Say
from shared.dice import Dice
from shared.errors import ErrorCode, Rejected, refusal
from shared.game import default_bot
from shared.ids import Seat
from shared.room_events import Played, Rematched, RoomStatus, Said
from worker.room.draft import RoomDraft

log = logging.getLogger("tavolata.room")

MOST_TEXT = 500
"""Characters of a chat line. JSON writes a control character as six bytes; without them it is 2,000 bytes at most."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_NOT_PLAYING: dict[RoomStatus, ErrorCode] = {
    RoomStatus.WAITING: "room/not_started",
    RoomStatus.FINISHED: "game/over",
    RoomStatus.CLOSED: "room/closed",
}
"""The refusal of a move in a room with this status."""
_PLAYING = RoomStatus.PLAYING
_encode = msgspec.json.Encoder().encode


def act(draft: RoomDraft, seat: Seat, body: Act) -> Rejected | None:
    """Carry out a move of a player."""
    if draft.state.status is not _PLAYING:
        return refusal(_NOT_PLAYING[draft.state.status])
    try:
        command = draft.read_command(body.command)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        return refusal("command/bad", str(error))
    return _decide(draft, seat, command)


def _decide(draft: RoomDraft, seat: Seat, command: Any) -> Rejected | None:
    assert draft.game is not None
    try:
        events = draft.game.decide(draft.play, seat, command)
        if type(events) is Rejected:
            # The commit encodes the refusal along with the results of all other rooms of the partition. A game's text
            # that cannot be encoded has to fail here, where it costs this command alone.
            _encode(events)
            return events
    except Exception:
        log.exception("room %s: decide failed on %r", draft.state.room, command)
        return refusal("internal")
    draft.add_of_game(events)
    return None


def play_for(draft: RoomDraft, seat: Seat, reason: str) -> None:
    """Make the move of a bot, or of a player who did not move in time."""
    dice = Dice(draft.state.seed, "bot", draft.state.offset, seat)
    command = default_bot(draft.known_game, draft.play, seat, dice)
    draft.add(Played(seat, reason))
    refused = _decide(draft, seat, command)
    if refused is not None:
        draft.events = draft.events[:-1]
        log.error("room %s: the bot's %r was refused: %s", draft.state.room, command, refused.code)


def play_for_all(draft: RoomDraft, reason: str) -> None:
    """Make the moves of all players whose turn it was. A move can end the turn of the next one."""
    for seat in draft.whose_turn():
        if not draft.state.seats[seat].bot and seat in draft.whose_turn():
            play_for(draft, seat, reason)


def say(draft: RoomDraft, seat: Seat, body: Say, most_bytes: int) -> Rejected | None:
    """Chat, to all or to one player. `most_bytes` is the share of the journal that chat may take."""
    state = draft.state
    if not body.text.strip() or len(body.text) > MOST_TEXT or _CONTROL.search(body.text):
        return refusal("room/bad_text")
    if state.status == RoomStatus.CLOSED:
        return refusal("room/closed")
    if state.said_bytes >= most_bytes:
        return refusal("room/chat_full")
    to: Seat | None = None
    if body.to is not None:
        to = state.seat_named(body.to)
        if to is None or to == seat or not state.seats[to].here:
            return refusal("room/nobody")
    draft.add(Said(seat, state.seats[seat].name, body.text, to))
    return None


def rematch(draft: RoomDraft, body: Rematch) -> Rejected | None:
    """Agree on the room of the next game; the first proposal holds."""
    if draft.state.status != RoomStatus.FINISHED:
        return refusal("room/not_finished")
    if draft.state.rematch is None:
        draft.add(Rematched(body.room, body.key if draft.state.spec.private else ""))
    return None
