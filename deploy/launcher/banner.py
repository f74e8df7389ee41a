"""What is shown when a cluster is up."""

from rich.console import Console
from rich.table import Table

from deploy.launcher import store
from deploy.launcher.plan import ClusterPlan, Layout


def show(console: Console, plan: ClusterPlan, layout: Layout) -> None:
    """The addresses that an operator needs, and how to stop."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for title, text in _lines(plan, layout):
        table.add_row(title, text)
    console.print(f"[bold green]Tavolata is up[/]  [bold]{plan.url}[/]")
    console.print(table)


def _lines(plan: ClusterPlan, layout: Layout) -> list[tuple[str, str]]:
    token = plan.gateway.admin_token or store.admin_token(layout.redis_url)
    kind = f"embedded Valkey, durability {plan.gateway.durability}" if plan.embedded else "not ours to stop"
    lines = [
        ("page and API", f"{plan.url}  (all gateways)"),
        ("gateways", ", ".join(f"{plan.url.rpartition(':')[0]}:{program.port}" for program in layout.gateways)),
        ("metrics", " ".join(f":{program.port}/metrics" for program in (*layout.gateways, *layout.workers))),
        ("store", f"{store.shown(layout.redis_url)}  ({kind})"),
        ("data and logs", str(plan.data.absolute())),
    ]
    if plan.gateway.tcp:
        lines.append(("TCP", plan.gateway.tcp.replace(",", "  ")))
    if token:
        lines.append(("admin token", token))
    lines.append(("stop", f"Ctrl-C, or tavolata down --data {plan.data}"))
    return lines
