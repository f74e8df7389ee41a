"""Encoding and decoding of the messages of games and rooms."""

import msgspec
import pytest

from shared.commands import Envelope, Gone, Listed
from shared.dice import Dice
from shared.game import (
    Absent,
    DeadlinePassed,
    Game,
    Message,
    Notice,
    Outcome,
    Present,
    Table,
    Value,
    default_bot,
    open_to_all,
)
from shared.games import stones
from shared.ids import CommandId, Offset, RoomId, Seat, SessionId
from shared.room_events import Back, Joined, Opened, RoomEvent, RoomSpec, Said
from tests.support.toys import TOY


class CardPlayed(Message, frozen=True):
    card: int


class X(Message, frozen=True):
    pass


@pytest.mark.parametrize(
    ("word", "tag"), [(CardPlayed(3), "card_played"), (X(), "x"), (stones.Take(1), "take"), (Absent(Seat(1)), "absent")]
)
def test_a_word_travels_under_its_name(word: Message, tag: str) -> None:
    assert msgspec.json.decode(msgspec.json.encode(word))["type"] == tag


@pytest.mark.parametrize(
    ("event", "tag"),
    [
        (Opened(RoomSpec("stones", 2), 1), "room.opened"),
        (Joined(Seat(0), "ada"), "room.joined"),
        (Said(Seat(0), "ada", "hi"), "room.said"),
    ],
)
def test_a_room_event_travels_under_the_rooms_name(event: RoomEvent, tag: str) -> None:
    assert msgspec.json.decode(msgspec.json.encode(event))["type"] == tag


def test_defaults_are_left_out_of_messages() -> None:
    assert msgspec.json.encode(Back(Seat(1))) == b'{"type":"room.back","seat":1}'


@pytest.mark.parametrize("notice", [Absent(Seat(1), True), Present(Seat(2)), DeadlinePassed("bell")])
def test_notices_come_back_as_they_were(notice: Notice) -> None:
    assert msgspec.json.decode(msgspec.json.encode(notice), type=Notice) == notice


@pytest.mark.parametrize("body", [Gone(), Listed(RoomId(1), Offset(2), RoomSpec("stones", 2), 1, 5)])
def test_an_envelope_comes_back_as_it_was(body: Gone | Listed) -> None:
    envelope = Envelope(RoomId(1), SessionId("s"), CommandId(3), body)
    assert msgspec.json.decode(msgspec.json.encode(envelope), type=Envelope) == envelope


def test_a_room_spec_has_no_other_fields() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"game":"stones","seats":2,"colour":"red"}', type=RoomSpec)


def test_words_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        CardPlayed(3).card = 4  # type: ignore[misc]


def test_a_game_without_a_bot_draws_from_its_options() -> None:
    state = stones.evolve(stones.State(), stones.Started(5, (Seat(0), Seat(1))))
    drawn = {default_bot(stones.GAME, state, Seat(0), Dice(seed)) for seed in range(30)}
    assert drawn == set(stones.options(state, Seat(0)))


def test_games_without_secrets_show_everything() -> None:
    event = stones.Taken(Seat(0), 1)
    assert open_to_all(event, None) is event


def test_a_table_may_have_no_choices() -> None:
    assert Table(stones.Options(), (Seat(0),), (Seat(0),), 1).choices == {}


def test_an_outcome_may_have_no_winners() -> None:
    assert Outcome(()).scores == {}


def test_a_game_is_made_of_names() -> None:
    with pytest.raises(TypeError):
        Game("stones")  # type: ignore[call-arg]
    assert isinstance(TOY.empty, Value)
