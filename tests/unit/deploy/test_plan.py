"""From options to programs."""

from dataclasses import replace
from pathlib import Path

import pytest

from deploy.errors import USAGE, CommandError
from deploy.launcher.plan import lay_out, plan_from_env
from deploy.launcher.store import shown
from shared.runtime.settings import GatewaySettings, WorkerSettings, from_env
from tests.support.launched import free_span

DATA = Path("somewhere")


def test_every_process_gets_its_own_port_and_the_common_settings() -> None:
    port = free_span(4)
    env = {"TAVOLATA_PORT": str(port), "TAVOLATA_GATEWAY_LEASE_MS": "900", "HOME": "/home/x"}
    layout = lay_out(plan_from_env(DATA, 2, 3, env))
    gateways = [from_env(GatewaySettings, program.env) for program in layout.gateways]
    assert [(one.port, one.shared_port) for one in gateways] == [(port + 1, port), (port + 2, port)]
    workers = [from_env(WorkerSettings, program.env) for program in layout.workers]
    assert len({one.port for one in workers}) == 3
    assert {one.gateway_lease_ms for one in (*gateways, *workers)} == {900}
    assert {one.redis_url for one in (*gateways, *workers)} == {layout.redis_url}
    assert all(program.env["HOME"] == "/home/x" for program in layout.gateways)


def test_the_store_is_embedded_unless_one_is_named() -> None:
    port = str(free_span(4))
    embedded = lay_out(plan_from_env(DATA, 1, 1, {"TAVOLATA_PORT": port}))
    [valkey] = embedded.store
    assert embedded.redis_url == f"redis://127.0.0.1:{valkey.port}/0"
    named = lay_out(plan_from_env(DATA, 1, 1, {"TAVOLATA_PORT": port, "TAVOLATA_REDIS_URL": "redis://store/1"}))
    assert (named.store, named.redis_url) == ((), "redis://store/1")


@pytest.mark.parametrize(
    ("durability", "appendfsync"), [("fsync", "always"), ("applied", "everysec"), ("replicated", "always")]
)
def test_the_embedded_store_writes_as_the_durability_demands(durability: str, appendfsync: str) -> None:
    env = {"TAVOLATA_PORT": str(free_span(4)), "TAVOLATA_DURABILITY": durability}
    [valkey] = lay_out(plan_from_env(DATA, 1, 1, env)).store
    words = valkey.command
    assert words[words.index("--appendfsync") + 1] == appendfsync
    assert words[words.index("--appendonly") + 1] == "yes"
    assert words[words.index("--dir") + 1] == str(DATA.absolute() / "valkey")


@pytest.mark.parametrize(
    ("env", "text"),
    [
        ({"TAVOLATA_PORT": "0"}, "--port must be 1 to"),
        ({"TAVOLATA_PORT": "65535"}, "--port must be 1 to"),
        ({"TAVOLATA_PORT": "http"}, "TAVOLATA_PORT must be a whole number"),
        ({"TAVOLATA_DURABILITY": "maybe"}, "TAVOLATA_DURABILITY must be one of fsync, applied, replicated"),
        ({"TAVOLATA_TCP": "snarl"}, "--tcp takes NAME=PORT"),
        ({"TAVOLATA_PORT": "8000", "TAVOLATA_TCP": "snarl=8001"}, "one of the gateways' own"),
    ],
)
def test_a_setting_without_sense_is_a_wrong_option(env: dict[str, str], text: str) -> None:
    with pytest.raises(CommandError, match=text) as caught:
        plan_from_env(DATA, 2, 2, env)
    assert caught.value.code == USAGE


def test_the_page_of_a_cluster_that_listens_everywhere_is_shown_as_this_machine() -> None:
    plan = plan_from_env(DATA, 1, 1, {})
    assert replace(plan, gateway=replace(plan.gateway, host="0.0.0.0")).url == "http://127.0.0.1:8000"
    assert replace(plan, gateway=replace(plan.gateway, host="::")).url == "http://[::1]:8000"


def test_a_password_is_not_shown() -> None:
    assert shown("redis://ada:secret@store:6379/0") == "redis://ada:***@store:6379/0"
    assert shown("redis://store:6379/0") == "redis://store:6379/0"
