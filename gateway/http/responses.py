"""HTTP responses: JSON, errors by their codes, paths that do not exist, failures of the store."""

import gzip
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ExceptionHandler

from gateway.http.answers import ErrorBody
from shared.bus.store import StoreError
from shared.errors import CODES, ErrorCode

Handler = Callable[[Request], Awaitable[Response]]

_CODES: Final[Mapping[int, ErrorCode]] = {404: "http/unknown_path", 405: "http/wrong_method", 500: "internal"}
"""The codes of errors that no handler of a route has answered with."""
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


async def unanswered(request: Request, failure: Exception) -> Response:
    """The answer to a request that no handler has answered: no route has its path, or its method, or the handler has
    failed. Clients of the API decode the answer, so it is JSON there and text elsewhere."""
    known = failure if isinstance(failure, HTTPException) else HTTPException(500)
    if re.match("/api(/|$)", request.url.path) is None:
        return PlainTextResponse(known.detail, known.status_code, known.headers)
    # An act of an operator may have been carried out when its handler failed: the text of `internal` denies that.
    text = "something broke on our side" if known.status_code == 500 else ""
    response = error(_CODES.get(known.status_code, "internal"), known.status_code, text)
    response.headers.update(known.headers or {})
    return response


UNANSWERED: Final[Mapping[Any, ExceptionHandler]] = {HTTPException: unanswered, Exception: unanswered}
"""For an application of Starlette."""


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
