"""Random streams: named, counter-based, and nothing else."""

import statistics

from robotd.model.streams import Stream, draw


def test_a_draw_is_a_function_of_its_four_names_alone() -> None:
    names = [(1, "red", "gripper", 0), (2, "red", "gripper", 0), (1, "blue", "gripper", 0)]
    names += [(1, "red", "radio", 0), (1, "red", "gripper", 1), (1, "re", "dgripper", 0)]
    draws = [draw(*name) for name in names]
    assert len(set(draws)) == len(draws)
    assert draws == [draw(*name) for name in names]
    assert draw(1, "red", "gripper", 0) == 0.20867512608431038  # the same on every machine and version


def test_a_stream_taken_up_at_its_count_continues_where_it_was() -> None:
    one = Stream(1, "red", "noise")
    first = [one.uniform(), one.normal(), one.uniform(2.0, 3.0)]
    other = Stream(1, "red", "noise", one.count)
    assert [one.uniform() for _ in range(3)] == [other.uniform() for _ in range(3)]
    again = Stream(1, "red", "noise")
    assert [again.uniform(), again.normal(), again.uniform(2.0, 3.0)] == first


def test_uniform_draws_stay_in_range_and_spread_evenly() -> None:
    stream = Stream(3, "red", "spread")
    values = [stream.uniform(-1.0, 3.0) for _ in range(4000)]
    assert all(-1.0 <= x < 3.0 for x in values)
    assert abs(statistics.fmean(values) - 1.0) < 0.08
    assert abs(statistics.pstdev(values) - 4.0 / 12**0.5) < 0.05


def test_normal_draws_have_the_asked_mean_and_deviation() -> None:
    stream = Stream(3, "red", "noise")
    values = [stream.normal(5.0, 2.0) for _ in range(4000)]
    assert abs(statistics.fmean(values) - 5.0) < 0.15
    assert abs(statistics.pstdev(values) - 2.0) < 0.1
    assert stream.count == 8000
