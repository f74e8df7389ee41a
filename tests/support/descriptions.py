"""The descriptions of the protocols as files of the docs, for the games of this project.

`python -m tests.support.descriptions` writes them again after an intended change of a message or a game.
"""

from pathlib import Path
from typing import Any

import msgspec
import yaml

from gateway.http.descriptions.asyncapi import asyncapi
from gateway.http.descriptions.openapi import openapi
from shared.game_schemas import game_schemas
from worker.games import GAMES

FOLDER = Path(__file__).parents[2] / "docs" / "protocols"
PARTS = {game.name: game_schemas(game) for game in sorted(GAMES, key=lambda game: game.name)}
DOCUMENTS: dict[str, Any] = {
    name: msgspec.json.decode(msgspec.json.encode(document))
    for name, document in (("play.asyncapi.yaml", asyncapi(PARTS)), ("http.openapi.yaml", openapi(PARTS)))
}


class _Dumper(yaml.SafeDumper):
    """Writes every value out: anchors would make the files hard to read."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def text(name: str) -> str:
    """A file's content."""
    head = "# Generated from the structs by `python -m tests.support.descriptions`; a test compares it with them.\n"
    return head + yaml.dump(DOCUMENTS[name], Dumper=_Dumper, sort_keys=False, width=100, allow_unicode=True)


def main() -> None:
    for name in DOCUMENTS:
        (FOLDER / name).write_text(text(name))


if __name__ == "__main__":
    main()
