"""Requests to an ASGI application, without a server."""

from typing import Any

import msgspec
from starlette.types import ASGIApp, Message


async def ask(app: ASGIApp, method: str, path: str, token: str = "", body: object = None) -> tuple[int, Any]:
    """The status and the decoded body of the answer. The path may have a query."""
    path, _, query = path.partition("?")
    content = b"" if body is None else msgspec.json.encode(body)
    answers: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": content, "more_body": False}

    async def send(message: Message) -> None:
        answers.append(message)

    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [(b"authorization", f"Bearer {token}".encode())] if token else [],
        "client": ("127.0.0.1", 1),
    }
    await app(scope, receive, send)
    found = b"".join(message.get("body", b"") for message in answers)
    return answers[0]["status"], msgspec.json.decode(found) if found[:1] in (b"{", b"[") else found
