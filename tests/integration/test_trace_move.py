"""The path of one move, traced through the processes that ship: its length is part of what a newcomer has to read."""

import re
import subprocess
import sys

from tests.support.launched import ROOT


def test_a_move_crosses_fewer_modules_and_codecs_than_before_the_redesign() -> None:
    command = [sys.executable, "-m", "benchmarks.trace_move"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=90, check=True).stdout
    found = re.search(r"(\d+) modules and one script, (\d+) decodes, (\d+) encodes", printed)
    assert found is not None
    modules, decodes, encodes = map(int, found.groups())
    assert modules < 35
    assert decodes < 5
    assert encodes < 6
