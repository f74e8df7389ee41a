"""The admin token: throttled, logged and counted; actions of operators are logged."""

import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import Response

from gateway.http.admin_access import MOST_WRONG, MOST_WRONG_PER_ADDRESS, WINDOW_S, AdminAccess
from gateway.http.named_operators import NamedOperator, OperatorFile, Role, hashed, parse
from gateway.http.responses import json
from gateway.metrics import Metrics
from shared.runtime.settings import SettingError

TOKEN = "the-right-token-of-operators"
OLGA, VIC = "the-token-of-olga", "the-token-of-vic"
Ask = Callable[..., Awaitable[Response]]


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def request(token: str, address: str, forwarded: str = "") -> Request:
    headers = [(b"authorization", f"Bearer {token}".encode())] if token else []
    if forwarded:
        headers.append((b"x-forwarded-for", forwarded.encode()))
    return Request({"type": "http", "path": "/api/ops/x", "headers": headers, "client": (address, 1)})


class Door:
    """An endpoint behind the token, and the clock that its throttle uses."""

    def __init__(self, trusted_proxies: str = "", operators: str = "") -> None:
        self.clock = Clock()
        self.metrics = Metrics()
        self.access = AdminAccess(TOKEN, OperatorFile(operators), trusted_proxies, self.metrics, self.clock)
        self._handlers = {role: self.access.authorized(self._answer, role) for role in Role}

    async def _answer(self, _request: Request, operator: NamedOperator) -> Response:
        return json({"name": operator.name})

    async def ask(self, token: str, address: str = "10.0.0.1", forwarded: str = "", role: Role = Role.VIEW) -> Response:
        return await self._handlers[role](request(token, address, forwarded))

    async def statuses(self, count: int, address: str = "10.0.0.1") -> list[int]:
        return [(await self.ask("a wrong token", address)).status_code for _ in range(count)]

    def refused(self, reason: str) -> float | None:
        return self.metrics.registry.get_sample_value("tavolata_admin_refusals_total", {"reason": reason})


async def test_only_the_right_token_passes() -> None:
    door = Door()
    assert (await door.ask(TOKEN)).status_code == 200
    for token in ("", "x", TOKEN[:-1], TOKEN + "x"):
        assert (await door.ask(token)).status_code == 401


async def test_wrong_tokens_of_an_address_are_throttled_and_others_pass() -> None:
    door = Door()
    assert await door.statuses(MOST_WRONG_PER_ADDRESS + 2) == [401] * MOST_WRONG_PER_ADDRESS + [429] * 2
    refused = await door.ask(TOKEN)
    assert refused.status_code == 429
    assert refused.headers["Retry-After"] == "60"
    assert (await door.ask(TOKEN, "10.0.0.2")).status_code == 200
    assert (door.refused("wrong"), door.refused("throttled")) == (MOST_WRONG_PER_ADDRESS, 3)


async def test_a_throttled_address_is_heard_again_after_a_minute() -> None:
    door = Door()
    await door.statuses(MOST_WRONG_PER_ADDRESS)
    door.clock.now += WINDOW_S - 1
    assert (await door.ask(TOKEN)).headers["Retry-After"] == "1"
    door.clock.now += 1
    assert (await door.ask(TOKEN)).status_code == 200


async def test_wrong_tokens_of_many_addresses_are_throttled_in_all_but_known_operators_pass() -> None:
    door = Door()
    assert (await door.ask(TOKEN, "10.9.9.9")).status_code == 200
    for number in range(MOST_WRONG):
        assert await door.statuses(1, f"10.1.0.{number}") == [401]
    assert await door.statuses(1, "10.2.0.1") == [429]
    assert (await door.ask(TOKEN, "10.2.0.2")).status_code == 429
    assert (await door.ask(TOKEN, "10.9.9.9")).status_code == 200
    door.clock.now += WINDOW_S
    assert (await door.ask(TOKEN, "10.2.0.2")).status_code == 200


async def test_a_burst_of_wrong_tokens_is_one_log_line_with_the_address(caplog: pytest.LogCaptureFixture) -> None:
    door = Door()
    with caplog.at_level(logging.INFO):
        await door.statuses(600)
    [line] = caplog.messages
    assert "10.0.0.1" in line
    assert "a wrong token" not in line


async def test_the_address_behind_a_proxy_counts_only_if_the_proxy_is_trusted() -> None:
    trusting, strict = Door("10.0.0.1"), Door()
    for door in (trusting, strict):
        for number in range(MOST_WRONG_PER_ADDRESS):
            await door.ask("a wrong token", forwarded=f"172.16.0.{number}")
    assert (await trusting.ask(TOKEN, forwarded="172.16.1.1")).status_code == 200
    assert (await strict.ask(TOKEN, forwarded="172.16.1.1")).status_code == 429


def test_an_action_is_logged_with_the_address(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        olga = NamedOperator("olga", Role.OPERATE)
        Door().access.log_act(request(TOKEN, "10.0.0.7"), olga, "drain", "w-1\nforged line", "done")
    [line] = caplog.messages
    assert line == r"drain of 'w-1\nforged line' ordered by olga from 10.0.0.7: done"


@pytest.fixture
def named(tmp_path: Path) -> str:
    """A file with two operators."""
    file = tmp_path / "operators"
    known = (NamedOperator("olga", Role.OPERATE, hashed(OLGA)), NamedOperator("vic", Role.VIEW, hashed(VIC)))
    file.write_text("# our operators\n\n" + "\n".join(one.line() for one in known))
    return str(file)


def rewrite(file: str, text: str) -> str:
    """Replace the text of a file; the text before."""
    before = Path(file).read_text()
    Path(file).write_text(text)
    return before


async def test_named_operators_pass_with_their_tokens_beside_the_admin_token(named: str) -> None:
    door = Door(operators=named)
    for token, name in ((TOKEN, b"admin"), (OLGA, b"olga"), (VIC, b"vic")):
        assert bytes((await door.ask(token)).body) == b'{"name":"%b"}' % name
    assert (await door.ask(hashed(OLGA))).status_code == 401


async def test_the_wrong_role_is_refused_and_counted_and_is_no_wrong_token(named: str) -> None:
    door = Door(operators=named)
    for _ in range(MOST_WRONG_PER_ADDRESS + 1):
        assert (await door.ask(VIC, role=Role.OPERATE)).status_code == 403
    assert (await door.ask(OLGA, role=Role.OPERATE)).status_code == 200
    assert (door.refused("role"), door.refused("wrong")) == (MOST_WRONG_PER_ADDRESS + 1, None)


async def test_an_operator_who_is_removed_from_the_file_has_no_access_from_then_on(named: str) -> None:
    door = Door(operators=named)
    assert (await door.ask(VIC)).status_code == 200
    rewrite(named, NamedOperator("olga", Role.OPERATE, hashed(OLGA)).line())
    assert (await door.ask(VIC)).status_code == 401
    assert (await door.ask(OLGA)).status_code == 200


async def test_a_file_that_becomes_unreadable_leaves_the_admin_token_alone(
    named: str, caplog: pytest.LogCaptureFixture
) -> None:
    door = Door(operators=named)
    kept = rewrite(named, "olga\n")
    assert (await door.ask(OLGA)).status_code == 401
    assert (await door.ask(TOKEN)).status_code == 200
    assert "line 1" in caplog.text
    rewrite(named, kept)
    assert (await door.ask(OLGA)).status_code == 200


@pytest.mark.parametrize(
    "text", ["olga", "olga:boss:" + "0" * 64, "olga:view:0", "admin:view:" + "0" * 64, "o l:view:" + "0" * 64, "\xff"]
)
def test_a_gateway_does_not_start_with_a_malformed_file_of_operators(tmp_path: Path, text: str) -> None:
    file = tmp_path / "operators"
    file.write_text(text, encoding="latin-1")
    with pytest.raises(SettingError, match="TAVOLATA_OPERATORS"):
        OperatorFile(str(file))


def test_two_operators_do_not_share_a_name() -> None:
    line = NamedOperator("olga", Role.VIEW, hashed(OLGA)).line()
    with pytest.raises(ValueError, match="line 3"):
        parse(f"{line}\n\n{line}")
