"""The command line: what is printed, and how it fails."""

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pytest

from deploy import cli
from tests.support.launched import free_span


class Told(NamedTuple):
    code: object
    out: str
    err: str


Run: TypeAlias = Callable[..., Told]

GOOD = """
from shared.games import stones
from dataclasses import replace
GAME = replace(stones.GAME, name="pebbles", seats=(2,))
"""
GREEDY = (
    GOOD + "GAME = replace(GAME, options=lambda state, seat: (stones.Take(9),) if seat in stones.turn(state) else ())"
)
BROKEN = GOOD + "GAME = replace(GAME, view=lambda state, seat: 1 // 0)"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    for name in [name for name in os.environ if name.startswith("TAVOLATA_")]:
        monkeypatch.delenv(name)

    def run(*words: str) -> Told:
        monkeypatch.setattr(sys, "argv", ["tavolata", *words])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        return Told(caught.value.code, *capsys.readouterr())

    return run


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("up", "--port", "x"), "--port"),
        (("up", "--gateways", "0"), "--gateways"),
        (("up", "--prot", "1"), "--prot"),
        (("up", "--tcp", "snarl"), "--tcp takes NAME=PORT[;OPTION[=VALUE]...], such as snarl=45678, not 'snarl'"),
        (("up", "--tcp", "snarl=4000", "--tcp", "codex=4000"), "--tcp names port 4000 twice"),
        (("up", "--durability", "maybe"), "TAVOLATA_DURABILITY must be one of"),
        (("up", "--partitions", "0"), "TAVOLATA_PARTITIONS must be at least 1"),
        (("pu",), "No such command 'pu'"),
        (("check-game",), "Missing argument"),
        (("check-game", "no.such.module"), "there is no module 'no'"),
        (("check-game", "shared.ids"), "shared.ids has no GAME"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(run: Run, words: tuple[str, ...], text: str) -> None:
    told = run(*words)
    assert told.code == 2
    assert text in told.err
    assert told.err.startswith("tavolata: ")
    assert len(told.err.splitlines()) == 1


def test_a_wrong_variable_is_one_line_and_exit_code_2(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVOLATA_LEASE_MS", "soon")
    assert run("up") == Told(2, "", "tavolata: TAVOLATA_LEASE_MS must be a whole number, not 'soon'\n")


def test_a_variable_that_nobody_understands_is_one_line_and_no_obstacle(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("TAVOLATA_PARTITION", "TAVOLATA_SNARL_WAIT", "TAVOLATA_CODEX_GRACE_MS", "TAVOLATA_BOT_MS"):
        monkeypatch.setenv(name, "10")
    told = run("up", "--data", str(tmp_path), "--port", str(free_span(4)), "--redis", "http://127.0.0.1")
    stray, obstacle = told.err.splitlines()
    assert stray == "tavolata: TAVOLATA_PARTITION is not a setting and is ignored; did you mean TAVOLATA_PARTITIONS?"
    assert "is not the address of a store" in obstacle


def test_a_store_with_an_unknown_scheme_is_one_line_and_exit_code_2(run: Run, tmp_path: Path) -> None:
    told = run("up", "--data", str(tmp_path), "--port", str(free_span(4)), "--redis", "http://127.0.0.1")
    assert told.code == 2
    assert told.err.startswith("tavolata: http://127.0.0.1 is not the address of a store: ")
    assert len(told.err.splitlines()) == 1


def test_a_data_folder_that_cannot_be_one_is_one_line_and_exit_code_1(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    told = run("up", "--data", str(tmp_path / "file" / "data"), "--port", str(free_span(4)))
    assert told.code == 1
    assert told.err == f"tavolata: the data folder {tmp_path / 'file' / 'data'} cannot be used: Not a directory\n"


def test_ps_and_down_say_that_nothing_runs(run: Run, tmp_path: Path) -> None:
    for verb in ("ps", "down"):
        told = run(verb, "--data", str(tmp_path))
        assert (told.code, told.out) == (1, "")
        assert told.err.startswith(f"tavolata: no cluster is running on {tmp_path}")


def test_settings_lists_every_variable(run: Run) -> None:
    told = run("settings")
    assert told.code == 0
    for name in ("TAVOLATA_REDIS_URL", "TAVOLATA_SHARED_PORT", "TAVOLATA_SNAPSHOT_EVERY"):
        assert len(re.findall(rf"\b{name}\b", told.out)) == 1


def test_a_game_that_keeps_the_contract_passes(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = check(run, tmp_path, monkeypatch, "pebbles_good", GOOD)
    assert told.code == 0
    assert told.out.startswith("pebbles@1 keeps the contract: 3 games, ")


@pytest.mark.parametrize(
    ("name", "source", "text"),
    [
        ("pebbles_greedy", GREEDY, r"pebbles, 2 players, seed \d+: options\(\) of seat \d lists .* refuses it"),
        ("pebbles_broken", BROKEN, r"pebbles, 2 players, seed \d+: ZeroDivisionError: .*pebbles_broken\.py, line \d+"),
        ("pebbles_torn", "GAME = 1 //", r"pebbles_torn cannot be imported: SyntaxError"),
    ],
)
def test_a_game_that_breaks_the_contract_is_told_where(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, source: str, text: str
) -> None:
    told = check(run, tmp_path, monkeypatch, name, source)
    assert told.code == 1
    assert re.search(text, told.err)
    assert "Traceback" not in told.err


def check(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, source: str) -> Told:
    """As an author would: the module is in the current folder."""
    (folder / f"{name}.py").write_text(source)
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    return run("check-game", name, "--games", "3")
