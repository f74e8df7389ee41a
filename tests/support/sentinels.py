"""A primary, its replicas and Sentinels for tests. All methods block."""

import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from deploy.launcher import store, valkey
from deploy.launcher.die_with_parent import bound_to_parent
from tests.support.free_ports import free_port
from tests.support.valkey import ValkeyServer, ask
from tests.support.waiting import eventually

SERVICE = "games"
_DOWN_AFTER_MS = 500
_NEVER_MS = 600_000
_FAST = ("--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1")


class Sentinel:
    """One Sentinel. It knows the others after some seconds, unless `known` names them."""

    def __init__(self, primary: int, quorum: int) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="tavolata-sentinel-"))
        self.port = free_port()
        lines = (
            f"bind 127.0.0.1\nport {self.port}\ndir {self.folder}\n"
            f"sentinel monitor {SERVICE} 127.0.0.1 {primary} {quorum}\n"
            f"sentinel down-after-milliseconds {SERVICE} {_DOWN_AFTER_MS}\n"
            f"sentinel failover-timeout {SERVICE} 2000\n"
            f"sentinel parallel-syncs {SERVICE} 2\n"
        )
        self.file = self.folder / "sentinel.conf"
        self.file.write_text(lines)
        with (self.folder / "log").open("ab") as log:
            command = bound_to_parent([str(valkey.binary()), str(self.file), "--sentinel"])
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        eventually(lambda: store.answers(f"redis://127.0.0.1:{self.port}/0"), "the Sentinel answers")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class SentinelServers:
    """One primary with replicas, and three Sentinels that watch it."""

    def __init__(self, replicas: int = 2, appendfsync: str = "always") -> None:
        self.servers = [ValkeyServer(appendfsync=appendfsync, extra=_FAST)]
        self._replicas = replicas
        self.sentinels: list[Sentinel] = []

    @property
    def url(self) -> str:
        places = ",".join(f"127.0.0.1:{sentinel.port}" for sentinel in self.sentinels)
        return f"redis+sentinel://{places}/{SERVICE}"

    def primary(self) -> ValkeyServer:
        """The server that the first Sentinel names."""
        place = ask(self.sentinels[0].port, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", SERVICE)
        (found,) = (server for server in self.servers if server.port == int(place[1]))
        return found

    def kill_one(self, _round: int = 0) -> ValkeyServer:
        """Kill the primary."""
        old = self.primary()
        old.kill()
        return old

    def fail_over(self) -> ValkeyServer:
        """Kill the primary and wait until another server is the primary; the one that was killed."""
        old = self.kill_one()
        eventually(lambda: all(self._named(one) != old.port for one in self.sentinels), "a replica is promoted")
        return old

    def end_failovers(self) -> None:
        """Keep the Sentinels from making another failover until `heal`: to them, a server that a busy machine keeps
        waiting is down."""
        self._regard_as_down_after(_NEVER_MS)

    def heal(self) -> None:
        """Bring back what was killed, as a replica. A Sentinel would do that after ten seconds."""
        self._regard_as_down_after(_DOWN_AFTER_MS)
        eventually(lambda: len({self._named(one) for one in self.sentinels}) == 1, "the Sentinels agree")
        primary = self.primary()
        for server in self.servers:
            if not server.running:
                server.restart()
            if server is not primary:
                server.ask("REPLICAOF", "127.0.0.1", str(primary.port))
            server.ask("CONFIG", "SET", "appendfsync", "always")
        eventually(lambda: self._online(self.primary()) == self._replicas, "all replicas follow the primary", 60)

    def __enter__(self) -> Self:
        primary = self.servers[0].start()
        for _ in range(self._replicas):
            extra = (*_FAST, "--replicaof", f"127.0.0.1 {primary.port}")
            self.servers.append(ValkeyServer(extra=extra).start())
        eventually(lambda: self._online(primary) == self._replicas, "the replicas follow")
        self.sentinels = [Sentinel(primary.port, 2) for _ in range(3)]
        eventually(lambda: all(self._agreed(one) for one in self.sentinels), "the Sentinels know all")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for sentinel in self.sentinels:
            sentinel.close()
        for server in self.servers:
            server.close()

    def _regard_as_down_after(self, milliseconds: int) -> None:
        for one in self.sentinels:
            ask(one.port, "SENTINEL", "SET", SERVICE, "down-after-milliseconds", str(milliseconds))

    def _online(self, primary: ValkeyServer) -> int:
        return str(primary.ask("INFO", "replication")).count("state=online")

    def _agreed(self, sentinel: Sentinel) -> bool:
        fields = ask(sentinel.port, "SENTINEL", "MASTER", SERVICE)
        return bool(fields[b"num-other-sentinels"] == b"2" and int(fields[b"num-slaves"]) == self._replicas)

    def _named(self, sentinel: Sentinel) -> int:
        return int(ask(sentinel.port, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", SERVICE)[1])
