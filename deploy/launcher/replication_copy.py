"""A copy of a server's data at one point in time, received as its replicas receive it: needs no access to its files."""

import socket
from contextlib import closing
from typing import BinaryIO

import hiredis

from deploy.errors import CommandError
from shared.bus.address import Address

_CONNECT_S = 5.0
_SILENCE_S = 120.0
"""Time without a byte after which the server counts as gone. It sends line feeds while it prepares the copy."""
_PIECE = 256 * 1024
_MARK = 40
"""Length of the random mark at the end of a copy whose length is not known in advance."""


def receive(server: Address, into: BinaryIO) -> int:
    """Write the copy as an RDB file; returns its size. Raises `CommandError`."""
    try:
        with closing(_Stream(server)) as stream:
            if server.password:
                stream.ask("AUTH", *filter(None, (server.username,)), server.password)
            stream.ask("REPLCONF", "capa", "eof")
            # Without the commands that follow the copy. A server without this option sends them; they are not read.
            stream.ask("REPLCONF", "rdb-only", "1", may_fail=True)
            stream.send("SYNC")
            head = stream.line()
            if head.startswith(b"$EOF:"):
                return _until_mark(stream, head[5:], into)
            if head.startswith(b"$"):
                return _exactly(stream, int(head[1:]), into)
    except OSError as error:
        raise CommandError(f"the store at {server} sends no copy: {error}") from None
    raise CommandError(f"the store at {server} refuses to send a copy: {head.decode(errors='replace').lstrip('-')}")


class _Stream:
    """A connection on which lines are followed by bytes of any kind."""

    def __init__(self, server: Address) -> None:
        self._socket = _connect(server)
        self._rest = b""

    def ask(self, *words: str, may_fail: bool = False) -> None:
        self.send(*words)
        reply = self.line()
        if reply.startswith(b"-") and not may_fail:
            raise CommandError(f"the store refuses {words[0]}: {reply[1:].decode(errors='replace')}")

    def send(self, *words: str) -> None:
        self._socket.sendall(hiredis.pack_command(words))

    def line(self) -> bytes:
        """The next line that is not empty."""
        while True:
            line, found, rest = self._rest.partition(b"\n")
            if not found:
                self._rest += self._receive()
            elif line.strip():
                self._rest = rest
                return line.strip()
            else:
                self._rest = rest

    def piece(self) -> bytes:
        """The next bytes, as many as there are."""
        piece, self._rest = self._rest, b""
        return piece or self._receive()

    def _receive(self) -> bytes:
        piece = self._socket.recv(_PIECE)
        if not piece:
            raise ConnectionError("the connection was closed before the end")
        return piece

    def close(self) -> None:
        self._socket.close()


def _connect(server: Address) -> socket.socket:
    if server.path:
        local = socket.socket(socket.AF_UNIX)
        local.settimeout(_SILENCE_S)
        local.connect(server.path)
        return local
    plain = socket.create_connection((server.host, server.port), _CONNECT_S)
    plain.settimeout(_SILENCE_S)
    return server.context.wrap_socket(plain, server_hostname=server.host) if server.context else plain


def _exactly(stream: _Stream, size: int, into: BinaryIO) -> int:
    left = size
    while left:
        piece = stream.piece()[:left]
        into.write(piece)
        left -= len(piece)
    return size


def _until_mark(stream: _Stream, mark: bytes, into: BinaryIO) -> int:
    size, held = 0, b""
    while True:
        held += stream.piece()
        if held[-_MARK:] == mark:
            into.write(held[:-_MARK])
            return size + len(held) - _MARK
        # The end may be the beginning of the mark.
        into.write(held[:-_MARK])
        size += max(0, len(held) - _MARK)
        held = held[-_MARK:]
