"""All settings as tables: for `tavolata settings` and for docs/operations.md."""

from collections.abc import Iterable

from gateway.dialects.codex import settings as codex
from gateway.dialects.snarl import settings as snarl
from shared.runtime.settings import GatewaySettings, StoreSettings, WorkerSettings, described

Row = tuple[str, str, str]


def sections() -> list[tuple[str, list[Row]]]:
    """(title, rows); what every process understands comes once, at the top."""
    common = described(StoreSettings)
    return [
        ("Every process", common),
        ("Gateway", [row for row in described(GatewaySettings) if row not in common]),
        ("Worker", [row for row in described(WorkerSettings) if row not in common]),
        ("Codex, read by gateways", _dialect(codex.PREFIX, codex.DESCRIBED)),
        ("Snarl, read by gateways", _dialect(snarl.PREFIX, snarl.DESCRIBED)),
    ]


def _dialect(prefix: str, rows: Iterable[Row]) -> list[Row]:
    return [(prefix + name, default, text) for name, default, text in rows]


def markdown() -> str:
    """The same for a document."""
    parts: list[str] = []
    for title, rows in sections():
        lines = [f"| `{name}` | {f'`{default}`' if default else ''} | {_cell(text)} |" for name, default, text in rows]
        parts.append("\n".join([f"### {title}", "", "| variable | default | what it is |", "|---|---|---|", *lines]))
    return "\n\n".join(parts) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
