"""The messages of the dialect `eriantys.prompts`, in both directions, and the objects in them."""

from typing import Final, TypeAlias

import msgspec

from shared.games.eriantys.pieces import Color, Mage, Phase, Tower


class Message(msgspec.Struct, frozen=True, tag_field="type", rename="camel"):
    """Base of the messages: JSON objects with a `type`, and field names in camel case."""


# --- from the client -------------------------------------------------------------------------------------------------


class GameParams(Message, frozen=True, tag="GameParams"):
    num_players: int
    expert: bool
    nickname: str
    mage: Mage
    color_t: Tower | None = None


class Join(Message, frozen=True, tag="Join"):
    nickname: str
    mage: Mage
    index: int
    color_t: Tower | None = None


class Pong(Message, frozen=True, tag="Pong"):
    pass


class Disconnect(Message, frozen=True, tag="Disconnect"):
    pass


class ChooseAssistant(Message, frozen=True, tag="ChooseAssistant"):
    index: int


class MoveToIsland(Message, frozen=True, tag="MoveToIsland"):
    color_s: Color
    index: int


class EntranceToHall(Message, frozen=True, tag="EntranceToHall"):
    color_s: Color


class MoveMN(Message, frozen=True, tag="MoveMN"):
    steps: int


class ChooseCloud(Message, frozen=True, tag="ChooseCloud"):
    index: int


class PlayCharacter(Message, frozen=True, tag="PlayCharacter"):
    c: str | int | None = None
    character: str | int | None = None
    """Another spelling of `c`; one of the two must be present."""


class ChooseIsland(Message, frozen=True, tag="ChooseIsland"):
    island_index: int


class ChooseColor(Message, frozen=True, tag="ChooseColor"):
    color: Color


class ChooseTwoColors(Message, frozen=True, tag="ChooseTwoColors"):
    first_color: Color
    second_color: Color


class SpecialMoveIsland(Message, frozen=True, tag="SpecialMoveIsland"):
    student: Color
    island_index: int


Move: TypeAlias = (
    ChooseAssistant
    | MoveToIsland
    | EntranceToHall
    | MoveMN
    | ChooseCloud
    | PlayCharacter
    | ChooseIsland
    | ChooseColor
    | ChooseTwoColors
    | SpecialMoveIsland
)
FromClient: TypeAlias = GameParams | Join | Pong | Disconnect | Move


# --- objects ---------------------------------------------------------------------------------------------------------


class Object(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Base of the parts of the virtual view."""


class Lobby(Object, frozen=True):
    nicknames: tuple[str, ...]
    num_players: int
    mages: tuple[str, ...]
    towers: tuple[str, ...]
    mode: bool
    """True for an expert game."""
    game_status: str
    """SETUP, PLAYING or PAUSE."""
    lobby_index: int


class Island(Object, frozen=True):
    students: tuple[Color, ...]
    towers: tuple[Tower, ...]
    no_entry: int
    num_sub_island: int


class Cloud(Object, frozen=True):
    students: tuple[Color, ...]


class Assistant(Object, frozen=True):
    steps: int = msgspec.field(name="MNsteps")
    turn: int


class Hand(Object, frozen=True):
    mage: Mage
    cards: tuple[Assistant, ...]


class Board(Object, frozen=True):
    entrance: tuple[Color, ...]
    towers: tuple[Tower, ...]
    hall: dict[Color, int]


class Player(Object, frozen=True):
    nickname: str
    virtual_coins: int
    virtual_hand: Hand
    virtual_board: Board
    virtual_last_assistant: Assistant | None = None
    """Omitted before the player's first assistant."""


class Character(Object, frozen=True):
    number: int
    description: str
    cost: int
    """The present price: one coin more once the card was used."""
    already_played: bool
    active: bool
    students: tuple[Color, ...] | None = None
    no_entry: int | None = None


class VirtualView(Object, frozen=True):
    virtual_world: tuple[Island, ...]
    virtual_players: tuple[Player, ...]
    virtual_clouds: tuple[Cloud, ...]
    virtual_profs: dict[Color, str | None]
    virtual_characters: tuple[Character, ...]
    virtual_coins: int
    mn_pos: int


# --- to the client ---------------------------------------------------------------------------------------------------


class Welcome(Message, frozen=True, tag="Welcome"):
    lobbies: tuple[Lobby, ...]


class Error(Message, frozen=True, tag="Error"):
    string: str
    code: str


class Ping(Message, frozen=True, tag="Ping"):
    pass


class InformationConnection(Message, frozen=True, tag="InformationConnection"):
    string: str
    lobby_index: int


class InformationGame(Message, frozen=True, tag="InformationGame"):
    string: str
    player: str
    """The player whose turn it is."""
    phase: str


class NotifyDisconnection(Message, frozen=True, tag="NotifyDisconnection"):
    string: str


class GameStart(Message, frozen=True, tag="GameStart"):
    pass


class SelectAssistant(Message, frozen=True, tag="SelectAssistant"):
    available: tuple[int, ...]


class MoveStudentRequest(Message, frozen=True, tag="MoveStudentRequest"):
    left: int


class MoveMNRequest(Message, frozen=True, tag="MoveMNRequest"):
    max_steps: int


class SelectCloud(Message, frozen=True, tag="SelectCloud"):
    available: tuple[int, ...]


class GameMustEnd(Message, frozen=True, tag="GameMustEnd"):
    reason: str


class GameEnded(Message, frozen=True, tag="GameEnded"):
    winner: str | None
    winners: tuple[str, ...]


class FullView(Message, frozen=True, tag="FullView"):
    virtual_view: VirtualView


class UpdateWorld(Message, frozen=True, tag="UpdateWorld"):
    islands: tuple[Island, ...]


class UpdateIsland(Message, frozen=True, tag="UpdateIsland"):
    island: Island
    index: int


class UpdateMN(Message, frozen=True, tag="UpdateMN"):
    index: int


class UpdatePlayer(Message, frozen=True, tag="UpdatePlayer"):
    player: Player
    index: int


class UpdateProfs(Message, frozen=True, tag="UpdateProfs"):
    profs: dict[Color, str | None]


class UpdateCoins(Message, frozen=True, tag="UpdateCoins"):
    coins: int


class CreateClouds(Message, frozen=True, tag="CreateClouds"):
    clouds: tuple[Cloud, ...]


class ReplaceCloud(Message, frozen=True, tag="ReplaceCloud"):
    cloud: Cloud
    index: int


class CreateCharacters(Message, frozen=True, tag="CreateCharacters"):
    characters: tuple[Character, ...]


class ReplaceCharacter(Message, frozen=True, tag="ReplaceCharacter"):
    character: Character
    index: int


class ReplaceCharacterStudents(Message, frozen=True, tag="ReplaceCharacterStudents"):
    virtual_character_with_students: Character
    index: int


class ReplaceCharacterWithNoEntry(Message, frozen=True, tag="ReplaceCharacterWithNoEntry"):
    character_with_no_entry: Character
    index: int


class UpdateActiveCharacter(Message, frozen=True, tag="UpdateActiveCharacter"):
    index: int
    active: bool


Changed: TypeAlias = (
    UpdateWorld
    | UpdateIsland
    | UpdateMN
    | UpdatePlayer
    | UpdateProfs
    | UpdateCoins
    | CreateClouds
    | ReplaceCloud
    | CreateCharacters
    | ReplaceCharacter
    | ReplaceCharacterStudents
    | ReplaceCharacterWithNoEntry
    | UpdateActiveCharacter
)
Prompt: TypeAlias = SelectAssistant | MoveStudentRequest | MoveMNRequest | SelectCloud
ToClient: TypeAlias = (
    Welcome
    | Error
    | Ping
    | InformationConnection
    | InformationGame
    | NotifyDisconnection
    | GameStart
    | Prompt
    | GameMustEnd
    | GameEnded
    | FullView
    | Changed
)

PHASES: Final[dict[Phase, str]] = {
    Phase.PLANNING: "PLANNING",
    Phase.STUDENTS: "MOVE_STUDENTS",
    Phase.MOTHER: "MOVE_MN",
    Phase.CLOUD: "CHOOSE_CLOUD",
    Phase.CHARACTER: "CHARACTER_ACTION",
    Phase.OVER: "GAME_WON",
}
