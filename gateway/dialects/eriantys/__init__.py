"""The three dialects of Eriantys. Players of all three can have seats in the same room."""
