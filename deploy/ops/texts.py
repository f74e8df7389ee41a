"""Answers of the operators' API as lines of text: lists, and the questions before an act."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from shared.name_rules import folded
from shared.room_events import OVER

Answer = dict[str, Any]


def counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def room_lines(answer: Answer) -> Iterator[str]:
    for room in answer["rooms"]:
        words = [str(room["room"]), room["game"] or "-", room["status"] or "-"]
        words += [f"{room['players']}/{room['seats']}", ", ".join(room["names"]) or "-"]
        if room["private"]:
            words.append("private")
        if room["quarantine"] is not None:
            words.append(f"quarantined: {room['quarantine']}")
        yield "  ".join(words)
    if answer["more"]:
        yield f"more: --after {answer['rooms'][-1]['room']}"


def room_facts(room: Answer) -> Iterator[str]:
    yield f"room {room['room']}: {room['status'] or 'unknown'}, {counted(room['players'], 'player')}"
    yield f"partition {room['partition']}, owner {room['owner'].get('worker') or 'none'}, offset {room['offset']}"
    for seat in room["seats"]:
        yield f"seat {seat['seat']}: {seat['name']} ({_presence(seat)})"
    if room["quarantine"] is not None:
        yield f"quarantined: {room['quarantine']}"
    if room["damage"]:
        yield room["damage"]


def _presence(seat: Answer) -> str:
    if seat["bot"]:
        return "bot"
    if seat["left"]:
        return "left"
    return f"here, at {seat['gateway']}" if seat["here"] else "away"


def act_lines(answer: Answer) -> Iterator[str]:
    for act in answer["acts"]:
        at = datetime.fromtimestamp(act["at"] / 1_000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
        subject = f"room {act['room']} {act['subject']}".strip() if act["room"] else act["subject"]
        outcome = act["code"] or counted(act["players"], "player") if act["room"] else act["code"] or "done"
        yield f"{at}  {act['author']}  {act['kind']} {subject}  {outcome}  {act['reason']}".rstrip()
    if answer["more"]:
        yield f"more: --before {answer['acts'][-1]['entry']}"


# --- questions before an act ------------------------------------------------------------------------------------------


def _players(room: Answer) -> Sequence[str]:
    return [seat["name"] for seat in room["seats"] if not seat["bot"] and not seat["left"]]


def before_close(room: Answer) -> str:
    if room["status"] in OVER:
        return f"Room {room['room']} is over already ({room['status']})."
    names = _players(room)
    listed = f" ({', '.join(names)})" if names else ""
    return f"Room {room['room']} ({room['status']}) ends without a result for {counted(len(names), 'player')}{listed}."


def before_remove(room: Answer, player: str) -> str:
    names = _players(room)
    if folded(player) not in map(folded, names):
        return f"{player} has no seat in room {room['room']}."
    return f"1 of {counted(len(names), 'player')} ({player}) loses the seat in room {room['room']}."


def before_free(room: Answer) -> str:
    if room["quarantine"] is None:
        return f"Room {room['room']} is not quarantined."
    damage = f" {room['damage']}." if room["damage"] else ""
    players = counted(len(_players(room)), "player")
    return f"Room {room['room']} with {players} is quarantined: {room['quarantine']}.{damage}"


def before_revoke_name(found: Answer) -> str:
    return f"1 player ({found['name']}) is disconnected, and all tokens of session {found['session']} become invalid."


def before_revoke_session(session: str) -> str:
    """Gateways do not know which sessions there are: any of them can come back with its token."""
    return f"The player of session {session}, if there is one, is disconnected, and all its tokens become invalid."


def before_drain(cluster: Answer, process: str) -> str:
    """The consequences of a drain, by the status that the process has reported last."""
    for kind in ("gateways", "workers"):
        live = [one for one in cluster[kind] if one["live"]]
        for one in live:
            if one["id"] == process:
                last = "" if len(live) > 1 else f" No other {kind[:-1]} is alive."
                return _drained(one, kind) + last
    return f"{process} is not alive."


def _drained(process: Answer, kind: str) -> str:
    if kind == "gateways":
        players = counted(process.get("connections", 0), "connection")
        return f"Gateway {process['id']} closes {players}; the players come back at other gateways."
    partitions = counted(len(process.get("partitions", ())), "partition")
    return f"Worker {process['id']} hands over {partitions}; players wait for a moment, and none is disconnected."
