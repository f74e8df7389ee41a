"""Messages to the client: those for each event, in the order of the protocol document, and the state after a return."""

from collections.abc import Iterable, Iterator

from msgspec import UNSET

from gateway.dialects.codex import cards
from gateway.dialects.codex.messages import (
    AvailableColorMessage,
    BoardCard,
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
    Picture,
    PlayerBoardMessage,
    PrivateChatMessage,
    Rank,
    RejoinedPlayerMessage,
    ServerMessage,
    StartingCommonMessage,
    Text,
    TurnOrderMessage,
    UpdateCrashedPlayerMessage,
    UpdatePointsMessage,
    WinnersMessage,
)
from gateway.dialects.codex.table import Table
from gateway.transports.close_codes import REMOVED
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
from shared.games.codex.pieces import CENTRE, PLACES, Phase, Standing
from shared.games.codex.views import fold
from shared.ids import Seat
from shared.room_events import Away, Back, BaseRoomEvent, Closed, Joined, Left, RoomEvent, Said, Started
from shared.room_follower import follow


def render_step(table: Table, events: list[RoomEvent | Event]) -> Iterator[ServerMessage]:
    """The messages for the events of a step. The table follows each event before its messages are made."""
    for event in events:
        if isinstance(event, BaseRoomEvent):
            follow(table.room, event)
            yield from _room_event(table, event)
        else:
            table.view = fold(table.view, event)
            yield from _game_event(table, event)
    yield from _unannounced(table)


def _unannounced(table: Table) -> Iterator[ServerMessage]:
    """A crash while the table waits is announced only once the game has started."""
    if table.started:
        yield from (_crashed(table, seat) for seat in sorted(table.away - table.announced))


def _room_event(table: Table, event: RoomEvent) -> Iterator[ServerMessage]:
    match event:
        case Joined(name=name):
            yield JoinedPlayerMessage(name)
        case Started():
            yield NotifyNumPlayersReachedMessage()
        case Away(seat=seat) if seat != table.me:
            if table.started:
                yield _crashed(table, seat)
        case Back(seat=seat) if seat != table.me:
            table.announced.discard(seat)
            yield RejoinedPlayerMessage(table.name(seat))
        case Left(seat=seat, name=name, reason=reason):
            yield from _left(table, seat, name, reason)
        case Said(name=sender, text=text, to=to):
            if to is None:
                yield GroupChatMessage(sender, text)
            else:
                yield PrivateChatMessage(sender, table.name(to), text)
        case Closed(reason=reason):
            table.closed = True
            yield ErrorMessage(f"the table was closed: {'by an operator' if reason == 'operator' else reason}")


def _left(table: Table, seat: Seat, name: str, reason: str) -> Iterator[ServerMessage]:
    """A seat was given up: during the game for good; while the table waits, it is free for the next player."""
    if seat == table.me:
        table.closed = True
        yield ErrorMessage(REMOVED.reason if reason == "removed" else "your seat was given up")
    elif table.started:
        yield from _unannounced(table)
    else:
        yield CrashedPlayerMessage(name)


def _crashed(table: Table, seat: Seat) -> ServerMessage:
    table.announced.add(seat)
    return CrashedPlayerMessage(table.name(seat))


def _game_event(table: Table, event: Event) -> Iterator[ServerMessage]:
    match event:
        case TurnBegan(seat=seat):
            yield CurrentPlayerMessage(table.name(seat))
            if table.picks_color():
                yield AvailableColorMessage(table.free_colors())
        case PhaseBegan(phase=phase):
            if phase is Phase.OBJECTIVE:
                yield FinalColorsMessage({table.name(seat): table.color(seat) or "" for seat in table.game.order})
            yield ChangeStateMessage(phase.upper())
        case CardPlaced():
            player = table.name(event.seat)
            yield PlayerBoardMessage(player, cards.placed(event.card, event.face), event.i, event.j)
            yield UpdatePointsMessage(player, event.points)
        case CardDrawn(seat=seat):
            if seat == table.me:
                yield PersonalCardsMessage(table.name(seat), [cards.card(card) for card in table.own.hand])
        case PlaceChanged(place=place, card=card):
            yield NotifyCommonTableMessage(cards.place(card), place)
        case StartingPlaced(seat=seat, card=number, face=face):
            yield PlayerBoardMessage(table.name(seat), cards.placed(number, face), CENTRE, CENTRE)
        case ObjectiveChosen(seat=seat, objective=objective):
            if objective is not None:
                yield ChoiceObjectiveMessage(table.name(seat), cards.objective(objective))
        case LastRoundBegan():
            yield LastRoundMessage()
        case ObjectivesScored(seat=seat, points=points):
            yield UpdatePointsMessage(table.name(seat), points)
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
    assert own.starting is not None, "every seat is dealt a starting card"
    yield FirstHandMessage(first, second, third, cards.card(own.starting), o1, o2)
    yield TurnOrderMessage([table.name(seat) for seat in event.order])


def _rank(table: Table, row: Standing) -> Rank:
    return Rank(table.name(row.seat), row.points, row.objective_points, table.color(row.seat))


# --- the state after a return ----------------------------------------------------------------------------------------


def full_state(table: Table, chat: Iterable[Said]) -> UpdateCrashedPlayerMessage:
    """The one message from which a player who returns learns everything."""
    game, own = table.game, table.own
    order = game.order or tuple(table.room.seats)
    boards = {table.name(seat): _board(table, seat) for seat in order}
    away = table.away
    return UpdateCrashedPlayerMessage(
        nickname=table.name(table.me),
        chat=[_text(table, said) for said in chat],
        gameState=table.state,
        hand=[cards.card(card) for card in own.hand],
        objectiveCard=None if own.objective is None else cards.objective(own.objective),
        boards=boards,
        points={table.name(seat): table.player(seat).points for seat in order},
        players=list(boards),
        objectiveCards=[cards.objective(card) for card in game.common],
        color=table.color(table.me),
        table=[cards.place(place) for place in game.places or (None,) * PLACES],
        colors=[table.color(seat) for seat in order],
        currentPlayer=None if game.current is None else table.name(game.current),
        lastRound=game.last_round,
        crashed=[table.name(seat) for seat in order if seat in away],
        startingCard=_starting_card(table) if own.offered else UNSET,
        objectiveChoices=[cards.objective(card) for card in own.offered] if own.offered else UNSET,
    )


def _board(table: Table, seat: Seat) -> list[BoardCard]:
    area = table.player(seat).area
    return [BoardCard(cards.placed(placed.card, placed.face), placed.i, placed.j) for placed in area]


def _text(table: Table, said: Said) -> Text:
    """A chat message. The recipient's seat may have been given up since; then the name is empty."""
    if said.to is None:
        return Text(said.name, None, said.text)
    return Text(said.name, table.name(said.to) if said.to in table.room.seats else "", said.text)


def _starting_card(table: Table) -> Picture:
    """The starting card, placed or not. It is shown as long as the player has to choose an objective."""
    number = table.own.starting or table.player(table.me).area[0].card
    return cards.card(number)
