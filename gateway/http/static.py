"""Serves the files of the web page from memory, compressed, with their security headers.

The addresses of all files begin with a hash of the whole page (`/web/<version>/js/main.js`), so that browsers may keep
them for good. Modules import each other by relative addresses and so stay within one version.
"""

import gzip
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gateway.http.converters import OUTSIDE_API, ROOM

WEB = Path(__file__).parents[1] / "web"
CLIENT = Path(__file__).parents[2] / "clients" / "javascript" / "client.js"
"""The JavaScript client. The npm package and the page use this very file."""

_OPERATORS_PARTS = ("client", "confirm", "lists", "picture", "room", "store", "table")
OPERATORS_FILES = frozenset(
    {"ops.html", "css/ops.css", "js/ops.js", *(f"js/ops-{part}.js" for part in _OPERATORS_PARTS)}
)
"""Files that are served on the operators' port only."""
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
    )
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_REVALIDATE = {"Cache-Control": "no-cache"}
"""For pages, and files without the version in their address: an unchanged file costs a 304."""
_FOR_GOOD = {"Cache-Control": "public, max-age=31536000, immutable"}
_VERSIONED = re.compile(r"([0-9a-f]{12})/(.+)")
_PREFIX = b"/web/"
"""The addresses of files in pages, to which the version is added."""


@dataclass(frozen=True, slots=True)
class StaticFile:
    body: bytes
    kind: str
    tag: str
    packed: bytes
    """The body, compressed with gzip once when the gateway starts."""

    def answer(self, request: Request, status: int = 200, *, for_good: bool = False) -> Response:
        caching = _FOR_GOOD if for_good else _REVALIDATE
        headers = {**_HEADERS, **caching, "ETag": self.tag, "Vary": "Accept-Encoding"}
        if status == 200 and self.tag in request.headers.get("If-None-Match", ""):
            return Response(status_code=304, headers=headers)
        if "gzip" not in request.headers.get("Accept-Encoding", ""):
            return Response(self.body, status, headers=headers, media_type=self.kind)
        return Response(self.packed, status, headers={**headers, "Content-Encoding": "gzip"}, media_type=self.kind)


def static_file(body: bytes, suffix: str) -> StaticFile:
    tag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
    return StaticFile(body, _TYPES[suffix], tag, gzip.compress(body, 9, mtime=0))


def read_files(folder: Path) -> dict[str, StaticFile]:
    """All files of the page, by path relative to the folder, and the client that it imports."""
    paths = (path for path in sorted(folder.rglob("*")) if path.suffix in _TYPES)
    files = {path.relative_to(folder).as_posix(): static_file(path.read_bytes(), path.suffix) for path in paths}
    return {**files, CLIENT.name: static_file(CLIENT.read_bytes(), CLIENT.suffix)}


def version_of(files: dict[str, StaticFile]) -> str:
    """A hash of all files: it changes with any of them."""
    return hashlib.sha256("".join(file.tag for file in files.values()).encode()).hexdigest()[:12]


class StaticFiles:
    """The routes of the web pages. Lobby, rooms and replays are one page, whose script reads the URL."""

    def __init__(self, folder: Path = WEB) -> None:
        self._files = read_files(folder)
        self._version = version_of(self._files)
        self._pages = {name: self._page(name) for name in self._files if name.endswith(".html")}

    def _page(self, name: str) -> StaticFile:
        """A page that names its files by their version."""
        body = self._files[name].body.replace(_PREFIX, _PREFIX + self._version.encode() + b"/")
        return static_file(body, ".html")

    def players_routes(self) -> list[BaseRoute]:
        return [
            Route("/", self._index),
            Route(f"/t/{ROOM}", self._index),
            Route(f"/replay/{ROOM}", self._index),
            Route("/client.js", self._client),
            Route("/web/{path:path}", self._players_file),
            Route(f"/{OUTSIDE_API}", self._missing),
        ]

    def operators_routes(self) -> list[BaseRoute]:
        return [Route("/", self._ops), Route("/ops", self._ops), Route("/web/{path:path}", self._file)]

    async def _index(self, request: Request) -> Response:
        return self._pages["index.html"].answer(request)

    async def _ops(self, request: Request) -> Response:
        return self._pages["ops.html"].answer(request)

    async def _client(self, request: Request) -> Response:
        return self._files[CLIENT.name].answer(request)

    async def _missing(self, request: Request) -> Response:
        """An address that does not exist: people get the page, which says so, and programs a line of text."""
        if "text/html" in request.headers.get("Accept", ""):
            return self._pages["index.html"].answer(request, 404)
        return _no_such_file()

    async def _players_file(self, request: Request) -> Response:
        return self._named(request, OPERATORS_FILES)

    async def _file(self, request: Request) -> Response:
        return self._named(request, frozenset())

    def _named(self, request: Request, hidden: frozenset[str]) -> Response:
        """A file of the page. During an upgrade, a page of one version may ask a gateway of another: it gets the file
        that this gateway has, which the browser must not keep under the other version's address."""
        path = request.path_params["path"]
        versioned = _VERSIONED.fullmatch(path)
        version, name = versioned.groups() if versioned else ("", path)
        file = self._files.get(name)
        if file is None or name in hidden:
            return _no_such_file()
        return file.answer(request, for_good=version == self._version)


def _no_such_file() -> Response:
    return Response("there is no such page\n", 404, headers={**_HEADERS, **_REVALIDATE}, media_type="text/plain")
