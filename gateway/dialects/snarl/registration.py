"""A connection from the welcome to its seat: name, login, table."""

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
from gateway.dialects.snarl.codec import decode_name, encode
from gateway.dialects.snarl.listener_options import ListenerOptions
from gateway.dialects.snarl.messages import ASK_NAME, Welcome
from gateway.dialects.snarl.settings import SnarlSettings
from gateway.dialects.snarl.url_options import UrlOptions
from shared.room_events import RoomSpec, RoomStatus

GAME = "snarl"
INFO = "Tavolata Snarl server 1.0"

_TABLE_GONE = ("room/full", "room/started", "room/closed", "room/unknown", "lobby/no_table")
"""Refusals because the matched table was filled, started or closed in the meantime: the request is made again."""
_NAME_REFUSED = ("name/bad", "name/taken")


class Registration:
    """A connection that has no seat yet."""

    def __init__(
        self,
        opening: Opening,
        settings: SnarlSettings,
        listener: ListenerOptions,
        url: UrlOptions,
        table_options: dict[str, Any],
    ) -> None:
        self._rooms = opening.rooms
        self._settings = settings
        self._listener = listener
        self._url = url
        self._table_options = table_options
        self._name = ""
        self._asks_left = settings.name_asks
        self._prompted = False
        self._prompted_ms: int | None = None
        self._postponed: Request | None = None
        """A request that the cluster was too busy for; it is made again with the next tick."""

    def open(self) -> Iterable[Output]:
        address = self._listener.info_address
        info = INFO if address is None else {"server": INFO, "ip-address": address[0], "port": address[1]}
        yield encode(Welcome(info))
        # A player who is away may return: then the name is asked for even if the named table is full.
        if self._url.table is None or self._table_has_room() or self._rooms.awaits_return(GAME):
            yield from self._ask()
        else:
            yield CloseConnection(NO_TABLE)

    def receive(self, frame: bytes) -> Iterable[Output]:
        return self._answer(decode_name(frame, unquoted=self._listener.unquoted_names) or "")

    def malformed(self) -> Iterable[Output]:
        return self._answer("")

    @property
    def prompted(self) -> bool:
        return self._prompted

    def answer(self, ref: Any, answer: Answer) -> Iterable[Output]:
        match answer:
            case LoggedIn():
                yield self._seat_request()
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
        elif self._url.table is None and code in _TABLE_GONE:
            self._postponed = self._seat_request()
        else:
            yield CloseConnection(NO_TABLE)

    def _request(self, ref: Any) -> Request:
        match ref:
            case "login":
                return LoginRequest(self._name, ref=ref)
            case "return":
                return ReturnRequest(self._name, GAME, ref=ref)
            case _:
                return self._seat_request()

    def _seat_request(self) -> Request:
        """A request for the table that the URL names, or for the oldest table that fits, or for a new one."""
        url, settings = self._url, self._settings
        if url.table is not None:
            return JoinRequest(url.table, ref="seat", key=url.key)
        spec = RoomSpec(
            GAME,
            url.players or settings.clients,
            options=self._table_options,
            wait_ms=url.wait_ms or settings.wait_ms,
            trusted=True,
        )
        return MatchRequest(GAME, seats=url.players, open=spec, ref="seat")

    def _ask(self) -> Iterable[Output]:
        self._asks_left -= 1
        self._prompted = self._asks_left >= 0
        self._prompted_ms = None
        yield ASK_NAME if self._prompted else CloseConnection(NAMELESS)

    def _answer(self, name: str) -> Iterable[Output]:
        """The first answer closes the prompt. An invalid name is claimed as the empty name, which is always refused.
        Only the refusal opens the next prompt, so frames that arrive before it find no open prompt and are dropped."""
        if self._prompted:
            self._prompted = False
            self._name = name
            yield LoginRequest(name, ref="login")

    def _table_has_room(self) -> bool:
        listing = None if self._url.table is None else self._rooms.get(self._url.table)
        if listing is None or (listing.private and not self._url.key):
            return False
        return listing.game == GAME and listing.status is RoomStatus.WAITING and listing.free > 0
