"""Only `shared/bus` speaks Redis: no other package may contain the name of a Redis command."""

import ast
from pathlib import Path

import pytest

from tests.support.launched import ROOT

PACKAGES = ("worker",)
_NAMES = """
AUTH BLPOP CLIENT CONFIG DEL EVAL EVALSHA EXISTS EXPIRE FLUSHALL GET HDEL HEXISTS HGET HGETALL HINCRBY HKEYS HLEN
HMGET HSET HSETNX HVALS INCR INFO KEYS LPUSH MGET MSET MULTI EXEC PEXPIRE PERSIST PING PSUBSCRIBE PUBLISH PUBSUB
REPLICAOF SADD SCAN SCARD SCRIPT SELECT SET SETEX SETNX SISMEMBER SMEMBERS SPUBLISH SREM SSUBSCRIBE SUBSCRIBE TIME
TTL TYPE UNBLOCK UNLINK UNSUBSCRIBE WAIT WAITAOF XADD XDEL XINFO XLEN XRANGE XREAD XREVRANGE XTRIM ZADD ZCARD ZRANGE
ZRANGEBYSCORE ZREM ZSCORE
"""
COMMANDS = frozenset(_NAMES.split())


def commands_in(source: str) -> list[str]:
    """The string literals of a module that are names of Redis commands."""
    literals = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
    return [value for value in literals if isinstance(value, str) and value in COMMANDS]


def test_the_check_finds_a_command() -> None:
    assert commands_in('store.call("ZADD", key, 1, "member")') == ["ZADD"]


@pytest.mark.parametrize("package", PACKAGES)
def test_no_module_names_a_redis_command(package: str) -> None:
    modules: list[Path] = sorted((ROOT / package).rglob("*.py"))
    found = {str(path.relative_to(ROOT)): names for path in modules if (names := commands_in(path.read_text()))}
    assert modules
    assert found == {}
