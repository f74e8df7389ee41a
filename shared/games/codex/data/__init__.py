"""What is printed on the cards, in a notation of few characters. `cards.py` reads it."""
