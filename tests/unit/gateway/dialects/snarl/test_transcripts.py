"""Recorded conversations are reproduced byte by byte."""

from pathlib import Path

import pytest

from gateway.dialects.snarl import SnarlSettings
from tests.support.snarl_table import Client, Cluster

FOLDER = Path(__file__).parents[4] / "transcripts" / "snarl"
LEVELS = (FOLDER / "small.levels").read_text()


def hold(text: str) -> None:
    """Each line is `seed N`, `NAME > frame of the client`, `NAME < frame of the server`, or `NAME closed CODE`."""
    lines = [line.split(" ", 2) for line in text.splitlines() if line]
    seed, names = int(lines[0][1]), dict.fromkeys(who for who, *_ in lines[1:])
    cluster = Cluster(SnarlSettings(levels=LEVELS, clients=len(names)), seed=seed)
    clients: dict[str, Client] = {name: cluster.connect() for name in names}
    for who, verb, what in lines[1:]:
        client = clients[who]
        if verb == ">":
            client.send(what.encode())
        elif verb == "<":
            assert client.inbox.pop(0).decode() == what
        else:
            assert client.closed is not None
            assert client.inbox == []
            assert client.closed.code == int(what)


@pytest.mark.parametrize("name", ["one_player", "two_players"])
def test_the_recorded_conversation_is_reproduced(name: str) -> None:
    hold((FOLDER / f"{name}.txt").read_text())
