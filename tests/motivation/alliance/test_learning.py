"""The updates of L-ALLIANCE (paper 000, section III-E) as array functions: worked values, consequences, guards."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motivation.alliance.l_alliance import LAllianceSettings
from motivation.alliance.learning import (
    BELOW_FAST,
    How,
    Rates,
    best_time,
    bounds,
    categories,
    delays,
    expects_best,
    fast_rate,
    held,
    patience,
    remember,
    scale_factor,
    slow_below_fast,
    slow_rate,
    task_time,
    trials,
    work_out,
    yield_time,
)
from motivation.alliance.parameters import Parameters
from robotd.model.streams import draw

NAN = np.nan
OWN = np.array([20.0, 70.0, 120.0])
ALONE = np.full((3, 1), NAN)
ORDERS = ("longest-first", "modified-shortest-first", "modified-random")
STRATEGIES = ("distrust", "best-wins", "fighting-chance")


def window(*times: float, mu: int = 3) -> np.ndarray:
    """A window after these trials."""
    made = np.full(mu, NAN)
    for time in times:
        made = remember(made, np.ones((), np.bool_), time)
    return made


def waits(category: int, own: np.ndarray = OWN, order: Any = "longest-first", shares: Any = 0.0) -> np.ndarray:
    low, high = bounds(own, np.full((*own.shape, 1), NAN))
    return delays(order, np.full(own.shape, category), own, low, high, 5.0, 60.0, shares)


# -- worked values: threshold 100, delays of 5 to 60 s, own times 20, 70 and 120 s


def test_the_scale_factor_is_0_55() -> None:
    assert scale_factor(*bounds(OWN, ALONE), 5.0, 60.0) == pytest.approx(0.55)


def test_what_is_learned_holds_from_a_beat_on_and_what_is_not_stays_as_shipped() -> None:
    learned, shipped = np.array([20.0, 1.0, NAN, 20.0]), np.full(4, 150.0)
    learns = np.array([True, True, True, False])
    assert held(learned, shipped, 3.0, learns).tolist() == [20.0, 3.0, 150.0, 150.0]
    assert held(learned, shipped, 3.0).tolist() == [20.0, 3.0, 150.0, 20.0]


@pytest.mark.parametrize(
    ("category", "delay", "fast"),
    [(2, [5.0, 32.5, 60.0], [20.0, 3.077, 1.667]), (1, [60.0, 32.5, 5.0], [1.667, 3.077, 20.0])],
)
def test_the_worked_delays_and_fast_rates(category, delay, fast) -> None:
    assert waits(category) == pytest.approx(np.array(delay))
    assert fast_rate(100.0, waits(category)) == pytest.approx(np.array(fast), abs=5e-4)


def test_the_worked_slow_rates() -> None:
    phi = patience("distrust", OWN, ALONE)
    assert slow_rate(100.0, phi)[:, 0] == pytest.approx(np.array([5.0, 1.429, 0.833]), abs=5e-4)


# -- task time


def test_a_task_time_is_the_mean_and_one_population_deviation() -> None:
    assert task_time(window(10.0, 20.0)) == pytest.approx(15.0 + 5.0)  # the sample form would give 22.07


def test_one_trial_has_no_deviation_and_none_has_no_time() -> None:
    assert task_time(window(83.0)) == 83.0
    assert np.isnan(task_time(window()))


def test_only_the_last_mu_trials_count() -> None:
    assert task_time(window(500.0, 10.0, 20.0, 10.0, mu=2)) == pytest.approx(20.0)
    assert trials(window(500.0, 10.0, 20.0, 10.0, mu=2)) == 2
    assert trials(window(500.0, mu=2)) == 1


@given(st.lists(st.floats(0, 1e4), min_size=1, max_size=8), st.integers(1, 5))
@settings(max_examples=50)
def test_a_task_time_is_never_negative_and_lies_between_mean_and_mean_plus_the_range(times, mu) -> None:
    last = times[-mu:]
    time = float(task_time(window(*times, mu=mu)))
    mean = sum(last) / len(last)
    assert time >= 0.0
    assert mean - 1e-6 <= time <= mean + (max(last) - min(last)) + 1e-6


# -- strategies


MINE, THEIRS = np.array([30.0, NAN]), np.array([[20.0, 50.0, NAN], [NAN, 8.0, NAN]])


@pytest.mark.parametrize(
    ("strategy", "phi", "psi"),
    [
        ("distrust", [[30.0, 30.0, 30.0], [NAN, NAN, NAN]], [30.0, NAN]),
        ("best-wins", [[20.0, 20.0, 20.0], [8.0, 8.0, 8.0]], [20.0, 8.0]),
        ("fighting-chance", [[20.0, 50.0, NAN], [NAN, 8.0, NAN]], [30.0, NAN]),
    ],
)
def test_whose_time_sets_patience_and_yield_time(strategy, phi, psi) -> None:
    np.testing.assert_array_equal(patience(strategy, MINE, THEIRS), np.array(phi))
    np.testing.assert_array_equal(yield_time(strategy, MINE, THEIRS), np.array(psi))


def test_without_teammates_there_is_only_the_own_time() -> None:
    none = np.zeros((2, 0))
    np.testing.assert_array_equal(best_time(MINE, none), MINE)
    assert patience("distrust", MINE, none).shape == (2, 0)
    assert not expects_best(MINE, none).any()


# -- categories


@pytest.mark.parametrize(
    ("own", "teammates", "best"),
    [
        (20.0, [NAN, NAN], False),  # nothing learned of anybody else: category 2
        (NAN, [30.0, NAN], False),
        (20.0, [30.0, NAN], True),
        (20.0, [30.0, 19.0], False),
        (20.0, [20.0, NAN], False),  # no better
        (20.0, [20.0 + 1e-12, NAN], False),
    ],
)
def test_a_robot_with_the_least_expected_time_takes_itself_for_the_best(own, teammates, best) -> None:
    assert expects_best(np.array([own]), np.array([teammates])).tolist() == [best]


def test_category_1_is_what_one_is_best_at_and_no_robot_is_on() -> None:
    best, taken = np.array([True, True, False, False]), np.array([False, True, False, True])
    assert categories(best, taken).tolist() == [1, 2, 2, 2]


# -- orders


def test_longest_first_in_category_1_and_shortest_first_in_category_2() -> None:
    assert np.argsort(waits(1)).tolist() == [2, 1, 0]
    assert np.argsort(waits(2)).tolist() == [0, 1, 2]


def test_the_modified_shortest_first_is_shortest_first_in_both() -> None:
    np.testing.assert_array_equal(waits(1, order="modified-shortest-first"), waits(2))
    np.testing.assert_array_equal(waits(2, order="modified-shortest-first"), waits(2))


def test_the_modified_random_order_is_as_drawn_but_not_for_what_is_unknown() -> None:
    own = np.array([20.0, NAN, 120.0])
    np.testing.assert_allclose(waits(1, own, "modified-random", [1.0, 0.5, 0.0]), [60.0, NAN, 5.0])


@pytest.mark.parametrize("order", ["longest-first", "modified-shortest-first"])
@pytest.mark.parametrize("category", [1, 2])
def test_where_all_times_are_alike_every_delay_is_the_least(order, category) -> None:
    assert waits(category, np.array([40.0, 40.0]), order).tolist() == [5.0, 5.0]
    assert waits(category, np.array([40.0]), order).tolist() == [5.0]
    own, low, high = np.array([40.0]), np.array(40.0), np.array(40.0 + 1e-12)  # of a teammate, by rounding
    assert delays(order, np.array([category]), own, low, high, 5.0, 60.0).tolist() == [5.0]


def test_leading_axes_are_independent_of_each_other() -> None:
    rng = np.array([draw(1, "", "times", k) * 100 for k in range(4 * 3 * 2)])
    own, teammates = rng[:12].reshape(4, 3), rng[:24].reshape(4, 3, 2)
    low, high = bounds(own, teammates)
    assert low.shape == (4,)
    both = delays("longest-first", categories(expects_best(own, teammates), np.False_), own, low, high, 5.0, 60.0)
    for k in range(4):
        one = bounds(own[k], teammates[k])
        best = categories(expects_best(own[k], teammates[k]), np.False_)
        np.testing.assert_array_equal(both[k], delays("longest-first", best, own[k], *one, 5.0, 60.0))


# -- fast above slow


def test_the_worked_example_breaks_fast_above_slow_and_is_corrected() -> None:
    slow = slow_rate(100.0, patience("distrust", OWN, ALONE))
    fixed, lowered = slow_below_fast(fast_rate(100.0, waits(1)), slow)
    assert lowered[:, 0].tolist() == [True, False, False]
    assert fixed[0, 0] == pytest.approx(BELOW_FAST * 100.0 / 60.0)
    assert fixed[1:].tolist() == slow[1:].tolist()


@given(st.lists(st.floats(61.0, 1e4), min_size=1, max_size=5))
@settings(max_examples=50)
def test_nothing_is_corrected_while_the_longest_delay_is_below_the_least_time(times) -> None:
    own = np.array(times)
    slow = slow_rate(100.0, patience("distrust", own, np.full((len(times), 1), NAN)))
    for category in (1, 2):
        fast = fast_rate(100.0, waits(category, own))
        assert (fast[:, None] > slow).all()
        assert not (slow_below_fast(fast, slow)[1] & (slow < BELOW_FAST * fast[:, None])).any()


def shipped(sets: int, teammates: int) -> Parameters:
    return Parameters.of(
        (sets, teammates), threshold=100.0, silence_timeout=12.0, fast_rate=4.0, slow_rate=0.1, patience=170.0,
        yield_time=150.0, give_up_time=600.0,
    )  # fmt: skip


def how(strategy: Any = "distrust", order: Any = "longest-first", least: float = 5.0, most: float = 60.0) -> How:
    return LAllianceSettings(strategy=strategy, order=order, min_delay_s=least, max_delay_s=most)


def worked_out(own: Any, teammates: Any, by: How | None = None, learns: Any = True) -> Rates:
    own, teammates = np.array(own), np.array(teammates)
    learns = np.broadcast_to(np.asarray(learns), own.shape)
    return work_out(by or how(), shipped(*teammates.shape), own, teammates, learns, np.full(own.shape, 0.5))


TIMES = st.one_of(st.just(NAN), st.floats(0, 1e5))


@given(
    st.integers(1, 4).flatmap(
        lambda sets: st.tuples(
            st.lists(TIMES, min_size=sets, max_size=sets),
            st.lists(st.lists(TIMES, min_size=2, max_size=2), min_size=sets, max_size=sets),
        )
    ),
    st.sampled_from(STRATEGIES),
    st.sampled_from(ORDERS),
    st.floats(0.1, 100.0),
    st.floats(0.1, 1000.0),
)
@settings(max_examples=80)
def test_whatever_was_learned_the_parameters_are_ones_that_alliance_can_use(
    known, strategy, order, least, span
) -> None:
    """Theorem 1 asks for rates above 0, equation (1) for a fast rate above every slow one."""
    rates = worked_out(*known, how(strategy, order, least, least + span))
    for fast, slow in ((rates.fast_first, rates.slow_first), (rates.fast_second, rates.slow_second)):
        assert np.isfinite(fast).all()
        assert (slow > 0).all()
        assert (slow < fast[:, None]).all()
    assert (rates.patience >= 3.0).all()
    assert (rates.yield_time >= 3.0).all()


def test_what_no_robot_has_tried_stays_as_shipped() -> None:
    rates = worked_out([NAN, 20.0], [[NAN, NAN], [NAN, NAN]])
    assert (rates.fast_second[0], rates.yield_time[0], rates.words[0]) == (4.0, 150.0, "")
    assert rates.patience[0].tolist() == [170.0, 170.0]
    assert rates.known.tolist() == [False, True]


def test_what_does_not_learn_stays_as_shipped_and_sets_no_scale() -> None:
    rates = worked_out([20.0, 70.0, 120.0], [[NAN]] * 3, learns=[False, True, True])
    assert rates.fast_second.tolist() == pytest.approx([4.0, 20.0, 100.0 / 60.0])
    assert rates.slow_second[0, 0] == 0.1


def test_slow_reaches_the_threshold_exactly_when_patience_has_run_out() -> None:
    rates = worked_out([80.0], [[90.0, NAN]], how("fighting-chance"))
    assert rates.slow_second[0] * rates.patience[0] == pytest.approx(np.array([100.0, 17.0]))


def test_each_teammate_has_a_slow_rate_of_its_own() -> None:
    rates = worked_out([80.0], [[90.0, 200.0]], how("fighting-chance"))
    assert rates.slow_second[0].tolist() == pytest.approx([100.0 / 90.0, 0.5])


def test_a_task_that_takes_no_time_gets_a_beat() -> None:
    rates = worked_out([0.0], [[NAN]])
    assert (rates.patience[0, 0], rates.yield_time[0]) == (3.0, 3.0)


def test_give_up_time_is_not_learned() -> None:
    assert not hasattr(worked_out([20.0], [[30.0]]), "give_up_time")


def test_words_say_what_was_learned_and_what_was_corrected() -> None:
    (words, other) = worked_out([20.0, 120.0], [[30.0], [NAN]]).words
    assert words.startswith("own time 20.0 s, best teammate 30.0 s; 60.0 s to the threshold, yield time 20.0 s")
    assert "slow rate lowered below the fast one" in words
    assert "no teammate's known" in other
    assert "own time unknown" in worked_out([NAN], [[30.0]]).words[0]
