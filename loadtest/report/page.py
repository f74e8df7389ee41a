"""The report as one HTML page without requests to other hosts, made from the data of `--json` alone."""

from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any
from xml.sax.saxutils import escape

from loadtest.checks.checker import MEANINGS, REMARKS, VIOLATIONS
from loadtest.report import charts
from loadtest.report.charts import Json

FAMILIES = {"kill": "ended with SIGKILL", "freeze": "frozen", "stop": "stopped cleanly"}
FAMILIES |= {"store": "failovers, moved slots", "network": "connections"}


def style(name: str) -> str:
    return (files("loadtest.report") / name).read_text()


def html(data: Json) -> str:
    parts = [_head(data), _tiles(data), _course(data), _checks(data), _details(data)]
    title = f"Load report: {', '.join(data['games'])}"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style('chart.css')}{style('page.css')}</style></head>"
        f"<body><main>{''.join(parts)}</main></body></html>\n"
    )


def _head(data: Json) -> str:
    verdict = "No violation found" if data["good"] else "Violations found"
    css = "good" if data["good"] else "bad"
    played = f"{', '.join(data['games'])} over {', '.join(data['dialects'])}"
    return (
        f'<h1>Load report</h1><p class="note">{escape(data["started"])} · {escape(played)}</p>'
        f'<div class="verdict {css}">{verdict}</div>'
    )


def _tiles(data: Json) -> str:
    latency = data["latency_ms"]
    tiles = [
        (f"{data['moves']:,}", f"moves in {data['seconds']:,.0f} s"),
        (f"{data['moves_per_second']:,.0f}", "moves per second"),
        (_ms(latency.get("p50")), "latency, median"),
        (_ms(latency.get("p99")), "latency, p99"),
        (f"{len(data['course']['faults']):,}", "faults made"),
        (f"{data['findings']['lost']:,} / {data['findings']['doubled']:,}", "moves lost / doubled"),
        (f"{data['games_finished']:,}", "games finished"),
        (f"{data['rooms_checked']:,}", "records compared"),
    ]
    cells = "".join(f'<div class="tile"><b>{value}</b><span>{name}</span></div>' for value, name in tiles)
    return f'<section class="tiles">{cells}</section>'


def _ms(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value / 1000:.2f} s" if value >= 1000 else f"{value:.1f} ms"


def _figure(drawing: str, caption: str) -> str:
    return f"<figure>{drawing}<figcaption>{escape(caption)}</figcaption></figure>"


def _course(data: Json) -> str:
    """The charts over time, and the pauses if faults were made."""
    if not data["course"]["seconds"]:
        return ""
    parts = ["<h2>The course of the run</h2>"]
    if data["course"]["faults"]:
        made = {charts.family(fault["kind"]) for fault in data["course"]["faults"]}
        dots = "".join(f'<li style="--dot: var(--{css})">{FAMILIES[css]}</li>' for css in FAMILIES if css in made)
        parts.append(f'<ul class="families">{dots}</ul>')
    parts.append(_figure(charts.throughput(data), "Each mark above the chart is a fault; point at it to read which."))
    parts.append(_figure(charts.latency(data), "Per second; in long runs, neighboring seconds are combined."))
    if data["pauses"]:
        caption = (
            "The longest time that a move waited which was under way when the fault began, or sent before the next one."
        )
        parts.append(_figure(charts.pauses(data), caption))
    parts.append(_figure(charts.cpu(data), "All processes of a role together; the load tool runs on the same machine."))
    if data["course"]["processes"]:
        parts.append(_figure(charts.memory(data), "Resident memory; restarted processes begin anew."))
    return "".join(parts)


def _checks(data: Json) -> str:
    texts = f"<pre>{escape(chr(10).join(data['words']))}</pre>" if data["words"] else ""
    violations = _findings(data, "violation", VIOLATIONS)
    remarks = _findings(data, "remark, no violation", REMARKS)
    return f"<h2>What was checked</h2>{violations}{texts}{remarks}"


def _findings(data: Json, head: str, kinds: Iterable[str]) -> str:
    rows = []
    for kind in kinds:
        count = data["findings"][kind]
        css = "count found" if kind in VIOLATIONS and count else "count"
        rows.append(f'<tr><td>{kind}</td><td>{escape(MEANINGS[kind])}</td><td class="{css}">{count:,}</td></tr>')
    return f"<table><tr><th>{head}</th><th>meaning</th><th></th></tr>{''.join(rows)}</table>"


def _details(data: Json) -> str:
    tables = [
        ("Settings", data["settings"]),
        ("Versions", data["versions"]),
        ("Machine", data["machine"]),
        ("Errors that clients received", data["errors"] or {"none": ""}),
    ]
    columns = "".join(f"<div><h2>{title}</h2>{_table(rows)}</div>" for title, rows in tables)
    return f'<section class="columns">{columns}</section>{_fault_list(data)}'


def _table(rows: Mapping[str, Any]) -> str:
    cells = (f"<tr><th>{escape(name)}</th><td>{escape(_words(value))}</td></tr>" for name, value in rows.items())
    return f"<table>{''.join(cells)}</table>"


def _words(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_words(one) for one in value)
    if isinstance(value, dict):
        return ", ".join(f"{name} {_words(one)}" for name, one in value.items())
    return str(value)


def _fault_list(data: Json) -> str:
    faults = data["course"]["faults"]
    if not faults:
        return ""
    heads = "".join(f"<th>{name}</th>" for name in ("at", "fault", "target", "restored after", "longest wait"))
    rows = "".join(f"<tr>{''.join(_fault_cells(fault))}</tr>" for fault in faults)
    return f"<details><summary>All {len(faults)} faults</summary><table><tr>{heads}</tr>{rows}</table></details>"


def _fault_cells(fault: Json) -> Iterable[str]:
    restored = "-" if fault["restored_s"] is None else f"{fault['restored_s']:.2f} s"
    values = (f"{fault['at_s']:.1f} s", fault["kind"], fault["target"], restored, f"{fault['pause_s']:.2f} s")
    return (f"<td>{escape(value)}</td>" for value in values)
