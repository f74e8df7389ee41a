"""Objective cards, numbers 87-102: the points, then a drawing of cards by kingdom, or the symbols of one set.

The rows of a drawing are separated by a bar, from top to bottom; each row is one row of the board.
"""

PATTERNS = (
    "2 ..F|.F.|F..",
    "2 P..|.P.|..P",
    "2 ..A|.A.|A..",
    "2 I..|.I.|..I",
    "3 F.|..|F.|.P",
    "3 .P|..|.P|I.",
    "3 .F|A.|..|A.",
    "3 A.|.I|..|.I",
)

SETS = (
    "2 FFF",
    "2 PPP",
    "2 AAA",
    "2 III",
    "3 QKM",
    "2 MM",
    "2 KK",
    "2 QQ",
)
