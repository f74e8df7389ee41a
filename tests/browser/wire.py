"""An interceptor between a page and its gateway: a test can record, drop, answer or cut."""

import json
import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, WebSocketRoute

Frame = dict[str, Any]
Hook = Callable[[Frame], bool]
"""Returns True if the frame must not be passed on."""


class Wire:
    """Intercepts the WebSocket of a page. It must be created before the page is visited."""

    def __init__(self, page: Page) -> None:
        self.sent: list[Frame] = []
        self.on_sent: Hook = lambda _frame: False
        self.on_received: Hook = lambda _frame: False
        self._near: WebSocketRoute | None = None
        self._far: WebSocketRoute | None = None
        page.route_web_socket(re.compile("/ws/play$"), self._opened)

    def _opened(self, near: WebSocketRoute) -> None:
        far = near.connect_to_server()
        self._near, self._far = near, far

        def send(text: str | bytes) -> None:
            self.sent.append(json.loads(text))
            if near is self._near and not self.on_sent(self.sent[-1]):
                far.send(text)

        def receive(text: str | bytes) -> None:
            if near is self._near and not self.on_received(json.loads(text)):
                near.send(text)

        near.on_message(send)
        far.on_message(receive)

    def answer(self, **frame: object) -> None:
        """Sends a frame to the page as if it came from the gateway."""
        assert self._near is not None
        self._near.send(json.dumps(frame))

    def cut(self, code: int = 1011) -> None:
        near, far, self._near, self._far = self._near, self._far, None, None
        assert near is not None
        assert far is not None
        near.close(code=code)
        far.close()
