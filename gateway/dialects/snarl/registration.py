"""From the connection to the seat: welcome, name, table."""

from collections.abc import Iterable
from typing import Any

from gateway.dialects.answers import Answer, LoggedIn, Refused
from gateway.dialects.contract import Opening
from gateway.dialects.requests import (
    CloseConnection,
    JoinRequest,
    LoginRequest,
    LogoutRequest,
    MatchRequest,
    Output,
    Request,
    ReturnRequest,
)
from gateway.dialects.snarl.close_codes import NAMELESS, NO_NAME_IN_TIME, NO_TABLE
from gateway.dialects.snarl.listener_options import Compat
from gateway.dialects.snarl.messages import ASK_NAME, Welcome, read_name, say
from gateway.dialects.snarl.settings import SnarlSettings
from gateway.dialects.snarl.url_options import Wishes
from shared.room_events import RoomSpec

GAME = "snarl"
INFO = "Tavolata Snarl server 1.0"

_TURNED_AWAY = ("room/full", "room/started", "room/closed", "room/unknown", "lobby/no_table")
"""A table that was matched was gone in the meantime: there is another one."""
_NAME_REFUSED = ("name/bad", "name/taken")


class Registration:
    """A connection that has no seat yet."""

    def __init__(
        self, opening: Opening, settings: SnarlSettings, compat: Compat, wishes: Wishes, table_options: dict[str, Any]
    ) -> None:
        self._rooms = opening.rooms
        self._settings = settings
        self._compat = compat
        self._wishes = wishes
        self._table_options = table_options
        self._name = ""
        self._asks_left = settings.name_asks
        self._prompted = False
        self._prompted_ms: int | None = None
        self._postponed: Request | None = None

    def open(self) -> Iterable[Output]:
        address = self._compat.info_address
        info = INFO if address is None else {"server": INFO, "ip-address": address[0], "port": address[1]}
        yield say(Welcome(info))
        if self._wishes.table is None or self._table_waits() or self._somebody_is_gone():
            yield from self._ask()
        else:
            yield CloseConnection(NO_TABLE)

    def receive(self, frame: bytes) -> Iterable[Output]:
        return self._answer(read_name(frame, unquoted=self._compat.unquoted_names) or "")

    def malformed(self) -> Iterable[Output]:
        return self._answer("")

    @property
    def prompted(self) -> bool:
        return self._prompted

    def answer(self, ref: Any, answer: Answer) -> Iterable[Output]:
        match answer:
            case LoggedIn():
                yield self._seating()
            case Refused(code=code) if code.startswith("busy/"):
                self._postponed = self._request(ref)
            case Refused(code=code):
                yield from self._refused(ref, code)

    def tick(self, now_ms: int) -> Iterable[Output]:
        if self._postponed is not None:
            request, self._postponed = self._postponed, None
            yield request
        if not self._prompted:
            return
        if self._prompted_ms is None:
            self._prompted_ms = now_ms
        elif now_ms - self._prompted_ms >= self._settings.wait_ms:
            self._prompted = False
            yield CloseConnection(NO_NAME_IN_TIME)

    def _refused(self, ref: Any, code: str) -> Iterable[Output]:
        if ref == "login" and code == "name/taken":
            yield ReturnRequest(self._name, GAME, ref="return")
        elif ref in ("login", "return"):
            yield from self._ask()
        elif code in _NAME_REFUSED:
            yield LogoutRequest()
            yield from self._ask()
        elif self._wishes.table is None and code in _TURNED_AWAY:
            self._postponed = self._seating()
        else:
            yield CloseConnection(NO_TABLE)

    def _request(self, ref: Any) -> Request:
        match ref:
            case "login":
                return LoginRequest(self._name, ref=ref)
            case "return":
                return ReturnRequest(self._name, GAME, ref=ref)
            case _:
                return self._seating()

    def _seating(self) -> Request:
        """The table that the URL names, or the oldest one that fits it, or a new one."""
        wishes, settings = self._wishes, self._settings
        if wishes.table is not None:
            return JoinRequest(wishes.table, ref="seat")
        spec = RoomSpec(
            GAME,
            wishes.players or settings.clients,
            options=self._table_options,
            wait_ms=wishes.wait_ms or settings.wait_ms,
        )
        return MatchRequest(GAME, seats=wishes.players, open=spec, ref="seat")

    def _ask(self) -> Iterable[Output]:
        self._asks_left -= 1
        self._prompted = self._asks_left >= 0
        self._prompted_ms = None
        yield ASK_NAME if self._prompted else CloseConnection(NAMELESS)

    def _answer(self, name: str) -> Iterable[Output]:
        """The first answer closes the prompt. A name that cannot be used is claimed as the empty one, which is refused
        in its turn, so that whatever comes before the refusal comes while no prompt is open."""
        if self._prompted:
            self._prompted = False
            self._name = name
            yield LoginRequest(name, ref="login")

    def _table_waits(self) -> bool:
        listing = None if self._wishes.table is None else self._rooms.get(self._wishes.table)
        return listing is not None and listing.game == GAME and listing.status == "waiting" and listing.free > 0

    def _somebody_is_gone(self) -> bool:
        """Then this may be a player who comes back; the table does not matter for that."""
        return any(listing.gone for listing in self._rooms.listed(GAME) if listing.status == "playing")
