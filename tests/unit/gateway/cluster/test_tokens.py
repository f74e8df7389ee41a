"""Session tokens: ours are good until they expire, everything else is not."""

import hmac
from base64 import urlsafe_b64encode
from hashlib import sha256

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.cluster.tokens import Claims, Tokens
from shared.errors import Rejected
from shared.ids import SessionId

TOKENS = Tokens("the secret", 60_000)
ADA = SessionId("s-ada")
NOW = 1_000_000


def code(token: str, now_ms: int = NOW) -> str:
    answer = TOKENS.check(token, now_ms)
    assert isinstance(answer, Rejected)
    return answer.code


def signed(body: bytes, secret: bytes = b"the secret") -> str:
    parts = (body, hmac.digest(secret, body, sha256))
    return ".".join(urlsafe_b64encode(part).decode().rstrip("=") for part in parts)


def test_a_token_tells_whose_it_is() -> None:
    assert TOKENS.check(TOKENS.issue(ADA, "ada", NOW), NOW) == Claims(1, ADA, "ada", NOW + 60_000)


@given(st.text(max_size=32))
def test_any_name_comes_back_as_it_was(name: str) -> None:
    claims = TOKENS.check(TOKENS.issue(ADA, name, NOW), NOW)
    assert isinstance(claims, Claims)
    assert claims.name == name


def test_a_token_is_good_until_its_end() -> None:
    assert isinstance(TOKENS.check(TOKENS.issue(ADA, "ada", NOW), NOW + 60_000), Claims)


def test_a_token_expires() -> None:
    assert code(TOKENS.issue(ADA, "ada", NOW), NOW + 60_001) == "token/expired"


def test_a_token_of_another_secret_is_forged() -> None:
    assert code(Tokens("another", 60_000).issue(ADA, "ada", NOW)) == "token/bad"


@pytest.mark.parametrize("place", range(len(TOKENS.issue(ADA, "ada", NOW))))
def test_a_token_with_any_character_changed_is_forged(place: int) -> None:
    token = TOKENS.issue(ADA, "ada", NOW)
    others = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ ") - {token[place]}
    changed = [token[:place] + other + token[place + 1 :] for other in sorted(others)]
    assert {code(token) for token in changed} == {"token/bad"}


@pytest.mark.parametrize("added", ["=", " ", "\n", "A"])
def test_a_token_with_something_added_is_forged(added: str) -> None:
    token = TOKENS.issue(ADA, "ada", NOW)
    assert {code(token + added), code(added + token)} == {"token/bad"}


def test_a_token_whose_content_was_changed_is_forged() -> None:
    body, _, signature = TOKENS.issue(ADA, "ada", NOW).partition(".")
    other, _, _ = TOKENS.issue(ADA, "eve", NOW).partition(".")
    assert body != other
    assert code(f"{other}.{signature}") == "token/bad"


def test_a_token_of_another_version_is_of_no_use() -> None:
    assert code(signed(msgspec.json.encode(Claims(2, ADA, "ada", NOW + 1)))) == "token/expired"


def test_a_signed_token_without_sense_is_bad() -> None:
    assert code(signed(b'{"not": "claims"}')) == "token/bad"


@pytest.mark.parametrize("token", ["", ".", "a", "a.b", "..", "ä.ö", "=.=", "x" * 100_000, "\ud800.\udc00"])
def test_a_malformed_token_is_bad(token: str) -> None:
    assert code(token) == "token/bad"


@given(st.text())
def test_no_text_is_too_odd(token: str) -> None:
    assert isinstance(TOKENS.check(token, NOW), Rejected)
