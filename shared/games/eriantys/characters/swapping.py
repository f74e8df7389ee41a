"""Characters that swap students of the entrance, one by one or all at once."""

from shared.errors import Rejected
from shared.games.eriantys.cards import CARDS
from shared.games.eriantys.changes import card_of
from shared.games.eriantys.characters.base import AnyChoice, Effect
from shared.games.eriantys.commands import Exchange, SwapWithCard, SwapWithHall
from shared.games.eriantys.dining_rooms import check_professor, student_arrived
from shared.games.eriantys.events import CardSwapped, ChoiceMade, HallSwapped
from shared.games.eriantys.pieces import INDEX, ROW, Color, Counts, counts, holds, listed, together, without
from shared.games.eriantys.refusals import refused
from shared.games.eriantys.state import StepDraft
from shared.games.eriantys.views import View
from shared.ids import Seat


def pairs(exchange: Exchange) -> tuple[tuple[Color, Color], ...]:
    """The swaps that change anything, as (leaves the entrance, comes to it), in the order of colors."""
    common = counts(map(min, exchange.given, exchange.taken))
    leaving, coming = without(exchange.given, common), without(exchange.taken, common)
    return tuple(zip(listed(leaving), listed(coming), strict=True))


def not_there(view: View, seat: Seat, source: Counts, exchange: Exchange) -> Rejected | None:
    """All students of an exchange must be there before its first swap."""
    if min(*exchange.given, *exchange.taken) < 0:
        return refused("eriantys/bad_arguments")
    if holds(view.players[seat].entrance, exchange.given) and holds(source, exchange.taken):
        return None
    return refused("eriantys/no_student")


def wrong_count(number: int, exchange: Exchange) -> Rejected | None:
    given, taken = sum(exchange.given), sum(exchange.taken)
    return None if given == taken and 1 <= given <= CARDS[number].choices else refused("eriantys/swap_count")


class Jester(Effect):
    """Swaps with the students on the card."""

    def refusal(self, view: View, seat: Seat, choice: AnyChoice) -> Rejected | None:
        on_card = card_of(view, 7).students
        match choice:
            case SwapWithCard(card=card, entrance=entrance):
                there = on_card[INDEX[card]] and view.players[seat].entrance[INDEX[entrance]]
                return None if there else refused("eriantys/no_student")
            case Exchange():
                return wrong_count(7, choice) or not_there(view, seat, on_card, choice)
            case _:
                return refused("eriantys/no_choice")

    def use(self, draft: StepDraft, seat: Seat, choice: AnyChoice) -> None:
        draft.emit(ChoiceMade(seat, 7))
        match choice:
            case SwapWithCard(card=card, entrance=entrance) if card is not entrance:
                draft.emit(CardSwapped(seat, 7, card, entrance))
            case Exchange():
                for entrance, card in pairs(choice):
                    draft.emit(CardSwapped(seat, 7, card, entrance))


class Minstrel(Effect):
    """Swaps with the own dining room."""

    def refusal(self, view: View, seat: Seat, choice: AnyChoice) -> Rejected | None:
        player = view.players[seat]
        match choice:
            case SwapWithHall(entrance=entrance, hall=hall):
                if entrance is not hall and player.hall[INDEX[entrance]] == ROW:
                    return refused("eriantys/row_full")
                there = player.entrance[INDEX[entrance]] and player.hall[INDEX[hall]]
                return None if there else refused("eriantys/no_student")
            case Exchange(given=given, taken=taken):
                if wrong := wrong_count(10, choice) or not_there(view, seat, player.hall, choice):
                    return wrong
                full = max(together(without(player.hall, taken), given)) > ROW
                return refused("eriantys/row_full") if full else None
            case _:
                return refused("eriantys/no_choice")

    def use(self, draft: StepDraft, seat: Seat, choice: AnyChoice) -> None:
        draft.emit(ChoiceMade(seat, 10))
        match choice:
            case SwapWithHall(entrance=entrance, hall=hall) if entrance is not hall:
                self._swap(draft, seat, entrance, hall)
            case Exchange():
                for entrance, hall in pairs(choice):
                    self._swap(draft, seat, entrance, hall)

    def _swap(self, draft: StepDraft, seat: Seat, entrance: Color, hall: Color) -> None:
        draft.emit(HallSwapped(seat, entrance, hall))
        student_arrived(draft, seat, entrance)
        check_professor(draft, hall)
