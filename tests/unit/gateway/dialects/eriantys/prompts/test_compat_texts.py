"""The operator's texts: the file, its schema in the docs, and the errors for a file that cannot be used."""

import json
from pathlib import Path
from typing import Any

import pytest

from gateway.dialects.eriantys.prompts import prompts_dialect
from gateway.dialects.eriantys.prompts.compat_texts import NUMBERS, Texts, read_texts
from gateway.transports.java_stream.framing import StringFraming
from tests.support.eriantys_players import TEXTS

SCHEMA = json.loads((Path(__file__).parents[6] / "docs" / "protocols" / "am24-texts.schema.json").read_text())


def test_the_schema_has_the_keys_that_are_read() -> None:
    assert tuple(SCHEMA["required"]) == Texts.__struct_fields__
    assert tuple(SCHEMA["properties"]) == Texts.__struct_fields__
    assert tuple(SCHEMA["properties"]["descriptions"]["required"]) == NUMBERS


def test_the_example_can_be_read() -> None:
    assert read_texts(json.dumps(TEXTS)).joined == TEXTS["joined"]


@pytest.mark.parametrize("key", SCHEMA["required"])
def test_a_missing_key_is_named(key: str) -> None:
    without = {name: text for name, text in TEXTS.items() if name != key}
    with pytest.raises(ValueError, match=f"`{key}`"):
        read_texts(json.dumps(without))


def test_a_missing_description_is_named() -> None:
    descriptions = {number: text for number, text in TEXTS["descriptions"].items() if number != "7"}
    with pytest.raises(ValueError, match=r"`7`.*descriptions"):
        read_texts(json.dumps({**TEXTS, "descriptions": descriptions}))


@pytest.mark.parametrize(
    ("options", "contents", "why"),
    [
        ({"compat": "am24"}, {}, "needs texts=FILE"),
        ({"texts": "texts.json"}, {"texts.json": "{}"}, "compat=am24"),
        ({"compat": "am24", "texts": "none.json"}, {}, "'none.json' cannot be read"),
        ({"compat": "am24", "texts": "texts.json"}, {"texts.json": "{"}, "texts.json: "),
        ({"compat": "am24", "texts": "texts.json"}, {"texts.json": "{}"}, "`lobby_created`"),
        ({"compat": "am24", "texts": "texts.json"}, {"texts.json": json.dumps({**TEXTS, "won": ""})}, "won"),
        ({"compat": "am28", "texts": "texts.json"}, {}, "compat must be am24"),
        ({"pings": "5"}, {}, "no option 'pings'"),
    ],
)
def test_options_that_cannot_be_used_are_refused_at_the_start(
    options: dict[str, str], contents: dict[str, str], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        prompts_dialect(contents.get).framing(options)


def test_the_file_is_read_once() -> None:
    reads: list[Any] = []

    def read(path: str) -> str:
        reads.append(path)
        return json.dumps(TEXTS)

    dialect = prompts_dialect(read)
    for _ in range(3):
        assert isinstance(dialect.framing({"compat": "am24", "texts": "a.json"}), StringFraming)
    assert reads == ["a.json"]
