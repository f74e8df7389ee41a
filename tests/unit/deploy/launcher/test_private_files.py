"""Modes of files and folders in the data folder."""

from pathlib import Path

from deploy.launcher.private_files import is_ours, narrow, replace_file


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_missing_or_empty_folder_and_that_of_a_cluster_are_ours(tmp_path: Path) -> None:
    assert is_ours(tmp_path / "missing")
    assert is_ours(tmp_path)
    (tmp_path / "notes").touch()
    assert not is_ours(tmp_path)
    (tmp_path / "lock").touch()
    assert is_ours(tmp_path)


def test_the_folder_of_an_earlier_release_is_narrowed_with_all_that_is_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    (folder / "valkey" / "appendonlydir").mkdir(parents=True)
    journal = folder / "valkey" / "appendonlydir" / "appendonly.aof.1.incr.aof"
    for path in (folder / "lock", journal):
        path.touch(mode=0o644)
    narrow(folder, itself=True)
    assert [mode(path) for path in (folder, folder / "valkey", journal.parent)] == [0o700] * 3
    assert [mode(path) for path in (folder / "lock", journal)] == [0o600] * 2


def test_files_of_other_programs_and_their_folder_keep_their_modes(tmp_path: Path) -> None:
    folder, other = tmp_path / "shared", tmp_path / "other"
    folder.mkdir()
    folder.chmod(0o755)
    for path in (folder / "notes", other):
        path.touch()
        path.chmod(0o644)
    (folder / "logs").symlink_to(other)
    narrow(folder, itself=False)
    assert mode(folder) == 0o755
    assert [mode(path) for path in (folder / "notes", other)] == [0o644] * 2


def test_a_replaced_file_is_private(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch(mode=0o644)
    replace_file(file, b"secret")
    assert mode(file) == 0o600
    assert file.read_bytes() == b"secret"
    assert list(tmp_path.iterdir()) == [file]
