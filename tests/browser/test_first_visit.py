"""A newcomer is shown the rules, is asked for nothing, and is told why something happened."""

from playwright.sync_api import expect

from tests.browser.conftest import Newcomer
from tests.browser.person import Person
from tests.browser.test_table import name_of

FAKE_NOTIFICATIONS = """
  window.asked = 0;
  window.notified = [];
  window.Notification = class {
    static permission = "default";
    static async requestPermission() {
      window.asked += 1;
      return (this.permission = "granted");
    }
    constructor(title) {
      window.notified.push(title);
    }
  };
  Object.defineProperty(document, "hidden", { get: () => Boolean(window.away) });
"""
QUICK_TABLE = """async () => {
  const { connect } = await import("/client.js");
  const player = await connect(location.origin, { name: "Quick Host" });
  return (await player.create("stones", { seats: 2, turn_ms: 1500 })).room;
}"""


def test_the_rules_are_shown_at_the_first_game_only(newcomer: Newcomer) -> None:
    person = newcomer(knows_rules=False)
    person.play_bots("eriantys")
    rules = person.page.locator("#rules")
    expect(rules).to_contain_text("Goal: build all your towers")
    person.page.locator("#rules-done").click()
    expect(rules).to_have_count(0)
    person.play_bots("eriantys")
    person.wait_for_turn()
    expect(rules).to_have_count(0)
    person.page.keyboard.press("?")
    expect(rules).to_be_visible()
    person.page.locator("#rules summary").click()
    expect(rules).to_contain_text("Influence is reckoned on a whole group of islands")


def test_permission_to_notify_is_asked_only_after_the_switch_was_turned_on(newcomer: Newcomer) -> None:
    person, other = newcomer(), newcomer()
    person.context.add_init_script(FAKE_NOTIFICATIONS)
    table = person.open_table("stones")
    other.visit(f"/t/{table}")
    other.page.locator("#sit").click()
    person.page.locator(".board[data-status=playing]").wait_for()
    person.page.locator("#settings-button").click()
    assert person.page.evaluate("() => window.asked") == 0
    person.page.locator("#setting-notify").check()
    expect(person.page.locator("#setting-notify")).to_be_checked()
    assert person.page.evaluate("() => window.asked") == 1
    person.page.keyboard.press("Escape")
    person.press("take-1")
    other.say("are you there?")
    expect(person.page.locator(".talk")).to_contain_text("are you there?")
    assert person.page.evaluate("() => window.notified") == []
    person.page.evaluate("() => (window.away = true)")
    other.say("hello?")
    expect(person.page.locator(".talk")).to_contain_text("hello?")
    other.press("take-1")
    person.page.wait_for_function("() => window.notified.length > 1")
    assert person.page.evaluate("() => window.notified") == [f"{name_of(other)}: hello?", "Your turn · Stones"]


def test_settings_survive_a_reload(newcomer: Newcomer) -> None:
    person = newcomer().visit()
    person.page.locator("#settings-button").click()
    person.page.locator("#setting-theme").select_option("dark")
    expect(person.page.locator("html")).to_have_attribute("data-theme", "dark")
    person.page.reload()
    expect(person.page.locator("html")).to_have_attribute("data-theme", "dark")


def test_an_invitation_names_host_game_options_and_clock_and_asks_for_a_name(newcomer: Newcomer) -> None:
    host, guest = newcomer(), newcomer()
    table = host.open_table("eriantys", turn="30000", expert=True)
    guest.visit(f"/t/{table}")
    invitation = guest.page.locator(".invitation")
    expect(invitation.locator("h2")).to_have_text(f"{name_of(host)} invites you to Eriantys")
    expect(invitation).to_contain_text("expert rules")
    expect(invitation).to_contain_text("30 s a turn")
    guest.page.locator("#guest-name").fill("Grace H")
    guest.page.locator("#sit").click()
    host.page.locator(".board[data-status=playing]").wait_for()
    expect(host.page.locator(".seats")).to_contain_text("Grace H")
    expect(guest.page.locator(".who small")).to_have_text("(you)")


def test_a_waiting_player_fills_the_free_seats_of_the_table_with_bots(newcomer: Newcomer) -> None:
    host, guest = newcomer(), newcomer()
    table = host.open_table("codex", seats="4")
    guest.visit(f"/t/{table}")
    guest.page.locator("#sit").click()
    expect(guest.page.locator(".waiting")).to_contain_text(f"{name_of(host)} can also fill the table with bots.")
    host.page.locator("#fill").click()
    for person in (host, guest):
        person.page.locator(".board[data-status=playing]").wait_for()  # either of them may have the first turn
        assert person.at_table() == table
        expect(person.page.locator(".badge.bot")).to_have_count(2)


def test_a_player_who_ran_out_of_time_is_told_and_comes_back(newcomer: Newcomer) -> None:
    host, person = newcomer().visit(), newcomer()
    table: int = host.page.evaluate(QUICK_TABLE)
    person.visit(f"/t/{table}")
    person.page.locator("#sit").click()
    notice = person.page.locator(".notice")
    expect(notice).to_contain_text("Your time ran out, and a bot moved for you.")
    person.page.locator("#back").click()
    expect(notice).to_have_count(0)


def mounted(person: Person, view: dict[str, object], options: list[dict[str, object]]) -> None:
    """Draws a position of Snarl; commands are collected in `window.sent`."""
    person.page.evaluate(
        """async ([view, options]) => {
          const { Board } = await import("/web/js/board.js");
          const { load } = await import("/web/js/games/index.js");
          const board = new Board();
          document.querySelector("main").replaceChildren(board.host);
          window.sent = [];
          const [send, name] = [(command) => window.sent.push(command), (seat) => `Seat ${seat}`];
          const room = { you: 0, game: view, status: "playing", seats: [], spec: {}, offset: 1 };
          const module = await load("snarl");
          const paint = () => board.paint(game.render(room, options));
          const game = module.open({ send, paint, who: name, name, table: 1, host: board.host });
          window.prompt = () => game.prompt(room);
          paint();
        }""",
        [view, options],
    )


def beside_a_zombie(key: list[int]) -> dict[str, object]:
    """The view of a player at 5,5 with a zombie at 5,6, and the key at a place."""
    member = {"seat": 0, "standing": "active", "exits": 0, "keys": 0, "ejects": 0, "position": None}
    window = {
        "position": [5, 5],
        "layout": [[1] * 5 for _ in range(5)],
        "items": [{"kind": "key", "position": key}],
        "actors": [{"kind": "zombie", "number": 1, "position": [5, 6]}],
    }
    return {"you": 0, "level": 1, "last": 1, "party": [member], "key": None, "window": window, "board": None}


def test_tiles_with_monsters_are_named_and_entered_only_after_a_second_press(newcomer: Newcomer) -> None:
    person = newcomer().visit()
    person.page.locator(".gamecard").first.wait_for()
    moves: list[dict[str, object]] = [{"type": "move", "to": to} for to in ([5, 6], [5, 4], [5, 7], [4, 6], [5, 5])]
    mounted(person, beside_a_zombie(key=[5, 4]), moves)
    labels = {key: person.page.locator(f'[data-key="{key}"]').get_attribute("aria-label") for key in person.offered()}
    assert labels == {
        "move-5,6": "Go 1 right: onto a zombie, you would be expelled",
        "move-5,4": "Go 1 left: the key",
        "move-5,7": "Go 2 right past a zombie: a zombie can reach it",
        "move-4,6": "Go 1 up, 1 right: a zombie can reach it",
        "move-5,5": "Stay: a zombie can reach it",
    }
    pads = [pad.get_attribute("aria-label") for pad in person.page.locator(".pad:enabled").all()]
    assert pads == ["Left", None, "Right: onto a zombie, you would be expelled"]
    prompt = person.page.evaluate("() => window.prompt()")
    assert prompt == "Your turn, up to two steps: get the key, then find the exit"
    step = person.page.locator('[data-key="move-5,6"] .step')
    step.click()
    assert person.page.evaluate("() => window.sent") == []
    assert "you would be expelled" in person.page.evaluate("() => window.prompt()")
    step.click()
    assert person.page.evaluate("() => window.sent") == [moves[0]]


def test_a_key_under_a_monster_is_drawn_on_the_monster(newcomer: Newcomer) -> None:
    person = newcomer().visit()
    person.page.locator(".gamecard").first.wait_for()
    mounted(person, beside_a_zombie(key=[5, 6]), [{"type": "move", "to": [5, 4]}])
    expect(person.page.locator(".dungeon .badge .key")).to_have_count(1)
    prompt = person.page.evaluate("() => window.prompt()")
    assert prompt == "Your turn, up to two steps: get the key once the monster has left it, then find the exit"
    expect(person.page.locator(".snarl-news")).to_contain_text("You have seen the key: a monster stands on it")
