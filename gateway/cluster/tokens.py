"""Session tokens: a client that presents one continues the session, at any gateway. Signed, not encrypted."""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from hashlib import sha256

import msgspec

from shared.errors import Rejected
from shared.ids import SessionId

_VERSION = 1


class Claims(msgspec.Struct, frozen=True, array_like=True):
    """The content of a token."""

    version: int
    sid: SessionId
    name: str
    until_ms: int


_decode = msgspec.json.Decoder(Claims).decode


LATE_MS = 60 * 24 * 3_600_000
"""Time after its end for which a token is still accepted for a session with a seat in a room with long turns."""


class Tokens:
    """Issues and checks tokens with the cluster's secret."""

    def __init__(self, secret: str, good_for_ms: int) -> None:
        self._key = secret.encode()
        self._good_for_ms = good_for_ms

    def issue(self, sid: SessionId, name: str, now_ms: int) -> str:
        body = msgspec.json.encode(Claims(_VERSION, sid, name, now_ms + self._good_for_ms))
        return self._signed(body)

    def check(self, token: str, now_ms: int, late_ms: int = 0) -> Claims | Rejected:
        """The claims of a token that has not expired, or did so at most `late_ms` ago."""
        try:
            body = _bytes(token.partition(".")[0])
            if not hmac.compare_digest(token.encode(), self._signed(body).encode()):
                return Rejected("token/bad")
            claims = _decode(body)
        except (Error, ValueError, msgspec.MsgspecError):
            return Rejected("token/bad")
        if claims.version != _VERSION or claims.until_ms + late_ms < now_ms:
            return Rejected("token/expired")
        return claims

    def _signed(self, body: bytes) -> str:
        """The canonical text of a token. Base64 has several texts for the same bytes; only this one is accepted."""
        return f"{_text(body)}.{_text(hmac.digest(self._key, body, sha256))}"


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
