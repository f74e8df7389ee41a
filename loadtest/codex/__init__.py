"""The client's side of the dialect `codex`."""

from loadtest.codex.player import CodexPlayer

PLAYERS = {"codex": CodexPlayer}
