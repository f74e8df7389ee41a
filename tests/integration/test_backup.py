"""Copies of real stores: received by replication, read back, restored into servers and folders."""

import shutil
import tarfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest
from redis import Redis

from deploy import backup
from deploy.backup import BackupPart, Manifest
from deploy.errors import CommandError
from deploy.launcher import embedded_store, valkey
from deploy.launcher.embedded_store import Topology
from deploy.launcher.primaries import StoreAccess
from shared.bus import keys, meta, store_address
from shared.bus.address import Address
from tests.support.store_sets import RunningClusterSet, RunningSentinelSet
from tests.support.valkey import ValkeyServer

ROOMS = 300


@pytest.fixture(scope="module")
def full() -> Iterator[ValkeyServer]:
    """A store with keys of all types that a cluster writes."""
    with ValkeyServer() as server:
        fill(server)
        yield server


@pytest.fixture
def empty() -> Iterator[ValkeyServer]:
    with ValkeyServer() as server:
        yield server


def fill(server: ValkeyServer) -> None:
    with Redis(port=server.port) as client, client.pipeline() as writes:
        writes.hset(keys.META, mapping={"format": meta.FORMAT, "partitions": 16})
        writes.zadd("{p0}:deadlines", {"1000:turn": 5})
        writes.sadd("{p0}:gateways", "g-1")
        for room in range(ROOMS):
            writes.set(f"{{p{room % 16}}}:room:{room}:snapshot", b"\x00\xff" * 50, px=3_600_000)
            writes.xadd(f"{{p{room % 16}}}:room:{room}:journal", {"b": b"[1]"}, id=f"{room + 1}-0")
        writes.execute()


def access(server: ValkeyServer) -> StoreAccess:
    return StoreAccess(Address(port=server.port))


def contents(server: ValkeyServer) -> dict[bytes, object]:
    with Redis(port=server.port) as client:
        return {key: (client.type(key), client.dump(key), client.pexpiretime(key)) for key in client.scan_iter()}


def test_a_backup_restored_into_an_empty_store_has_every_key_and_its_expiry(
    full: ValkeyServer, empty: ValkeyServer, tmp_path: Path
) -> None:
    made = backup.back_up(access(full), tmp_path / "file")
    assert made.keys == 2 * ROOMS + 3
    assert made.format == meta.FORMAT
    backup.restore_to_store(tmp_path / "file", access(empty))
    assert contents(empty) == contents(full)


def test_a_backup_is_a_private_archive_with_a_manifest(full: ValkeyServer, tmp_path: Path) -> None:
    made = backup.back_up(access(full), tmp_path / "file")
    assert (tmp_path / "file").stat().st_mode & 0o077 == 0
    with tarfile.open(tmp_path / "file") as archive:
        assert archive.getnames() == ["manifest.json", "store-1.rdb"]
        manifest = archive.extractfile("manifest.json")
        assert manifest is not None
        assert msgspec.json.decode(manifest.read(), type=Manifest) == made
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_folder_is_restored_for_a_server_that_starts_on_it(full: ValkeyServer, tmp_path: Path) -> None:
    backup.back_up(access(full), tmp_path / "file")
    backup.restore_to_folder(tmp_path / "file", tmp_path / "data")
    with ValkeyServer() as server:
        server.kill()
        shutil.rmtree(server.data)
        shutil.move(tmp_path / "data" / "valkey", server.data)
        server.restart()
        assert contents(server) == contents(full)


def test_a_folder_with_data_is_not_overwritten(full: ValkeyServer, tmp_path: Path) -> None:
    backup.back_up(access(full), tmp_path / "file")
    backup.restore_to_folder(tmp_path / "file", tmp_path / "data")
    with pytest.raises(CommandError, match="has data already"):
        backup.restore_to_folder(tmp_path / "file", tmp_path / "data")


def test_a_restored_folder_is_not_started_as_another_topology(full: ValkeyServer, tmp_path: Path) -> None:
    backup.back_up(access(full), tmp_path / "file")
    backup.restore_to_folder(tmp_path / "file", tmp_path / "data")
    with pytest.raises(CommandError, match="was started with --store standalone"):
        embedded_store.topology_in(tmp_path / "data" / "valkey", "sentinel")


def test_a_folder_of_a_store_with_replicas_is_not_restored(full: ValkeyServer, tmp_path: Path) -> None:
    backup.back_up(access(full), tmp_path / "file")
    (tmp_path / "data" / "valkey").mkdir(parents=True)
    embedded_store.keep_topology(tmp_path / "data" / "valkey", Topology.SENTINEL)
    with pytest.raises(CommandError, match="store with replicas"):
        backup.restore_to_folder(tmp_path / "file", tmp_path / "data")


def test_a_store_with_keys_is_not_overwritten(full: ValkeyServer, tmp_path: Path) -> None:
    backup.back_up(access(full), tmp_path / "file")
    with pytest.raises(CommandError, match="use an empty store"):
        backup.restore_to_store(tmp_path / "file", access(full))


def test_a_file_that_exists_is_not_overwritten(full: ValkeyServer, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("an older backup")
    with pytest.raises(CommandError, match="exists already"):
        backup.back_up(access(full), tmp_path / "file")


def test_a_folder_that_does_not_exist_is_named(full: ValkeyServer, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=f"copies in {tmp_path / 'none'}: No such file or directory"):
        backup.back_up(access(full), tmp_path / "none" / "file")


def test_an_empty_store_is_no_backup(empty: ValkeyServer, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no data of a cluster"):
        backup.back_up(access(empty), tmp_path / "file")
    assert list(tmp_path.iterdir()) == []


def cut(archive: Path) -> None:
    archive.write_bytes(archive.read_bytes()[: archive.stat().st_size // 2])


def flip(archive: Path) -> None:
    content = bytearray(archive.read_bytes())
    content[len(content) // 2] ^= 0xFF
    archive.write_bytes(bytes(content))


@pytest.mark.parametrize("damage", [cut, flip])
def test_a_damaged_backup_is_refused_and_leaves_no_data(
    damage: Callable[[Path], None], full: ValkeyServer, tmp_path: Path
) -> None:
    backup.back_up(access(full), tmp_path / "file")
    damage(tmp_path / "file")
    with pytest.raises(CommandError):
        backup.restore_to_folder(tmp_path / "file", tmp_path / "data")
    assert list((tmp_path / "data" / "valkey").iterdir()) == []


@pytest.mark.parametrize("parts", [(), ("store-1.rdb",), ("../lock",)])
def test_a_backup_without_the_files_of_its_manifest_is_refused(parts: tuple[str, ...], tmp_path: Path) -> None:
    manifest = Manifest("2026-11-18T20:00:00+00:00", meta.FORMAT, tuple(BackupPart(name, 1, 1) for name in parts))
    (tmp_path / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    with tarfile.open(tmp_path / "file", "w") as archive:
        archive.add(tmp_path / "manifest.json", "manifest.json")
    with pytest.raises(CommandError, match="is not a complete backup"):
        backup.restore_to_folder(tmp_path / "file", tmp_path / "data")
    assert (tmp_path / "data" / "lock").exists()


def test_a_backup_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"^there is no file .*missing\.tar$"):
        backup.restore_to_folder(tmp_path / "missing.tar", tmp_path / "data")


def test_a_backup_of_another_format_is_refused(full: ValkeyServer, tmp_path: Path) -> None:
    with Redis(port=full.port) as client:
        client.hset(keys.META, "format", meta.LAST_FORMAT - 1)
        try:
            backup.back_up(access(full), tmp_path / "file")
        finally:
            client.hset(keys.META, "format", meta.FORMAT)
    with pytest.raises(CommandError, match=f"format {meta.LAST_FORMAT - 1}"):
        backup.restore_to_folder(tmp_path / "file", tmp_path / "data")


def test_a_user_without_the_right_to_replicate_is_refused(full: ValkeyServer, tmp_path: Path) -> None:
    full.ask("ACL", "SETUSER", "limited", "on", ">secret", "~*", "+@all", "-@dangerous")
    limited = StoreAccess(Address(port=full.port, username="limited", password="secret"))
    with pytest.raises(CommandError, match="refuses"):
        backup.back_up(limited, tmp_path / "file")


def test_every_primary_of_a_cluster_is_saved_and_restored(
    full: ValkeyServer, cluster_set: RunningClusterSet, empty: ValkeyServer, tmp_path: Path
) -> None:
    store = StoreAccess(store_address.parse(cluster_set.url))
    backup.back_up(access(full), tmp_path / "standalone")
    backup.restore_to_store(tmp_path / "standalone", store)
    try:
        made = backup.back_up(store, tmp_path / "cluster")
        assert len(made.parts) == 3
        assert sum(part.keys > 0 for part in made.parts) > 1
        backup.restore_to_store(tmp_path / "cluster", access(empty))
        assert contents(empty) == contents(full)
        backup.restore_to_folder(tmp_path / "cluster", tmp_path / "data")
        assert (tmp_path / "data" / "valkey" / "appendonlydir").is_dir()
    finally:
        for server in store.primaries():
            with store.client_of(server) as client:
                client.flushall()


def test_the_primary_that_sentinels_name_is_saved(sentinel_set: RunningSentinelSet, tmp_path: Path) -> None:
    store = StoreAccess(store_address.parse(sentinel_set.url))
    with store.writer() as client:
        client.hset(keys.META, mapping={"format": meta.FORMAT, "partitions": 16})
        try:
            assert backup.back_up(store, tmp_path / "file").keys == 1
        finally:
            client.delete(keys.META)


@pytest.mark.skipif(shutil.which("redis-server") is None, reason="redis-server is not installed")
def test_a_backup_of_redis_is_read_by_valkey_and_restored_with_its_own_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = shutil.which("redis-server") or ""
    with ExitStack() as servers:
        with monkeypatch.context() as patched:
            patched.setattr(valkey, "binary", lambda: Path(program))
            source, target = (servers.enter_context(ValkeyServer()) for _ in range(2))
        fill(source)
        backup.back_up(access(source), tmp_path / "file")
        backup.restore_to_store(tmp_path / "file", access(target), program)
        assert contents(target) == contents(source)
