"""Numbers in queries, and the size of pages in all lists."""

from typing import Any

import pytest

from gateway.http.queries import LIMIT_WANTED, number, page_size
from shared.bus.directory import ListingChange
from shared.ids import RoomId
from shared.room_events import RoomStatus
from shared.room_views import Listing
from tests.support.asgi import ask
from tests.support.http_site import ADMIN_TOKEN, HttpSite

LISTS = ("/api/rooms", "/api/ops/rooms")


@pytest.mark.parametrize(("text", "value"), [("0", 0), ("1000", 1_000), ("9" * 15, 10**15 - 1)])
def test_a_number_has_digits_alone(text: str, value: int) -> None:
    assert number(text) == value


@pytest.mark.parametrize("text", [None, "", "-1", "+1", "1.5", "1e3", "x", "\u0661", "9" * 16])
def test_everything_else_is_no_number(text: str | None) -> None:
    assert number(text) is None


@pytest.mark.parametrize(("limit", "size"), [(None, 50), ("", 50), ("0", 50), ("1", 1), ("100", 100), ("101", 100)])
def test_a_page_has_the_usual_size_or_the_size_that_is_asked_for_up_to_a_maximum(limit: str | None, size: int) -> None:
    assert page_size(limit, 50, 100) == size


async def listed(path: str) -> tuple[int, Any]:
    """The answer to a request for a list, in a cluster with 120 rooms."""
    site = HttpSite()
    rooms = [Listing(RoomId(number), "stones", 2, RoomStatus.WAITING) for number in range(1_000, 1_120)]
    site.bench.node.rooms.change([ListingChange(room.room, room) for room in rooms])
    app = site.apps.operators if path.startswith("/api/ops/") else site.app
    return await ask(app, "GET", path, ADMIN_TOKEN)


@pytest.mark.parametrize(("limit", "count"), [("", 100), ("?limit=0", 100), ("?limit=7", 7), ("?limit=5000", 100)])
@pytest.mark.parametrize("path", LISTS)
async def test_lists_of_rooms_have_the_same_pages(path: str, limit: str, count: int) -> None:
    status, page = await listed(path + limit)
    assert status == 200
    assert (len(page["rooms"]), page["more"]) == (count, True)


@pytest.mark.parametrize("limit", ["-1", "x", "1.0"])
@pytest.mark.parametrize("path", [*LISTS, "/api/ops/audit"])
async def test_a_limit_that_is_no_number_is_refused_in_all_lists(path: str, limit: str) -> None:
    assert await listed(f"{path}?limit={limit}") == (400, {"code": "frame/malformed", "text": LIMIT_WANTED})
