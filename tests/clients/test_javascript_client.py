"""The JavaScript client passes the scenarios, in Node.js, and the examples of its guide run."""

import asyncio
import itertools
import json
import re
import shutil
import subprocess
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients.scenarios import SCENARIOS, Json, ScenarioRun
from tests.support.cluster import ROOT, Cluster

PROGRAM = Path(__file__).with_name("scenario_client.mjs")
TYPED_PROGRAM = PROGRAM.with_name("typed_program.ts")
COMPILER = ROOT / "node_modules" / ".bin" / "tsc"
PACKAGE = ROOT / "clients" / "javascript"
CLIENT = PACKAGE / "client.js"
GUIDES = (ROOT / "docs" / "clients" / "javascript.md", PACKAGE / "README.md")
EXAMPLES = [
    example
    for guide in GUIDES
    for example in re.findall(r"^```js\n(.*?)^```$", guide.read_text(), re.MULTILINE | re.DOTALL)
]
# Node.js has WebSockets from version 22 on; version 20 has them behind this option, which later ones ignore.
WEBSOCKETS = "--experimental-websocket"
NOT_FOUND = "THE JAVASCRIPT CLIENT WAS NOT TESTED: no Node.js on this machine (Debian: apt-get install nodejs)"
LONGEST_LINE = 16 * 1024 * 1024


class NodeProgram:
    """A Node.js process with any number of scenario clients."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._numbers = itertools.count()
        self._calls: dict[int, asyncio.Future[Json]] = {}
        self._reader = asyncio.create_task(self._read())

    async def call(self, client: int, action: str, values: Json) -> Json:
        assert self._process.stdin is not None
        number = next(self._numbers)
        answer: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._calls[number] = answer
        message = {"call": number, "client": client, "action": action, "values": values}
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        return await answer

    async def _read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            message = json.loads(line)
            answer = self._calls.pop(message["call"])
            if answer.cancelled():
                continue
            if "result" in message:
                answer.set_result(message["result"])
            else:
                answer.set_exception(AssertionError(message["failed"]))
        for answer in self._calls.values():
            answer.set_exception(AssertionError("the Node.js process has ended"))

    async def close(self) -> None:
        """End the process. Everything is closed by then, so that it exits by itself and without an error."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            async with asyncio.timeout(20):
                assert await self._process.wait() == 0
        finally:
            if self._process.returncode is None:
                self._process.kill()
            await self._reader


class NodeScenarioClient:
    """A `ScenarioClient` in a Node.js process."""

    def __init__(self, program: NodeProgram, number: int) -> None:
        self._program = program
        self._number = number

    async def call(self, action: str, **arguments: Any) -> Json:
        return await self._program.call(self._number, action, arguments)


@pytest.fixture
def node() -> str:
    found = shutil.which("node")
    if found is not None:
        return found
    if sys.__stderr__ is not None:
        sys.__stderr__.write(f"\n{NOT_FOUND}\n")
    pytest.skip(NOT_FOUND)


@pytest.fixture
async def program(node: str) -> AsyncIterator[NodeProgram]:
    words = (node, WEBSOCKETS, str(PROGRAM))
    process = await asyncio.create_subprocess_exec(*words, stdin=PIPE, stdout=PIPE, limit=LONGEST_LINE)
    program = NodeProgram(process)
    yield program
    await program.close()


@pytest.mark.parametrize("number", range(len(SCENARIOS)), ids=lambda number: SCENARIOS[number]["name"])
async def test_the_client_passes_the_scenario(cluster: Cluster, program: NodeProgram, number: int) -> None:
    numbers = itertools.count()
    run = ScenarioRun(cluster, lambda: NodeScenarioClient(program, next(numbers)), f"j{number}-")
    await run.run(SCENARIOS[number]["steps"])


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_the_examples_of_the_guide_run(cluster: Cluster, node: str, number: int) -> None:
    example = EXAMPLES[number].replace("ws://127.0.0.1:8000", cluster.gateways[0].url)
    example = example.replace('"tavolata-client"', json.dumps(CLIENT.as_uri()))
    words = [node, WEBSOCKETS, "--no-warnings", "--input-type=module", "--eval", example]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    assert ended.stdout.splitlines() == re.findall(r"// prints: (.*)$", EXAMPLES[number], re.MULTILINE)


def test_a_missing_class_of_web_sockets_is_named(node: str) -> None:
    script = f"""
        delete globalThis.WebSocket;
        const {{ connect }} = await import({json.dumps(CLIENT.as_uri())});
        await connect("ws://127.0.0.1:1", {{ name: "x" }}).catch(({{ message }}) => console.log(message));
    """
    words = [node, WEBSOCKETS, "--no-warnings", "--input-type=module", "--eval", script]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    assert "option WebSocket" in ended.stdout


def test_a_program_that_uses_every_type_compiles() -> None:
    if not COMPILER.exists():
        pytest.skip("THE TYPES OF THE JAVASCRIPT CLIENT WERE NOT TESTED: TypeScript is missing (npm install)")
    options = ["--strict", "--noEmit", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom"]
    words = [str(COMPILER), *options, str(TYPED_PROGRAM)]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stdout


def test_the_types_declare_every_public_member(node: str) -> None:
    script = f"""
        const module = await import({json.dumps(CLIENT.as_uri())});
        const player = new module.Player("ws://127.0.0.1:1", {{ name: "x", connectMs: 1, WebSocket: class {{}} }});
        player.close();
        const methods = (made) => Object.getOwnPropertyNames(Object.getPrototypeOf(made));
        const members = (made) => [...Object.keys(made), ...methods(made), "on"];
        const names = {{ Player: members(player), Table: members(new module.Table(player)) }};
        console.log(JSON.stringify([Object.keys(module), names]));
    """
    words = [node, WEBSOCKETS, "--no-warnings", "--input-type=module", "--eval", script]
    exports, classes = json.loads(subprocess.run(words, capture_output=True, timeout=60, check=True).stdout)
    text = (PACKAGE / "client.d.ts").read_text()
    assert sorted(re.findall(r"^export (?:class|function) (\w+)", text, re.MULTILINE)) == sorted(exports)
    for name, members in classes.items():
        body = text.partition(f"export class {name} {{")[2].partition("\n}")[0]
        declared = set(re.findall(r"^  (?:private |readonly )?(\w+)[(:]", body, re.MULTILINE))
        assert declared == set(members), name
