"""Recorded conversations are reproduced byte by byte."""

from pathlib import Path

import pytest

from gateway.dialects.snarl import SnarlSettings
from tests.support.snarl_clients import FIRST_ROOM, snarl_cluster

FOLDER = Path(__file__).parents[4] / "transcripts" / "snarl"
LEVELS = (FOLDER / "small.levels").read_text()


def replay(text: str) -> None:
    """Each line is `seed N`, `NAME > frame of the client`, `NAME < frame of the server`, or `NAME closed CODE`."""
    lines = [line.split(" ", 2) for line in text.splitlines() if line]
    seed, names = int(lines[0][1]), dict.fromkeys(name for name, *_ in lines[1:])
    cluster = snarl_cluster(SnarlSettings(levels=LEVELS, clients=len(names)))
    # The seed of a recorded game is counted from the number of its room.
    cluster.ids.game_seeds.append(seed + FIRST_ROOM)
    clients = {name: cluster.connect("snarl") for name in names}
    for name, verb, content in lines[1:]:
        client = clients[name]
        if verb == ">":
            client.send(content.encode())
        elif verb == "<":
            assert client.frames.pop(0).decode() == content
        else:
            assert client.closed is not None
            assert client.frames == []
            assert client.closed.code == int(content)


@pytest.mark.parametrize("name", ["one_player", "two_players"])
def test_the_recorded_conversation_is_reproduced(name: str) -> None:
    replay((FOLDER / f"{name}.txt").read_text())
