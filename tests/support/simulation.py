"""A whole cluster in one loop and in virtual time: a seed decides what happens next, and what goes wrong."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from random import Random
from unittest import mock

from shared.bus import meta
from shared.bus.keys import Keys
from shared.games import stones
from shared.ids import Partition
from shared.runtime.settings import GatewaySettings, WorkerSettings
from tests.support import promise
from tests.support.fake_store import FakeServer, StoreCopy, VirtualTime
from tests.support.memory_gateway import MemoryGateway, SeededIds
from tests.support.memory_store import MemoryConnection, MemoryStore
from tests.support.memory_worker import MemoryWorker
from tests.support.simulated_player import SimulatedPlayer, StepPlace, Visit
from tests.support.virtual_loop import SeededSecrets, VirtualCpu, VirtualLoop
from worker.games import GameCatalog

PARTITIONS = 2
LEASE_MS = 600
WORKER = WorkerSettings(
    log_bytes=4_000,
    partitions=PARTITIONS,
    lease_ms=LEASE_MS,
    gateway_lease_ms=1_000,
    durability="applied",
    grace_ms=60_000,
    away_ms=120_000,
    snapshot_every=3,
    batch=8,
)
GATEWAY = GatewaySettings(
    partitions=PARTITIONS, gateway_lease_ms=1_000, durability="applied", retry_ms=300, name_ms=60_000
)
_SECRETIVE = ("shared.bus.leases",)


class Simulation:
    """Workers, gateways and players; `run` lets them live through a time of faults and then through a calm one."""

    FAULTS = (
        "worker_crashes",
        "worker_pauses",
        "worker_pauses_in_a_commit",
        "worker_loses_the_store",
        "worker_hands_over",
        "gateway_crashes",
        "gateway_pauses",
        "gateway_loses_the_store",
        "message_is_lost",
        "subscription_is_made_again",
        "add_is_doubled",
        "player_is_cut_off",
        "time_flies",
        "store_fails_over",
        "store_loses_its_tail",
        "slot_moves",
        "worker_of_another_version_starts",
    )
    WITHOUT_LOSS = tuple(kind for kind in FAULTS if kind != "store_loses_its_tail")
    """The faults after which no acknowledged command may be missing."""

    def __init__(
        self,
        seed: int,
        server: FakeServer,
        *,
        players: int = 4,
        workers: int = 2,
        gateways: int = 2,
        decide_ms: float = 0.0,
        kinds: Sequence[str] = FAULTS,
        rate: float = 0.03,
    ) -> None:
        """`decide_ms`: the CPU time that each move costs its worker. `rate`: the probability of a fault, of one of
        the `kinds`, before each of the first events."""
        self._kinds = kinds
        self._rate = rate
        self.dice = Random(seed)
        self.time = VirtualTime()
        self._decide_ms = decide_ms
        self.faults: Counter[str] = Counter()
        self._counts = (workers, gateways)
        self.world = MemoryStore(server, self.time)
        chatty = self.dice.choice((0.0, 0.2))
        self._eager = self.dice.choice((0.02, 0.2))
        """The probability that players act out of turn: their refusals are saved and leave the journals."""
        self.players = [SimulatedPlayer(f"p{number}-", self.dice, chatty) for number in range(players)]
        self.workers: list[MemoryWorker] = []
        self.gateways: list[MemoryGateway] = []
        self.fenced = 0
        self.undone: set[StepPlace] = set()
        """The steps that the store has lost."""
        self._copy: StoreCopy | None = None
        """The data that the store will go back to."""
        self._back_in = 0
        self._pause_next_commit = False
        """Whether the next worker that is about to commit shall stand still."""
        self._made = 0

    @property
    def visits(self) -> list[Visit]:
        """The observations and moves of all players, in all rooms."""
        return [visit for player in self.players for visit in player.visits]

    def run(self, faults: int = 400, most: int = 6_000) -> None:
        """All of it, in a loop of its own."""
        with self._frozen():
            runner = asyncio.Runner(loop_factory=lambda: VirtualLoop(self.time))
            with runner:
                runner.run(self._live(faults, most))

    @contextmanager
    def _frozen(self) -> Iterator[None]:
        self.world.server.flush()
        with self.time.installed(), ExitStack() as patches:
            for module in _SECRETIVE:
                patches.enter_context(mock.patch(f"{module}.secrets", SeededSecrets(self.dice)))
            yield

    # --- the course of things -----------------------------------------------------------------------------------------

    async def _live(self, faults: int, most: int) -> None:
        workers, gateways = self._counts
        for _ in range(workers):
            self._start_worker()
        for _ in range(gateways):
            self._start_gateway()
        await self._announce()
        for _ in range(faults):
            await self._one(self._something_wrong if self.dice.random() < self._rate else self._something)
        self._calm()
        done = [len(player.visits) for player in self.players]
        for _ in range(most):
            await self._one(self._something)
            if all(self._played_on(player, before) for player, before in zip(self.players, done, strict=True)):
                break
        else:
            raise AssertionError("a player cannot play any more")
        self._check_attendance()
        self._check_players_know()
        self._close()

    async def _announce(self) -> None:
        line = MemoryConnection(self.world)
        telling = asyncio.ensure_future(meta.announce(line, GameCatalog((stones.GAME,)).cards()))
        await asyncio.sleep(0)
        line.step()
        await telling

    @staticmethod
    def _played_on(player: SimulatedPlayer, before: int) -> bool:
        """Whether the player has finished a game that began in the calm time."""
        return len(player.visits) > before and any(visit.over for visit in player.visits[before:])

    def _calm(self) -> None:
        """The upgrade is over, and no write will be lost any more."""
        self._copy = None
        if self.faults["worker_of_another_version_starts"]:
            self._start_worker((1, 2))
        for player in self.players:
            if player.store_lost_writes:
                player.give_up()

    def _check_attendance(self) -> None:
        """A player counts as connected only to a gateway that lives, or that the owner will find dead: otherwise nobody
        without a token could ever come back to the seat."""
        live = {gateway.node.id for gateway in self.gateways}
        for worker in self.workers:
            for partition in worker.node.ownership.partitions.values():
                known = live | partition.gateways
                for number, room in partition.rooms.items():
                    places = [place for place in room.state.seats.values() if place.here and place.gateway]
                    if any(place.gateway not in known for place in places):
                        raise AssertionError(f"room {number} counts on a gateway that is forgotten: {places}")

    def _check_players_know(self) -> None:
        """A player who was shown a step that the store has lost was told so, unless the connection was lost."""
        for player in self.players:
            while player.wire is not None and player.wire.down:
                player.read()
            if unaware := player.unaware_of(self.undone):
                raise AssertionError(f"{player.name} was not told that the store has lost {unaware}")

    async def _one(self, happening: Callable[[], None]) -> None:
        happening()
        self._go_back_when_due()
        self._pause_when_committing()
        for _ in range(self.dice.randint(1, 4)):
            await asyncio.sleep(0)
        for process in self._processes():
            if not process.dead:
                process.listen()
                process.check()
        for player in self.players:
            if player.errors:
                raise AssertionError("; ".join(player.errors))

    def _processes(self) -> list[MemoryWorker | MemoryGateway]:
        return [*self.workers, *self.gateways]

    def _something(self) -> None:
        """One small thing that happens all the time."""
        choice = self.dice.random()
        if choice < 0.08:
            self.time.advance(self.dice.choice((1, 5, 20, 60)))
            return
        ready = self._ready()
        if choice < 0.22 or not ready:
            self._player_acts()
            if not ready:
                self.time.advance(self.dice.choice((5, 20)))
            return
        self.dice.choice(ready)()

    def _ready(self) -> list[Callable[[], None]]:
        ready: list[Callable[[], None]] = []
        for process in self._processes():
            if process.store.down:
                ready.append(process.reconnect)
        for worker in self.workers:
            if not worker.paused:
                ready.extend(line.step for line in worker.lines if line.ready)
        for gateway in self.gateways:
            if gateway.paused:
                continue
            if gateway.store.ready:
                ready.append(gateway.store.step)
            if gateway.inbox:
                ready.append(gateway.hear)
            for wire in gateway.wires:
                if wire.up and not wire.session.closed:
                    ready.append(wire.receive)
                elif wire.cut and not wire.session.closed:
                    ready.append(wire.abort)
        ready.extend(player.read for player in self.players if player.wire is not None and player.wire.down)
        return ready

    def _player_acts(self) -> None:
        player = self.dice.choice(self.players)
        if player.cut_off:
            player.disconnect()
        if player.wire is None:
            player.connect(self.dice.choice(self.gateways))
        elif self.dice.random() < self._eager:
            player.act_out_of_turn()
        else:
            player.act()

    # --- what goes wrong ----------------------------------------------------------------------------------------------

    def _something_wrong(self) -> None:
        wrong = self.dice.choice(self._kinds)
        self.faults[wrong] += 1
        getattr(self, f"_{wrong}")()

    def _worker_crashes(self) -> None:
        worker = self.dice.choice(self.workers)
        worker.crash(self.dice)
        self._forget(worker)
        self._start_worker()

    def _worker_pauses(self) -> None:
        busy = [worker for worker in self.workers if worker.store.ready]
        # Often just longer than a lease: the next owner has then taken the partitions and not yet committed.
        self.dice.choice(busy or self.workers).pause(int(LEASE_MS * self.dice.choice((1.05, 1.2, 1.5, 2.0))))

    def _worker_pauses_in_a_commit(self) -> None:
        """The next worker that is about to commit stands still until another one has taken its partitions."""
        self._pause_next_commit = True

    def _pause_when_committing(self) -> None:
        if not self._pause_next_commit:
            return
        for worker in self.workers:
            if worker.store.is_committing and not worker.paused:
                worker.pause(LEASE_MS * 3, until_replaced=True)
                self._pause_next_commit = False
                return

    def _worker_loses_the_store(self) -> None:
        self.dice.choice(self.workers).lose_the_store(self.dice)

    def _worker_hands_over(self) -> None:
        """A deploy: a new one comes, an old one drains, and ends when the simulation next crashes it."""
        self.dice.choice(self.workers).drain()
        self._start_worker()

    def _gateway_crashes(self) -> None:
        gateway = self.dice.choice(self.gateways)
        gateway.crash(self.dice)
        self.gateways.remove(gateway)
        self._start_gateway()

    def _gateway_pauses(self) -> None:
        """A gateway stands still beyond its lease, and then goes on with what its clients have sent meanwhile."""
        pause_ms = int(GATEWAY.gateway_lease_ms * self.dice.choice((1.05, 1.3, 2.0)))
        self.dice.choice(self.gateways).pause(pause_ms)

    def _gateway_loses_the_store(self) -> None:
        self.dice.choice(self.gateways).lose_the_store(self.dice)

    def _message_is_lost(self) -> None:
        self.dice.choice(self.gateways).lose_messages(self.dice.randint(1, 3))

    def _subscription_is_made_again(self) -> None:
        self.dice.choice(self.gateways).resubscribe()

    def _add_is_doubled(self) -> None:
        self.dice.choice(self.gateways).store.repeat_adds()

    def _player_is_cut_off(self) -> None:
        self.dice.choice(self.players).disconnect()

    def _time_flies(self) -> None:
        self.time.advance(self.dice.choice((LEASE_MS / 2, LEASE_MS * 2)))

    def _store_fails_over(self) -> None:
        """A replica that has everything takes over. All connections are lost, and all messages under way."""
        self._replace_store(lambda: None)

    def _store_loses_its_tail(self) -> None:
        """Restore the store, some time from now, to its present content."""
        if self._copy is None:
            self._copy = self.world.server.copy()
            self._back_in = self.dice.randint(5, 150)

    def _go_back_when_due(self) -> None:
        self._back_in -= 1
        if self._copy is None or self._back_in > 0:
            return
        self._replace_store(self._go_back)
        for player in self.players:
            player.store_lost_writes = True

    def _go_back(self) -> None:
        server = self.world.server
        before = promise.steps_in(server)
        assert self._copy is not None
        server.restore(self._copy)
        self._copy = None
        self.undone |= before - promise.steps_in(server)

    def _replace_store(self, change: Callable[[], None]) -> None:
        """All connections break, the store changes, and only then do programs subscribe again."""
        for process in self._processes():
            process.lose_the_store(self.dice)
        change()
        self.world.restart()
        for process in self._processes():
            process.resubscribe()

    def _slot_moves(self) -> None:
        """Another server of a Cluster serves a partition: programs notice it like a reconnection."""
        partition = Keys(Partition(self.dice.randrange(PARTITIONS)), PARTITIONS)
        self.world.move(partition.owner)
        for process in self._processes():
            process.resubscribe()
        for worker in self.workers:
            if not worker.store.down:
                worker.node.reconnected()

    def _worker_of_another_version_starts(self) -> None:
        """An upgrade is under way: some workers play the old version of the game, some the new one, some both."""
        self._start_worker(self.dice.choice(((1,), (1, 2), (1, 2), (2,))))
        for player in self.players:
            player.versions_differ = True

    # --- coming and going ---------------------------------------------------------------------------------------------

    def _start_worker(self, versions: Sequence[int] = (1,)) -> None:
        self._made += 1
        cpu = VirtualCpu(self.time)
        games = [replace(stones.GAME, version=version) for version in versions]
        catalog = GameCatalog([cpu.charge(game, self._decide_ms) for game in games])
        self.workers.append(MemoryWorker(self.world, self._made, WORKER, catalog, cpu.used_s))
        if len(self.workers) > 3:
            oldest = self.workers[0]
            oldest.crash(self.dice)
            self._forget(oldest)

    def _start_gateway(self) -> None:
        self._made += 1
        self.gateways.append(MemoryGateway(self.world, self._made, GATEWAY, SeededIds(self._made, self.dice)))

    def _forget(self, worker: MemoryWorker) -> None:
        self.fenced += worker.metrics.fenced
        self.workers.remove(worker)

    def _close(self) -> None:
        for worker in list(self.workers):
            worker.crash(self.dice)
            self._forget(worker)
        for gateway in self.gateways:
            gateway.crash(self.dice)
