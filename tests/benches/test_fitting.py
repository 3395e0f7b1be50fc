"""The exponents that `python -m tests.bench growth` states."""

import pytest

from tests.benches.fitting import fit, slope

SIZES = (3, 6, 12, 24)


@pytest.mark.parametrize("power", [0.0, 1.0, 2.5])
def test_a_power_of_the_size_has_its_exponent(power: float) -> None:
    assert slope([(size, 0.007 * size**power) for size in SIZES]) == pytest.approx(power)


def test_a_cost_that_grows_as_the_square_is_missed_and_one_in_proportion_is_met() -> None:
    rounds = [[float(size) ** power for size in SIZES] for power in (1.9, 2.1)]
    square = fit("square", SIZES, rounds, "robots")
    assert (square.value, square.met) == (pytest.approx(2.0), False)
    assert square.detail.startswith("1.90 to 2.10; ")
    assert fit("proportion", SIZES, [[2.0 * size for size in SIZES]], "robots").met


def test_the_spread_of_a_single_round_is_that_of_neighbouring_sizes() -> None:
    assert fit("logs", (1, 10, 100), [[1.0, 10.0, 1000.0]], "hours").detail.startswith("1.00 to 2.00; ")
