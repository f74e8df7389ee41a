"""Takes pictures of every state of the page, at three sizes and in two themes, to be looked at one by one.

`python -m tests.browser.pictures FOLDER [SCENE...]` starts a cluster of its own and plays until the states are reached.
"""

import argparse
import random
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, ViewportSize, sync_playwright

from tests.browser.conftest import NAMES, QUICK
from tests.browser.explorer import Explorer
from tests.browser.person import Person
from tests.browser.test_any_game import MOUNT
from tests.browser.test_first_visit import QUICK_TABLE
from tests.browser.test_games import play_on, play_to_the_end
from tests.support.launched import Launched

SIZES = {
    "wide": ViewportSize(width=1440, height=900),
    "middle": ViewportSize(width=1024, height=768),
    "narrow": ViewportSize(width=390, height=844),
}
THEMES = ("light", "dark")
SETTLED_MS = 250
"""Time for a board to be drawn again after the window has changed."""
MOST_PRESSES = 400
QUESTIONS = {"student": (1,), "swap": (7, 10), "colour": (9, 12), "island": (3, 5)}
"""By what they ask for, numbers of characters of Eriantys."""
CHOSEN = {"student": ("card-",), "swap": ("entrance-", ("card-", "hall-"))}
"""By the same, beginnings of the keys that are pressed before another picture is taken."""


class Studio:
    """Opens browser contexts on one cluster, and takes the pictures."""

    def __init__(self, browser: Browser, cluster: Launched, folder: Path) -> None:
        self._browser = browser
        self._cluster = cluster
        self._folder = folder
        self._people: list[Person] = []

    def person(self, *, knows_rules: bool = True) -> Person:
        urls = (f"http://127.0.0.1:{port}" for port in (self._cluster.port, self._cluster.ops_port()))
        person = Person(self._browser, *urls, width=1440, height=900, knows_rules=knows_rules)
        self._people.append(person)
        return person

    def shoot(self, person: Person, name: str, part: str = "") -> None:
        """Takes the pictures of a state: of the top of the page, or of its part at a selector."""
        page = person.page
        for size, viewport in SIZES.items():
            page.set_viewport_size(viewport)
            page.evaluate("() => scrollTo(0, 0)")
            if part:
                page.locator(part).scroll_into_view_if_needed()
            for theme in THEMES:
                page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
                page.wait_for_timeout(SETTLED_MS)
                page.screenshot(path=self._folder / f"{name}-{size}-{theme}.png")
        page.set_viewport_size(SIZES["wide"])
        page.wait_for_timeout(SETTLED_MS)

    def leave(self) -> None:
        while self._people:
            self._people.pop().context.close()


def play_until(person: Person, reached: Callable[[Person], bool], prefer: tuple[str, ...] = ()) -> bool:
    """Presses random lit elements, if possible ones whose keys begin like one of `prefer`, until a state is reached or
    the game is over. Returns whether it is reached."""
    dice = random.Random(1)
    for _ in range(MOST_PRESSES):
        if not person.wait_for_turn():
            return False
        if reached(person):
            return True
        if keys := sorted(person.offered()):
            person.press(dice.choice([key for key in keys if key.startswith(prefer)] or keys))
    return False


def asks(words: str) -> Callable[[Person], bool]:
    """The state in which the prompt has these words."""
    return lambda person: words in person.status()


def lights(start: str) -> Callable[[Person], bool]:
    """The state in which an element whose key begins like this is lit."""
    return lambda person: any(key.startswith(start) for key in person.offered())


def press_first(person: Person, start: str | tuple[str, ...]) -> None:
    person.press(next(key for key in person.offered() if key.startswith(start)))


def lobby(studio: Studio) -> None:
    person = studio.person().visit()
    person.page.locator(".gamecard").first.wait_for()
    studio.shoot(person, "lobby-empty")
    studio.person().open_table("eriantys", seats="3", expert=True)
    studio.person().play_bots("codex")
    person.play_bots("snarl")
    person.visit()
    person.page.locator(".mine a").first.wait_for()
    studio.shoot(person, "lobby")
    person.page.locator("#settings-button").click()
    studio.shoot(person, "settings")


def waiting(studio: Studio) -> None:
    host, guest = studio.person(), studio.person(knows_rules=False)
    table = host.open_table("eriantys", seats="3", turn="30000", expert=True)
    studio.shoot(host, "waiting")
    guest.visit(f"/t/{table}").page.locator("#sit").wait_for()
    studio.shoot(guest, "invitation")


def rules(studio: Studio) -> None:
    person = studio.person(knows_rules=False)
    for game in ("eriantys", "codex", "snarl"):
        person.play_bots(game)
        person.page.locator("#rules").wait_for()
        studio.shoot(person, f"rules-{game}")
        person.page.locator("#rules-done").click()


def eriantys(studio: Studio) -> None:
    for seats in (2, 3, 4):
        for expert in (False, True):
            while not begins_turn(person := studio.person(), seats, expert):
                person.context.close()
            studio.shoot(person, f"eriantys-{seats}{'-expert' if expert else ''}")
            if seats == 2 and expert:
                eriantys_phases(studio, person)
    watcher = studio.person()
    watcher.visit(f"/t/{person.at_table()}").page.locator(".islands").wait_for()
    studio.shoot(watcher, "eriantys-watching")


def begins_turn(person: Person, seats: int, expert: bool) -> bool:
    """Plays at a new table until students are to be moved, and what others have done is marked. Returns False if the
    game is over before."""
    person.open_table("eriantys", seats=str(seats), bots=str(seats - 1), expert=expert)
    play_on(person, 1, 24)
    marked = person.page.locator(".changed")
    return play_until(person, lambda person: asks("from your entrance")(person) and marked.count() > 0)


def eriantys_phases(studio: Studio, person: Person) -> None:
    press_first(person, "entrance")
    studio.shoot(person, "eriantys-picked")
    for name, words in (("mother", "move mother"), ("cloud", "take a cloud."), ("planning", "play an assistant")):
        play_until(person, asks(words))
        studio.shoot(person, f"eriantys-{name}")


def characters(studio: Studio) -> None:
    """Characters that ask for something: for each kind of question, tables are opened until one has such a card."""
    for question, numbers in QUESTIONS.items():
        while not (key := offered_character(person := studio.person(), numbers)):
            person.context.close()
        person.press(key)
        studio.shoot(person, f"character-{question}")
        for start in CHOSEN.get(question, ()):
            press_first(person, start)
            studio.shoot(person, f"character-{question}-picked")


def offered_character(person: Person, numbers: tuple[int, ...]) -> str:
    """Plays at a new table until one of these characters can be played; returns its key, or nothing."""
    person.open_table("eriantys", seats="2", bots="1", expert=True)
    person.wait_for_turn()
    keys = {f"character-{card['number']}" for card in person.frames_view()["characters"] if card["number"] in numbers}
    if keys:
        play_until(person, lambda person: not keys.isdisjoint(person.offered()), prefer=("hall-", "entrance"))
    return next(iter(keys.intersection(person.offered())), "")


def codex(studio: Studio) -> None:
    for seats in (2, 3, 4):
        person = studio.person()
        person.open_table("codex", seats=str(seats), bots=str(seats - 1))
        person.wait_for_turn()
        if seats == 2:
            studio.shoot(person, "codex-start")
            play_until(person, lights("objective"))
            studio.shoot(person, "codex-objective")
        play_on(person, 1, 26)
        play_until(person, asks("choose a card"))
        studio.shoot(person, f"codex-{seats}")
        if seats == 2:
            press_first(person, "hand")
            studio.shoot(person, "codex-picked")
            play_until(person, lights("place-"))
            studio.shoot(person, "codex-drawing")


def snarl(studio: Studio) -> None:
    for seats in (2, 4):
        person = studio.person()
        table = person.open_table("snarl", seats=str(seats), bots=str(seats - 1))
        explorer = Explorer(person, table)
        for _ in range(60):
            if not person.wait_for_turn() or person.page.locator(".step.deadly").count():
                break
            person.press(explorer.choose())
        studio.shoot(person, f"snarl-{seats}")
        if person.page.locator(".step.deadly").count():
            person.page.locator(".step.deadly").first.click()
            studio.shoot(person, "snarl-asks")
    while not is_expelled(person := studio.person(), studio.person()):
        person.context.close()
    studio.shoot(person, "snarl-expelled")


def is_expelled(person: Person, other: Person) -> bool:
    """Plays at a new table until the person is out of the level. It walks into the first monster that it sees; the
    other one stays where it is, so that the level is not over. Returns whether a monster has expelled the person."""
    table = person.open_table("snarl", seats="2")
    other.visit(f"/t/{table}").page.locator("#sit").click()
    explorer, news = Explorer(person, table), person.page.locator(".notice, #replay")
    for _ in range(MOST_PRESSES):
        if news.count():
            break
        if other.lit.count():
            other.page.locator(".pad.stay").click()
        elif person.lit.count():
            deadly = person.page.locator(".lit:has(.step.deadly)").first
            key = str(deadly.get_attribute("data-key")) if deadly.count() else explorer.choose()
            person.press(key)
        person.page.wait_for_timeout(50)
    return "expelled you" in news.first.inner_text()


def ends(studio: Studio) -> None:
    for game, how in (("eriantys", {}), ("codex", {}), ("snarl", {"count": "1"}), ("stones", {})):
        person = studio.person()
        table = person.open_table(game, bots="1", **how)
        if game == "snarl":
            explorer = Explorer(person, table)
            while person.wait_for_turn():
                person.press(explorer.choose())
        else:
            play_to_the_end(person, 1)
        studio.shoot(person, f"end-{game}")
        person.page.locator("#replay").click()
        person.page.locator("#count").wait_for()
        for _ in range(9):
            person.page.locator("#forward").click()
        studio.shoot(person, f"replay-{game}")


def notices(studio: Studio) -> None:
    host, person = studio.person().visit(), studio.person()
    table: int = host.page.evaluate(QUICK_TABLE)
    person.visit(f"/t/{table}").page.locator("#sit").click()
    person.page.locator(".notice").wait_for()
    studio.shoot(person, "time-out")


def operators(studio: Studio) -> None:
    person = studio.person()
    table = studio.person().play_bots("codex")
    person.visit_operations()
    studio.shoot(person, "ops-login")
    person.page.locator("#token").fill(QUICK["TAVOLATA_ADMIN_TOKEN"])
    person.page.locator("#token").press("Enter")
    person.page.locator("table").first.wait_for()
    person.page.wait_for_timeout(6_000)
    studio.shoot(person, "ops")
    studio.shoot(person, "ops-lists", "#store")
    person.page.locator("#room").fill(str(table))
    person.page.locator("#room").press("Enter")
    person.page.wait_for_timeout(1_000)
    studio.shoot(person, "ops-room", "#explained")


def generic(studio: Studio) -> None:
    person = studio.person().visit()
    person.page.locator(".gamecard").first.wait_for()
    board = [["X", "", "O"], ["", "X", ""], ["O", "", ""]]
    cells = [(row, column) for row in range(3) for column in range(3) if not board[row][column]]
    options = [{"type": "place", "row": row, "column": column} for row, column in cells]
    view = {"board": board, "turn": 1, "moves": [{"seat": 0, "row": 0}, {"seat": 1, "row": 2}]}
    person.page.evaluate(MOUNT, [view, [*options, {"type": "resign"}]])
    studio.shoot(person, "generic")


def strays(studio: Studio) -> None:
    person = studio.person().visit("/foo")
    person.page.locator("h1").wait_for()
    studio.shoot(person, "no-page")
    person.visit("/t/999999").page.locator(".lonely").wait_for()
    studio.shoot(person, "no-table")


SCENES: dict[str, Callable[[Studio], None]] = {
    scene.__name__: scene
    for scene in (lobby, waiting, rules, eriantys, characters, codex, snarl, ends, notices, operators, generic, strays)
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("scenes", nargs="*", metavar="scene", help=", ".join(SCENES))
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    chromium = next(filter(None, map(shutil.which, NAMES)))
    with (
        tempfile.TemporaryDirectory() as data,
        sync_playwright() as playwright,
        Launched(Path(data) / "data", module="deploy.cli", env=QUICK) as cluster,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        studio = Studio(browser, cluster, asked.folder)
        for name in asked.scenes or SCENES:
            SCENES[name](studio)
            studio.leave()
        browser.close()


if __name__ == "__main__":
    main()
