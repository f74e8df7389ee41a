"""Snarl: a dungeon crawler for one to four players against zombies and ghosts."""
