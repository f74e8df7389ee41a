"""The tables of all settings, for `tavolata settings` and docs/operations.md."""

from gateway.dialects.codex import CodexSettings
from gateway.dialects.snarl import SnarlSettings
from shared.runtime.settings import (
    EmbeddedStoreSettings,
    GatewaySettings,
    OperatorCommandSettings,
    StoreSettings,
    WorkerSettings,
    described,
)

Row = tuple[str, str, str]


def sections() -> list[tuple[str, list[Row]]]:
    """(title, rows) of each table. Settings that every process reads are only in the first."""
    common = described(StoreSettings)
    return [
        ("Every process", common),
        ("Gateway", [row for row in described(GatewaySettings) if row not in common]),
        ("Worker", [row for row in described(WorkerSettings) if row not in common]),
        ("Embedded store, read by `tavolata up`", described(EmbeddedStoreSettings)),
        ("Operators' commands, read by `tavolata ops`", described(OperatorCommandSettings)),
        ("Codex, read by gateways", described(CodexSettings)),
        ("Snarl, read by gateways", described(SnarlSettings)),
    ]


def markdown() -> str:
    """All tables as Markdown."""
    parts: list[str] = []
    for title, rows in sections():
        lines = [f"| `{name}` | {f'`{default}`' if default else ''} | {_cell(text)} |" for name, default, text in rows]
        parts.append("\n".join([f"### {title}", "", "| variable | default | meaning |", "|---|---|---|", *lines]))
    return "\n\n".join(parts) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
