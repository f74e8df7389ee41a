"""A cluster as `tavolata up` starts it: file modes, the store's password and users, and the ports for operators."""

import http.client
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
from redis import AuthenticationError, Redis
from redis.exceptions import NoPermissionError

from deploy.launcher import store
from deploy.launcher.store_users import CLIENTS, GATEWAY, OPERATOR, WORKER, StoreUsers
from shared.bus import keys
from shared.bus.keys import Keys
from shared.bus.scripts import SOURCES, script
from shared.ids import Partition, RoomId
from tests.support.free_ports import free_span
from tests.support.launched import Launched, tavolata
from tests.support.player import Player
from tests.support.stones import StonesTable
from tests.support.valkey import ValkeyServer, ask_at
from tests.support.waiting import eventually

P = Keys(Partition(3), 16)
ROOM = RoomId(1003)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launched]:
    """Real gateways and workers. The folder is that of an earlier release: readable by all."""
    folder = tmp_path_factory.mktemp("doors") / "data"
    (folder / "logs").mkdir(parents=True)
    (folder / "logs" / "worker-1.log").write_text("an older log\n")
    for path in (folder, folder / "logs"):
        path.chmod(0o755)
    with Launched(folder, "--host", "0.0.0.0", module="deploy.cli") as launched:
        yield launched


def users(cluster: Launched) -> StoreUsers:
    return StoreUsers.kept_in(cluster.data / "valkey" / "valkey.conf")


def ask_as(cluster: Launched, role: str, *words: object) -> object:
    """The reply of the store to one command of a role."""
    [port] = cluster.processes("valkey").values()
    return ask_at(users(cluster).url(role, "127.0.0.1", port or 0), *map(str, words))


def get(port: int | None, path: str, token: str = "") -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", path, headers={"Authorization": f"Bearer {token}"} if token else {})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, body


def admin_token(cluster: Launched) -> str:
    return tavolata("ps", "--data", str(cluster.data), "--admin-token").stdout.strip()


# --- files and passwords ---------------------------------------------------------------------------------------------


def test_no_other_user_can_read_the_data_folder(cluster: Launched) -> None:
    found = [cluster.data, *cluster.data.rglob("*")]
    assert {"cluster.json", "lock", "valkey.conf", "appendonlydir", "gateway-1.log"} <= {path.name for path in found}
    assert [path for path in found if path.stat().st_mode & 0o077] == []


def test_the_store_refuses_clients_without_a_password(cluster: Launched) -> None:
    [port] = cluster.processes("valkey").values()
    with Redis(port=port or 0) as stranger, pytest.raises(AuthenticationError):
        stranger.ping()


def test_ps_prints_the_url_of_the_store_with_which_an_operator_logs_in(cluster: Launched) -> None:
    url = tavolata("ps", "--data", str(cluster.data), "--url").stdout.strip()
    assert url == cluster.running().redis_url
    assert str(urlsplit(url).password) in (cluster.data / "valkey" / "valkey.conf").read_text()
    assert ask_at(url, "ACL", "WHOAMI") == b"operator"


def test_passwords_are_on_no_command_line_and_in_no_log(cluster: Launched) -> None:
    lines = [word for pid in cluster.pids() for word in psutil.Process(pid).cmdline()]
    assert any("valkey-server" in word for word in lines)
    logs = [path.read_text() for path in (cluster.data / "logs").iterdir()]
    for password in (*users(cluster).passwords.values(), admin_token(cluster)):
        assert not any(password in text for text in (*lines, *logs, cluster.printed()))
    assert "redis://operator:***@127.0.0.1:" in cluster.printed()


def test_a_folder_of_a_store_without_a_password_starts_and_gets_one(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with ValkeyServer() as earlier:
        earlier.ask("SET", "move", "7")
        earlier.stop()
        shutil.copytree(earlier.data, data / "valkey")
    with Launched(data, "--gateways", "1", "--workers", "1") as launched:
        password = urlsplit(launched.running().redis_url).password
        assert password
        assert launched.ask_store("GET", "move") == b"7"
    with launched:
        assert urlsplit(launched.running().redis_url).password == password


# --- users of the store ----------------------------------------------------------------------------------------------


async def test_a_whole_game_needs_no_right_that_its_user_does_not_have(cluster: Launched) -> None:
    ask_as(cluster, OPERATOR, "ACL", "LOG", "RESET")
    one, two = (f"ws://127.0.0.1:{port}" for port in cluster.processes("gateway").values())
    async with Player() as ann, Player() as bob:
        await ann.log_in(one)
        await bob.log_in(two)
        table = await StonesTable.open(ann, bob, stones=6)
        await ann.ask("say", room=table.room, text="hello")
        await table.moves(3)
        bob.drop()
        await bob.reconnect(one)
        await table.moves(3)
        await ann.wait_for_event(table.room, "room.ended")
        token = admin_token(cluster)
        for path in ("/api/ops/cluster", f"/api/ops/rooms/{table.room}"):
            assert get(cluster.ops_port(), path, token)[0] == 200
        assert get(cluster.port, f"/api/replays/{table.room}")[0] == 200
        await table.check()
    _, worker = cluster.kill_one("worker")
    eventually(lambda: b'"partitions":[' in get(cluster.ops_port(), "/api/ops/cluster", token)[1], "a worker is back")
    assert worker is not None
    assert ask_as(cluster, OPERATOR, "ACL", "LOG") == []


@pytest.mark.parametrize(
    "command",
    [
        ("XADD", P.journal(ROOM), "*", "b", "{}"),
        ("XADD", P.updates(ROOM), "*", "b", "{}"),
        ("SET", P.snapshot(ROOM), "{}"),
        ("HSET", P.owner, "token", "w-0:1:x"),
        ("HDEL", P.directory, "1003"),
        ("ZREM", keys.WORKERS, "w-0"),
        ("HSET", keys.GAMES, "stones", "{}"),
        script("take", [P.owner], ["w-0", 3_000, 7, "x"]),
        script("release", [P.owner], ["x"]),
        script("commit", [P.owner], []),
        ("PUBLISH", keys.OWNERSHIP, "w-0"),
        ("FLUSHALL",),
        ("CONFIG", "SET", "appendonly", "no"),
        ("SCRIPT", "FLUSH"),
        ("ACL", "LIST"),
    ],
    ids=lambda command: " ".join(str(word) for word in command[:2])[:40],
)
def test_a_gateway_cannot_write_what_belongs_to_workers(cluster: Launched, command: tuple[object, ...]) -> None:
    with pytest.raises(NoPermissionError):
        ask_as(cluster, GATEWAY, *command)


def test_a_script_of_a_gateway_has_no_more_rights_than_the_gateway(cluster: Launched) -> None:
    source = f"return redis.call('HSET', '{P.owner}', 'token', 'mine')"
    digest = ask_as(cluster, GATEWAY, "SCRIPT", "LOAD", source)
    assert isinstance(digest, bytes)
    with pytest.raises(Exception, match=r"ACL|permissions"):
        ask_as(cluster, GATEWAY, "EVALSHA", digest.decode(), 0)
    assert ask_as(cluster, OPERATOR, "HGET", P.owner, "token") != b"mine"


@pytest.mark.parametrize(
    "command",
    [
        ("HGETALL", keys.SECRETS),
        ("HGET", keys.SECRETS, "tokens"),
        ("HSET", keys.SECRETS, "tokens", "known"),
        ("DUMP", keys.SECRETS),
        ("HGETALL", keys.name("ann")),
        ("KEYS", "*"),
        ("CONFIG", "SET", "dir", "/tmp"),
        ("ACL", "LIST"),
    ],
    ids=lambda command: " ".join(str(word) for word in command)[:40],
)
def test_a_worker_cannot_read_secrets(cluster: Launched, command: tuple[object, ...]) -> None:
    with pytest.raises(NoPermissionError):
        ask_as(cluster, WORKER, *command)


@pytest.mark.parametrize("role", CLIENTS)
def test_every_role_can_load_the_scripts(cluster: Launched, role: str) -> None:
    assert all(ask_as(cluster, role, "SCRIPT", "LOAD", source) for source in SOURCES.values())


# --- ports -----------------------------------------------------------------------------------------------------------


def test_pages_for_operators_are_on_a_port_of_their_own(cluster: Launched) -> None:
    players, operators = next(iter(cluster.processes("gateway").values())), cluster.ops_port()
    for path, status in (("/metrics", 200), ("/ops", 200), ("/web/js/ops.js", 200), ("/api/ops/cluster", 401)):
        assert get(operators, path)[0] == status
        for port in (players, cluster.port):
            assert get(port, path)[0] == 404
    for path in ("/healthz", "/readyz"):
        assert get(players, path)[0] == get(operators, path)[0] == 200
    assert get(operators, "/api/rooms")[0] == 404


def test_the_ports_for_operators_are_printed_and_bound_to_the_loopback_address(cluster: Launched) -> None:
    printed = tavolata("ps", "--data", str(cluster.data)).stdout
    listed = [int(port) for port in re.findall(r"^gateway \d+ \d+ \S+ ops=(\d+)$", printed, re.MULTILINE)]
    assert len(listed) == 2
    assert listed[0] == cluster.ops_port()
    workers = [port for port in cluster.processes("worker").values() if port]
    bound = {
        connection.laddr.port: connection.laddr.ip
        for connection in psutil.net_connections("tcp4")
        if connection.status == psutil.CONN_LISTEN and connection.laddr
    }
    assert {bound[port] for port in (*listed, *workers)} == {"127.0.0.1"}
    assert bound[cluster.port] == "0.0.0.0"
    for port in listed:
        assert f"http://127.0.0.1:{port}/ops" in cluster.printed()
        assert f":{port}/metrics" in cluster.printed()


def test_the_ports_for_operators_are_in_the_status_of_the_gateways(cluster: Launched) -> None:
    status = json.loads(get(cluster.ops_port(), "/api/ops/cluster", admin_token(cluster))[1])
    listed = {process.ops_port for process in cluster.running().processes if process.ops_port}
    assert {gateway["ops_port"] for gateway in status["gateways"]} == listed


def test_the_status_of_the_cluster_lists_the_servers_of_the_store(cluster: Launched) -> None:
    status = json.loads(get(cluster.ops_port(), "/api/ops/cluster", admin_token(cluster))[1])
    (server,) = status["store"]["servers"]
    assert status["store"]["topology"] == "standalone"
    assert server["partitions"] == status["partitions"]
    assert server["replicas"] == []
    assert server["address"] == f"127.0.0.1:{next(iter(cluster.processes('valkey').values()))}"


def test_a_guesser_of_the_admin_token_is_slowed_down_logged_and_counted(cluster: Launched) -> None:
    guessed, other = [process.ops_port for process in cluster.running().processes if process.ops_port]
    statuses = [get(guessed, "/api/ops/cluster", f"wrong token {number}")[0] for number in range(60)]
    assert statuses == [401] * 10 + [429] * 50
    assert get(other, "/api/ops/cluster", admin_token(cluster))[0] == 200
    metrics = get(guessed, "/metrics")[1].decode()
    assert 'tavolata_admin_refusals_total{reason="wrong"} 10.0' in metrics
    assert 'tavolata_admin_refusals_total{reason="throttled"} 50.0' in metrics
    logs = (cluster.data / "logs" / "gateway-1.log").read_text()
    assert logs.count("wrong token of an operator from 127.0.0.1") == 1


def test_the_store_of_another_cluster_is_checked_with_its_password(cluster: Launched, tmp_path: Path) -> None:
    wrong = cluster.running().redis_url.replace("@", "x@")
    assert not store.answers(wrong)
    refused = tavolata("up", "--data", str(tmp_path / "other"), "--redis", wrong, "--port", str(free_span(3)))
    assert refused.returncode == 1
    assert "refuses the login" in refused.stderr
    assert str(urlsplit(wrong).password) not in refused.stderr
