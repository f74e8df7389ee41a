"""Reading level files, and every way in which a level can be invalid."""

import sys
from types import FrameType
from typing import Any

import msgspec
import pytest

from shared.games.snarl.boards import draw
from shared.games.snarl.level_checks import check_level, check_levels
from shared.games.snarl.levels import Level, LevelError, read_levels, write_levels
from shared.games.snarl.setup import Options, TrustedOptions
from shared.games.snarl.shipped_levels import SHIPPED_LEVELS
from tests.support.snarl_stage import HALL, WORKED


def plain() -> dict[str, Any]:
    """The two-room level as plain JSON, to be spoiled."""
    value: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(WORKED))
    return value


def text_of(*levels: Any, count: Any = None) -> str:
    written = [msgspec.json.encode(level).decode() for level in levels]
    return "\n\n".join([str(len(levels) if count is None else count), *written])


def test_levels_are_a_number_and_so_many_objects() -> None:
    assert read_levels(text_of(plain(), plain())) == (WORKED, WORKED)


def test_white_space_and_the_order_of_members_carry_no_meaning() -> None:
    turned = dict(reversed(plain().items()))
    pretty = msgspec.json.format(msgspec.json.encode(turned), indent=3).decode()
    assert read_levels(f" \n\t1{pretty}\r\n\n") == (WORKED,)


def test_waypoints_may_be_left_out() -> None:
    level = plain()
    level["rooms"] = level["rooms"][:1]
    level["hallways"] = []
    assert read_levels(text_of(level))[0].hallways == ()


def test_written_levels_can_be_read_and_have_one_empty_line_between_them() -> None:
    text = write_levels(SHIPPED_LEVELS)
    assert read_levels(text) == SHIPPED_LEVELS
    assert [len(block.splitlines()) for block in text.split("\n\n")] == [1, 1, 1, 1]


def test_the_shipped_levels_are_playable() -> None:
    check_levels(SHIPPED_LEVELS)


def test_a_level_is_drawn_with_walls_floor_hallways_doors_and_void() -> None:
    assert draw(WORKED).rows == (
        "             ",
        "             ",
        "  #####      ",
        "  #...#      ",
        "  #...+::::  ",
        "  #...#   :  ",
        "  #####   :  ",
        "          :  ",
        "        ##+##",
        "        #...#",
        "        #...#",
        "        #...#",
        "        #####",
    )


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ("two", "line 1, column 1: no JSON"),
        ('1 {"type": "level", ', "no JSON"),
        ("0", "number of levels"),
        ("-1", "number of levels"),
        ("true", "number of levels"),
        ("1.0 {}", "number of levels"),
        ('"1" {}', "number of levels"),
        ("101", "number of levels"),
        ("1", "says it has 1 levels, but 0 follow"),
        (text_of(plain(), count=2), "says it has 2 levels, but 1 follow"),
        (text_of(plain(), plain(), count=1), "says it has 1 levels, but 2 follow"),
        ("1 [1]", "level 1: Expected `object`"),
        (text_of(plain(), {"type": "dungeon"}), "level 2: Invalid value 'dungeon'"),
        (text_of({"type": "level", "rooms": [], "hallways": []}), "level 1: Object missing required field `objects`"),
        ("1 " + "[" * 100_000, "cannot be read"),
    ],
)
def test_text_without_levels_is_refused_in_words(text: str, complaint: str) -> None:
    with pytest.raises(LevelError) as refused:
        read_levels(text)
    assert complaint in str(refused.value)


GONE = object()
"""In the place of a value: the member is taken away."""

SPOILT: dict[str, tuple[str, dict[str, Any]]] = {
    "origin is no point": ("$.rooms[0].origin", {"rooms.0.origin": [1]}),
    "origin of strings": ("$.rooms[0].origin[0]", {"rooms.0.origin": ["2", 2]}),
    "origin of floats": ("$.rooms[0].origin[0]", {"rooms.0.origin": [2.0, 2]}),
    "room of another type": ("$.rooms[0].type", {"rooms.0.type": "hall"}),
    "no bounds": ("missing required field `bounds`", {"rooms.0.bounds": GONE}),
    "unknown object": ("$.objects[0].type", {"objects.0.type": "lamp"}),
    "hallway without an end": ("missing required field `to`", {"hallways.0.to": GONE}),
    "tile that is no number": ("$.rooms[0].layout[0][0]", {"rooms.0.layout.0.0": "#"}),
    "no rooms": ("there are no rooms", {"rooms": []}),
    "negative origin": ("room 1 at [-1, 2]: the origin is negative", {"rooms.0.origin": [-1, 2]}),
    "no size": ("the bounds are not positive", {"rooms.0.bounds.rows": 0, "rooms.0.layout": []}),
    "too far away": ("beyond row or column 249", {"rooms.0.origin": [246, 2]}),
    "too many rows in bounds": ("the bounds say 6 rows, the layout has 5", {"rooms.0.bounds.rows": 6}),
    "too few columns in bounds": ("say 4 columns, row 0 of the layout has 5", {"rooms.0.bounds.columns": 4}),
    "ragged layout": ("row 2 of the layout has 6", {"rooms.0.layout.2": [0, 1, 1, 1, 2, 0]}),
    "unknown tile": ("the tile at [3, 3] is 3", {"rooms.0.layout.1.1": 3}),
    "inner door": ("the door at [3, 3] is not on the boundary", {"rooms.0.layout.1.1": 2}),
    "open boundary": ("the boundary is open at [2, 3]", {"rooms.0.layout.0.1": 1}),
    "overlapping rooms": ("rooms 1 and 2 overlap", {"rooms.1.origin": [6, 6]}),
    "hallway from nowhere": ("there is no door at [4, 7]", {"hallways.0.from": [4, 7]}),
    "hallway to a wall": ("there is no door at [8, 9]", {"hallways.0.to": [8, 9]}),
    "hallway to itself": ("both ends are doors of the same room", {"hallways.0.to": [4, 6]}),
    "diagonal hallway": ("[4, 6] and [8, 10] share neither row nor column", {"hallways.0.waypoints": []}),
    "hallway out of the level": ("waypoint [-1, 6] is outside", {"hallways.0.waypoints": [[-1, 6], [-1, 10]]}),
    "hallway through a room": ("through room 1 at [4, 5]", {"hallways.0.waypoints": [[4, 0], [7, 0], [7, 10]]}),
    "hallway over itself": ("crosses itself at [4, 11]", {"hallways.0.waypoints": [[4, 12], [4, 10]]}),
    "endless hallway": ("longer than 1000 tiles", {"hallways.0.waypoints": [[4, 249], [4, 7]] * 3 + [[4, 10]]}),
    "crossing hallways": ("hallways 1 and 2 cross at [4, 7]", {"hallways": plain()["hallways"] * 2}),
    "no key": ("exactly one key, not 0", {"objects": plain()["objects"][1:]}),
    "two exits": ("exactly one exit, not 2", {"objects": [*plain()["objects"], plain()["objects"][1]]}),
    "key in a wall": ("the key at [2, 2] is not on a traversable tile", {"objects.0.position": [2, 2]}),
    "exit in the void": ("the exit at [90, 90] is not on a traversable", {"objects.1.position": [90, 90]}),
    "rooms apart": ("the key at [10, 10] cannot be reached from [3, 3]", {"hallways": []}),
    "closed corner": (
        "the key at [10, 10] cannot be reached from [9, 9]",
        {
            "rooms.1.layout": [[0, 0, 0, 2, 0], [0, 1, 0, 1, 0], [0, 0, 1, 1, 0], [0, 1, 1, 1, 0], [0] * 5],
            "hallways.0.to": [8, 11],
            "hallways.0.waypoints": [[4, 11]],
        },
    ),
}


def spoil(level: Any, path: str, value: Any) -> None:
    *way, last = (int(part) if part.isdigit() else part for part in path.split("."))
    for part in way:
        level = level[part]
    if value is GONE:
        del level[last]
    else:
        level[last] = value


@pytest.mark.parametrize("way", SPOILT)
def test_a_spoilt_level_is_refused_with_its_own_sentence(way: str) -> None:
    complaint, changes = SPOILT[way]
    level = plain()
    for path, value in changes.items():
        spoil(level, path, value)
    with pytest.raises(LevelError) as refused:
        check_levels(read_levels(text_of(level)))
    assert str(refused.value).startswith("level 1: ")
    assert complaint in str(refused.value)


def test_a_level_needs_free_tiles_for_four_players_and_its_adversaries() -> None:
    check_level(WORKED, 12)
    with pytest.raises(LevelError, match=r"level 13: 17 free floor tiles are needed .*, there are 16"):
        check_level(WORKED, 13)


def test_key_and_exit_may_share_a_room_and_lie_on_doors_and_hallways() -> None:
    check_level(HALL, 1)
    level = plain()
    level["objects"][0]["position"], level["objects"][1]["position"] = [4, 6], [4, 8]
    check_level(msgspec.convert(level, Level), 1)


def test_hallways_may_run_side_by_side_and_rooms_may_touch() -> None:
    level = plain()
    level["rooms"][0]["layout"][1][4] = 2
    level["rooms"][1]["layout"][0][3] = 2
    level["hallways"].append({"type": "hallway", "from": [3, 6], "to": [8, 11], "waypoints": [[3, 11]]})
    level["rooms"].append({**level["rooms"][0], "origin": [2, 12], "layout": [[0] * 5] * 5})
    check_level(msgspec.convert(level, Level), 1)


def crowded(number: int) -> Level:
    """A level with a number of rooms of one tile, and the same long hallway a number of times."""
    places = [(0, 0), (8, 0)] + [(20 + 2 * (room // 120), 2 * (room % 120)) for room in range(number)]
    rooms = [
        {"type": "room", "origin": place, "bounds": {"rows": 1, "columns": 1}, "layout": [[2 if place[0] < 20 else 0]]}
        for place in places
    ]
    turns = [[0, 240], [2, 240], [2, 0], [4, 0], [4, 240], [6, 240], [6, 0]]
    hallways = [{"type": "hallway", "from": [0, 0], "to": [8, 0], "waypoints": turns}] * number
    return msgspec.convert({"type": "level", "rooms": rooms, "hallways": hallways, "objects": []}, Level)


def calls_to_check(level: Level) -> int:
    calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        with pytest.raises(LevelError, match="hallways 1 and 2 cross"):
            check_level(level, 1)
    finally:
        sys.setprofile(None)
    return calls


def test_twice_the_level_takes_no_more_than_about_twice_the_work() -> None:
    assert calls_to_check(crowded(80)) < 2.5 * calls_to_check(crowded(40))


def test_options_refuse_levels_that_cannot_be_played() -> None:
    level = plain()
    level["hallways"] = []
    with pytest.raises(msgspec.ValidationError, match="cannot be reached"):
        msgspec.convert({"levels": [level]}, Options)
    with pytest.raises(msgspec.ValidationError, match="1 to 100 levels, not 0"):
        msgspec.convert({"levels": []}, Options)


@pytest.mark.parametrize(
    "wrong",
    [
        {"count": 0},
        {"count": 101},
        {"start": 0},
        {"start": 4},
        {"start": 2, "levels": [plain()]},
        {"levels": "shipped", "start": 4},
        {"levels": "others"},
        {"move_time_ms": -1},
        {"grace_ms": 3_600_001},
        {"house": {"spawn_distance": 21}},
        {"house": {"curfew": True}},
        {"lives": 3},
    ],
)
def test_options_out_of_bounds_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(wrong, Options)


def test_options_take_levels_exactly_as_files_have_them() -> None:
    assert msgspec.convert({"levels": [plain()]}, Options).given == (WORKED,)
    assert Options(levels="shipped").given == SHIPPED_LEVELS
    assert (Options().given, Options().last) == ((), 3)


# --- levels from players ----------------------------------------------------------------------------------------------


def square(size: int) -> dict[str, Any]:
    """A level of one square room."""
    inside = [[0, *[1] * (size - 2), 0] for _ in range(size - 2)]
    bounds = {"rows": size, "columns": size}
    room = {"type": "room", "origin": [0, 0], "bounds": bounds, "layout": [[0] * size, *inside, [0] * size]}
    objects = [{"type": "key", "position": [1, 1]}, {"type": "exit", "position": [2, 2]}]
    return {"type": "level", "rooms": [room], "hallways": [], "objects": objects}


@pytest.mark.parametrize("kind", [Options, TrustedOptions])
def test_a_level_of_1600_cells_is_accepted_from_everyone(kind: type[Options]) -> None:
    assert msgspec.convert({"levels": [square(40)] * 4}, kind).last == 4


def test_larger_levels_are_accepted_from_the_configuration_alone() -> None:
    assert msgspec.convert({"levels": [square(41)] * 5}, TrustedOptions).last == 5
    with pytest.raises(msgspec.ValidationError, match="level 1: it has 1681 cells; a level from a player has 1600"):
        msgspec.convert({"levels": [square(41)]}, Options)
    with pytest.raises(msgspec.ValidationError, match="the levels have 8000 cells; those from a player have 6400"):
        msgspec.convert({"levels": [square(40)] * 5}, Options)


def test_the_length_of_hallways_counts_before_any_cell_is_looked_at() -> None:
    level = crowded(3)  # its hallways cross, which only looking at their cells can show
    with pytest.raises(msgspec.ValidationError, match="a level from a player has 1600 at most"):
        msgspec.convert({"levels": [msgspec.to_builtins(level)]}, Options)
