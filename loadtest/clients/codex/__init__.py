"""The client of the dialect `codex`."""

from loadtest.clients.codex.client import CodexPlayer

PLAYERS = {"codex": CodexPlayer}
