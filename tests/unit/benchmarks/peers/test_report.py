"""Markdown tables of the peer comparison and their place in a page."""

import pytest

from benchmarks.peers.errors import BenchmarkError
from benchmarks.peers.report import figure, machine_section, replace_section, results_section, update_page
from tests.unit.benchmarks.peers.series import OURS, RUNS, moves, series

PAGE = """# Page

<!-- machine:begin -->
old
<!-- machine:end -->

middle

<!-- results:begin -->
<!-- results:end -->
"""


@pytest.mark.parametrize(
    ("value", "text"), [(None, "-"), (0.345, "0.34"), (9.99, "9.99"), (12.34, "12.3"), (1234.5, "1,234")]
)
def test_figures_have_about_three_digits(value: float | None, text: str) -> None:
    assert figure(value) == text


def test_every_workload_has_a_table_with_medians_and_ratios() -> None:
    lines = results_section(series(), RUNS).splitlines()
    assert "### 200 rooms x 2 players, closed loop" in lines
    assert "### 1,000 rooms x 2 players, idle" in lines
    ours = [line for line in lines if line.startswith("| Tavolata |")]
    assert ours[0] == (
        "| Tavolata | 200 | 1.00 | 2.00 | 150 (100-300) | gateway 140, valkey 10.0 | 1.75 | 1.00 | 20.0 | 0 |"
    )
    assert ours[1] == "| Tavolata | 20.0 | node 20.0 | 0.50 | 0 |"
    assert any("failed runs 1, gaps 2" in line for line in lines)


def test_all_rows_of_a_table_have_the_same_number_of_cells() -> None:
    lines = results_section(series(), RUNS).splitlines()
    split = lines.index("### 1,000 rooms x 2 players, idle")
    for part in (lines[:split], lines[split:]):
        assert len({line.count("|") for line in part if line.startswith("|")}) == 1


def test_the_machine_is_described_without_a_warning_when_it_was_quiet() -> None:
    text = machine_section(series(), RUNS)
    assert "| processor | Fast <One>, 2 cores |" in text
    assert "| Tavolata | commit 0123456 |" in text
    assert "not reliable" not in text


def test_a_disturbed_series_carries_a_warning() -> None:
    assert "not reliable" in machine_section(series(), [moves(0, OURS, 20.0, foreign=0.4)])


def test_a_page_is_updated_in_place_and_repeatedly() -> None:
    once = update_page(PAGE, series(), RUNS)
    assert once.startswith("# Page\n\n<!-- machine:begin -->\n\n| ")
    assert "\nold\n" not in once
    assert "\n\nmiddle\n\n" in once
    assert update_page(once, series(), RUNS) == once


def test_a_page_without_the_section_is_refused() -> None:
    with pytest.raises(BenchmarkError, match="'results'"):
        replace_section("# Page\n", "results", "body")
