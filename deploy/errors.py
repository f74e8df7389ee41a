"""Expected failures of commands: one line on stderr and an exit code."""

FAILED = 1
USAGE = 2


class CommandError(Exception):
    """A command cannot be carried out; the text is one line that says what is wrong and how to fix it."""

    def __init__(self, text: str, code: int = FAILED) -> None:
        super().__init__(text)
        self.code = code
