"""What a client is told of each thing that happens at its table, in the order of the protocol document."""

from collections.abc import Iterator

from gateway.dialects.codex import cards
from gateway.dialects.codex.messages import (
    AvailableColorMessage,
    ChangeStateMessage,
    ChoiceObjectiveMessage,
    CommonObjectiveMessage,
    CrashedPlayerMessage,
    CurrentPlayerMessage,
    ErrorMessage,
    FinalColorsMessage,
    FirstHandMessage,
    GroupChatMessage,
    JoinedPlayerMessage,
    LastRoundMessage,
    NotifyCommonTableMessage,
    NotifyNumPlayersReachedMessage,
    PersonalCardsMessage,
    PlayerBoardMessage,
    PrivateChatMessage,
    Rank,
    RejoinedPlayerMessage,
    ServerMessage,
    StartingCommonMessage,
    TurnOrderMessage,
    UpdatePointsMessage,
    WinnersMessage,
)
from gateway.dialects.codex.table import Table
from shared.games.codex.events import (
    CardDrawn,
    CardPlaced,
    Dealt,
    Event,
    GameEnded,
    LastRoundBegan,
    ObjectiveChosen,
    ObjectivesScored,
    PhaseBegan,
    PlaceChanged,
    StartingPlaced,
    TurnBegan,
)
from shared.games.codex.pieces import CENTRE, Phase, Standing
from shared.games.codex.views import fold
from shared.ids import Seat
from shared.room_events import Away, Back, BaseRoomEvent, Closed, Joined, Left, RoomEvent, Said, Started


def follow(table: Table, event: RoomEvent | Event) -> Iterator[ServerMessage]:
    """Bring the table up to date with an event and tell the client of it."""
    if isinstance(event, BaseRoomEvent):
        yield from _room(table, event)
    else:
        table.view = fold(table.view, event)
        yield from _game(table, event)


def missing(table: Table) -> Iterator[ServerMessage]:
    """Who is away without the client knowing: whoever was lost while the table waited, once it plays."""
    if table.playing:
        yield from (_crashed(table, seat) for seat in sorted(table.away - table.announced))


def _room(table: Table, event: BaseRoomEvent) -> Iterator[ServerMessage]:
    match event:
        case Joined(seat=seat, name=name):
            table.names[seat] = name
            table.away.discard(seat)
            yield JoinedPlayerMessage(name)
        case Started():
            table.playing = True
            yield NotifyNumPlayersReachedMessage()
        case Away(seat=seat) if seat != table.me:
            table.away.add(seat)
            if table.playing:
                yield _crashed(table, seat)
        case Back(seat=seat) if seat != table.me:
            table.away.discard(seat)
            table.announced.discard(seat)
            yield RejoinedPlayerMessage(table.names[seat])
        case Left(seat=seat, name=name):
            yield from _left(table, seat, name)
        case Said(name=sender, text=text, to=to):
            if to is None:
                yield GroupChatMessage(sender, text)
            else:
                yield PrivateChatMessage(sender, table.names[to], text)
        case Closed(reason=reason):
            table.closed = True
            yield ErrorMessage(f"the table was closed: {reason}")


def _left(table: Table, seat: Seat, name: str) -> Iterator[ServerMessage]:
    """A seat was given up: for good, or, while the table waits, to whoever comes next."""
    if seat == table.me:
        table.closed = True
        yield ErrorMessage("your seat was given up")
    elif table.playing:
        table.away.add(seat)
        yield from missing(table)
    else:
        table.away.discard(seat)
        table.names.pop(seat, None)
        yield CrashedPlayerMessage(name)


def _crashed(table: Table, seat: Seat) -> ServerMessage:
    table.announced.add(seat)
    return CrashedPlayerMessage(table.names[seat])


def _game(table: Table, event: Event) -> Iterator[ServerMessage]:
    match event:
        case TurnBegan(seat=seat):
            yield CurrentPlayerMessage(table.names[seat])
            if table.picks_color():
                yield AvailableColorMessage(table.free_colors())
        case PhaseBegan(phase=phase):
            if phase is Phase.OBJECTIVE:
                yield FinalColorsMessage({table.names[seat]: table.color(seat) or "" for seat in table.game.order})
            yield ChangeStateMessage(phase.upper())
        case CardPlaced():
            player = table.names[event.seat]
            yield PlayerBoardMessage(player, cards.placed(event.card, event.face), event.i, event.j)
            yield UpdatePointsMessage(player, event.points)
        case CardDrawn(seat=seat):
            if seat == table.me:
                yield PersonalCardsMessage(table.names[seat], [cards.card(card) for card in table.own.hand])
        case PlaceChanged(place=place, card=card):
            yield NotifyCommonTableMessage(cards.place(card), place)
        case StartingPlaced(seat=seat, card=number, face=face):
            yield PlayerBoardMessage(table.names[seat], cards.placed(number, face), CENTRE, CENTRE)
        case ObjectiveChosen(seat=seat, objective=objective):
            if objective is not None:
                yield ChoiceObjectiveMessage(table.names[seat], cards.objective(objective))
        case LastRoundBegan():
            yield LastRoundMessage()
        case ObjectivesScored(seat=seat, points=points):
            yield UpdatePointsMessage(table.names[seat], points)
        case Dealt():
            yield from _dealt(table, event)
        case GameEnded(winners=winners, standings=standings):
            ranks = [_rank(table, row) for row in standings]
            yield WinnersMessage([_rank(table, row) for row in standings if row.seat in winners], ranks)


def _dealt(table: Table, event: Dealt) -> Iterator[ServerMessage]:
    yield ChangeStateMessage(Phase.STARTING.upper())
    yield StartingCommonMessage([cards.place(place) for place in event.places])
    yield CommonObjectiveMessage(*(cards.objective(common) for common in event.common))
    own = event.own[table.me]
    first, second, third = (cards.card(card) for card in own.hand)
    o1, o2 = (cards.objective(card) for card in own.offered)
    assert own.starting is not None, "everybody is dealt a starting card"
    yield FirstHandMessage(first, second, third, cards.card(own.starting), o1, o2)
    yield TurnOrderMessage([table.names[seat] for seat in event.order])


def _rank(table: Table, row: Standing) -> Rank:
    return Rank(table.names[row.seat], row.points, row.objective_points, table.color(row.seat))
