"""Settings from the environment: every mistake is told in one line."""

import pytest

from shared.runtime.settings import (
    GatewaySettings,
    SettingError,
    StoreSettings,
    WorkerSettings,
    described,
    from_env,
    strays,
    to_env,
)

KINDS = (StoreSettings, WorkerSettings, GatewaySettings)


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_environment_gives_the_defaults(kind: type[StoreSettings]) -> None:
    assert from_env(kind, {}) == kind()


def test_a_variable_sets_a_setting() -> None:
    assert from_env(WorkerSettings, {"TAVOLATA_LEASE_MS": "500"}).lease_ms == 500


def test_variables_of_others_are_ignored() -> None:
    assert from_env(WorkerSettings, {"LEASE_MS": "500", "TAVOLATA_BURST": "1"}) == WorkerSettings()


@pytest.mark.parametrize("kind", KINDS)
def test_settings_survive_the_way_through_the_environment(kind: type[StoreSettings]) -> None:
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
        ("TAVOLATA_DURABILITY", "maybe", "must be one of fsync, applied, replicated"),
        ("TAVOLATA_LOG_LEVEL", "LOUD", "must be one of"),
    ],
)
def test_a_wrong_setting_is_named_with_what_is_wanted(name: str, text: str, says: str) -> None:
    with pytest.raises(SettingError, match=says) as told:
        from_env(WorkerSettings, {name: text})
    assert name in str(told.value)


@pytest.mark.parametrize("kind", KINDS)
def test_every_setting_is_described(kind: type[StoreSettings]) -> None:
    assert all(name.startswith("TAVOLATA_") and text for name, _, text in described(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_every_default_obeys_its_own_limits(kind: type[StoreSettings]) -> None:
    assert from_env(kind, to_env(kind())) == kind()


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
def test_a_variable_that_nobody_understands_is_named_with_the_nearest_one(name: str, hint: str) -> None:
    assert strays({name: "hush"}, ["TAVOLATA_SNARL_WAIT"]) == [f"{name} is not a setting and is ignored; {hint}"]


def test_what_any_program_understands_is_no_stray() -> None:
    env = (
        to_env(GatewaySettings())
        | to_env(WorkerSettings())
        | {"HOME": "/", "TAVOLATA": "1", "TAVOLATA_SNARL_WAIT": "1"}
    )
    assert strays(env, ["TAVOLATA_SNARL_WAIT"]) == []


def test_whoever_does_not_know_the_variables_of_dialects_does_not_judge_them() -> None:
    assert strays({"TAVOLATA_SNARL_WIAT": "1", "TAVOLATA_CODEX_GRACE_MS": "1"}) == []
    assert len(strays({"TAVOLATA_PARTITION": "1"})) == 1
