"""Facts are joins: any order, any repetition, any grouping ends the same."""

from functools import reduce
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robotd.model.facts import MAX_VERSION, Fact, FactKind, as_sent, join, numbered

KINDS = tuple(FactKind(kind, n, kind) for n, kind in enumerate(("flag", "count", "place", "scalar", "page"), 1))
FLAG, COUNT, PLACE, SCALAR, PAGE = KINDS
SMALL = st.integers(0, 3)


@st.composite
def reports(draw: st.DrawFn) -> tuple[FactKind, list[Fact]]:
    """Several reports of one fact, close enough together to tie often."""
    kind = draw(st.sampled_from(KINDS))
    size = {"flag": 0, "place": 2, "page": 7}.get(kind.kind, 1)
    value = st.tuples(*[SMALL.map(float)] * size)
    stamp = SMALL if kind.versioned else st.just(0)
    facts = st.builds(Fact, st.just(kind.name), value, st.just(0.0), stamp, stamp)
    return kind, draw(st.lists(facts, min_size=1, max_size=4))


@settings(max_examples=60)
@given(reports())
def test_joins_are_commutative_and_associative(case: tuple[FactKind, list[Fact]]) -> None:
    kind, facts = case
    ends = {reduce(lambda known, other: join(kind, known, other), order) for order in permutations(facts)}
    assert len(ends) == 1
    if len(facts) >= 3:
        a, b, c, *_ = facts
        assert join(kind, join(kind, a, b), c) == join(kind, a, join(kind, b, c))


@settings(max_examples=60)
@given(reports())
def test_joins_are_idempotent(case: tuple[FactKind, list[Fact]]) -> None:
    kind, (fact, *_) = case
    assert join(kind, fact, fact) is fact
    assert join(kind, None, fact) is fact


def test_a_flag_stays_the_greatest_count_wins_and_so_does_the_latest_version() -> None:
    first, later = Fact("flag", (), 1.0), Fact("flag", (), 2.0)
    assert join(FLAG, first, later) is first
    assert join(COUNT, Fact("count", (2.0,)), Fact("count", (5.0,))).value == (5.0,)
    assert join(COUNT, Fact("count", (5.0,)), Fact("count", (2.0,))).value == (5.0,)
    old, new = Fact("place", (9.0, 9.0), 0.0, 1, 5), Fact("place", (1.0, 1.0), 0.0, 2, 3)
    assert join(PLACE, old, new) is join(PLACE, new, old) is new
    higher = Fact("place", (0.0, 0.0), 0.0, 2, 4)
    assert join(PLACE, new, higher) is higher


def test_a_restarted_writer_writes_its_value_again_above_what_it_hears() -> None:
    heard, sensed = Fact("place", (4.0, 4.0), 0.0, 1, 2), Fact("place", (1.0, 1.0))
    known = join(PLACE, numbered(PLACE, None, sensed, 2), heard)
    again = join(PLACE, known, numbered(PLACE, known, sensed, 2))
    assert (again.value, again.version) == ((1.0, 1.0), 2)
    assert join(PLACE, heard, again) is again  # and so it is believed where the old value was


def test_only_a_changed_value_gets_a_new_version() -> None:
    first = numbered(SCALAR, None, Fact("scalar", (0.5,)), 3)
    assert (first.version, first.writer) == (1, 3)
    assert numbered(SCALAR, first, Fact("scalar", (0.5001,)), 3) is first  # the same in 255ths
    second = numbered(SCALAR, first, Fact("scalar", (0.6,)), 4)
    assert (second.version, second.writer) == (2, 4)
    assert numbered(COUNT, Fact("count", (1.0,)), Fact("count", (7.0,)), 3).version == 0


def test_versions_end_and_say_so() -> None:
    last = Fact("scalar", (0.0,), 0.0, MAX_VERSION, 1)
    assert numbered(SCALAR, last, Fact("scalar", (0.0,)), 1) is last
    with pytest.raises(OverflowError, match="2047 times in one run"):
        numbered(SCALAR, last, Fact("scalar", (1.0,)), 1)


@given(st.sampled_from(KINDS), st.tuples(*[st.floats(allow_nan=False)] * 7))
def test_rounding_as_sent_is_done_once_and_for_all(kind: FactKind, value: tuple[float, ...]) -> None:
    size = {"flag": 0, "place": 2, "page": 7}.get(kind.kind, 1)
    once = as_sent(kind, value[:size])
    assert as_sent(kind, once) == once
    assert len(once) == size


def test_values_out_of_range_saturate_and_nan_is_refused() -> None:
    assert as_sent(PLACE, (1.234, -1e9)) == (1.23, -327.68)
    assert as_sent(SCALAR, (1.5,)) == (1.0,)
    assert as_sent(COUNT, (1e9,)) == (65535.0,)
    assert as_sent(FLAG, ()) == as_sent(COUNT, ()) == ()
    assert as_sent(PAGE, (-1.0, 0.4, 0.6, 254.7, 256.0, 7.0, 0.0)) == (0.0, 0.0, 1.0, 255.0, 255.0, 7.0, 0.0)
    with pytest.raises(ValueError, match="NaN"):
        as_sent(SCALAR, (float("nan"),))


@pytest.mark.parametrize(("kind", "size"), [(COUNT, 2), (PLACE, 3), (SCALAR, 2), (PAGE, 6), (PAGE, 9)])
def test_a_value_of_another_size_than_its_kind_has_is_refused(kind: FactKind, size: int) -> None:
    with pytest.raises(ValueError, match=rf"{kind.name}.* {size}$"):
        as_sent(kind, (0.0,) * size)
