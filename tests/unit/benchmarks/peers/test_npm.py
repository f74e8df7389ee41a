"""Names and cached installations of npm packages."""

from pathlib import Path

import pytest

from benchmarks.peers.errors import BenchmarkError
from benchmarks.peers.npm import CACHE_VARIABLE, cache_folder, install, installed_versions, package_name


@pytest.mark.parametrize(
    ("package", "name"), [("socket.io@4", "socket.io"), ("@a/b@0.3", "@a/b"), ("express", "express")]
)
def test_package_names_are_separated_from_their_ranges(package: str, name: str) -> None:
    assert package_name(package) == name


def test_an_installation_of_the_same_packages_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    (tmp_path / "installed").write_text("a@1\nb@2")
    install(tmp_path, ["a@1", "b@2"])
    with pytest.raises(BenchmarkError, match="npm was not found"):
        install(tmp_path, ["a@1", "b@3"])


def test_versions_are_read_from_the_installed_packages(tmp_path: Path) -> None:
    manifest = tmp_path / "node_modules" / "@a" / "b" / "package.json"
    manifest.parent.mkdir(parents=True)
    manifest.write_text('{"name": "@a/b", "version": "0.3.1"}')
    assert installed_versions(tmp_path, ["@a/b@0.3"]) == "@a/b 0.3.1"


def test_the_cache_folder_can_be_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    assert cache_folder() == tmp_path
