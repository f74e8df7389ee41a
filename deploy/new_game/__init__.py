"""`tavolata new-game`: writes a package with a game that works, its tests and a README, for authors to change."""

import importlib.util
import re
from pathlib import Path
from string import Template

from deploy.errors import USAGE, CommandError

TEMPLATE = Path(__file__).parent / "template"
SUFFIX = ".txt"
NAME = re.compile(r"[a-z][a-z0-9_]{0,30}")


def write(name: str, parent: Path) -> list[Path]:
    """Write the package `name` into the folder `parent`; returns its files. Raises `CommandError`."""
    if not NAME.fullmatch(name):
        raise CommandError(f"a game's name has lower case letters, digits and _, a letter first: {name!r}", USAGE)
    folder = parent / name
    if folder.exists():
        raise CommandError(f"{folder} exists already", USAGE)
    if importlib.util.find_spec(name) is not None:
        raise CommandError(f"there is a Python module {name!r} already: choose another name", USAGE)
    words = {"name": name, "game": name.replace("_", "-"), "title": name.replace("_", " ").title()}
    folder.mkdir(parents=True)
    return [_write(template, folder, words) for template in sorted(TEMPLATE.iterdir())]


def _write(template: Path, folder: Path, words: dict[str, str]) -> Path:
    path = folder / template.name.removesuffix(SUFFIX)
    path.write_text(Template(template.read_text(encoding="utf-8")).substitute(words), encoding="utf-8")
    return path
