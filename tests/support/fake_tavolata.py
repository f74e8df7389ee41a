"""The `tavolata` command with stand-ins for gateways and workers: everything else is real."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

from deploy import cli
from deploy.launcher.plan import ClusterPlan, plan_from_env

NODE = (sys.executable, "-m", "tests.support.fake_node")


def plan_with_fakes(data: Path, gateways: int, workers: int, env: Mapping[str, str]) -> ClusterPlan:
    plan = plan_from_env(data, gateways, workers, env)
    return replace(plan, gateway_command=(*NODE, "gateway"), worker_command=(*NODE, "worker"))


if __name__ == "__main__":
    with patch.object(cli, "plan_from_env", plan_with_fakes):
        cli.main()
