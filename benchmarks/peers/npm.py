"""Installs the peers' packages from npm into a cache folder. The repository contains none of them."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from benchmarks.peers.errors import BenchmarkError

CACHE_VARIABLE = "BENCH_CACHE"
INSTALL_LIMIT_S = 600
# Peer dependencies are left out: one of Colyseus' is a transport that is not used here and is not an npm package.
_NPM_OPTIONS = ("--legacy-peer-deps", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error")


class _Manifest(msgspec.Struct):
    version: str


def cache_folder() -> Path:
    """The folder of packages and results: `BENCH_CACHE`, or one in the system's temporary folder."""
    given = os.environ.get(CACHE_VARIABLE)
    return Path(given) if given else Path(tempfile.gettempdir()) / "tavolata-bench"


def install(folder: Path, packages: Sequence[str]) -> None:
    """Install packages, given as `name@range`, unless the folder already holds exactly these."""
    marker = folder / "installed"
    wanted = "\n".join(packages)
    if marker.exists() and marker.read_text() == wanted:
        return
    npm = shutil.which("npm")
    if npm is None:
        raise BenchmarkError("npm was not found: install Node.js 20 or later")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "package.json").write_text('{"private": true}\n')
    try:
        subprocess.run(
            [npm, "install", *_NPM_OPTIONS, *packages],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=True,
            timeout=INSTALL_LIMIT_S,
        )
    except subprocess.TimeoutExpired as error:
        raise BenchmarkError(f"npm did not install {wanted} within {INSTALL_LIMIT_S} s") from error
    except subprocess.CalledProcessError as error:
        raise BenchmarkError(f"npm could not install {' '.join(packages)}: {error.stderr[-500:]}") from error
    marker.write_text(wanted)


def package_name(package: str) -> str:
    """The name in `name@range`; names may begin with `@scope/`."""
    return package[0] + package[1:].partition("@")[0]


def installed_versions(folder: Path, packages: Sequence[str]) -> str:
    """The installed packages as `name version, name version`."""
    names = [package_name(package) for package in packages]
    manifests = [(folder / "node_modules" / name / "package.json").read_bytes() for name in names]
    versions = [msgspec.json.decode(manifest, type=_Manifest).version for manifest in manifests]
    return ", ".join(f"{name} {version}" for name, version in zip(names, versions, strict=True))
