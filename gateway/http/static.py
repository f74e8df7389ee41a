"""Serves the files of the web page from memory, with their security headers."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gateway.http.converters import ROOM

WEB = Path(__file__).parents[1] / "web"
CLIENT = Path(__file__).parents[2] / "clients" / "javascript" / "client.js"
"""The JavaScript client. The npm package and the page use this very file."""

_OPERATORS_SCRIPTS = ("ops", "ops-client", "ops-confirm", "ops-lists", "ops-picture", "ops-room", "ops-table")
OPERATORS_FILES = frozenset({"ops.html", "css/ops.css", *(f"js/{name}.js" for name in _OPERATORS_SCRIPTS)})
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
    "Cache-Control": "no-cache",
}
"""`no-cache`: browsers revalidate each time, so that all files are of one version; unchanged files cost a 304."""


@dataclass(frozen=True, slots=True)
class StaticFile:
    body: bytes
    kind: str
    tag: str

    def answer(self, request: Request) -> Response:
        headers = {**_HEADERS, "ETag": self.tag}
        if self.tag in request.headers.get("If-None-Match", ""):
            return Response(status_code=304, headers=headers)
        return Response(self.body, headers=headers, media_type=self.kind)


def read_file(path: Path) -> StaticFile:
    body = path.read_bytes()
    return StaticFile(body, _TYPES[path.suffix], f'"{hashlib.sha256(body).hexdigest()[:20]}"')


def read_files(folder: Path) -> dict[str, StaticFile]:
    """All files of the page, by path relative to the folder."""
    paths = (path for path in sorted(folder.rglob("*")) if path.suffix in _TYPES)
    return {path.relative_to(folder).as_posix(): read_file(path) for path in paths}


class StaticFiles:
    """The routes of the web pages. Lobby, rooms and replays are one page, whose script looks at the URL."""

    def __init__(self, folder: Path = WEB) -> None:
        self._files = read_files(folder)
        self._client = read_file(CLIENT)

    def players_routes(self) -> list[BaseRoute]:
        return [
            Route("/", self._page),
            Route(f"/t/{ROOM}", self._page),
            Route(f"/replay/{ROOM}", self._page),
            Route("/client.js", self._client_file),
            Route("/web/{path:path}", self._players_file),
        ]

    def operators_routes(self) -> list[BaseRoute]:
        return [Route("/", self._ops), Route("/ops", self._ops), Route("/web/{path:path}", self._file)]

    async def _page(self, request: Request) -> Response:
        return self._named("index.html", request)

    async def _ops(self, request: Request) -> Response:
        return self._named("ops.html", request)

    async def _client_file(self, request: Request) -> Response:
        return self._client.answer(request)

    async def _players_file(self, request: Request) -> Response:
        name = request.path_params["path"]
        return self._named("" if name in OPERATORS_FILES else name, request)

    async def _file(self, request: Request) -> Response:
        return self._named(request.path_params["path"], request)

    def _named(self, name: str, request: Request) -> Response:
        file = self._files.get(name)
        if file is None:
            return Response("there is no such page\n", 404, headers=_HEADERS, media_type="text/plain")
        return file.answer(request)
