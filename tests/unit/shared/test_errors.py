"""Codes are stable, and every one has a sentence."""

import re
from pathlib import Path
from typing import get_args

import pytest

import shared
from shared.errors import CODES, ErrorCode, ProtocolError, Rejected

ROOT = Path(shared.__file__).parent.parent
QUOTED = re.compile(r'(?:Rejected|Turned|Busy|ProtocolError|garbage|refused)\(\s*"([a-z]+/[a-z_]+)"')


@pytest.mark.parametrize("code", CODES)
def test_a_code_is_a_word_or_has_a_namespace(code: str) -> None:
    assert re.fullmatch(r"[a-z]+(/[a-z_]+)?", code)


def test_the_table_has_a_sentence_for_every_code() -> None:
    assert set(get_args(ErrorCode)) == CODES.keys()


@pytest.mark.parametrize("code", CODES)
def test_every_code_has_a_sentence(code: str) -> None:
    assert CODES[code].strip()


def test_a_refusal_speaks_its_own_text() -> None:
    assert str(Rejected("game/over", "too late")) == "too late"


def test_a_refusal_without_text_speaks_that_of_its_code() -> None:
    assert str(Rejected("game/over")) == CODES["game/over"]


def test_a_refusal_of_an_unknown_code_speaks_the_code() -> None:
    assert str(Rejected("snarl/stuck")) == "snarl/stuck"


def test_a_protocol_error_has_a_code_and_a_text() -> None:
    error = ProtocolError("frame/binary")
    assert (error.code, str(error)) == ("frame/binary", CODES["frame/binary"])


@pytest.mark.parametrize("folder", ["gateway", "worker", "shared"])
def test_every_code_that_the_spine_uses_is_in_the_table(folder: str) -> None:
    namespaces = {code.partition("/")[0] for code in CODES}
    used = {
        code
        for path in (ROOT / folder).rglob("*.py")
        if "games" not in path.parts
        for code in QUOTED.findall(path.read_text())
        if code.partition("/")[0] in namespaces
    }
    assert used <= CODES.keys()
