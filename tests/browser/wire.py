"""What lies between a page and its gateway: a test hears everything, and can keep a message back, answer it, or cut."""

import json
import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, WebSocketRoute

Frame = dict[str, Any]
Hook = Callable[[Frame], bool]
"""True: it was dealt with, and goes no further."""


class Wire:
    """To be laid before the page is visited."""

    def __init__(self, page: Page) -> None:
        self.sent: list[Frame] = []
        self.on_sent: Hook = lambda _frame: False
        self.on_heard: Hook = lambda _frame: False
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

        def hear(text: str | bytes) -> None:
            if near is self._near and not self.on_heard(json.loads(text)):
                near.send(text)

        near.on_message(send)
        far.on_message(hear)

    def answer(self, **frame: object) -> None:
        """As if the gateway had said it."""
        assert self._near is not None
        self._near.send(json.dumps(frame))

    def cut(self, code: int = 1011) -> None:
        near, far, self._near, self._far = self._near, self._far, None, None
        assert near is not None
        assert far is not None
        near.close(code=code)
        far.close()
