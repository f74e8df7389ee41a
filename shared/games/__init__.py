"""The games of this project, one folder each, all pure. worker/games.py lists them.

Gateways import commands, events and views of a game, never its state and rules.
"""
