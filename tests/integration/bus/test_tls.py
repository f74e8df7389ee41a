"""A store behind TLS that wants a certificate of its clients, on a real Redis: the embedded Valkey has no TLS."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.errors import USAGE, CommandError
from deploy.launcher import store
from deploy.launcher.die_with_parent import bound_to_parent
from shared.bus.address import Address, BadUrl, TlsFiles
from shared.bus.client import StoreClient
from shared.bus.store import StoreDown
from tests.support.certificates import Certificates
from tests.support.cluster import Cluster
from tests.support.free_ports import free_port
from tests.support.player import Player
from tests.support.stones import StonesTable
from tests.support.waiting import eventually

NOT_FOUND = "THE TESTS OF TLS TO THE STORE WERE SKIPPED: redis-server and openssl are needed (Debian: apt-get install)"


class TlsServer:
    """The URL of a Redis with TLS, and the files of its clients."""

    def __init__(self, url: str, certificates: Certificates) -> None:
        self.url = url
        path = certificates.path
        self.files = TlsFiles(path("ca.crt"), path("client.crt"), path("client.key"))


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TlsServer]:
    program = shutil.which("redis-server")
    if program is None or shutil.which("openssl") is None:
        if sys.__stderr__ is not None:
            sys.__stderr__.write(f"\n{NOT_FOUND}\n")
        pytest.skip(NOT_FOUND)
    folder: Path = tmp_path_factory.mktemp("tls")
    made, port = Certificates.make(folder), free_port()
    files = {"tls-ca-cert-file": "ca.crt", "tls-cert-file": "server.crt", "tls-key-file": "server.key"}
    options = {"port": "0", "tls-port": str(port), "bind": "127.0.0.1", "dir": str(folder), "save": ""}
    words = [part for name, value in options.items() for part in (f"--{name}", value)]
    words += [part for name, file in files.items() for part in (f"--{name}", made.path(file))]
    server = TlsServer(f"rediss://127.0.0.1:{port}/0", made)
    with subprocess.Popen(bound_to_parent([program, *words]), stdout=subprocess.DEVNULL) as process:
        eventually(lambda: process.poll() is not None or _answers(server), "Redis answers over TLS")
        assert process.poll() is None
        yield server
        process.kill()


def _answers(server: TlsServer) -> bool:
    try:
        store.check(server.url, server.files)
    except CommandError:
        return False
    return True


async def test_a_client_with_a_certificate_is_served(tls: TlsServer) -> None:
    link = StoreClient(Address.parse(tls.url, tls.files))
    await link.start()
    assert await link.call("PING") == b"PONG"
    await link.stop()


@pytest.mark.parametrize("missing", ["ca", "cert"])
async def test_a_connection_without_the_ca_or_the_certificate_is_refused(tls: TlsServer, missing: str) -> None:
    cert, key = ("", "") if missing == "cert" else (tls.files.cert, tls.files.key)
    files = TlsFiles("" if missing == "ca" else tls.files.ca, cert, key)
    with pytest.raises(StoreDown):
        await StoreClient(Address.parse(tls.url, files), greeting=[("PING",)]).start()


async def test_a_server_of_another_name_is_refused(tls: TlsServer) -> None:
    with pytest.raises(StoreDown):
        await StoreClient(Address.parse(tls.url.replace("127.0.0.1", "localhost"), tls.files)).start()


async def test_a_game_is_played_over_tls(tls: TlsServer) -> None:
    ca, cert, key = tls.files.ca, tls.files.cert, tls.files.key
    cluster = Cluster(durability="applied", redis_ca=ca, redis_cert=cert, redis_key=key)
    cluster.reach_store_at(tls.url)
    try:
        worker, gateway = cluster.node("worker").start(), cluster.node("gateway").start()
        async with Player() as ann, Player() as bob:
            await ann.log_in(gateway.url)
            await bob.log_in(gateway.url)
            table = await StonesTable.open(ann, bob, stones=4)
            await table.moves(4)
            await table.check()
        assert worker.alive
    finally:
        cluster.close()


@pytest.mark.parametrize("name", ["ca", "cert", "key"])
def test_a_missing_file_is_named_in_one_line(name: str, tmp_path: Path) -> None:
    (tmp_path / "there").touch()
    paths = {"cert": str(tmp_path / "there")} if name == "key" else {}
    files = TlsFiles(**{**paths, name: str(tmp_path / "nowhere.pem")})
    expected = f"TAVOLATA_REDIS_{name.upper()}: {tmp_path}/nowhere.pem cannot be read: No such file or directory"
    with pytest.raises(BadUrl) as caught:
        Address.parse("rediss://ada:hidden@127.0.0.1", files)
    assert str(caught.value) == expected
    with pytest.raises(CommandError) as refused:
        store.check("rediss://ada:hidden@127.0.0.1", files)
    assert (str(refused.value), refused.value.code) == (expected, USAGE)


def test_a_file_that_is_not_a_certificate_is_reported_without_the_url(tmp_path: Path) -> None:
    (tmp_path / "ca.crt").write_text("not a certificate")
    with pytest.raises(BadUrl, match="TAVOLATA_REDIS_CA") as caught:
        Address.parse("rediss://ada:hidden@127.0.0.1", TlsFiles(ca=str(tmp_path / "ca.crt")))
    assert "hidden" not in str(caught.value)


def test_certificates_for_a_plain_connection_are_refused() -> None:
    with pytest.raises(BadUrl, match=r"TAVOLATA_REDIS_CA is set, but .* rediss://"):
        Address.parse("redis://127.0.0.1", TlsFiles(ca="ca.crt"))
