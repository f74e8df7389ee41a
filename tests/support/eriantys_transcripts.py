"""Recorded games of Eriantys, one for each dialect: the frames that the first of two players sent and received.

`python -m tests.support.eriantys_transcripts` writes them again after an intended change.
"""

from pathlib import Path

from tests.support.eriantys_players import eriantys_party

FOLDER = Path(__file__).parent.parent / "transcripts" / "eriantys"
SEEDS = {"eriantys.events": 31, "eriantys.prompts": 32, "eriantys.status": 33}


def record(dialect: str) -> str:
    """A whole expert game of two, as the frames of its first player: `>` to the server, `<` from it."""
    lines: list[str] = []
    party = eriantys_party([dialect] * 2, expert=True, seed=SEEDS[dialect])

    def note(seat: int, direction: str, frame: bytes) -> None:
        if seat == 0:
            lines.append(f"{direction} {frame.decode()}\n")

    party.record = note
    party.play()
    party.check()
    return "".join(lines)


def path_of(dialect: str) -> Path:
    return FOLDER / f"{dialect.partition('.')[2]}.txt"


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in SEEDS:
        path_of(name).write_text(record(name), encoding="utf-8")
