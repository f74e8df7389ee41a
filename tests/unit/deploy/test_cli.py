"""The `tavolata` command: output, error lines and exit codes."""

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pytest

from deploy import cli
from tests.support.free_ports import free_span


class Outcome(NamedTuple):
    code: object
    out: str
    err: str


Run: TypeAlias = Callable[..., Outcome]

GOOD = """
from shared.games import stones
from dataclasses import replace
GAME = replace(stones.GAME, name="pebbles", seats=(2,))
"""
GREEDY = (
    GOOD + "GAME = replace(GAME, options=lambda state, seat: (stones.Take(9),) if seat in stones.turn(state) else ())"
)
NAMED = GOOD + 'GAME = replace(GAME, name="Pebbles!")'
FOR_TWO = GOOD + "GAME = replace(GAME, seats=2)"
BROKEN = GOOD + "GAME = replace(GAME, view=lambda state, seat: 1 // 0)"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    for name in [name for name in os.environ if name.startswith("TAVOLATA_")]:
        monkeypatch.delenv(name)

    def run(*words: str) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["tavolata", *words])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        return Outcome(caught.value.code, *capsys.readouterr())

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
        (("foo",), "No such command 'foo'. `tavolata --help` lists the commands."),
        (("upp",), "No such command 'upp'. Did you mean 'up'? `tavolata --help` lists the commands."),
        (("ops", "foo"), "No such command 'foo'. `tavolata ops --help` lists the commands."),
        (("load", "--url", "ws://[x"), "--url takes ws://host:port, several separated by commas, not 'ws://[x'"),
        (("check-game",), "Missing argument"),
        (("check-game", "no.such.module"), "there is no module 'no'"),
        (("check-game", "shared.ids"), "shared.ids has no GAME"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(run: Run, words: tuple[str, ...], text: str) -> None:
    done = run(*words)
    assert done.code == 2
    assert text in done.err
    assert done.err.startswith("tavolata: ")
    assert len(done.err.splitlines()) == 1


def test_a_wrong_variable_is_one_line_and_exit_code_2(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVOLATA_LEASE_MS", "soon")
    assert run("up") == Outcome(2, "", "tavolata: TAVOLATA_LEASE_MS must be a whole number, not 'soon'\n")


def test_an_unknown_variable_is_one_line_and_does_not_stop_the_command(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("TAVOLATA_PARTITION", "TAVOLATA_SNARL_WAIT", "TAVOLATA_CODEX_GRACE_MS", "TAVOLATA_BOT_MS"):
        monkeypatch.setenv(name, "10")
    done = run("up", "--data", str(tmp_path), "--port", str(free_span(4)), "--redis", "http://127.0.0.1")
    warning, failure = done.err.splitlines()
    assert warning == "tavolata: TAVOLATA_PARTITION is not a setting and is ignored; did you mean TAVOLATA_PARTITIONS?"
    assert "the store's URL (TAVOLATA_REDIS_URL) must begin with" in failure


def test_a_store_with_an_unknown_scheme_is_one_line_and_exit_code_2(run: Run, tmp_path: Path) -> None:
    done = run("up", "--data", str(tmp_path), "--port", str(free_span(4)), "--redis", "http://127.0.0.1")
    assert done.code == 2
    assert done.err.startswith("tavolata: the store's URL (TAVOLATA_REDIS_URL) must begin with redis://, ")
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize("url", ["redis://[x", "redis+sentinel://h:1,[x/s"])
def test_a_malformed_store_is_one_line_and_exit_code_2(run: Run, tmp_path: Path, url: str) -> None:
    done = run("up", "--data", str(tmp_path), "--port", str(free_span(4)), "--redis", url)
    assert done.code == 2
    assert done.err == "tavolata: the store's URL (TAVOLATA_REDIS_URL) is malformed: Invalid IPv6 URL\n"


@pytest.mark.parametrize("url", ["ws://[x", "ws://127.0.0.1:x", "ws://127.0.0.1:99999", "ws://127.0.0.1:0"])
def test_a_malformed_address_of_a_gateway_is_one_line_and_exit_code_1(run: Run, url: str) -> None:
    refusal = f"tavolata: {url!r} is not the address of a gateway; write it like ws://127.0.0.1:8000\n"
    assert run("snarl", "--url", url) == Outcome(1, "", refusal)


def test_an_unusable_data_folder_is_one_line_and_exit_code_1(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = run("up", "--data", str(tmp_path / "file" / "data"), "--port", str(free_span(4)))
    assert done.code == 1
    assert done.err == f"tavolata: the data folder {tmp_path / 'file' / 'data'} cannot be used: Not a directory\n"


def test_ps_and_down_report_that_no_cluster_runs(run: Run, tmp_path: Path) -> None:
    for verb in ("ps", "down"):
        done = run(verb, "--data", str(tmp_path))
        assert done.code == 1
        assert done.out == ""
        assert done.err.startswith(f"tavolata: no cluster is running on {tmp_path}")


@pytest.mark.parametrize("words", [(), ("up",), ("load",), ("snarl",), ("settings",)])
def test_the_help_prints_no_type_behind_flags(run: Run, words: tuple[str, ...]) -> None:
    done = run(*words, "--help")
    assert done.code == 0
    assert "--help" in done.out
    assert "<bool>" not in done.out


def test_settings_lists_every_variable(run: Run) -> None:
    done = run("settings")
    assert done.code == 0
    for name in ("TAVOLATA_REDIS_URL", "TAVOLATA_SHARED_PORT", "TAVOLATA_SNAPSHOT_EVERY"):
        assert len(re.findall(rf"\b{name}\b", done.out)) == 1


def test_a_game_that_keeps_the_contract_passes(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = check(run, tmp_path, monkeypatch, "pebbles_good", GOOD)
    assert done.code == 0
    assert done.out.startswith("pebbles@1 keeps the contract: 3 games, ")
    assert done.err == ""


@pytest.mark.parametrize(
    ("name", "source", "text"),
    [
        ("pebbles_greedy", GREEDY, r"pebbles, 2 players, seed \d+: options\(\) of seat \d lists .* refuses it"),
        ("pebbles_broken", BROKEN, r"pebbles, 2 players, seed \d+: ZeroDivisionError: .*pebbles_broken\.py, line \d+"),
        ("pebbles_named", NAMED, r"pebbles_named\.GAME: name must have lower case letters"),
        ("pebbles_for_two", FOR_TWO, r"pebbles_for_two\.GAME: seats must list the numbers of players"),
        (
            "pebbles_torn",
            "GAME = 1 //",
            r"pebbles_torn cannot be imported: SyntaxError: .*/pebbles_torn\.py, line 1\)$",
        ),
    ],
)
def test_a_game_that_breaks_the_contract_is_reported_with_the_place(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, source: str, text: str
) -> None:
    done = check(run, tmp_path, monkeypatch, name, source)
    assert done.code == 1
    assert re.search(text, done.err)
    assert "Traceback" not in done.err


def check(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, source: str) -> Outcome:
    """Check a module in the current folder, as an author of a game would."""
    (folder / f"{name}.py").write_text(source)
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    return run("check-game", name, "--games", "3")
