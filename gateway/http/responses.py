"""HTTP responses: JSON, errors by their codes, failures of the store."""

import gzip
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from gateway.http.answers import ErrorBody
from shared.bus.store import StoreError
from shared.errors import CODES

Handler = Callable[[Request], Awaitable[Response]]

_encode = msgspec.json.Encoder().encode


def json(body: Any, status: int = 200) -> Response:
    return Response(_encode(body), status, media_type="application/json")


def packed(request: Request, response: Response) -> Response:
    """The response, compressed if the client can unpack it."""
    response.headers["Vary"] = "Accept-Encoding"
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        response.body = gzip.compress(bytes(response.body), 6, mtime=0)
        response.headers["Content-Encoding"] = "gzip"
        response.headers["Content-Length"] = str(len(response.body))
    return response


def error(code: str, status: int, text: str = "") -> Response:
    return json(ErrorBody(code, text or CODES.get(code, code)), status)


def bearer(request: Request) -> str:
    """The bearer token of a request; empty if it has none."""
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def guarded(handler: Handler) -> Handler:
    """A handler that answers 503 if the store fails or is too slow."""

    async def guarded_handler(request: Request) -> Response:
        try:
            return await handler(request)
        except StoreError:
            return error("busy/store", 503)
        except TimeoutError:
            return error("busy/reading", 503)

    return guarded_handler
