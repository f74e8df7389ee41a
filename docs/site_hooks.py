"""Hooks of the docs site: the documents of the repository's root are pages of the site, too."""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
DOCUMENTS = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the documents; their links point into `docs/`, which is the root of the site."""
    for name in DOCUMENTS:
        text = (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")
        text = re.sub(r"\[([^]]*)\]\((?:CODE_OF_CONDUCT\.md|Makefile|\.github/[^)]*|LICENSE)\)", r"\1", text)
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Links to a folder lead to its first page; links out of `docs/` lead to the added pages."""
    names = "|".join(map(re.escape, DOCUMENTS))
    markdown = re.sub(rf"\]\(\.\./((?:\.\./)*(?:{names}))", r"](\1", markdown)
    return markdown.replace("](protocols/)", "](protocols/play.md)").replace("](decisions/)", "](decisions/README.md)")
