"""Rules of the code base that import contracts and linters cannot express: where Redis is spoken, names, and prose."""

import ast
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ("tavolata", "gateway", "worker", "shared", "deploy", "loadtest", "benchmarks")
REDIS_FREE = ("gateway", "worker", "loadtest")
"""Packages that reach the store through `shared/bus` alone."""
_COMMAND_NAMES = """
AUTH BLPOP CLIENT CLUSTER CONFIG DEL EVAL EVALSHA EXISTS EXPIRE FLUSHALL GET HDEL HEXISTS HGET HGETALL HINCRBY HKEYS
HLEN HMGET HSET HSETNX HVALS INCR INFO KEYS LPUSH LRANGE MEMORY MGET MSET MULTI EXEC PEXPIRE PERSIST PING PSUBSCRIBE
PUBLISH PUBSUB REPLICAOF ROLE RPUSH SADD SCAN SCARD SCRIPT SELECT SET SETEX SETNX SISMEMBER SMEMBERS SPUBLISH SREM
SSUBSCRIBE SUBSCRIBE TIME TTL TYPE UNBLOCK UNLINK UNSUBSCRIBE WAIT WAITAOF XADD XDEL XINFO XLEN XRANGE XREAD XREVRANGE
XTRIM ZADD ZCARD ZRANGE ZRANGEBYSCORE ZREM ZSCORE
"""
REDIS_COMMANDS = frozenset(_COMMAND_NAMES.split())
WIRE_TYPES = ("shared/games", "gateway/dialects", "loadtest/clients")
"""Folders whose class names often are names on the wire."""
HIDDEN_SUBJECT = re.compile(r"(What|Who|Whom|Whoever|Whatever|One that|One who|So many|Those who|Nobody|Somebody)\b")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])")
VAGUE = re.compile(r"\b(nobody|somebody|whoever|told)\b", re.IGNORECASE)
MOST_VAGUE_IN_SOURCE = 120
MOST_VAGUE_IN_DOCS = 48


def files(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def pages() -> list[Path]:
    return [*sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*.md"))]


def commands_in(source: str) -> list[str]:
    """The string literals of a module that are names of Redis commands; names of our own variables are none."""
    tree = ast.parse(source)
    variables = {id(word.value) for word in ast.walk(tree) if isinstance(word, ast.keyword) and word.arg == "variable"}
    literals = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in variables]
    return [node.value for node in literals if isinstance(node.value, str) and node.value in REDIS_COMMANDS]


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Docstrings of modules, classes and functions, and the strings that document attributes and constants."""
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", ())
        for statement in body if isinstance(body, list) else ():
            value = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield statement.lineno, value.value


def paragraphs(page: str) -> Iterator[str]:
    """The paragraphs, list items and table cells of a Markdown page, without headings and code."""
    prose = re.sub(r"^```.*?^```|^#.*?$", "", page, flags=re.DOTALL | re.MULTILINE)
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.) )", prose):
        for cell in re.split(r"(?<!\\)\|", block) if block.lstrip().startswith("|") else [block]:
            yield re.sub(r"\s+", " ", cell).strip(" -*#>")


def hidden_subjects(text: str) -> list[str]:
    """Sentences that hide their subject; questions do not."""
    sentences = SENTENCE_END.split(" ".join(text.split()))
    return [sentence for sentence in sentences if HIDDEN_SUBJECT.match(sentence) and not sentence.endswith("?")]


def test_the_checks_find_violations() -> None:
    assert commands_in('store.call("ZADD", key, 1, "member")') == ["ZADD"]
    assert commands_in('setting(60, variable="WAIT")') == []
    assert hidden_subjects("Fine. What is kept is kept.") == ["What is kept is kept."]
    assert [text for _, text in docstrings('X = 1\n"""So many."""')] == ["So many."]
    assert list(paragraphs("- One.\n- Who?\n\n```\nWhat\n```\n| Who | b |")) == ["One.", "Who?", "", "Who", "b", ""]


@pytest.mark.parametrize("package", REDIS_FREE)
def test_redis_commands_are_named_in_the_bus_alone(package: str) -> None:
    modules = files(package)
    assert modules
    named = {str(path.relative_to(ROOT)): found for path in modules if (found := commands_in(path.read_text()))}
    assert named == {}


def test_a_class_name_means_one_thing() -> None:
    names = Counter(
        node.name
        for path in files(*SOURCES)
        if not path.relative_to(ROOT).as_posix().startswith(WIRE_TYPES)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize(
    ("module", "name"), [("worker/room/room.py", "Room"), ("gateway/session/session.py", "Session")]
)
def test_a_core_is_composed_not_inherited(module: str, name: str) -> None:
    classes = [node for node in ast.walk(ast.parse((ROOT / module).read_text())) if isinstance(node, ast.ClassDef)]
    (core,) = [node for node in classes if node.name == name]
    assert core.bases == []


def test_docstrings_name_their_subject() -> None:
    hidden = [
        f"{path.relative_to(ROOT)}:{line}: {sentence}"
        for path in files(*SOURCES, "tests")
        for line, text in docstrings(path.read_text())
        for sentence in hidden_subjects(text)
    ]
    assert hidden == []


def test_names_of_tests_name_their_subject() -> None:
    names = re.findall(
        r"def (test_(?:who|whom|whoever|what|whatever|nobody|somebody)_\w+)",
        "".join(path.read_text() for path in files("tests")),
    )
    assert names == []


def test_docs_name_their_subject() -> None:
    hidden = [
        f"{page.relative_to(ROOT)}: {sentence}"
        for page in pages()
        for text in paragraphs(page.read_text())
        for sentence in hidden_subjects(text)
    ]
    assert hidden == []


def test_source_avoids_vague_words() -> None:
    count = 0
    for path in files(*SOURCES):
        with path.open("rb") as file:
            count += sum(len(VAGUE.findall(token.string)) for token in tokenize.tokenize(file.readline))
    assert count <= MOST_VAGUE_IN_SOURCE


def test_docs_avoid_vague_words() -> None:
    assert sum(len(VAGUE.findall(page.read_text())) for page in pages()) <= MOST_VAGUE_IN_DOCS
