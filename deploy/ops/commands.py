"""The `tavolata ops` commands: look at a cluster and act on it, as the operators' page does."""

import secrets
import sys
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from deploy.command_group import CommandGroup
from deploy.errors import CommandError
from deploy.ops import texts
from deploy.ops.client import OperatorClient, connect
from gateway.http.named_operators import NamedOperator, Role, check_name, hashed
from loadtest.cli import Command
from shared.room_events import RoomStatus

_TOKEN_BYTES = 32
_SESSION = "s-"


class ListedStatus(StrEnum):
    """The status of a room that lists contain."""

    WAITING = RoomStatus.WAITING
    PLAYING = RoomStatus.PLAYING


ops = typer.Typer(
    cls=CommandGroup,
    help="Look at a running cluster and act on it. TAVOLATA_OPS_TOKEN is the token of an operator; without it, the "
    "admin token of the cluster that runs on the data folder is used.",
    no_args_is_help=True,
)

Data = Annotated[Path, typer.Option(help="Data folder of a cluster on this machine.")]
Url = Annotated[
    str | None, typer.Option(metavar="URL", help="Operators' port of a gateway, instead of a local cluster.")
]
Room = Annotated[int, typer.Argument(min=1, help="Number of a room.")]
Reason = Annotated[str, typer.Option(help="Reason, for the journal and the audit.")]
Yes = Annotated[bool, typer.Option("--yes", help="Act without asking.")]
ActId = Annotated[str | None, typer.Option("--id", help="Id of an act that is repeated because it got no answer.")]
HERE = Path(".tavolata")


@ops.command(cls=Command)
def rooms(
    game: Annotated[str, typer.Option(help="Only rooms of this game.")] = "",
    status: Annotated[ListedStatus | None, typer.Option(help="Only rooms that are waiting, or playing.")] = None,
    player: Annotated[str, typer.Option(help="Only rooms with a player whose name contains this.")] = "",
    quarantined: Annotated[bool, typer.Option("--quarantined", help="Only quarantined rooms.")] = False,
    private: Annotated[bool, typer.Option("--private", help="Only private rooms.")] = False,
    after: Annotated[int, typer.Option(min=0, help="Only rooms with higher numbers.")] = 0,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Number of rooms, at most.")] = 100,
    data: Data = HERE,
    url: Url = None,
) -> None:
    """List rooms: number, game, status, players and seats, names."""
    wanted: dict[str, object] = {"game": game, "status": status, "player": player, "after": after, "limit": limit}
    flags = {"quarantined": quarantined, "private": private}
    wanted |= {name: "true" for name, given in flags.items() if given}
    _print(texts.room_lines(connect(data, url).get("rooms", wanted)))


@ops.command(cls=Command)
def room(number: Room, data: Data = HERE, url: Url = None) -> None:
    """Show one room: status, owner, seats, and why it is quarantined."""
    _print(texts.room_facts(connect(data, url).get(f"rooms/{number}")))


@ops.command(cls=Command)
def audit(
    limit: Annotated[int, typer.Option(min=1, max=100, help="Number of acts.")] = 20,
    before: Annotated[str, typer.Option(metavar="ENTRY", help="Only acts before this one.")] = "",
    data: Data = HERE,
    url: Url = None,
) -> None:
    """List the acts of operators, latest first."""
    _print(texts.act_lines(connect(data, url).get("audit", {"limit": limit, "before": before})))


@ops.command(cls=Command)
def close(
    number: Room, reason: Reason, yes: Yes = False, act: ActId = None, data: Data = HERE, url: Url = None
) -> None:
    """End a room without a result."""
    client = connect(data, url)
    _confirm(texts.before_close(client.get(f"rooms/{number}")), yes)
    _order(client, f"rooms/{number}/close", reason, act)


@ops.command(cls=Command)
def remove(
    number: Room,
    player: Annotated[str, typer.Argument(help="Name of the player.")],
    reason: Reason,
    yes: Yes = False,
    act: ActId = None,
    data: Data = HERE,
    url: Url = None,
) -> None:
    """Take the seat of a player in a room away."""
    client = connect(data, url)
    _confirm(texts.before_remove(client.get(f"rooms/{number}"), player), yes)
    _order(client, f"rooms/{number}/remove", reason, act, player=player)


@ops.command(cls=Command)
def free(number: Room, reason: Reason, yes: Yes = False, act: ActId = None, data: Data = HERE, url: Url = None) -> None:
    """Bring a quarantined room back, after showing why it is quarantined."""
    client = connect(data, url)
    _confirm(texts.before_free(client.get(f"rooms/{number}")), yes)
    _order(client, f"rooms/{number}/free", reason, act)


@ops.command(cls=Command)
def revoke(
    reason: Reason,
    name: Annotated[str, typer.Argument(help="Name of the player.")] = "",
    session: Annotated[str, typer.Option(help="Session id, instead of a name.")] = "",
    yes: Yes = False,
    act: ActId = None,
    data: Data = HERE,
    url: Url = None,
) -> None:
    """Make all tokens of a player's session invalid and close its connection."""
    if bool(name) == bool(session):
        raise CommandError("either a name or --session is needed", 2)
    if session and not session.startswith(_SESSION):
        raise CommandError(f"a session id begins with {_SESSION}, unlike {session!r}; a name needs no --session", 2)
    client = connect(data, url)
    if name:
        _confirm(texts.before_revoke_name(client.get("session", {"name": name})), yes)
    else:
        _confirm(texts.before_revoke_session(session), yes)
    _order(client, "revoke", reason, act, **({"name": name} if name else {"session": session}))


@ops.command(cls=Command)
def drain(
    process: Annotated[str, typer.Argument(help="Id of a gateway or worker.")],
    reason: Reason = "",
    yes: Yes = False,
    act: ActId = None,
    data: Data = HERE,
    url: Url = None,
) -> None:
    """Ask a gateway or worker to stop cleanly."""
    client = connect(data, url)
    _confirm(texts.before_drain(client.get("cluster"), process), yes)
    _order(client, "drain", reason, act, process=process)


@ops.command("hash", cls=Command)
def make_entry(
    name: Annotated[str, typer.Argument(help="Name of the operator.")],
    role: Annotated[Role, typer.Option(help="Role of the operator.")] = Role.VIEW,
) -> None:
    """Draw a token for an operator. The line for the file of operators goes to stdout, the token to stderr."""
    try:
        check_name(name)
    except ValueError as error:
        raise CommandError(str(error), 2) from None
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    typer.echo(NamedOperator(name, role, hashed(token)).line())
    typer.echo(f"the token of {name}, which is stored nowhere: {token}", err=True)


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        typer.echo(line)


def _confirm(question: str, yes: bool) -> None:
    """Say what the act touches, and ask."""
    typer.echo(question, err=True)
    if yes:
        return
    if not sys.stdin.isatty():
        raise CommandError("nothing was done: without a terminal to ask at, add --yes")
    if not typer.confirm("Go on?", err=True):
        raise CommandError("nothing was done")


def _order(client: OperatorClient, path: str, reason: str, act: str | None, **subject: str) -> None:
    done = client.post(path, {"reason": reason, "id": act or secrets.token_hex(8), **subject})
    typer.echo(f"done: {done['act']}, act {done['id']}")
