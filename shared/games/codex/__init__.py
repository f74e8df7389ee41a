"""Codex Naturalis: two to four players extend manuscripts of overlapping cards. `game.py` gathers the engine."""
