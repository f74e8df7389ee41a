"""Eriantys: an island board game for two to four players, with and without its twelve characters."""
