"""Terminal output of the `tavolata` command: the console, and the addresses shown when a cluster is up."""

import os
import sys

from rich.console import Console
from rich.table import Table

from deploy.launcher import store
from deploy.launcher.plan import ClusterPlan, Layout, http_url

WIDTH_OF_FILES = 160
"""Width where the output is not a terminal: wide enough for any line."""


class PipeSafeConsole(Console):
    """A console that falls silent when its reader is gone: the cluster must go on without it."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def make_console() -> Console:
    return PipeSafeConsole() if sys.stdout.isatty() else PipeSafeConsole(width=WIDTH_OF_FILES)


def show_banner(console: Console, plan: ClusterPlan, layout: Layout) -> None:
    """Print the addresses that an operator needs, and how to stop the cluster."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for title, text in _banner_rows(plan, layout):
        table.add_row(title, text)
    console.print(f"[bold green]Tavolata is up[/]  [bold]{plan.url}[/]")
    console.print(table)


def _token_row(plan: ClusterPlan, layout: Layout) -> str:
    """The token for a person at a terminal. Other output is often kept, so it only says where the token is."""
    if not sys.stdout.isatty():
        kept = f"tavolata ps --data {plan.data} --admin-token"
        return "as set in TAVOLATA_ADMIN_TOKEN" if plan.gateway.admin_token else kept
    if plan.gateway.admin_token:
        return plan.gateway.admin_token
    kept_token = store.admin_token(layout.redis_url, layout.tls, plan.gateway.key_prefix)
    return kept_token or "cannot be read from the store"


def _banner_rows(plan: ClusterPlan, layout: Layout) -> list[tuple[str, str]]:
    kind = f"embedded Valkey, durability {plan.gateway.durability}" if plan.embedded else "external"
    rows = [
        ("page and API", f"{plan.url}  (all gateways)"),
        ("gateways", ", ".join(f"{plan.url.rpartition(':')[0]}:{spec.port}" for spec in layout.gateways)),
        ("operators", ", ".join(f"{http_url(plan.gateway.ops_host, spec.ops_port)}/ops" for spec in layout.gateways)),
        ("metrics", " ".join(f":{spec.ops_port or spec.port}/metrics" for spec in (*layout.gateways, *layout.workers))),
        ("store", f"{store.without_password(layout.redis_url)}  ({kind})"),
        ("data and logs", str(plan.data.absolute())),
    ]
    if plan.gateway.tcp:
        rows.append(("TCP", plan.gateway.tcp.replace(",", "  ")))
    rows.append(("admin token", _token_row(plan, layout)))
    rows.append(("stop", f"Ctrl-C, or tavolata down --data {plan.data}"))
    return rows
