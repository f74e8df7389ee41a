"""The client's side of the Snarl protocol."""

from loadtest.snarl.player import SnarlPlayer

PLAYERS = {"snarl": SnarlPlayer}
