"""The JavaScript client and the API for pages of other origins."""

import dataclasses

import pytest

from gateway.http.static import CLIENT
from tests.support.gateway_bench import SETTINGS
from tests.support.http_site import HttpSite

ELSEWHERE = {"Origin": "https://elsewhere.example"}
ALLOWED = "access-control-allow-origin"


async def test_any_page_may_import_the_client() -> None:
    answer = await HttpSite().ask("/client.js", ELSEWHERE)
    assert answer.body == CLIENT.read_bytes()
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert answer.headers[ALLOWED] == "*"


@pytest.mark.parametrize("path", ["/client.js", "/api/rooms"])
async def test_the_setting_limits_the_origins(path: str) -> None:
    origins = "https://elsewhere.example, https://another.example"
    site = HttpSite(dataclasses.replace(SETTINGS, origins=origins))
    assert (await site.ask(path, ELSEWHERE)).headers[ALLOWED] == "https://elsewhere.example"
    assert ALLOWED not in (await site.ask(path, {"Origin": "https://third.example"})).headers


async def test_a_page_may_send_the_token_of_its_session() -> None:
    asked = {**ELSEWHERE, "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization"}
    answer = await HttpSite().ask("/api/rooms/1000/updates", asked, method="OPTIONS")
    assert answer.status == 200
    assert "authorization" in answer.headers["access-control-allow-headers"].lower()


async def test_a_request_without_an_origin_is_answered_as_before() -> None:
    assert ALLOWED not in (await HttpSite().ask("/client.js")).headers
