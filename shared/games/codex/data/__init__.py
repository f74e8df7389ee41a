"""The cards in a notation of few characters, which `cards.py` reads."""
