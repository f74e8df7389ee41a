"""Answers to requests that no handler answers: JSON for the API, as for all its errors, and text elsewhere."""

import json

import pytest
from starlette.requests import Request

from gateway.http.responses import unanswered
from shared.errors import CODES
from tests.support.asgi import ask
from tests.support.http_site import HttpSite

UNKNOWN = {"code": "http/unknown_path", "text": CODES["http/unknown_path"]}
WRONG_METHOD = {"code": "http/wrong_method", "text": CODES["http/wrong_method"]}


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize(
    "path", ["/api", "/api/", "/api/nothing", "/api/games/", "/api/rooms/abc/updates", "/api/replays/-1"]
)
async def test_an_unknown_path_of_the_api_is_answered_with_json(method: str, path: str) -> None:
    answer = await HttpSite().ask(path, {"Accept": "text/html,*/*"}, method=method)
    assert (answer.status, json.loads(answer.body)) == (404, UNKNOWN)
    assert answer.headers["content-type"] == "application/json"


async def test_a_wrong_method_of_the_api_is_answered_with_json_and_the_right_methods() -> None:
    answer = await HttpSite().ask("/api/games", method="POST")
    assert (answer.status, json.loads(answer.body)) == (405, WRONG_METHOD)
    assert "GET" in answer.headers["allow"]


async def test_pages_of_other_origins_can_read_that_a_path_is_unknown() -> None:
    answer = await HttpSite().ask("/api/nothing", {"Origin": "https://elsewhere.example"})
    assert answer.headers["access-control-allow-origin"] == "*"


async def test_the_operators_api_answers_in_the_same_way() -> None:
    operators = HttpSite().apps.operators
    assert await ask(operators, "GET", "/api/ops/nothing") == (404, UNKNOWN)
    assert await ask(operators, "GET", "/api/games") == (404, UNKNOWN)
    assert await ask(operators, "GET", "/api/ops/drain") == (405, WRONG_METHOD)


@pytest.mark.parametrize(("method", "path"), [("GET", "/nothing"), ("GET", "/apis"), ("POST", "/"), ("POST", "/x")])
async def test_other_paths_are_answered_with_text(method: str, path: str) -> None:
    answer = await HttpSite().ask(path, method=method)
    assert answer.status == (404 if method == "GET" else 405)
    assert answer.headers["content-type"].startswith("text/plain")


async def test_a_handler_of_the_api_that_fails_is_answered_with_json() -> None:
    answers = [
        await unanswered(Request({"type": "http", "path": path, "headers": []}), ZeroDivisionError())
        for path in ("/api/games", "/client.js")
    ]
    assert [answer.status_code for answer in answers] == [500, 500]
    assert json.loads(bytes(answers[0].body)) == {"code": "internal", "text": "something broke on our side"}
    assert answers[1].body == b"Internal Server Error"
