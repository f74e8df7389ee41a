"""`tavolata backup` and `tavolata restore`: a cluster's data at one point in time as one file, and back.

The file is a tar archive: `manifest.json`, and an RDB file for each primary of the store. The archive is made only
after a server has read every RDB file back.
"""

import os
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, BinaryIO

import msgspec

from deploy.errors import CommandError
from deploy.launcher import (
    cluster_file,
    embedded_store,
    key_transfer,
    private_files,
    replication_copy,
    scratch_store,
)
from deploy.launcher.embedded_store import Topology
from deploy.launcher.primaries import StoreAccess
from shared.bus import meta
from shared.bus.address import Address

STREAM = Path("-")
"""Stands for standard output or input."""
_MANIFEST = "manifest.json"
_APPEND_ONLY_DIR = "appendonlydir"


class BackupPart(msgspec.Struct, frozen=True):
    """The data of one primary."""

    name: str
    bytes: int
    keys: int


class Manifest(msgspec.Struct, frozen=True):
    """The description of a backup, as it is in the archive."""

    made_at: str
    format: int
    """The format of the data; see `shared.bus.meta`."""
    parts: tuple[BackupPart, ...]

    @property
    def keys(self) -> int:
        return sum(part.keys for part in self.parts)

    @property
    def bytes(self) -> int:
        return sum(part.bytes for part in self.parts)


def back_up(store: StoreAccess, file: Path, program: str = "") -> Manifest:
    """Copy the data of all primaries and write the archive. Each part is of one point in time; those of a Cluster are
    of slightly different ones, as are its partitions' commits. Raises `CommandError`."""
    if file != STREAM and file.exists():
        raise CommandError(f"{file} exists already: choose another name, or remove it")
    with _folder(None if file == STREAM else file.absolute().parent) as folder:
        names = [_receive(server, folder, number) for number, server in enumerate(store.primaries(), 1)]
        manifest = _read_back(folder, names, program)
        _write_archive(folder, manifest, file)
    return manifest


def _receive(server: Address, folder: Path, number: int) -> str:
    name = f"store-{number}.rdb"
    with (folder / name).open("wb") as copy:
        replication_copy.receive(server, copy)
    return name


def _read_back(folder: Path, names: list[str], program: str) -> Manifest:
    """Load every part into a server and count its keys. Raises `CommandError` if no part is of a cluster."""
    parts, formats = [], []
    for name in names:
        with _loaded(folder / name, program) as client:
            keys, form = scratch_store.contents(client)
        parts.append(BackupPart(name, (folder / name).stat().st_size, keys))
        formats.append(form)
    found = [form for form in formats if form is not None]
    if not found:
        raise CommandError("the store has no data of a cluster: is it the right one, and TAVOLATA_KEY_PREFIX, too?")
    return Manifest(datetime.now(UTC).isoformat(timespec="seconds"), found[0], tuple(parts))


@contextmanager
def _loaded(part: Path, program: str) -> Iterator[Any]:
    """A client of a server that has loaded the part, in a folder beside it."""
    with _folder(part.parent) as folder:
        part.rename(folder / scratch_store.DUMP)
        try:
            with scratch_store.opened(folder, program) as client:
                yield client
        finally:
            (folder / scratch_store.DUMP).rename(part)


def _write_archive(folder: Path, manifest: Manifest, file: Path) -> None:
    (folder / _MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest)) + b"\n")
    names = [_MANIFEST, *(part.name for part in manifest.parts)]
    if file == STREAM:
        _add_all(sys.stdout.buffer, folder, names)
        return
    archive = folder / "archive"
    archive.touch(mode=0o600)  # it contains the cluster's secrets
    with archive.open("wb") as target:
        _add_all(target, folder, names)
    archive.rename(file)


def _add_all(target: BinaryIO, folder: Path, names: list[str]) -> None:
    with tarfile.open(fileobj=target, mode="w|") as archive:
        for name in names:
            archive.add(folder / name, arcname=name)
    target.flush()


# --- restoring -------------------------------------------------------------------------------------------------------


def restore_to_store(file: Path, store: StoreAccess, program: str = "") -> Manifest:
    """Copy all keys of a backup into an empty store. Raises `CommandError`."""
    key_transfer.require_empty(store)
    with _folder(None) as folder:
        manifest = _unpack(file, folder)
        for part in manifest.parts:
            with _loaded(folder / part.name, program) as client:
                _check_keys(part, key_transfer.copy_all(client, store))
    return manifest


def restore_to_folder(file: Path, data: Path, program: str = "") -> Manifest:
    """Make the data of the embedded store from a backup. The cluster must not run, and its store must be gone: data
    that may still be wanted is never overwritten. Raises `CommandError`."""
    lock = cluster_file.take_lock(data)
    if lock is None:
        raise CommandError(f"a cluster is running on {data}: stop it with `tavolata down --data {data}`")
    try:
        return _restore_to_folder(file, data, program)
    finally:
        os.close(lock)


def _restore_to_folder(file: Path, data: Path, program: str) -> Manifest:
    target = data / "valkey"
    if (target / _APPEND_ONLY_DIR).exists() or embedded_store.topology_in(target, "auto") != Topology.STANDALONE:
        raise CommandError(f"{target} has data already, or is that of a store with replicas: move it away first")
    target.mkdir(exist_ok=True)
    with _folder(data) as folder:
        manifest = _unpack(file, folder)
        first, *others = manifest.parts
        made = folder / "made"
        made.mkdir()
        (folder / first.name).rename(made / scratch_store.DUMP)
        with scratch_store.opened(made, program) as client:
            for part in others:
                with _loaded(folder / part.name, program) as source:
                    _check_keys(part, key_transfer.copy_to(client, source))
            scratch_store.write_append_only_file(client)
        (made / _APPEND_ONLY_DIR).rename(target / _APPEND_ONLY_DIR)
    # A store with replicas would be started beside the data, empty.
    embedded_store.keep_topology(target, Topology.STANDALONE)
    private_files.narrow(data, itself=False)
    return manifest


def _unpack(file: Path, folder: Path) -> Manifest:
    if file != STREAM and not file.exists():
        raise CommandError(f"there is no file {file}")
    try:
        with (
            sys.stdin.buffer if file == STREAM else file.open("rb") as source,
            tarfile.open(fileobj=source, mode="r|*") as archive,
        ):
            for member in archive:
                if (content := archive.extractfile(member)) is not None:
                    _write_file(folder / Path(member.name).name, content)
        found = {path.name for path in folder.iterdir()}
        manifest = msgspec.json.decode((folder / _MANIFEST).read_bytes(), type=Manifest)
    except (OSError, tarfile.TarError, msgspec.MsgspecError) as error:
        raise CommandError(f"{file} is not a backup that can be read: {error}") from None
    missing = [part.name for part in manifest.parts if part.name not in found]
    if missing or not manifest.parts:
        raise CommandError(f"{file} is not a complete backup: {', '.join(missing) or 'the data'} is missing")
    if manifest.format not in (meta.LAST_FORMAT, meta.FORMAT):
        raise CommandError(
            f"the backup has data of format {manifest.format}, this version reads formats {meta.LAST_FORMAT} and "
            f"{meta.FORMAT}: restore it with the version that wrote it"
        )
    return manifest


def _write_file(path: Path, content: IO[bytes]) -> None:
    with path.open("xb") as target:
        shutil.copyfileobj(content, target)


def _check_keys(part: BackupPart, copied: int) -> None:
    """Rooms that are over expire, so fewer keys are possible, but not none."""
    if part.keys and not copied:
        raise CommandError(f"no key of {part.name} was copied, although it should have {part.keys}")


@contextmanager
def _folder(beside: Path | None) -> Iterator[Path]:
    """A folder for copies that only this user can read; beside the result, so that it can be renamed there."""
    try:
        made = Path(tempfile.mkdtemp(prefix=".tavolata-", dir=beside))
    except OSError as error:
        where = beside or tempfile.gettempdir()
        raise CommandError(f"cannot make a folder for copies in {where}: {error.strerror}") from None
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
