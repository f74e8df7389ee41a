"""The parsers of command line options."""

from typing import Any

import pytest

from loadtest.clients.registry import dialects_of
from loadtest.faults.kinds import FaultKind
from loadtest.plan import STONES, PlanError, faults_of, options_of, pids_of, tcp_of, urls_of


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("ws://127.0.0.1:8000", ("ws://127.0.0.1:8000",)),
        ("ws://a:1, ws://b:2/", ("ws://a:1", "ws://b:2")),
        ("http://a:1,https://b", ("ws://a:1", "wss://b:443")),
        ("localhost:8001", ("ws://localhost:8001",)),
        ("ws://[::1]:8000", ("ws://[::1]:8000",)),
    ],
)
def test_urls_are_completed_with_scheme_and_port(text: str, urls: tuple[str, ...]) -> None:
    assert urls_of(text) == urls


@pytest.mark.parametrize("text", ["", ",", "ftp://a:1", "ws://", "ws://a:1/ws/play", "ws://a:port", "ws://a:99999"])
def test_wrong_urls_are_refused(text: str) -> None:
    with pytest.raises(PlanError):
        urls_of(text)


@pytest.mark.parametrize(
    ("game", "text", "expert", "options"),
    [
        ("stones", "", False, {"stones": STONES}),
        ("stones", '{"stones": 21}', False, {"stones": 21}),
        ("eriantys", "", True, {"expert": True}),
        ("codex", "", False, {}),
    ],
)
def test_options_are_json_with_a_default_for_stones(
    game: str, text: str, expert: bool, options: dict[str, Any]
) -> None:
    assert options_of(game, text, expert) == options


@pytest.mark.parametrize("text", ["{", "[]", "3"])
def test_wrong_options_are_refused(text: str) -> None:
    with pytest.raises(PlanError):
        options_of("stones", text, False)


@pytest.mark.parametrize(
    ("texts", "places"),
    [
        ([""], {"snarl": ("h", 45678)}),
        (["5000"], {"snarl": ("h", 5000)}),
        (["10.0.0.1:5000"], {"snarl": ("10.0.0.1", 5000)}),
        (["snarl=5000"], {"snarl": ("h", 5000)}),
        (["snarl=5000,codex=10.0.0.1:6000"], {"snarl": ("h", 5000), "codex": ("10.0.0.1", 6000)}),
        (["snarl=5000", "codex=6000"], {"snarl": ("h", 5000), "codex": ("h", 6000)}),
    ],
)
def test_tcp_addresses_are_completed_with_host_and_port(texts: list[str], places: dict[str, tuple[str, int]]) -> None:
    assert tcp_of(texts, ("snarl",), "h") == places


@pytest.mark.parametrize("text", ["snarl", "snarl=", "=5", "a:b", "play=5000", "nothing=1"])
def test_wrong_tcp_addresses_are_refused(text: str) -> None:
    with pytest.raises(PlanError):
        tcp_of([text], ("snarl",), "h")


def test_processes_may_be_named_with_or_without_their_role() -> None:
    assert pids_of("gateway=12, worker=13,14") == {12: "gateway", 13: "worker", 14: ""}
    with pytest.raises(PlanError):
        pids_of("gateway=x")


def test_the_dialects_of_a_table_follow_from_game_and_option() -> None:
    assert dialects_of("stones", "play") == ("play",)
    assert dialects_of("codex", "codex") == ("codex",)
    assert set(dialects_of("eriantys", "mixed")) >= {"eriantys.events", "eriantys.prompts", "eriantys.status"}
    with pytest.raises(PlanError):
        dialects_of("stones", "codex")


def test_dialects_may_be_listed_and_original_programs_must_be() -> None:
    assert dialects_of("eriantys", "play, eriantys.am24") == ("play", "eriantys.am24")
    assert not any(name.startswith("eriantys.am") for name in dialects_of("eriantys", "mixed"))
    with pytest.raises(PlanError, match="codex"):
        dialects_of("eriantys", "play,codex")


def test_original_programs_have_ports_of_their_own() -> None:
    assert tcp_of(["eriantys.am28=5000,eriantys.group3=h2:6000"], (), "h") == {
        "eriantys.am28": ("h", 5000),
        "eriantys.group3": ("h2", 6000),
    }


def test_faults_are_listed_by_name_and_all_is_every_kind() -> None:
    assert faults_of("kill-worker, cut-pubsub,kill-worker") == (FaultKind.KILL_WORKER, FaultKind.CUT_PUBSUB)
    assert faults_of("all") == tuple(FaultKind)
    assert faults_of("all", [FaultKind.KILL_STORE]) == (FaultKind.KILL_STORE,)


def test_a_fault_that_the_store_cannot_have_is_refused() -> None:
    with pytest.raises(PlanError, match="cannot do failover"):
        faults_of("failover", [FaultKind.KILL_STORE])


@pytest.mark.parametrize("text", ["kill-everything", ",", "kill-worker,nothing"])
def test_wrong_faults_are_refused(text: str) -> None:
    with pytest.raises(PlanError):
        faults_of(text)
