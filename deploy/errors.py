"""What may go wrong without anything being broken: told in one line, with an exit code."""

FAILED = 1
USAGE = 2


class CommandError(Exception):
    """The text is one line that says what is wrong and who can help."""

    def __init__(self, text: str, code: int = FAILED) -> None:
        super().__init__(text)
        self.code = code
