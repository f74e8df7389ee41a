"""Settings from variables, options of listeners, options in the URL."""

import pytest

from gateway.cluster.room_directory import RoomDirectory
from gateway.dialects.contract import Opening
from gateway.dialects.snarl import DIALECT, SnarlSettings, snarl_dialect
from gateway.dialects.snarl.listener_options import OWN, ListenerOptions, with_options
from gateway.dialects.snarl.url_options import UrlOptions, read_url_options
from shared.errors import ProtocolError
from shared.games.snarl.levels import write_levels
from shared.ids import RoomId
from tests.support.snarl_stage import HALL, WORKED

FILE = write_levels((HALL, WORKED))


def from_env(**variables: str) -> SnarlSettings:
    env = {f"TAVOLATA_SNARL_{name}": value for name, value in variables.items()}
    return SnarlSettings.from_env(env, {"my.levels": FILE, "bad.levels": "1 {}"}.get)


def test_without_variables_the_defaults_hold() -> None:
    assert from_env() == SnarlSettings()
    assert SnarlSettings().table_options() == {"levels": "shipped", "move_time_ms": 120_000, "grace_ms": 10_000}


def test_all_variables_are_read() -> None:
    settings = from_env(
        LEVELS="my.levels",
        CLIENTS="2",
        WAIT="1.5",
        ASKS="1",
        NAME_ASKS="9",
        MOVE_TIME="0",
        GRACE="0.25",
        SEPARATOR="none",
        PAUSE="1.3",
        EXTRAS="health, game-won info-object,message-not-null",
    )
    assert settings == SnarlSettings(
        levels=FILE,
        clients=2,
        wait_ms=1_500,
        asks=1,
        name_asks=9,
        move_time_ms=0,
        grace_ms=250,
        separator="none",
        pause_ms=1_300,
        extras=("health", "game-won", "info-object", "message-not-null"),
    )
    assert settings.listener_options() == ListenerOptions(
        separator=b"",
        pause_ms=1_300,
        unquoted_names=True,
        bare_points=True,
        message_not_null=True,
        health=True,
        game_won=True,
        info_address=OWN,
    )
    assert len(settings.table_options()["levels"]) == 2


def test_a_levels_file_in_the_usual_place_is_taken() -> None:
    assert SnarlSettings.from_env({}, {"snarl.levels": FILE}.get).levels == FILE


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("LEVELS", "none.levels", "the file 'none.levels' cannot be read"),
        ("LEVELS", "bad.levels", "bad.levels: level 1: "),
        ("CLIENTS", "5", "a whole number from 1 to 4, not '5'"),
        ("CLIENTS", "two", "a whole number from 1 to 4, not 'two'"),
        ("WAIT", "0", "above 0 and up to 3600, not '0'"),
        ("WAIT", "x", "a number of seconds"),
        ("WAIT", "3601", "up to 3600"),
        ("ASKS", "0", "a whole number"),
        ("NAME_ASKS", "-1", "a whole number"),
        ("MOVE_TIME", "nan", "a number of seconds from 0 to 86400"),
        ("GRACE", "1e3", "a number of seconds from 0 to 3600"),
        ("SEPARATOR", "tab", "newline or none, not 'tab'"),
        ("PAUSE", "-1", "from 0 to 10"),
        ("PAUSE", "nan", "from 0 to 10"),
        ("EXTRAS", "health,armour", "'armour' is none of them"),
    ],
)
def test_a_wrong_value_is_a_clear_error_that_names_the_variable(name: str, value: str, complaint: str) -> None:
    with pytest.raises(ValueError) as refused:
        from_env(**{name: value})
    assert f"TAVOLATA_SNARL_{name}" in str(refused.value)
    assert complaint in str(refused.value)


def test_a_listener_overrides_the_settings() -> None:
    usual = SnarlSettings(extras=("health",)).listener_options()
    compat = with_options(usual, {"health": "off", "strict": "", "bare-points": "on", "info-object": "10.0.0.1:99"})
    assert compat == ListenerOptions(bare_points=True, info_address=("10.0.0.1", 99))


@pytest.mark.parametrize(
    ("option", "value", "complaint"),
    [
        ("speed", "", "no option 'speed'"),
        ("separator", "", "newline or none"),
        ("pause", "x", "number of seconds"),
        ("health", "maybe", "on or off"),
        ("info-object", "here", "HOST:PORT"),
    ],
)
def test_a_wrong_option_of_a_listener_is_a_clear_error(option: str, value: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        DIALECT.framing({option: value})


def test_url_options_are_read() -> None:
    assert read_url_options({}) == UrlOptions()
    assert read_url_options({"players": "3", "wait": "0.5"}) == UrlOptions(3, 500)
    assert read_url_options({"table": "1007", "players": "9", "wait": "x"}) == UrlOptions(table=RoomId(1007))
    assert read_url_options({"colour": "red"}) == UrlOptions()


@pytest.mark.parametrize(
    "query",
    [
        {"players": "0"}, {"players": "9"}, {"players": "x"}, {"players": ""}, {"players": "2.0"}, {"players": "٣"},
        {"wait": "0"}, {"wait": "x"}, {"wait": "-1"}, {"wait": "3601"}, {"wait": ""}, {"wait": "nan"}, {"wait": "1e2"},
        {"table": "x"}, {"table": ""}, {"table": "-1"}, {"table": "1.5"},
    ],
)  # fmt: skip
def test_an_invalid_url_is_refused(query: dict[str, str]) -> None:
    with pytest.raises(ProtocolError):
        DIALECT.converse(Opening(query, RoomDirectory(lambda _call: None)))


def test_the_dialect_has_its_name_and_path() -> None:
    assert DIALECT.name == "snarl"
    assert DIALECT.path == "/ws/snarl"
    assert snarl_dialect(SnarlSettings(levels=FILE)).name == "snarl"
