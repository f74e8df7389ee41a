"""The client's side of the Snarl protocol."""

from loadtest.clients.snarl.client import SnarlPlayer

PLAYERS = {"snarl": SnarlPlayer}
