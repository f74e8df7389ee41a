"""The requests of one session, which run one after the other. Each is a generator (see gateway/session/requests.py).

Commands of play that are made while a request runs wait in the queue, too, so that a room gets them in the order the
client has sent them.
"""

from collections import deque
from collections.abc import Generator
from typing import Any

from gateway.dialects.requests import Request
from gateway.session import requests
from gateway.session.request_steps import Refusal, RequestStep
from gateway.session.state import SessionState

_MOST_REQUESTS = 256
"""Requests of one connection that may wait for their turn."""


class RequestQueue:
    """The queue. It sends nothing to the client: the session does, and performs the steps of a request."""

    def __init__(self, state: SessionState) -> None:
        self.requests: deque[Request] = deque()
        """Requests in the order they were made. The first one is running, or about to."""
        self._state = state
        self._running: Generator[RequestStep, Any, None] | None = None

    @property
    def running(self) -> bool:
        """Whether the first request has begun."""
        return self._running is not None

    def add(self, request: Request) -> bool:
        """False if too many requests wait already."""
        if len(self.requests) >= _MOST_REQUESTS:
            return False
        self.requests.append(request)
        return True

    def next_step(self, result: object) -> RequestStep | None:
        """Run the first request until its next step, with the result of its last one. A `Refusal` as result is raised
        inside the request. Returns None once the request is done; raises the `Refusal` with which it ends."""
        if self._running is None:
            self._running = requests.run(self._state, self.requests[0])
        try:
            return self._running.throw(result) if isinstance(result, Refusal) else self._running.send(result)
        except StopIteration:
            self._end()
            return None
        except Refusal:
            self._end()
            raise

    def cancel(self) -> None:
        """The client is gone: end the running request where it is."""
        if self._running is not None:
            self._running.close()
            self._running = None

    def _end(self) -> None:
        self._running = None
        self.requests.popleft()
