"""A person at a browser: drives a page and records its frames and errors."""

import json
import re
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, Request, Response, WebSocket

WAIT_MS = 20_000
_INSIDE = ".disc, .hit, .spot, .puff, .room, .step"
"""The parts of a drawing that receive clicks: the middle of a group of islands is empty."""


_IN_SIGHT = """(inside) => Object.fromEntries([...document.querySelectorAll(".lit:not(.picked)")].flatMap((element) => {
  const parts = [...element.querySelectorAll(inside)];
  for (const part of parts.length ? parts : [element]) {
    const { x, y, width, height } = part.getBoundingClientRect();
    const [across, down] = [x + width / 2, y + height / 2];
    if (document.elementFromPoint(across, down)?.closest(".lit") === element)
      return [[element.dataset.key, [across, down]]];
  }
  return [];
}))"""
_RULES_SEEN = (
    "if (location.protocol === 'http:') for (const game of ['codex', 'eriantys', 'snarl', 'stones']) "
    " localStorage.setItem(`tavolata.rules.${game}`, 'seen')"
)


class Person:
    """One browser context: its storage, its page, and all errors of the page."""

    def __init__(
        self,
        browser: Browser,
        url: str,
        ops_url: str,
        *,
        width: int = 1280,
        height: int = 900,
        dark: bool = False,
        touch: bool = False,
        knows_rules: bool = True,
    ) -> None:
        """With `touch`, the screen is a phone's. A person who does not know the rules is shown them at the first
        game."""
        self.url = url
        self.ops_url = ops_url
        self.complaints: list[str] = []
        self.frames: list[dict[str, Any]] = []
        self.sent: list[dict[str, Any]] = []
        self.forgiven: tuple[str, ...] = ()
        self.context: BrowserContext = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
            has_touch=touch,
            is_mobile=touch,
        )
        self.context.set_default_timeout(WAIT_MS)
        if knows_rules:
            self.context.add_init_script(_RULES_SEEN)
        self.page = self.open_tab()

    def open_tab(self) -> Page:
        page = self.context.new_page()
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(f"exception: {error}"))
        page.on("requestfailed", self._failed)
        page.on("response", self._answered)
        page.on("websocket", self._socket)
        return page

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"console: {message.text}")

    def _failed(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # that is the browser itself, which left before the answer came
            self.complaints.append(f"failed: {request.url} {request.failure}")

    def _answered(self, response: Response) -> None:
        if response.status >= 400:
            self.complaints.append(f"status {response.status}: {response.url}")

    def _socket(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: self.frames.append(json.loads(frame)))
        socket.on("framesent", lambda frame: self.sent.append(json.loads(frame)))

    # --- what a person does -------------------------------------------------------------------------------------------

    def visit_operations(self) -> None:
        self.page.goto(f"{self.ops_url}/ops")

    def visit(self, path: str = "/") -> "Person":
        self.page.goto(self.url + path)
        return self

    def play_bots(self, game: str) -> int:
        """Starts a game against bots with one click in the lobby."""
        self.visit()
        self.page.locator(f"[data-bots={game}]").click()
        return self.at_table()

    def open_table(self, game: str, **options: str | bool) -> int:
        """Opens a table with the form in the lobby: `seats`, `bots`, and options of the game by name."""
        self.visit()
        self.page.locator("#create-game").select_option(game)
        for name, value in options.items():
            field = self.page.locator(f"#create-{name}, #option-{name}")
            if isinstance(value, bool):
                field.set_checked(value)
            elif field.evaluate("field => field.tagName") == "SELECT":
                field.select_option(value)
            else:
                field.fill(value)
        self.page.locator("#create button.primary").click()
        return self.at_table()

    def at_table(self) -> int:
        """Waits for the page of a table; returns its number. The address of a private table ends with its key."""
        self.page.wait_for_url(re.compile(r"/t/\d+(#\w+)?$"))
        self.page.locator(".status").wait_for()
        return int(self.page.url.rpartition("/")[2].partition("#")[0])

    @property
    def lit(self) -> Locator:
        return self.page.locator(".lit")

    def wait_for_turn(self) -> bool:
        """Returns True as soon as an element is lit, or False if the game is over."""
        self.page.locator(".lit, #replay").first.wait_for()
        return self.page.locator("#replay").count() == 0

    def offered(self) -> list[str]:
        """The keys of all elements that are lit and not chosen yet."""
        found: list[str] = self.page.eval_on_selector_all(".lit:not(.picked)", "all => all.map(one => one.dataset.key)")
        return found

    def press(self, key: str) -> None:
        """Clicks a lit element and waits until the page has reacted."""
        element = self.page.locator(f'[data-key="{key}"]').first
        before = self.picture()
        inside = element.locator(_INSIDE).first
        (inside if inside.count() else element).click()
        self.page.wait_for_timeout(0)
        self.wait_for_change(before)

    def in_sight(self) -> dict[str, tuple[float, float]]:
        """By key, a point of every lit element that a finger can touch now: on the screen, and under nothing else."""
        found: dict[str, tuple[float, float]] = self.page.evaluate(_IN_SIGHT, _INSIDE)
        return found

    def tap(self, key: str) -> None:
        """Touches a lit element that is in sight, and waits until the page has reacted."""
        before = self.picture()
        self.page.touchscreen.tap(*self.in_sight()[key])
        self.wait_for_change(before)

    def moves_of_others(self) -> int:
        """The number of moves of others so far: it stays the same during a turn of this person."""
        events = [event for frame in self.frames if frame["type"] == "update" for event in frame["events"]]
        return sum(event["type"] == "room.played" for event in events)

    def drag(self, source: str, target: str) -> None:
        """Drags from the middle of one element to the middle of another."""
        mouse = self.page.mouse
        for place, act in ((source, mouse.down), (target, mouse.up)):
            box = self.page.locator(place).first.bounding_box()
            assert box is not None
            mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=8)
            act()

    def picture(self) -> str:
        """The options on the board, as text that changes with them."""
        text: str = self.page.locator(".board").evaluate(
            "board => [board.dataset.offset, board.dataset.status, board.className,"
            " ...[...document.querySelectorAll('.lit')].map(one => one.dataset.key + one.getAttribute('class'))]"
            ".join(' ')"
        )
        return text

    def wait_for_change(self, before: str) -> None:
        for _ in range(WAIT_MS // 20):
            if self.picture() != before:
                return
            self.page.wait_for_timeout(20)
        raise AssertionError("the board did not change")

    def frames_view(self) -> Any:
        """The last view of the game that was received."""
        views = [frame["view"] for frame in self.frames if frame.get("view")]
        return views[-1]["game"]

    def status(self) -> str:
        return self.page.locator(".status .says").inner_text()

    def say(self, text: str, to: str = "") -> None:
        self.page.locator("#say-to").select_option(to)
        self.page.locator("#say").fill(text)
        self.page.locator("#say").press("Enter")

    def leave(self) -> None:
        """Closes the browser context; fails if it recorded an error."""
        self.context.close()
        left = [complaint for complaint in self.complaints if not any(word in complaint for word in self.forgiven)]
        assert not left, left
