"""The docs, as far as a machine can check them: paths and links exist, lines are short, decisions have their parts."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
GUIDES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "CHANGELOG.md", "SECURITY.md")),
    *(ROOT / "docs" / f"{name}.md" for name in ("architecture", "glossary", "loadtest", "operations", "page")),
    *(ROOT / "docs" / f"{name}.md" for name in ("reliability", "replication", "store", "style", "testing")),
]
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("0*.md"))
FOLDERS = "clients|gateway|worker|shared|deploy|loadtest|tests|benchmarks|docs"
PATH = re.compile(rf"`((?:{FOLDERS})/[\w./-]*)`")
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(#[^)\s]*)?\)")
HIDDEN_SUBJECT = re.compile(r"(?:^|[.:] |[|] |- )(?:What|Who|Whoever|One that|So many) .*", re.MULTILINE)
"""Sentences that describe a thing without naming it; the style guide quotes some, so it is not searched."""
PARTS = ["## Context", "## Decision", "## Alternatives", "## Consequences"]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> Iterator[str]:
    """The fragments that headings of a page can be reached by."""
    for heading in re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE):
        yield "#" + re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_path_in_a_page_exists(page: Path) -> None:
    missing = [path for path in PATH.findall(page.read_text()) if not (ROOT / path).exists()]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_to_a_file_and_heading(page: Path) -> None:
    for target, fragment in LINK.findall(without_code(page.read_text())):
        linked = (page.parent / target).resolve() if target else page
        assert linked.exists(), target
        if fragment:
            assert fragment in anchors(linked), f"{target}{fragment}"


@pytest.mark.parametrize("page", GUIDES + DECISIONS, ids=name_of)
def test_prose_is_wrapped_at_100_columns(page: Path) -> None:
    prose = without_code(page.read_text()).splitlines()
    exempt = ("|", ">", "<!--")
    assert [line for line in prose if len(line) > 100 and not line.startswith(exempt)] == []


@pytest.mark.parametrize("page", [page for page in GUIDES + DECISIONS if page.name != "style.md"], ids=name_of)
def test_no_sentence_hides_its_subject(page: Path) -> None:
    assert HIDDEN_SUBJECT.findall(without_code(page.read_text())) == []


@pytest.mark.parametrize("page", DECISIONS, ids=name_of)
def test_a_decision_has_status_date_and_all_parts(page: Path) -> None:
    text = page.read_text()
    assert text.startswith(f"# {int(page.name[:4])}. ")
    assert re.search(r"^- Status: (proposed|accepted|superseded by \d+)$", text, re.MULTILINE)
    assert re.search(r"^- Date: \d{4}-\d\d-\d\d$", text, re.MULTILINE)
    assert re.findall(r"^## .*$", text, re.MULTILINE) == PARTS


def test_the_list_of_decisions_is_complete() -> None:
    listed = (ROOT / "docs" / "decisions" / "README.md").read_text()
    assert all(f"({page.name})" in listed for page in DECISIONS)


def test_the_readme_stays_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) < 90


def test_every_make_target_in_the_guide_exists() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "docs" / "testing.md"):
        assert set(re.findall(r"`make ([a-z-]+)", page.read_text())) <= targets
