"""The public package: what it exports, that every export is documented, and what importing it costs."""

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import tavolata
import tavolata.client
import tavolata.testing
from tests.support.cluster import ROOT

HEAVY = ("redis", "hiredis", "starlette", "uvicorn", "websockets", "asyncio", "shared.bus", "shared.games")


def imported_from(package: ModuleType) -> dict[str, str]:
    """The exported names, each with the module that defines it."""
    tree = ast.parse(Path(str(package.__file__)).read_text())
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


def documented(module: str) -> Iterator[str]:
    """The classes, functions and constants of a module that have a docstring."""
    body = ast.parse(Path(str(importlib.import_module(module).__file__)).read_text()).body
    for node, following in zip(body, [*body[1:], None], strict=True):
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef() if ast.get_docstring(node):
                yield node.name
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
                    yield name
            case _:
                pass


def test_the_package_exports_these_names_and_no_others() -> None:
    assert sorted(tavolata.__all__) == [
        "Absent",
        "AnyGame",
        "Choice",
        "DeadlinePassed",
        "Dice",
        "Draft",
        "Game",
        "Message",
        "Notice",
        "Outcome",
        "Present",
        "Rejected",
        "Seat",
        "Table",
        "Timer",
        "Value",
    ]
    assert sorted(tavolata.testing.__all__) == [
        "CommandRefused",
        "GameTable",
        "NotConformant",
        "check_every_option",
        "play",
    ]
    assert sorted(tavolata.client.__all__) == [
        "ClientError",
        "ListedTable",
        "NoAnswer",
        "Player",
        "RemoteTable",
        "RequestRefused",
        "SeatedPlayer",
        "SessionEnded",
        "TableList",
        "TableUpdate",
        "TableView",
        "connect",
    ]


@pytest.mark.parametrize(
    "package", [tavolata, tavolata.client, tavolata.testing], ids=lambda package: str(package.__name__)
)
def test_every_export_has_a_docstring(package: ModuleType) -> None:
    origins = imported_from(package)
    assert sorted(origins) == sorted(package.__all__)
    undocumented = [name for name, module in origins.items() if name not in set(documented(module))]
    assert not undocumented


@pytest.mark.parametrize(
    "package", [tavolata, tavolata.client, tavolata.testing], ids=lambda package: str(package.__name__)
)
def test_the_reference_describes_every_export(package: ModuleType) -> None:
    page = ROOT / "docs" / "reference" / f"{package.__name__.rpartition('.')[2]}.md"
    described = re.findall(rf"^::: {package.__name__}\.(\w+)$", page.read_text(), re.MULTILINE)
    assert sorted(described) == sorted(package.__all__)


def test_type_checkers_are_told_that_the_package_and_those_it_exports_from_are_typed() -> None:
    sources = [ast.parse(path.read_text()) for path in (ROOT / "tavolata").rglob("*.py")]
    nodes = [node for source in sources for node in ast.walk(source)]
    origins = {str(node.module).partition(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)}
    packaged = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    ours = {origin for origin in origins if (ROOT / origin).is_dir()}
    assert ours == {"tavolata", "shared", "worker"}
    for package in ours:
        assert (ROOT / package / "py.typed").exists(), package
        assert "py.typed" in packaged[package], package


@pytest.mark.parametrize("name", ["tavolata", "tavolata.testing"])
def test_importing_the_package_loads_no_server_and_no_store_client(name: str) -> None:
    script = f"import sys, {name}; print([name for name in {HEAVY!r} if name in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_importing_the_client_loads_no_server_and_no_store_client() -> None:
    server = tuple(name for name in HEAVY if name not in ("asyncio", "websockets"))
    script = f"import sys, tavolata.client; print([name for name in {server!r} if name in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
