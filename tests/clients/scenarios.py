"""Runs the scenarios of scenarios.json with any client library, on a real cluster behind fault proxies.

A step is an action of a player (`player`, `do`), a fault of the environment (`fault`) or the end of an action that was
started without waiting (`start`, `finish`). `expect` is compared with the result, key by key; without it the action
must not be refused. After the last step every table is compared with its record.
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from tests.support.cluster import Cluster, Node
from tests.support.fault_proxy import FaultProxy
from tests.support.hostile import frame
from tests.support.waiting import eventually_awaited

Json = dict[str, Any]
SCENARIOS: list[Json] = json.loads(Path(__file__).with_name("scenarios.json").read_text())["scenarios"]
OUTBOX = 20_000
"""Unsent bytes after which the gateways of the scenarios count a client as slow."""
MOST_PINGS = 1_000
TIMES_FULL = 10
QUIET_S = 1.0
"""Longer than the delays of the first reconnections."""


class ScenarioClient(Protocol):
    """One player, by any client library. All values are JSON.

    | action | arguments | result |
    |---|---|---|
    | `connect` | `urls`, `name` | `{}` |
    | `create`, `match`, `join`, `spectate`, `rematch` | as in the protocol | `room`, `seat`, `offset` |
    | `act`, `say`, `fill` | `room`, `command` or `text` | the step: `offset`, `id`, `events` (types), `reason` |
    | `leave` | `room` | `{}` |
    | `state` | `room` | `offset`, `over`, `winners`, `chat` (texts), `game` |
    | `seen` | `room` | `updates`: all so far, each with `offset`, `events` (types), `reason` |
    | `close` | | `{}`: the connection is closed, the session goes on |
    | `connect_again`, `resume` | `urls`; `room` | as `connect` and `join`, from the token and the last position |
    | `token` | | `token` |
    | `end` | | `{}`: nothing is left open |

    A refusal of the cluster is the result `{"refused": code, "text": text}`, the end of the session
    `{"ended": code, "text": text}`; any other failure raises.
    """

    async def call(self, action: str, **arguments: Any) -> Json: ...


@dataclass
class Acknowledged:
    """A move that a client has reported as applied."""

    room: int
    seat: int
    id: int
    offset: int


@dataclass
class ScenarioPlayer:
    name: str
    client: ScenarioClient
    proxies: list[FaultProxy]
    """One for each gateway; the client connects to them in this order."""
    seats: dict[int, int | None] = field(default_factory=dict)
    """Room -> seat."""
    entered_at: dict[int, int] = field(default_factory=dict)
    """Room -> the step of the view that the player entered with."""


class ScenarioRun:
    """One scenario."""

    def __init__(self, cluster: Cluster, new_client: Callable[[], ScenarioClient], tag: str) -> None:
        """`new_client` makes a `ScenarioClient`; `tag` begins the names of its players."""
        self._cluster = cluster
        self._new_client = new_client
        self._tag = tag
        self._players: dict[str, ScenarioPlayer] = {}
        self._tables: dict[str, int] = {}
        self._started: dict[str, tuple[Json, asyncio.Task[Json]]] = {}
        self._acknowledged: list[Acknowledged] = []
        self._saved: Any = None
        self._other_version: Node | None = None
        """A gateway that speaks another version of the protocol."""

    async def run(self, steps: list[Json]) -> None:
        try:
            for step in steps:
                await self._step(step)
            await self._check()
        finally:
            for _, task in self._started.values():
                task.cancel()
            for player in self._players.values():
                await player.client.call("end")
                for proxy in player.proxies:
                    await proxy.close()
            if self._other_version is not None:
                self._other_version.kill()

    async def _step(self, step: Json) -> None:
        if "fault" in step:
            await self._fault(step)
        elif "finish" in step:
            begun, task = self._started.pop(step["finish"])
            self._note(begun, await task)
            self._compare(step, task.result())
        elif step["do"] == "see":
            await self._see(step)
        elif step["do"] == "reach":
            await self._reach(step)
        elif step["do"] == "stay_away":
            await self._stay_away(self._players[step["player"]])
        elif "start" in step:
            self._started[step["start"]] = (step, asyncio.create_task(self._act(step)))
            await asyncio.sleep(0)
        else:
            result = await self._act(step)
            self._note(step, result)
            self._compare(step, result)

    # --- players ------------------------------------------------------------------------------------------------------

    async def _player(self, name: str) -> ScenarioPlayer:
        """The player; a new one gets the next gateway. So the third has that of the first, and what the third has seen
        has come to the first one's gateway."""
        if name not in self._players:
            gateways = self._cluster.gateways
            first = len(self._players) % len(gateways)
            proxies = [await _proxy(node).start() for node in (*gateways[first:], *gateways[:first])]
            self._players[name] = ScenarioPlayer(self._tag + name, self._new_client(), proxies)
        return self._players[name]

    async def _act(self, step: Json) -> Json:
        player = await self._player(step["player"])
        skipped = ("player", "do", "table", "as", "expect", "start", "void", "name_of")
        arguments = {key: value for key, value in step.items() if key not in skipped}
        if step.get("table") in self._tables:
            arguments["room"] = self._tables[step["table"]]
        if step["do"] in ("connect", "connect_again"):
            arguments["urls"] = [proxy.url for proxy in player.proxies]
        if step["do"] == "connect":
            arguments["name"] = self._tag + str(step.get("name_of") or step["player"])
        return await player.client.call(step["do"], **arguments)

    def _note(self, step: Json, result: Json) -> None:
        """Remember tables, seats and acknowledged moves."""
        player = self._players[step["player"]]
        room = result.get("room")
        if room is not None:
            self._tables.setdefault(step.get("as") or step.get("table", ""), room)
            player.seats[room] = result["seat"]
            player.entered_at.setdefault(room, result["offset"])
        elif "id" in result and not step.get("void"):
            room = self._tables[step["table"]]
            seat = player.seats[room]
            assert seat is not None
            self._acknowledged.append(Acknowledged(room, seat, result["id"], result["offset"]))
        if "ended" in result:
            player.seats.clear()
        if step["do"] == "leave":
            del player.seats[self._tables[step["table"]]]

    def _compare(self, step: Json, result: Json) -> None:
        expected = step.get("expect", {})
        for failed in ("refused", "ended"):
            assert failed in expected or failed not in result, (step, result)
        assert _part(expected, result) == expected, (step, result)

    async def _see(self, step: Json) -> None:
        """Wait until the player has received an event, or a view with a reason."""
        player, room = self._players[step["player"]], self._tables[step["table"]]

        async def seen() -> bool:
            updates = (await player.client.call("seen", room=room))["updates"]
            return any(step.get("event") in one["events"] or one["reason"] == step.get("reason") for one in updates)

        await eventually_awaited(seen, str(step))

    async def _reach(self, step: Json) -> None:
        """Wait until the player has received as many steps as another one."""
        player, other = self._players[step["player"]], self._players[step["like"]]
        room = self._tables[step["table"]]
        wanted = await other.client.call("state", room=room)

        async def reached() -> bool:
            return bool((await player.client.call("state", room=room))["offset"] >= wanted["offset"])

        await eventually_awaited(reached, str(step))
        self._compare(step, await player.client.call("state", room=room))

    @staticmethod
    async def _stay_away(player: ScenarioPlayer) -> None:
        """Check that the player's client has no connection, and opens none for a while."""
        before = [proxy.accepted for proxy in player.proxies]
        await asyncio.sleep(QUIET_S)
        assert [proxy.accepted for proxy in player.proxies] == before
        assert not any(proxy.connections for proxy in player.proxies)

    # --- faults -------------------------------------------------------------------------------------------------------

    async def _fault(self, step: Json) -> None:
        match step:
            case {"what": "store", "fault": fault}:
                self._hurt_store(fault)
            case {"what": "worker", "table": table}:
                self._cluster.owner(self._tables[table]).kill()
            case {"fault": "kill", "of": name}:
                self._gateway_of(name).kill()
            case {"fault": "drain", "of": name}:
                assert await asyncio.to_thread(self._gateway_of(name).terminate) == 0
            case {"fault": "upgrade", "of": name, "protocol": protocol}:
                self._upgrade(self._players[name], protocol)
            case {"fault": "fill", "of": name}:
                await self._fill(self._gateway_of(name), self._players[name])
            case {"of": name}:
                self._hurt_connections(step, self._players[name].proxies)
            case _:
                raise AssertionError(f"unknown fault: {step}")

    def _upgrade(self, player: ScenarioPlayer, protocol: str) -> None:
        """Have the player find gateways of another version of the protocol from now on."""
        if self._other_version is None:
            self._other_version = self._cluster.node("gateway")
            self._cluster.gateways.remove(self._other_version)  # no other player shall use it
            self._other_version.program = ("tests.support.gateway_of_protocol", protocol)
            self._other_version.start()
        gateway = self._other_version
        for proxy in player.proxies:
            proxy.redirect(lambda: gateway.port)

    def _hurt_store(self, fault: str) -> None:
        store = self._cluster.store
        match fault:
            case "kill":
                store.kill()
            case "restart":
                store.restart()
            case "save":
                self._saved = store.copy_data()
            case "rewind":
                store.rewind(self._saved)

    @staticmethod
    def _hurt_connections(step: Json, proxies: list[FaultProxy]) -> None:
        for proxy in proxies:
            match step["fault"]:
                case "cut":
                    proxy.cut()
                case "hold":
                    proxy.hold(step["direction"])
                case "delay":
                    proxy.delay(step["seconds"])
                case "release":
                    proxy.release()

    def _gateway_of(self, name: str) -> Node:
        """The gateway that the player is connected to."""
        used = [proxy.target for proxy in self._players[name].proxies if proxy.connections]
        return next(node for node in self._cluster.gateways if node.port in used)

    @staticmethod
    async def _fill(gateway: Node, reader: ScenarioPlayer) -> None:
        """Ask for large answers in the client's name, until the gateway has more unsent bytes than it keeps for it. It
        must have them for a while: the system takes some more bytes from it now and then."""
        ping = frame(json.dumps({"type": "ping", "t": "x" * 20_000}).encode())
        full = 0
        for _ in range(MOST_PINGS):
            full = full + 1 if gateway.metrics()["tavolata_outbox_bytes"] >= OUTBOX else 0
            if full == TIMES_FULL:
                return
            for proxy in reader.proxies:
                proxy.send_up(ping)
            await asyncio.sleep(0.01)
        raise AssertionError("the client does not become slow")

    # --- the record ---------------------------------------------------------------------------------------------------

    async def _check(self) -> None:
        """No player has seen a hole, a repetition or a step that the record does not have, and every acknowledged move
        is in the record once."""
        for room in {room for player in self._players.values() for room in player.seats}:
            seated = [player for player in self._players.values() if player.seats.get(room) is not None]
            if not seated:
                continue
            record = await self._record(seated[0], room)
            for player in self._players.values():
                if room in player.seats:
                    await self._check_player(player, room, record)
            for move in self._acknowledged:
                if move.room == room:
                    steps = [
                        step["offset"] for step in record if (step.get("by"), step.get("id")) == (move.seat, move.id)
                    ]
                    assert steps == [move.offset], (move, steps)

    async def _record(self, player: ScenarioPlayer, room: int) -> list[Json]:
        token = (await player.client.call("token"))["token"]
        alive = next(node for node in self._cluster.gateways if node.alive)
        record: list[Json] = alive.json(f"/api/rooms/{room}/updates", token)["updates"]
        assert [step["offset"] for step in record] == list(range(1, len(record) + 1))
        return record

    async def _check_player(self, player: ScenarioPlayer, room: int, record: list[Json]) -> None:
        last, at = record[-1]["offset"], player.entered_at[room]
        updates: list[Json] = []

        async def complete() -> bool:
            updates[:] = (await player.client.call("seen", room=room))["updates"]
            return bool((updates[-1]["offset"] if updates else at) >= last)

        await eventually_awaited(complete, f"{player.name} has received step {last}")
        rewound = max((number for number, one in enumerate(updates) if one["reason"] == "rewound"), default=-1)
        for number, update in enumerate(updates):
            assert update["reason"] or update["offset"] == at + 1, (player.name, at, update)
            at = update["offset"]
            if number > rewound and not update["reason"] and at <= last:  # later steps came after the record was read
                assert update["events"] == [event["type"] for event in record[at - 1]["events"]]


def _proxy(node: Node) -> FaultProxy:
    return FaultProxy(lambda: node.port)


def _part(expected: Any, result: Any) -> Any:
    """The part of the result that the expectation names."""
    if isinstance(expected, dict) and isinstance(result, dict):
        return {key: _part(value, result.get(key)) for key, value in expected.items()}
    return result
