"""Any web page can import the JavaScript client from a gateway and play."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from tests.browser.conftest import Newcomer

PLAY = """async (url) => {
  const { connect } = await import(`${url}/client.js`);
  const player = await connect(url, { name: "a visitor" });
  const table = await player.create("stones", { seats: 2, bots: 1 });
  while (await table.myTurn()) await table.act(table.options[0]);
  await player.bye();
  return table.view.status;
}"""


class OnePage(BaseHTTPRequestHandler):
    """An empty page at every address."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """The address of another web server."""
    with ThreadingHTTPServer(("127.0.0.1", 0), OnePage) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def test_a_page_of_another_origin_plays_with_the_client_of_a_gateway(newcomer: Newcomer, elsewhere: str) -> None:
    person = newcomer()
    person.page.goto(elsewhere)
    assert person.page.evaluate(PLAY, person.url) == "finished"
