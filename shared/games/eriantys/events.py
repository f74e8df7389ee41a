"""The events of the game. `on` applies an event to a view and decides nothing."""

from typing import TypeAlias

from msgspec.structs import replace

from shared.game import Message
from shared.games.eriantys import changes
from shared.games.eriantys.cards import CARDS, Ask
from shared.games.eriantys.pieces import INDEX, NO_STUDENTS, Color, Counts, Manner, Phase, plus, together, without
from shared.games.eriantys.views import Active, Group, View
from shared.ids import Seat


class Began(Message, frozen=True, tag="began"):
    """The table is set; clouds are filled by the first round."""

    view: View
    seed: int = 0
    """Redacted: only the journal holds it."""
    grace_ms: int = 3000
    alone_ms: int = 50000

    def on(self, _view: View) -> View:
        return self.view


class CloudsFilled(Message, frozen=True, tag="clouds_filled"):
    clouds: tuple[Counts, ...]
    """The students drawn for each cloud."""

    def on(self, view: View) -> View:
        bag = view.bag
        for drawn in self.clouds:
            bag = without(bag, drawn)
        filled = tuple(together(*pair) for pair in zip(view.clouds, self.clouds, strict=True))
        return replace(view, clouds=filled, bag=bag)


class LastRoundCalled(Message, frozen=True, tag="last_round_called"):
    reason: str

    def on(self, view: View) -> View:
        return replace(view, last_round=self.reason)


class PlanningBegan(Message, frozen=True, tag="planning_began"):
    round: int
    order: tuple[Seat, ...]
    dry: bool = False
    """This round has no cloud phase, because the bag could not fill the clouds."""

    def on(self, view: View) -> View:
        return replace(view, round=self.round, order=self.order, dry=self.dry, phase=Phase.PLANNING)


class ActionBegan(Message, frozen=True, tag="action_began"):
    order: tuple[Seat, ...]

    def on(self, view: View) -> View:
        return replace(view, order=self.order, phase=Phase.STUDENTS)


class TurnBegan(Message, frozen=True, tag="turn_began"):
    seat: Seat
    phase: Phase
    moves: int = 0

    def on(self, view: View) -> View:
        return replace(view, turn=self.seat, phase=self.phase, moves=self.moves, active=None)


class PhaseBegan(Message, frozen=True, tag="phase_began"):
    """The next step of the same turn."""

    phase: Phase

    def on(self, view: View) -> View:
        return replace(view, phase=self.phase)


class TurnSkipped(Message, frozen=True, tag="turn_skipped"):
    """The player stayed away; what was left of the turn is lost."""

    seat: Seat

    def on(self, view: View) -> View:
        return replace(view, active=None, moves=0)


class AssistantPlayed(Message, frozen=True, tag="assistant_played"):
    seat: Seat
    value: int

    def on(self, view: View) -> View:
        hand = tuple(value for value in view.players[self.seat].hand if value != self.value)
        return changes.with_player(view, self.seat, hand=hand, assistant=self.value)


class StudentToHall(Message, frozen=True, tag="student_to_hall"):
    seat: Seat
    colour: Color

    def on(self, view: View) -> View:
        player = view.players[self.seat]
        entrance, hall = plus(player.entrance, self.colour, -1), plus(player.hall, self.colour)
        moved = replace(view, moves=view.moves - 1)
        return changes.with_player(moved, self.seat, entrance=entrance, hall=hall)


class StudentToIsland(Message, frozen=True, tag="student_to_island"):
    seat: Seat
    colour: Color
    tile: int

    def on(self, view: View) -> View:
        entrance = plus(view.players[self.seat].entrance, self.colour, -1)
        moved = replace(view, moves=view.moves - 1)
        return changes.onto_tile(changes.with_player(moved, self.seat, entrance=entrance), self.tile, self.colour)


class CoinTaken(Message, frozen=True, tag="coin_taken"):
    """A player took one coin from the bank."""

    seat: Seat

    def on(self, view: View) -> View:
        coins = view.players[self.seat].coins + 1
        return changes.with_player(replace(view, bank=view.bank - 1), self.seat, coins=coins)


class ProfessorTaken(Message, frozen=True, tag="professor_taken"):
    colour: Color
    seat: Seat

    def on(self, view: View) -> View:
        return replace(view, professors=changes.put(view.professors, INDEX[self.colour], self.seat))


class MotherMoved(Message, frozen=True, tag="mother_moved"):
    tile: int
    """The lowest of the group where she stopped."""

    def on(self, view: View) -> View:
        return replace(view, mother=self.tile)


class NoEntryUsed(Message, frozen=True, tag="no_entry_used"):
    """The group was not resolved; a tile went back to the herbalist."""

    tile: int

    def on(self, view: View) -> View:
        return changes.no_entry(view, self.tile, -1)


class NoEntryPlaced(Message, frozen=True, tag="no_entry_placed"):
    tile: int

    def on(self, view: View) -> View:
        return changes.no_entry(view, self.tile, 1)


class TowersReturned(Message, frozen=True, tag="towers_returned"):
    """Towers went from these tiles to the board of the seat."""

    seat: Seat
    tiles: tuple[int, ...]

    def on(self, view: View) -> View:
        towers = view.players[self.seat].towers + len(self.tiles)
        return changes.with_player(changes.with_towers(view, self.tiles, None), self.seat, towers=towers)


class TowersPlaced(Message, frozen=True, tag="towers_placed"):
    seat: Seat
    tiles: tuple[int, ...]

    def on(self, view: View) -> View:
        player = view.players[self.seat]
        built = changes.with_towers(view, self.tiles, player.tower)
        return changes.with_player(built, self.seat, towers=player.towers - len(self.tiles))


class GroupsJoined(Message, frozen=True, tag="groups_joined"):
    """Positions just before it; the second one disappears and those behind it move up."""

    first: int
    second: int

    def on(self, view: View) -> View:
        one, other = view.groups[self.first], view.groups[self.second]
        joined = Group(tuple(sorted(one.tiles + other.tiles)), one.no_entry + other.no_entry)
        kept = changes.put(view.groups, self.first, joined)
        groups = kept[: self.second] + kept[self.second + 1 :]
        mother = joined.tiles[0] if view.mother in joined.tiles else view.mother
        return replace(view, groups=groups, mother=mother)


class CloudTaken(Message, frozen=True, tag="cloud_taken"):
    seat: Seat
    cloud: int

    def on(self, view: View) -> View:
        entrance = together(view.players[self.seat].entrance, view.clouds[self.cloud])
        emptied = replace(view, clouds=changes.put(view.clouds, self.cloud, NO_STUDENTS))
        return changes.with_player(emptied, self.seat, entrance=entrance)


class CharacterPlayed(Message, frozen=True, tag="character_played"):
    """Paid; of the first payment one coin stays on the card."""

    seat: Seat
    number: int
    price: int
    manner: Manner

    def on(self, view: View) -> View:
        card = CARDS[self.number]
        owing = card.asks is not Ask.NOTHING and self.manner is not Manner.WHOLE
        active = Active(self.number, self.manner, card.choices if owing else 0, owing)
        first = not changes.card_of(view, self.number).used
        paid = replace(view, active=active, bank=view.bank + self.price - first)
        coins = view.players[self.seat].coins - self.price
        return changes.with_card(changes.with_player(paid, self.seat, coins=coins), self.number, used=True)


class ChoiceMade(Message, frozen=True, tag="choice_made"):
    """The choice that the played character asks for, or one of them; what it does follows."""

    seat: Seat
    number: int
    colour: Color | None = None
    tile: int | None = None

    def on(self, view: View) -> View:
        if view.active is None:
            return view
        left = max(0, view.active.left - 1)
        return replace(view, active=replace(view.active, left=left, owed=False, colour=self.colour))


class ChoiceClosed(Message, frozen=True, tag="choice_closed"):
    """No more can be chosen: the swapping was ended, or nothing that was owed is possible any more."""

    def on(self, view: View) -> View:
        return view if view.active is None else replace(view, active=replace(view.active, left=0, owed=False))


class CardToIsland(Message, frozen=True, tag="card_to_island"):
    number: int
    colour: Color
    tile: int

    def on(self, view: View) -> View:
        return changes.onto_tile(changes.onto_card(view, self.number, self.colour, -1), self.tile, self.colour)


class CardToHall(Message, frozen=True, tag="card_to_hall"):
    seat: Seat
    number: int
    colour: Color

    def on(self, view: View) -> View:
        hall = plus(view.players[self.seat].hall, self.colour)
        return changes.with_player(changes.onto_card(view, self.number, self.colour, -1), self.seat, hall=hall)


class CardRefilled(Message, frozen=True, tag="card_refilled"):
    """A student went from the bag to the card."""

    number: int
    colour: Color

    def on(self, view: View) -> View:
        return changes.onto_card(replace(view, bag=plus(view.bag, self.colour, -1)), self.number, self.colour)


class CardSwapped(Message, frozen=True, tag="card_swapped"):
    seat: Seat
    number: int
    card: Color
    entrance: Color

    def on(self, view: View) -> View:
        entrance = plus(plus(view.players[self.seat].entrance, self.entrance, -1), self.card)
        given = changes.onto_card(view, self.number, self.entrance)
        return changes.with_player(changes.onto_card(given, self.number, self.card, -1), self.seat, entrance=entrance)


class HallSwapped(Message, frozen=True, tag="hall_swapped"):
    seat: Seat
    entrance: Color
    hall: Color

    def on(self, view: View) -> View:
        player = view.players[self.seat]
        entrance = plus(plus(player.entrance, self.entrance, -1), self.hall)
        hall = plus(plus(player.hall, self.hall, -1), self.entrance)
        return changes.with_player(view, self.seat, entrance=entrance, hall=hall)


class StudentsReturned(Message, frozen=True, tag="students_returned"):
    """Students went from the dining room to the bag."""

    seat: Seat
    colour: Color
    count: int

    def on(self, view: View) -> View:
        hall = plus(view.players[self.seat].hall, self.colour, -self.count)
        returned = replace(view, bag=plus(view.bag, self.colour, self.count))
        return changes.with_player(returned, self.seat, hall=hall)


class PlayerLost(Message, frozen=True, tag="player_lost"):
    seat: Seat

    def on(self, view: View) -> View:
        return replace(view, away=tuple(sorted((*view.away, self.seat))))


class PlayerBack(Message, frozen=True, tag="player_back"):
    seat: Seat

    def on(self, view: View) -> View:
        return replace(view, away=tuple(seat for seat in view.away if seat != self.seat))


class Paused(Message, frozen=True, tag="paused"):
    """Only one player is left; the game waits for another one."""

    def on(self, view: View) -> View:
        return replace(view, paused=True)


class Resumed(Message, frozen=True, tag="resumed"):
    def on(self, view: View) -> View:
        return replace(view, paused=False)


class Finished(Message, frozen=True, tag="finished"):
    winners: tuple[Seat, ...]
    reason: str

    def on(self, view: View) -> View:
        over = replace(view, phase=Phase.OVER, winners=self.winners, ending=self.reason)
        return replace(over, active=None, paused=False)


Event: TypeAlias = (
    Began
    | CloudsFilled
    | LastRoundCalled
    | PlanningBegan
    | ActionBegan
    | TurnBegan
    | PhaseBegan
    | TurnSkipped
    | AssistantPlayed
    | StudentToHall
    | StudentToIsland
    | CoinTaken
    | ProfessorTaken
    | MotherMoved
    | NoEntryUsed
    | NoEntryPlaced
    | TowersReturned
    | TowersPlaced
    | GroupsJoined
    | CloudTaken
    | CharacterPlayed
    | ChoiceMade
    | ChoiceClosed
    | CardToIsland
    | CardToHall
    | CardRefilled
    | CardSwapped
    | HallSwapped
    | StudentsReturned
    | PlayerLost
    | PlayerBack
    | Paused
    | Resumed
    | Finished
)


def fold(view: View, event: Event) -> View:
    """The view after an event; the same for all seats and spectators."""
    return event.on(view)
