"""The exceptions of the client: a refusal of one request, no answer to it, and the end of a session."""

NO_ANSWER = "client/no_answer"


class ClientError(Exception):
    """Base of all errors of the client."""

    code: str
    """Stable: a code of docs/protocols/errors.md, `close/<number>` after a WebSocket was closed with that number, or
    `client/...` for a decision of the client."""
    text: str
    """The reason, in a sentence."""
    uncertain: bool
    """The request may have been carried out nevertheless: connect again with the token and read the table's view before
    you repeat it."""

    def __init__(self, code: str, text: str = "", uncertain: bool = False) -> None:
        """Raised by the client only."""
        reason = f"{code}: {text}" if text else code
        super().__init__(f"{reason}; the request may have been carried out" if uncertain else reason)
        self.code = code
        self.text = text
        self.uncertain = uncertain


class RequestRefused(ClientError):
    """The cluster refused a request, and nothing was changed."""


class NoAnswer(ClientError):
    """No gateway has answered for as long as the client was to be patient (`patience_s` of `connect`)."""


class SessionEnded(ClientError):
    """The session cannot go on: it was closed, opened in another place, or refused."""
