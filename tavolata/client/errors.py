"""The exceptions of the client: a refusal of one request, and the end of a session."""


class ClientError(Exception):
    """Base of all errors of the client."""


class RequestRefused(ClientError):
    """The cluster refused a request, and nothing was changed. `code` is stable (docs/protocols/errors.md), `text` says
    why in a sentence."""

    def __init__(self, code: str, text: str = "", room: int | None = None) -> None:
        """The answer of the cluster."""
        super().__init__(f"{code}: {text}" if text else code)
        self.code = code
        self.text = text
        self.room = room


class NoAnswer(ClientError):
    """No gateway has answered for as long as the client was to be patient (`patience_s` of `connect`).

    `uncertain` says whether the request may have been carried out nevertheless. If it is true, connect again with the
    token and read the table's view before you repeat the request.
    """

    def __init__(self, text: str, uncertain: bool = False) -> None:
        """`text` says what was not answered."""
        super().__init__(f"{text}; the request may have been carried out" if uncertain else text)
        self.uncertain = uncertain


class SessionEnded(ClientError):
    """The session cannot go on: it was closed, opened in another place, or refused. `code` is a code of
    docs/protocols/errors.md, or `close/<number>` after a WebSocket was closed with that number."""

    def __init__(self, code: str, text: str = "", uncertain: bool = False) -> None:
        """`text` says why the session has ended."""
        super().__init__(f"{code}: {text}" if text else code)
        self.code = code
        self.text = text
        self.uncertain = uncertain
        """A request that was under way may have been carried out."""
