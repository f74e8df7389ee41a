"""The metrics of a worker, for Prometheus and for the status that it registers."""

import collections
from collections.abc import Mapping, Sequence
from itertools import chain
from operator import attrgetter

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from shared.bus.commits import AnyOutcome, Commit, CommitOutcome
from shared.bus.store_counters import StoreCounters
from shared.bus.store_figures import StoreFigures
from shared.runtime.store_metrics import ReplicaWaitMetrics, StoreConnectionMetrics

_FAILURES: dict[AnyOutcome, str] = {CommitOutcome.FENCED: "fenced", CommitOutcome.FULL: "full"}

_game = attrgetter("game")


class WorkerMetrics:
    """Counters of one worker, in a registry of their own."""

    def __init__(self, partitions: int, store: StoreCounters | None = None) -> None:
        """`partitions` is the number of all partitions, and `store` has the counts of the connections to the store."""
        self.registry = CollectorRegistry()
        counters = store or StoreCounters()
        self.registry.register(StoreConnectionMetrics(counters))
        self.registry.register(ReplicaWaitMetrics(counters))
        Gauge("tavolata_partitions", "Partitions of the cluster", registry=self.registry).set(partitions)
        self._commands = Counter("tavolata_commands", "Commands handled", ["outcome"], registry=self.registry)
        self._accepted = self._commands.labels("accepted")
        self._refused = self._commands.labels("refused")
        self._rejections = Counter("tavolata_rejections", "Commands refused, by code", ["code"], registry=self.registry)
        self._commits = Counter("tavolata_commits", "Batches, by outcome", ["outcome"], registry=self.registry)
        self._ok = self._commits.labels("ok")
        self._steps = Counter("tavolata_steps", "Steps of rooms", ["game"], registry=self.registry)
        self._batch = Histogram(
            "tavolata_batch_commands",
            "Commands committed together",
            buckets=(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000),
            registry=self.registry,
        )
        self._games: set[str] = set()
        """The games that had rooms in memory so far."""
        self.partitions = Gauge("tavolata_partitions_held", "Partitions held", registry=self.registry)
        self._rooms = Gauge("tavolata_rooms_loaded", "Rooms in memory", ["game"], registry=self.registry)
        self._lag = Gauge(
            "tavolata_lag_seconds", "How long the oldest command of the last batch had waited", registry=self.registry
        )
        self._store_memory = Gauge("tavolata_store_memory_bytes", "Memory in use", registry=self.registry)
        self._store_limit = Gauge(
            "tavolata_store_memory_limit_bytes", "Limit of memory; 0: none", registry=self.registry
        )
        self._store_clients = Gauge("tavolata_store_clients", "Connections to the store", registry=self.registry)
        self._store_replicas = Gauge(
            "tavolata_store_replicas", "Replicas of a server, at least", registry=self.registry
        )
        self._replicas_wanted = Gauge(
            "tavolata_store_replicas_wanted", "Replicas that the durability needs", registry=self.registry
        )
        self._replica_lag = Gauge(
            "tavolata_store_replica_lag_seconds", "Time since the slowest replica confirmed", registry=self.registry
        )
        self.moves = self.lag_ms = 0

    def store_measured(self, servers: Sequence[StoreFigures], replicas_wanted: int) -> None:
        """Set the figures of the store: those of its fullest server, of the one with the fewest replicas, and the
        clients of all."""
        fullest = max(servers, key=lambda server: (server.used_share, server.memory))
        self._store_memory.set(fullest.memory)
        self._store_limit.set(fullest.limit)
        self._store_clients.set(sum(server.clients for server in servers))
        self._store_replicas.set(min(len(server.replicas) for server in servers))
        self._replicas_wanted.set(replicas_wanted)
        self._replica_lag.set(max((one.lag_s for server in servers for one in server.replicas), default=0))

    def rooms_counted(self, rooms: Mapping[str, int]) -> None:
        """Set the number of rooms in memory, by game. A game without rooms stays, with 0."""
        for game in rooms.keys() | self._games:
            self._rooms.labels(game).set(rooms.get(game, 0))
        self._games |= rooms.keys()

    def committed(self, commits: Sequence[Commit]) -> None:
        """Count commits that were made together, one for each partition."""
        codes = [code for commit in commits for code in commit.refusals]
        for code in codes:
            self._rejections.labels(code).inc()
        commands = sum(commit.commands for commit in commits)
        self._refused.inc(len(codes))
        self._accepted.inc(commands - len(codes))
        self._batch.observe(commands)
        self._ok.inc(len(commits))
        filed = chain.from_iterable(commit.filed for commit in commits)
        for game, steps in collections.Counter(map(_game, filed)).items():
            if game:
                self._steps.labels(game).inc(steps)
                self.moves += steps

    def lagged(self, by_ms: int) -> None:
        self.lag_ms = by_ms
        self._lag.set(by_ms / 1_000)

    def commit_failed(self, outcome: AnyOutcome) -> None:
        """Count a batch that was refused, or whose outcome is unknown."""
        self._commits.labels(_FAILURES.get(outcome, "uncertain")).inc()
