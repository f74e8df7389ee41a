"""Who sits in a room and at which gateway each one is connected, read off its journal."""

from dataclasses import dataclass, field

import msgspec

from shared.bus.journal import Attached, Detached, Record
from shared.ids import GatewayId, Seat


@dataclass(slots=True)
class Sitting:
    seat: Seat
    name: str
    bot: bool = False
    here: bool = False
    left: bool = False
    gateway: str = ""
    connection: int = 0


class _Event(msgspec.Struct):
    """As much of any event as matters here."""

    type: str
    seat: Seat | None = None
    name: str = ""
    bot: bool = False


_decode = msgspec.json.Decoder(list[msgspec.Raw]).decode
_decode_kind = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_event = msgspec.json.Decoder(_Event).decode
_SEATING = (b'"room.joined"', b'"room.left"', b'"room.away"', b'"room.back"')


@dataclass(slots=True)
class Whereabouts:
    seats: dict[Seat, Sitting] = field(default_factory=dict)
    audience: dict[GatewayId, None] = field(default_factory=dict)
    """Gateways with spectators."""

    def follow(self, record: Record) -> None:
        for raw in _decode(record.events):
            if bytes(_decode_kind(raw)["type"]) in _SEATING:
                self._moved(_decode_event(raw))
        for note in record.notes:
            match note:
                case Attached(gateway=gateway, seat=None):
                    self.audience[gateway] = None
                case Attached(gateway=gateway, conn=connection, seat=seat) if seat in self.seats:
                    sitting = self.seats[seat]
                    sitting.here, sitting.gateway, sitting.connection = True, gateway, connection
                case Detached(gateway=gateway):
                    self.audience.pop(gateway, None)
                case _:
                    pass

    def _moved(self, event: _Event) -> None:
        if event.seat is None:
            return
        match event.type:
            case "room.joined":
                self.seats[event.seat] = Sitting(event.seat, event.name, event.bot, here=event.bot)
            case "room.left":
                self.seats[event.seat].left, self.seats[event.seat].here = True, False
            case "room.away":
                self.seats[event.seat].here = False
            case "room.back":
                self.seats[event.seat].here = True
