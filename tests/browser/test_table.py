"""Tables in the browser: finding them, talking, watching, playing again, being two people in two tabs."""

import json
import re
from typing import Any

from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Newcomer
from tests.browser.person import Person
from tests.browser.test_games import play_on


def two_at_a_table(newcomer: Newcomer, game: str = "stones") -> tuple[Person, Person, int]:
    first, second = newcomer(), newcomer()
    table = first.open_table(game)
    second.visit(f"/t/{table}")
    second.page.locator("#sit").click()
    first.page.locator(".board[data-status=playing]").wait_for()
    second.page.locator(".board[data-status=playing]").wait_for()
    return first, second, table


def name_of(person: Person) -> str:
    return person.page.locator("#name").inner_text()


def held_back(page: Page, path: str) -> list[Route]:
    """The requests for a path, none of which goes on before the test says so."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(path, hold)
    return held


def test_two_browsers_at_one_table_see_each_others_moves_and_words(newcomer: Newcomer) -> None:
    first, second, _ = two_at_a_table(newcomer)
    first.press("take-2")
    expect(second.page.locator(".log")).to_contain_text(f"{name_of(first)} took 2 stones.")
    second.press("take-3")
    expect(first.page.locator(".big")).to_have_text("16 stones")
    first.say("well played")
    expect(second.page.locator(".talk")).to_contain_text(f"{name_of(first)}: well played")
    second.say("thank you")
    expect(first.page.locator(".talk")).to_contain_text(f"{name_of(second)}: thank you")


def test_a_private_word_reaches_one_player_and_no_spectator(newcomer: Newcomer) -> None:
    first, second, table = two_at_a_table(newcomer)
    watcher = newcomer().visit(f"/t/{table}")
    expect(watcher.page.locator("aside")).to_contain_text("You are watching.")
    first.say("only for you", to=name_of(second))
    expect(second.page.locator(".talk .private")).to_contain_text("to you: only for you")
    first.say("for all")
    expect(watcher.page.locator(".talk")).to_contain_text("for all")
    assert "only for you" not in json.dumps(watcher.frames)


def test_chat_is_shown_as_text_and_never_as_html(newcomer: Newcomer) -> None:
    first, second, _ = two_at_a_table(newcomer)
    evil = "<img src=x onerror=alert(1)><b>bold</b>"
    first.say(evil)
    expect(second.page.locator(".talk")).to_contain_text(evil)
    assert second.page.locator(".talk img, .talk b").count() == 0


def hidden_cards(frame: Any) -> list[str]:
    """Everything in a frame that only a player of Codex may know."""
    found = []
    if isinstance(frame, dict):
        for key in ("own", "options", "decks"):
            if frame.get(key) and (key != "options" or isinstance(frame[key], list)):
                found.append(f"{key}: {frame[key]}")
        if frame.get("type") == "card_drawn" and frame.get("card") is not None:
            found.append(f"drawn: {frame}")
        if frame.get("type") == "objective_chosen" and frame.get("objective") is not None:
            found.append(f"chosen: {frame}")
        found += [secret for value in frame.values() for secret in hidden_cards(value)]
    elif isinstance(frame, list):
        found = [secret for value in frame for secret in hidden_cards(value)]
    return found


def test_a_spectator_sees_no_hidden_card_not_even_in_the_frames(newcomer: Newcomer) -> None:
    player = newcomer()
    table = player.play_bots("codex")
    player.wait_for_turn()
    watcher = newcomer().visit(f"/t/{table}")
    watcher.page.locator(".codex-places").wait_for()
    assert play_on(player, 9, 16) == 16
    assert player.wait_for_turn()
    offset = player.page.locator(".board").get_attribute("data-offset") or ""
    expect(watcher.page.locator(".board")).to_have_attribute("data-offset", offset)
    assert watcher.page.locator(".codex-hand, .lit").count() == 0
    steps = [frame for frame in watcher.frames if frame["type"] in ("update", "watching", "view")]
    assert len(steps) > 15
    assert [secret for frame in steps for secret in hidden_cards(frame)] == []
    assert any(hidden_cards(frame) for frame in player.frames), "the player's own frames have what is looked for"


def test_a_table_is_found_in_the_live_list_by_filters_and_by_number(newcomer: Newcomer) -> None:
    watcher = newcomer().visit()
    host = newcomer()
    table = host.open_table("codex", seats="3")
    row = watcher.page.locator(f"tr[data-room='{table}']")
    expect(row).to_contain_text("2 of 3 free")
    watcher.page.locator("#filter-game").select_option("snarl")
    expect(row).to_have_count(0)
    watcher.page.locator("#filter-game").select_option("codex")
    watcher.page.locator("#filter-status").select_option("waiting")
    expect(row).to_have_count(1)
    watcher.page.locator("#number").fill(str(table))
    watcher.page.locator("#number").press("Enter")
    assert watcher.at_table() == table
    expect(watcher.page.locator("#sit")).to_be_visible()


def test_a_private_table_is_not_listed_and_its_link_alone_opens_it(newcomer: Newcomer) -> None:
    host, guest = newcomer(), newcomer()
    table = host.open_table("stones", private=True)
    assert table > 99_999_999
    guest.visit()
    guest.page.locator(".rooms, .tables .quiet").first.wait_for()
    assert guest.page.locator(f"tr[data-room='{table}']").count() == 0
    guest.visit(f"/t/{table}")
    expect(guest.page.locator(".lonely")).to_contain_text("There is no such table.")
    link = host.page.locator(".share").inner_text()
    assert link == host.page.url
    assert link.startswith(f"{host.url}/t/{table}#")
    guest.visit(link.removeprefix(host.url))
    guest.page.locator("#sit").click()
    host.page.locator(".board[data-status=playing]").wait_for()


def test_quick_match_brings_two_people_to_one_table(newcomer: Newcomer) -> None:
    first, second = newcomer().visit(), newcomer().visit()
    first.page.locator("[data-match=codex]").click()
    table = first.at_table()
    second.page.locator("[data-match=codex]").click()
    assert second.at_table() == table
    first.page.locator(".board[data-status=playing]").wait_for()


def test_two_tabs_of_one_browser_are_two_players(newcomer: Newcomer) -> None:
    person = newcomer()
    table = person.open_table("stones")
    mine = name_of(person)
    other = person.open_tab()
    other.goto(f"{person.url}/t/{table}")
    other.locator("#sit").click()
    other.locator(".board[data-status=playing]").wait_for()
    assert other.locator("#name").inner_text() != mine
    person.press("take-1")
    expect(other.locator(".log")).to_contain_text(f"{mine} took 1 stone.")


def test_a_table_that_is_left_and_opened_again_while_it_loads_is_followed(newcomer: Newcomer) -> None:
    host, guest = newcomer(), newcomer()
    table = host.open_table("stones")
    held = held_back(guest.page, "**/games/stones.js")
    guest.visit()
    guest.page.locator("#number").fill(str(table))
    guest.page.locator("#number").press("Enter")
    while not held:
        guest.page.wait_for_timeout(20)
    guest.page.go_back()
    guest.page.locator(".gamecard").first.wait_for()
    guest.page.go_forward()
    held[0].continue_()
    guest.page.locator("#sit").click()
    guest.page.locator(".board[data-status=playing]").wait_for()


def test_a_taken_name_is_replaced_before_the_page_shows_a_table(newcomer: Newcomer) -> None:
    person = newcomer()
    table = person.open_table("stones")
    other = person.open_tab()
    before = len(person.sent)
    held = held_back(other, "**/api/games")
    other.goto(f"{person.url}/t/{table}")
    expect(other.locator("#name")).not_to_have_text(name_of(person))
    held[0].continue_()
    expect(other.locator(".invitation h2")).to_have_text(f"{name_of(person)} invites you to Stones")
    assert [frame["type"] for frame in person.sent[before:] if frame.get("room") == table] == ["spectate"]


def test_after_the_game_both_meet_again_in_the_next_one(newcomer: Newcomer) -> None:
    first, second, table = two_at_a_table(newcomer)
    for _ in range(4):
        for person in (first, second):
            if person.wait_for_turn():
                person.press("take-3")
    expect(first.page.locator(".status")).to_contain_text("won")
    expect(first.page.locator(".log")).to_contain_text("You won: the last stone is taken.")
    expect(second.page.locator(".log")).to_contain_text(f"{name_of(first)} won: the last stone is taken.")
    first.page.locator("#rematch").click()
    first.page.wait_for_url(re.compile(rf"/t/(?!{table}$)\d+$"))
    expect(second.page.locator("#rematch")).to_contain_text("Join the next game")
    second.page.locator("#rematch").click()
    second.page.wait_for_url(first.page.url)
    second.page.locator(".board[data-status=playing]").wait_for()


def test_a_finished_table_is_left_behind_and_can_be_visited_again(newcomer: Newcomer) -> None:
    first, second, table = two_at_a_table(newcomer)
    for _ in range(4):
        for person in (first, second):
            if person.wait_for_turn():
                person.press("take-3")
    first.page.locator("#replay").wait_for()
    first.page.get_by_role("link", name="Lobby", exact=True).click()
    first.page.locator(".gamecard").first.wait_for()
    assert [frame["room"] for frame in first.sent if frame["type"] == "leave"] == [table]
    second.say("once more?")
    first.page.go_back()
    expect(first.page.locator(".talk")).to_contain_text("once more?")
    first.say("yes")
    expect(second.page.locator(".talk")).to_contain_text("yes")
    second.page.locator("#rematch").click()
    first.page.get_by_text("Join the next game").click()
    first.page.locator(".board[data-status=playing]").wait_for()


def test_a_player_without_connection_is_marked_as_away_until_back(newcomer: Newcomer) -> None:
    first, second, _ = two_at_a_table(newcomer)
    url = second.page.url
    second.page.goto("about:blank")
    expect(first.page.locator(".badge.away")).to_have_text("away")
    second.page.goto(url)
    expect(first.page.locator(".badge.away")).to_have_count(0)
    expect(second.page.locator(".seat small")).to_have_text("(you)")


def test_a_taken_name_is_reported_and_replaced_by_another_one(newcomer: Newcomer) -> None:
    first, second = newcomer().visit(), newcomer().visit()
    taken = name_of(first)
    second.page.locator("#name").click()
    second.page.get_by_label("Your name").fill(taken)
    second.page.get_by_label("Your name").press("Enter")
    expect(second.page.locator("#name")).not_to_have_text(taken)
    second.page.locator("#name").click()
    second.page.get_by_label("Your name").fill("Ada Lovelace 7")
    second.page.get_by_label("Your name").press("Enter")
    expect(second.page.locator("#name")).to_have_text("Ada Lovelace 7")
    second.page.reload()
    expect(second.page.locator("#name")).to_have_text("Ada Lovelace 7")


def test_the_lobby_links_to_the_seat_and_the_name_is_fixed_while_seated(newcomer: Newcomer) -> None:
    person = newcomer()
    table = person.open_table("stones")
    name = name_of(person)
    person.page.get_by_role("link", name="Lobby", exact=True).click()
    back = person.page.get_by_role("link", name=f"Back to table {table}")
    expect(back).to_be_visible()
    person.page.locator("#name").click()
    person.page.get_by_label("Your name").fill("Somebody Else")
    person.page.get_by_label("Your name").press("Enter")
    expect(person.page.locator(".toast")).to_contain_text("leave it before you change your name")
    back.click()
    assert person.at_table() == table
    assert name_of(person) == name


def test_a_missing_table_is_reported_in_words(newcomer: Newcomer) -> None:
    person = newcomer().visit("/t/999999")
    expect(person.page.locator(".lonely")).to_contain_text("There is no such table.")


def test_the_end_of_the_log_stays_in_sight_when_the_window_changes(newcomer: Newcomer) -> None:
    person = newcomer(width=1440, height=900)
    person.play_bots("eriantys")
    assert play_on(person, 2, 40) == 40
    for width, height in ((1440, 900), (1024, 500), (390, 844), (1440, 900)):
        person.page.set_viewport_size({"width": width, "height": height})
        person.page.wait_for_function(
            "() => { const box = document.querySelector('.log');"
            " return box.scrollHeight > box.clientHeight && box.scrollHeight - box.clientHeight - box.scrollTop < 2; }"
        )
    person.page.locator(".log").evaluate("box => (box.scrollTop = 0)")
    person.page.set_viewport_size({"width": 1024, "height": 500})
    person.page.wait_for_timeout(200)
    assert person.page.locator(".log").evaluate("box => box.scrollTop") == 0
