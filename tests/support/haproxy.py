"""The real HAProxy with the configuration that ships, in front of gateways on loopback addresses of their own.

Compose gives every gateway an address and the same ports, and a DNS server that knows them by one name. Here the
addresses are 127.0.0.2 and up, and the DNS server is `GatewayNames`. Nothing else of the configuration is replaced but
the ports that it listens on.
"""

import shutil
import socket
import struct
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from deploy.launcher.die_with_parent import bound_to_parent
from tests.support.cluster import HOST, ROOT, Cluster, Node
from tests.support.free_ports import free_port
from tests.support.waiting import eventually

HAPROXY = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin:/usr/local/sbin")
CONFIG = ROOT / "deploy" / "docker" / "haproxy.cfg"
STOP_S = 8.0
"""Less than the 10 s that a container engine waits before it kills."""
_A_RECORD = 1


class GatewayNames:
    """A DNS server that answers every question for an IPv4 address with the addresses of the gateways."""

    def __init__(self) -> None:
        self.addresses: Sequence[str] = ()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((HOST, 0))
        self.port: int = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._answer_all, daemon=True)
        self._thread.start()

    def _answer_all(self) -> None:
        while True:
            question, peer = self._socket.recvfrom(4_096)
            if not question:
                return
            self._socket.sendto(self._answer(question), peer)

    def _answer(self, question: bytes) -> bytes:
        """RFC 1035 section 4: the header, the question as it came, an answer for each address."""
        end = question.index(0, 12) + 5  # the name, its type and class
        kind = struct.unpack("!H", question[end - 4 : end - 2])[0]
        addresses = self.addresses if kind == _A_RECORD else ()
        header = question[:2] + struct.pack("!5H", 0x8180, 1, len(addresses), 0, 0)
        record = struct.pack("!3HIH", 0xC00C, _A_RECORD, 1, 1, 4)  # 0xC00C: the name in the question
        return header + question[12:end] + b"".join(record + socket.inet_aton(address) for address in addresses)

    def close(self) -> None:
        self._socket.sendto(b"", (HOST, self.port))
        self._thread.join()
        self._socket.close()


class NamedGateways:
    """The gateways of a cluster under one name. A gateway gets its address as a container does, when it is created."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.port, self.ops_port = free_port(), free_port()
        self._names = GatewayNames()
        self.dns_port = self._names.port

    def add(self, **settings: object) -> Node:
        host = f"127.0.0.{len(self.cluster.gateways) + 2}"
        node = self.cluster.node("gateway", host=host, ops_host=host, trusted_proxies="*", **settings)
        node.port, node.ops_port = self.port, self.ops_port
        node.start()
        self._names.addresses = (*self._names.addresses, host)
        return node

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._names.close()


def players_at(gateway: Node) -> float:
    """Open connections of `play` at a gateway."""
    return gateway.metrics().get('tavolata_connections{dialect="play"}', 0)


class HAProxy:
    """The proxy in front of the gateways."""

    def __init__(self, gateways: NamedGateways, folder: Path) -> None:
        self._gateways = gateways
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()
        self.url = f"ws://{HOST}:{self.port}"

    def start(self) -> Self:
        """Return when the proxy passes on requests to a gateway."""
        config = self._folder / "haproxy.cfg"
        config.write_text(self._configured())
        assert HAPROXY is not None
        with (self._folder / "haproxy.log").open("wb") as log:
            self._process = subprocess.Popen(
                bound_to_parent([HAPROXY, "-W", "-db", "-f", str(config)]), stdout=log, stderr=log
            )
        eventually(lambda: self.status("/readyz") == 200, lambda: f"the proxy is ready: {self.log()}")
        return self

    def _configured(self) -> str:
        text = CONFIG.read_text()
        for shipped, here in (
            ("127.0.0.11:53", f"{HOST}:{self._gateways.dns_port}"),
            ("bind :8000\n", f"bind {HOST}:{self.port}\n"),
            ("bind :8300\n", f"bind {HOST}:{free_port()}\n"),
            ("gateway:8000", f"gateway:{self._gateways.port}"),
            ("gateway:8300", f"gateway:{self._gateways.ops_port}"),
        ):
            assert text.count(shipped) == 1, shipped
            text = text.replace(shipped, here)
        return text

    def get(self, path: str, *headers: str) -> tuple[int, str, bytes]:
        """Status, content type and body of a GET through the proxy."""
        lines = (f"GET {path} HTTP/1.1", f"Host: {HOST}", *headers)
        with socket.create_connection((HOST, self.port), timeout=20) as client:
            client.sendall("\r\n".join((*lines, "", "")).encode())
            head, body = _response(client)
        status, *fields = head.decode().split("\r\n")
        kinds = [field.partition(": ")[2] for field in fields if field.lower().startswith("content-type:")]
        return int(status.split()[1]), "".join(kinds), body

    def status(self, path: str) -> int:
        try:
            return self.get(path, "Connection: close")[0]
        except OSError:
            return 0

    def new_socket(self) -> int:
        """The status with which a new WebSocket is answered; it is closed at once."""
        return self.get("/ws/play", *UPGRADE)[0]

    @contextmanager
    def open_socket(self) -> Iterator[None]:
        """A WebSocket through the proxy that stays open inside the block."""
        with socket.create_connection((HOST, self.port), timeout=20) as client:
            client.sendall("\r\n".join(("GET /ws/play HTTP/1.1", f"Host: {HOST}", *UPGRADE, "", "")).encode())
            assert _response(client)[0].startswith(b"HTTP/1.1 101")
            yield

    def stop(self) -> int:
        """Stop it as compose does; the exit code. Raises `subprocess.TimeoutExpired` if an engine would have killed
        it."""
        assert self._process is not None
        self._process.terminate()
        return self._process.wait(timeout=STOP_S)

    def log(self) -> str:
        return (self._folder / "haproxy.log").read_text(errors="replace")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()


UPGRADE = (
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
)
"""The headers of an opening handshake; the key is the example of RFC 6455."""


def _response(client: socket.socket) -> tuple[bytes, bytes]:
    """The head of a response, and its body as far as its length is given."""
    received = b""
    while b"\r\n\r\n" not in received:
        if not (part := client.recv(65_536)):
            raise ConnectionError("closed before an answer")
        received += part
    head, _, body = received.partition(b"\r\n\r\n")
    lengths = [line.partition(b":")[2] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    while lengths and len(body) < int(lengths[0]) and (part := client.recv(65_536)):
        body += part
    return head, body
