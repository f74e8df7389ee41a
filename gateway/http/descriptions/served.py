"""Serves the descriptions of the protocols, for the games that the cluster offers now."""

from contextlib import suppress

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gateway.cluster.game_cards import GameCards
from gateway.http.descriptions.asyncapi import asyncapi
from gateway.http.descriptions.openapi import openapi
from gateway.http.descriptions.schemas import PARTS
from gateway.http.responses import packed
from shared.bus.store import StoreError

_DOCUMENTS = {"/api/openapi.json": openapi, "/api/asyncapi.json": asyncapi}


class Descriptions:
    """The documents, encoded again only when the games have changed."""

    def __init__(self, games: GameCards) -> None:
        self._games = games
        self._of: object = None
        self._encoded: dict[str, bytes] = {}

    def routes(self) -> list[BaseRoute]:
        return [Route(path, self._document) for path in _DOCUMENTS]

    async def _document(self, request: Request) -> Response:
        with suppress(StoreError):  # the games that were last known
            await self._games.read()
        if self._of != self._games.cards:
            self._encode()
        return packed(request, Response(self._encoded[request.url.path], media_type="application/json"))

    def _encode(self) -> None:
        self._of = cards = self._games.cards
        games = {
            name: {part: msgspec.json.decode(getattr(card, part)) for part in PARTS}
            for name, card in sorted(cards.items())
        }
        self._encoded = {path: msgspec.json.encode(describe(games)) for path, describe in _DOCUMENTS.items()}
