"""Recorded games of Eriantys, for each dialect and original program: the bytes that the first player sent and received.

`python -m tests.support.eriantys_transcripts` writes them again after an intended change.
"""

from pathlib import Path
from typing import NamedTuple

from loadtest.clients.eriantys import AM24, AM28, GROUP3
from tests.support.eriantys_players import eriantys_party
from tests.support.memory_cluster import close_all

FOLDER = Path(__file__).parent.parent / "transcripts" / "eriantys"


class Recording(NamedTuple):
    """A whole game of players of one dialect."""

    dialect: str
    players: int
    expert: bool
    seed: int

    @property
    def compat(self) -> bool:
        return self.dialect in (AM28, AM24, GROUP3)


RECORDINGS = {
    "events": Recording("eriantys.events", 2, True, 31),
    "prompts": Recording("eriantys.prompts", 2, True, 32),
    "status": Recording("eriantys.status", 2, True, 33),
    "am28-2-expert": Recording(AM28, 2, True, 34),
    "am28-3-simple": Recording(AM28, 3, False, 34),
    "am24-2-expert": Recording(AM24, 2, True, 35),
    "am24-3-simple": Recording(AM24, 3, False, 35),
    "group3-2-expert": Recording(GROUP3, 2, True, 36),
    "group3-3-simple": Recording(GROUP3, 3, False, 36),
}


def record(name: str) -> str:
    """The frames of the first player: `>` to the server, `<` from it. Those of a compat mode have their framing: bytes
    that are not printable are escaped, and `= N` stands for the same bytes as in line N."""
    recording = RECORDINGS[name]
    lines: list[str] = []
    party = eriantys_party([recording.dialect] * recording.players, expert=recording.expert, seed=recording.seed)
    first_lines: dict[str, int] = {}

    def note(seat: int, direction: str, frame: bytes) -> None:
        if seat == 0:
            line = f"{direction} {frame.decode()}" if not recording.compat else f"{direction} {_escaped(frame)}"
            number = first_lines.setdefault(line, len(lines) + 1)
            again = recording.compat and number <= len(lines)
            lines.append(f"{direction} = {number}" if again else line)

    party.record = note
    party.play()
    party.check()
    return "\n".join(lines) + "\n"


def _escaped(frame: bytes) -> str:
    return frame.decode("latin-1").encode("unicode_escape").decode()


def path_of(name: str) -> Path:
    return FOLDER / f"{name}.txt"


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for recorded in RECORDINGS:
        path_of(recorded).write_text(record(recorded), encoding="utf-8")
        close_all()
