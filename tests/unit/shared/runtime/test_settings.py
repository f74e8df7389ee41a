"""Settings from the environment: defaults, limits, descriptions and warnings."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from shared.runtime.settings import (
    EmbeddedStoreSettings,
    GatewaySettings,
    SettingError,
    StoreSettings,
    WorkerSettings,
    described,
    from_env,
    setting,
    to_env,
    unknown_variables,
)

KINDS = (StoreSettings, WorkerSettings, GatewaySettings)


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_environment_gives_the_defaults(kind: type[StoreSettings]) -> None:
    assert from_env(kind, {}) == kind()


def test_a_variable_sets_a_setting() -> None:
    assert from_env(WorkerSettings, {"TAVOLATA_LEASE_MS": "500"}).lease_ms == 500


def test_variables_of_other_programs_are_ignored() -> None:
    assert from_env(WorkerSettings, {"LEASE_MS": "500", "TAVOLATA_BURST": "1"}) == WorkerSettings()


@pytest.mark.parametrize("kind", KINDS)
def test_settings_written_to_an_environment_are_read_back_unchanged(kind: type[StoreSettings]) -> None:
    settings = kind(partitions=7, redis_url="unix:///x y", gateway_lease_ms=1_234)
    assert from_env(kind, to_env(settings)) == settings


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("TAVOLATA_LEASE_MS", "soon", "must be a whole number"),
        ("TAVOLATA_LEASE_MS", "", "must be a whole number"),
        ("TAVOLATA_LEASE_MS", "1.5", "must be a whole number"),
        ("TAVOLATA_LEASE_MS", "199", "must be at least 200"),
        ("TAVOLATA_PARTITIONS", "0", "must be at least 1"),
        ("TAVOLATA_PORT", "65536", "must be a whole number from -1 to 65535, not '65536'"),
        ("TAVOLATA_DURABILITY", "maybe", "must be one of fsync, applied, replicated"),
        ("TAVOLATA_LOG_LEVEL", "LOUD", "must be one of"),
    ],
)
def test_an_error_names_the_variable_and_the_values_that_it_takes(name: str, text: str, says: str) -> None:
    with pytest.raises(SettingError, match=says) as raised:
        from_env(WorkerSettings, {name: text})
    assert name in str(raised.value)


@pytest.mark.parametrize("kind", KINDS)
def test_every_setting_is_described(kind: type[StoreSettings]) -> None:
    assert all(name.startswith("TAVOLATA_") and text for name, _, text in described(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_every_default_is_within_its_own_limits(kind: type[StoreSettings]) -> None:
    assert from_env(kind, to_env(kind())) == kind()


def _doubled(text: str, name: str) -> int:
    if not text.isdigit():
        raise ValueError(f"{name} takes digits")
    return 2 * int(text)


@dataclass(frozen=True, kw_only=True)
class OtherSettings:
    prefix: ClassVar[str] = "TAVOLATA_OTHER_"
    size: int = setting(3, "a size", variable="HALF_SIZE", parse=_doubled)
    name: str | None = setting(None, "a name")


def test_a_default_in_another_unit_is_stated_once_as_it_is_written() -> None:
    assert OtherSettings().size == 6
    assert described(OtherSettings) == [
        ("TAVOLATA_OTHER_HALF_SIZE", "3", "a size"),
        ("TAVOLATA_OTHER_NAME", "", "a name"),
    ]


def test_a_setting_with_its_own_parser_is_read_and_refused_by_it() -> None:
    assert from_env(OtherSettings, {"TAVOLATA_OTHER_HALF_SIZE": "5"}).size == 10
    with pytest.raises(SettingError, match="TAVOLATA_OTHER_HALF_SIZE takes digits"):
        from_env(OtherSettings, {"TAVOLATA_OTHER_HALF_SIZE": "x"})


def test_a_field_that_the_caller_has_read_is_not_read_again() -> None:
    assert from_env(OtherSettings, {"TAVOLATA_OTHER_NAME": "file"}, name="content").name == "content"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("TAVOLATA_PARTITION", "did you mean TAVOLATA_PARTITIONS?"),
        ("TAVOLATA_REDISURL", "did you mean TAVOLATA_REDIS_URL?"),
        ("TAVOLATA_LEASE", "did you mean TAVOLATA_LEASE_MS?"),
        ("TAVOLATA_SNARL_WIAT", "did you mean TAVOLATA_SNARL_WAIT?"),
        ("TAVOLATA_", "`tavolata settings` lists all"),
        ("TAVOLATA_XYZZY", "`tavolata settings` lists all"),
    ],
)
def test_a_warning_names_an_unknown_variable_and_the_most_similar_one(name: str, hint: str) -> None:
    warnings = unknown_variables({name: "secret"}, ["TAVOLATA_SNARL_WAIT"])
    assert warnings == [f"{name} is not a setting and is ignored; {hint}"]


def test_a_variable_of_any_program_is_known() -> None:
    env = (
        to_env(GatewaySettings())
        | to_env(WorkerSettings())
        | {"HOME": "/", "TAVOLATA": "1", "TAVOLATA_SNARL_WAIT": "1"}
    )
    assert unknown_variables(env, ["TAVOLATA_SNARL_WAIT"]) == []


def test_variables_with_an_unchecked_prefix_cause_no_warning() -> None:
    unchecked = ("TAVOLATA_SNARL_", "TAVOLATA_CODEX_")
    assert unknown_variables({"TAVOLATA_SNARL_WIAT": "1", "TAVOLATA_CODEX_GRACE_MS": "1"}, unchecked=unchecked) == []
    assert len(unknown_variables({"TAVOLATA_PARTITION": "1"}, unchecked=unchecked)) == 1


@pytest.mark.parametrize(
    ("text", "size"), [("0", 0), ("1000", 1_000), ("3kb", 3_072), ("5MB", 5 * 2**20), ("2gb", 2**31)]
)
def test_a_memory_limit_is_a_number_with_or_without_a_unit(text: str, size: int) -> None:
    assert from_env(EmbeddedStoreSettings, {"TAVOLATA_STORE_MAXMEMORY": text}).maxmemory == size


def test_a_memory_limit_can_be_a_share_of_the_machines_memory() -> None:
    half, whole = (from_env(EmbeddedStoreSettings, {"TAVOLATA_STORE_MAXMEMORY": text}) for text in ("50%", "100%"))
    assert half == EmbeddedStoreSettings()
    assert 0 < half.maxmemory <= whole.maxmemory // 2


@pytest.mark.parametrize("text", ["", "much", "-1", "101%", "1tb", "1.5gb"])
def test_other_memory_limits_are_refused(text: str) -> None:
    with pytest.raises(SettingError, match="TAVOLATA_STORE_MAXMEMORY must be a size"):
        from_env(EmbeddedStoreSettings, {"TAVOLATA_STORE_MAXMEMORY": text})


def test_the_settings_of_the_embedded_store_are_known() -> None:
    assert unknown_variables({"TAVOLATA_STORE_MAXMEMORY": "1gb"}) == []
