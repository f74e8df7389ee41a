"""The files of the page, and the headers they come with."""

import gzip
import re
from collections.abc import Awaitable
from pathlib import Path
from typing import cast

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route

from gateway.http.static import OPERATORS_FILES, WEB, StaticFiles, read_files


def request(path: str, tag: str = "") -> Request:
    headers = [(b"if-none-match", tag.encode())] if tag else []
    return Request({"type": "http", "method": "GET", "path": path, "headers": headers, "query_string": b""})


def test_all_files_of_the_page_are_served_with_their_types() -> None:
    files = read_files(WEB)
    assert {"index.html", "ops.html", "css/base.css", "js/main.js", "js/games/snarl.js", "icon.svg"} <= files.keys()
    assert files["js/main.js"].kind.startswith("text/javascript")


def test_a_file_that_the_browser_has_is_not_sent_again() -> None:
    file = read_files(WEB)["index.html"]
    fresh, again = file.answer(request("/")), file.answer(request("/", file.tag))
    assert (fresh.status_code, again.status_code) == (200, 304)
    assert fresh.body == file.body
    assert again.body == b""


def test_every_answer_has_a_strict_policy() -> None:
    for file in read_files(WEB).values():
        policy = file.answer(request("/")).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy


def test_other_files_of_the_folder_are_not_served(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("no")
    (tmp_path / "page.html").write_text("yes")
    assert set(read_files(tmp_path)) == {"page.html", "client.js"}


def test_the_page_names_no_other_host() -> None:
    for name, file in read_files(WEB).items():
        text = file.body.decode().replace("http://www.w3.org/", "")
        assert "http://" not in text, name
        assert "https://" not in text, name


def test_the_routes_are_those_of_the_documentation() -> None:
    players = Starlette(routes=StaticFiles().players_routes())
    assert [getattr(route, "path", "") for route in players.routes] == [
        "/",
        "/t/{room:room}",
        "/replay/{room:room}",
        "/client.js",
        "/web/{path:path}",
        "/{path:outside_api}",
    ]
    operators = Starlette(routes=StaticFiles().operators_routes())
    assert [getattr(route, "path", "") for route in operators.routes] == ["/", "/ops", "/web/{path:path}"]


async def test_files_of_the_operators_page_are_not_served_to_players() -> None:
    assert read_files(WEB).keys() >= OPERATORS_FILES
    for name in OPERATORS_FILES:
        scope = {"type": "http", "headers": [], "path_params": {"path": name}}
        statuses = []
        for routes in (StaticFiles().players_routes(), StaticFiles().operators_routes()):
            (route,) = (one for one in routes if isinstance(one, Route) and one.path.startswith("/web/"))
            statuses.append((await route.endpoint(Request(scope))).status_code)
        assert statuses == [404, 200]


def routed(path: str, **headers: str) -> Awaitable[Response]:
    """The answer of the players' routes to a request for a path."""
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "GET", "path": path, "headers": pairs, "query_string": b""}
    for route in StaticFiles().players_routes():
        match, found = route.matches(scope)
        if match is Match.FULL:
            return cast("Route", route).endpoint(Request({**scope, **found}))  # type: ignore[no-any-return]
    raise AssertionError(path)


async def test_files_are_kept_for_good_under_the_version_that_the_page_names() -> None:
    page = bytes((await routed("/")).body).decode()
    (script,) = re.findall(r'"(/web/[0-9a-f]{12}/js/main.js)"', page)
    assert "immutable" in (await routed(script)).headers["cache-control"]
    for other in ("/web/js/main.js", "/web/0123456789ab/js/main.js"):
        answer = await routed(other)
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "no-cache"


async def test_files_are_sent_compressed_to_browsers_that_can_unpack_them() -> None:
    plain, packed = await routed("/web/js/main.js"), await routed("/web/js/main.js", accept_encoding="gzip, br")
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(bytes(packed.body)) == plain.body
    assert plain.headers["vary"] == packed.headers["vary"] == "Accept-Encoding"


async def test_an_address_that_does_not_exist_is_a_page_for_people_and_a_line_for_programs() -> None:
    page, line = await routed("/foo", accept="text/html,*/*"), await routed("/foo")
    assert (page.status_code, line.status_code) == (404, 404)
    assert b"<!doctype html>" in page.body
    assert line.body == b"there is no such page\n"
