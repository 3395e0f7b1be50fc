"""Intervals against values worked out by hand and printed in tables."""

import math

import pytest

from robotd.experiments.rows import summarize
from robotd.experiments.statistics import (
    MANY,
    mean,
    median,
    median_words,
    ratio,
    share,
    share_difference,
    t_quantile,
    words,
)

PRINTED = {
    1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 9: 2.262, 10: 2.228, 14: 2.145, 29: 2.045, 30: 2.042, 120: 1.980,
}  # fmt: skip


@pytest.mark.parametrize(("freedom", "printed"), PRINTED.items())
def test_the_quantiles_are_those_of_printed_tables(freedom: int, printed: float) -> None:
    assert t_quantile(freedom) == pytest.approx(printed, abs=5e-4)


def test_the_two_formulas_for_quantiles_meet() -> None:
    assert t_quantile(MANY) - t_quantile(MANY + 1) == pytest.approx(
        t_quantile(MANY - 1) - t_quantile(MANY), rel=0.05
    )
    assert t_quantile(10**9) == pytest.approx(1.959964, abs=1e-6)


def test_a_mean_has_the_interval_that_is_worked_out_by_hand() -> None:
    # 1, 2, 3, 4: mean 2.5, deviation sqrt(5/3), standard error 0.6455, times 3.182
    found = mean([1.0, 2.0, 3.0, 4.0])
    assert (found.value, found.low, found.high) == pytest.approx((2.5, 2.5 - 2.0541, 2.5 + 2.0541), abs=1e-3)


def test_too_few_samples_have_no_interval() -> None:
    assert mean([3.0]).value == 3.0
    assert math.isnan(mean([3.0]).low)
    assert (median([3.0, 1.0, 9.0]), median([4.0, 1.0, 2.0, 9.0])) == (3.0, 3.0)
    assert all(math.isnan(x) for x in (mean([]).value, ratio([], []).value, share([]).value, median([])))


def test_in_words_an_estimate_has_its_interval_only_where_there_is_one() -> None:
    assert words(mean([1.0, 2.0, 3.0, 4.0]), 2) == "2.50 (0.45 to 4.55)"
    assert words(mean([3.0]), 1, " a minute") == "3.0 a minute"
    assert words(mean([]), 1) == ""
    assert (median_words([3.0, 1.0, 9.0], 1, " s"), median_words([], 1)) == ("3.0 s (1.0 to 9.0)", "")


def test_a_share_has_wilsons_interval_which_never_leaves_0_to_1() -> None:
    half = share([True, False] * 5)
    assert (half.value, half.low, half.high) == pytest.approx((0.5, 0.2366, 0.7634), abs=1e-4)
    assert (share([True] * 10).low, share([True] * 10).high) == pytest.approx((0.7225, 1.0), abs=1e-4)
    assert (share([False] * 10).low, share([False] * 10).high) == pytest.approx((0.0, 0.2775), abs=1e-4)


def pairs(both: int, first: int, second: int, neither: int) -> tuple[list[bool], list[bool]]:
    return (
        [True] * (both + first) + [False] * (second + neither),
        [True] * both + [False] * first + [True] * second + [False] * neither,
    )


def test_a_difference_of_paired_shares_has_newcombes_interval() -> None:
    found = share_difference(*pairs(36, 12, 2, 0))  # an example of his paper: 0.0569 to 0.3404
    assert (found.value, found.low, found.high) == pytest.approx((0.2, 0.0569, 0.3404), abs=5e-5)
    turned = share_difference(*pairs(36, 2, 12, 0))
    assert (turned.value, turned.low, turned.high) == pytest.approx((-0.2, -0.3404, -0.0569), abs=5e-5)


def test_runs_that_are_all_alike_prove_no_certainty() -> None:
    alike = share_difference(*pairs(15, 0, 0, 0))
    assert (alike.value, alike.low, alike.high) == pytest.approx((0.0, -0.2039, 0.2039), abs=1e-4)
    apart = share_difference(*pairs(0, 10, 0, 0))
    assert (apart.value, apart.low, apart.high) == pytest.approx((1.0, 0.6075, 1.0), abs=1e-4)
    assert math.isnan(share_difference([], []).value)


def test_a_ratio_of_means_is_exact_where_all_pairs_have_it_and_has_the_hand_computed_interval_else() -> None:
    exact = ratio([2.0, 4.0, 6.0], [1.0, 2.0, 3.0])
    assert (exact.value, exact.low, exact.high) == (2.0, 2.0, 2.0)
    # (3, 5) over (2, 2): 2; rests (3 - 4) / 2 and (5 - 4) / 2: deviation 0.7071, error 0.5, times 12.706
    found = ratio([3.0, 5.0], [2.0, 2.0])
    assert (found.value, found.high - found.value) == pytest.approx((2.0, 6.353), abs=1e-3)
    assert math.isnan(ratio([1.0], [0.0]).value)


CELLS = {"a": "a", "b": "a"}


def rows() -> list[dict]:
    table = {"a": [(1, 10.0, True), (2, 20.0, True)], "b": [(1, 13.0, True), (2, 25.0, False), (3, 99.0, True)]}
    return [
        {"cell": cell, "run": seed, "seed": seed, "accomplished": ok, "reason": "", "duration_s": value}
        for cell, own in table.items() for seed, value, ok in own
    ]  # fmt: skip


def test_a_summary_has_a_line_for_each_cell_and_number_and_compares_pairs_of_one_seed() -> None:
    lines = {(line["cell"], line["measure"]): line for line in summarize(rows(), CELLS)}
    assert list(lines) == [("a", "accomplished"), ("a", "duration_s"), ("b", "accomplished"), ("b", "duration_s")]
    first, second = lines["a", "duration_s"], lines["b", "duration_s"]
    assert (first["runs"], first["mean"], first["median"]) == (2, 15.0, 15.0)
    assert "difference" not in first
    # pairs (13, 10) and (25, 20): differences 3 and 5; 38/30; the third run has no partner
    assert (second["runs"], second["pairs"], second["difference"]) == (3, 2, 4.0)
    assert second["difference_high"] == pytest.approx(4.0 + 12.7062, abs=1e-3)
    assert second["ratio"] == pytest.approx(38 / 30, abs=1e-5)
    assert lines["b", "accomplished"]["mean"] == pytest.approx(2 / 3, abs=1e-6)
    reported = lines["b", "accomplished"]
    assert "ratio" not in reported
    assert (reported["pairs"], reported["difference"]) == (2, -0.5)  # true and true, false and true
    assert -1.0 <= float(reported["difference_low"]) < -0.5 < 0.0 < float(reported["difference_high"])


def test_runs_without_the_number_are_left_out_and_counted_as_such() -> None:
    (*_, line) = summarize([*rows()[:2], {"cell": "a", "run": 3, "seed": 3, "reason": "killed"}], CELLS)
    assert (line["measure"], line["runs"]) == ("duration_s", 2)
    assert summarize([], CELLS) == summarize([], {}) == []


def test_a_cell_is_compared_with_its_own_baseline_and_factors_are_not_measured() -> None:
    table = [{**row, "loss": 0.5} for row in rows()]
    lines = summarize([*table, *({**row, "cell": "c"} for row in table[2:])], {"c": "b", "b": "b"}, ["loss"])
    assert {line["measure"] for line in lines} == {"accomplished", "duration_s"}
    assert {line["cell"]: (line["baseline"], line["difference"]) for line in lines if "difference" in line} == {
        "c": ("b", 0.0)
    }


def test_nothing_is_compared_where_the_declared_first_cell_has_no_rows() -> None:
    others = [{**row, "cell": {"a": "b", "b": "c"}[row["cell"]]} for row in rows()]
    lines = summarize(others, {"a": "a", "b": "a", "c": "a"})
    assert [(line["cell"], line["mean"]) for line in lines if line["measure"] == "duration_s"] == [
        ("b", 15.0),
        ("c", pytest.approx(137 / 3, abs=1e-3)),
    ]
    assert not {"pairs", "difference", "ratio"} & {name for line in lines for name in line}
