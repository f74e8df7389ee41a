"""The texts that the AM24 programs compare with their own, letter by letter. The operator supplies them in a file."""

from typing import Annotated, Final

import msgspec

NUMBERS: Final = tuple(str(number) for number in range(1, 13))
"""The keys of the descriptions of characters."""

Text = Annotated[str, msgspec.Meta(min_length=1)]


class Texts(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of the file (docs/protocols/am24-texts.schema.json). `{name}` in a text stands for a player."""

    # Messages of type InformationConnection.
    lobby_created: Text
    joined: Text
    entered: Text
    welcome_back: Text
    game_started: Text
    disconnected: Text
    reconnected: Text
    paused: Text
    continued: Text
    alone_won: Text

    # Messages of type Error, before a seat.
    nickname_used: Text
    mage_used: Text
    towers_used: Text
    lobby_full: Text
    no_lobby: Text
    bad_lobby: Text

    # Messages of type InformationGame.
    choose_assistant: Text
    move_students_three: Text
    move_students_four: Text
    move_mn: Text
    choose_cloud: Text
    character_move: Text
    other_assistant: Text
    other_students: Text
    other_mn: Text
    other_cloud: Text
    won: Text
    lost: Text
    draw: Text

    descriptions: dict[str, Text]
    """The description of each character, by its number."""

    def __post_init__(self) -> None:
        missing = [number for number in NUMBERS if number not in self.descriptions]
        if missing:
            raise ValueError(f"Object missing required field `{missing[0]}` - at `$.descriptions`")


_decode: Final = msgspec.json.Decoder(Texts).decode


def read_texts(text: str) -> Texts:
    """Raises `ValueError`, which names the first key that is missing or invalid."""
    try:
        return _decode(text)
    except msgspec.MsgspecError as error:
        raise ValueError(str(error)) from None


def about(text: str, name: str) -> str:
    """The text with the name of a player."""
    return text.replace("{name}", name)
