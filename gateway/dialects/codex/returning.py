"""All that somebody who comes back to a table is told at once."""

from collections.abc import Iterable

from msgspec import UNSET

from gateway.dialects.codex import cards
from gateway.dialects.codex.messages import BoardCard, Picture, Text, UpdateCrashedPlayerMessage
from gateway.dialects.codex.table import Table
from shared.games.codex.pieces import PLACES
from shared.room_events import Said


def whole_state(table: Table, chat: Iterable[Said]) -> UpdateCrashedPlayerMessage:
    game, own = table.game, table.own
    order = game.order or tuple(sorted(table.names))
    players = [table.names[seat] for seat in order]
    return UpdateCrashedPlayerMessage(
        nickname=table.names[table.me],
        chat=[Text(said.name, None if said.to is None else table.names.get(said.to, ""), said.text) for said in chat],
        gameState=table.state,
        hand=[cards.card(card) for card in own.hand],
        objectiveCard=None if own.objective is None else cards.objective(own.objective),
        boards={
            table.names[seat]: [
                BoardCard(cards.placed(placed.card, placed.face), placed.i, placed.j)
                for placed in table.player(seat).area
            ]
            for seat in order
        },
        points={table.names[seat]: table.player(seat).points for seat in order},
        players=players,
        objectiveCards=[cards.objective(card) for card in game.common],
        color=table.color(table.me),
        table=[cards.place(place) for place in game.places or (None,) * PLACES],
        colors=[table.color(seat) for seat in order],
        currentPlayer=None if game.current is None else table.names[game.current],
        lastRound=game.last_round,
        crashed=[table.names[seat] for seat in order if seat in table.away],
        startingCard=_starting_card(table) if own.offered else UNSET,
        objectiveChoices=[cards.objective(card) for card in own.offered] if own.offered else UNSET,
    )


def _starting_card(table: Table) -> Picture:
    """As long as there is something to choose, the card to be placed, or the one that was."""
    number = table.own.starting or table.player(table.me).area[0].card
    return cards.card(number)
