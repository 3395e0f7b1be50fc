"""Values to plain JSON and back: what comes back is what went in, and what does not fit is refused."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robotd.model.facts import Fact
from robotd.model.inputs import Fault, Inputs, Order
from robotd.model.plain import OMIT_DEFAULT, flat, from_plain, to_plain
from robotd.model.senses import Bump, Capabilities, Grip, Pose, Range, Senses, Wheels
from robotd.model.statements import Heard, Statement

TEXT = st.text(max_size=8)
REAL = st.floats(allow_nan=False, allow_infinity=False)
WHOLE = st.integers(-(2**53), 2**53)


def through_json(kind, value):
    return from_plain(kind, json.loads(json.dumps(to_plain(value), allow_nan=False)))


@dataclass(frozen=True)
class Inner:
    a: int
    b: float | None


@dataclass(frozen=True)
class Everything:
    flag: bool
    text: str
    pair: tuple[int, str]
    many: tuple[Inner, ...]
    maybe: Inner | None
    by_name: Mapping[str, Inner]
    by_number: Mapping[int, tuple[float, ...]]
    mixed: tuple[int | str | tuple[float, ...], ...]
    until: float = math.inf


INNER = st.builds(Inner, WHOLE, st.none() | REAL)
EVERYTHING = st.builds(
    Everything, st.booleans(), TEXT, st.tuples(WHOLE, TEXT), st.lists(INNER, max_size=3).map(tuple),
    st.none() | INNER, st.dictionaries(TEXT, INNER, max_size=3),
    st.dictionaries(WHOLE, st.lists(REAL, max_size=2).map(tuple), max_size=3),
    st.lists(WHOLE | TEXT | st.lists(REAL, max_size=2).map(tuple), max_size=3).map(tuple),
    REAL | st.just(math.inf),
)  # fmt: skip


@settings(max_examples=30)
@given(EVERYTHING)
def test_any_value_comes_back_from_json_as_it_was(value: Everything) -> None:
    back = through_json(Everything, value)
    assert back == value
    assert list(back.by_name) == list(value.by_name)
    assert to_plain(back) == to_plain(value)


@settings(max_examples=30)
@given(
    st.lists(st.builds(Statement, TEXT, st.lists(WHOLE | REAL | TEXT, max_size=4).map(tuple), REAL), max_size=3)
)
def test_frames_heard_come_back_as_they_were(statements: list[Statement]) -> None:
    frame = Heard(1.5, 2, 3, running=True, same_mission=False, statements=tuple(statements))
    assert through_json(Heard, frame) == frame


def test_a_whole_tick_of_inputs_comes_back_as_it_was() -> None:
    senses = Senses(
        Wheels(0.1, 0.2), None, Pose(1.0, 2.0, 0.5, 0.15), (Range("infrared", 0.3, None, 0.05, 0.6),),
        (Bump(0.0, pressed=True),), grip=Grip(1.0, 0.0, beam=False, bump=True), battery=0.5,
    )  # fmt: skip
    inputs = Inputs(
        1.05, 21, senses, Capabilities(("mobile",), (("gripper", "unplugged"),)),
        (Order("start"),), (Fault("board-lost", "gone", 0.5),),
    )  # fmt: skip
    assert through_json(Inputs, inputs) == inputs


def test_a_dataclass_is_the_list_of_its_fields_in_order() -> None:
    assert to_plain(Fact("f", (1.0,), 2.0, 3, 4)) == ["f", [1.0], 2.0, 3, 4]
    assert to_plain({"b": 1, "a": Inner(1, None)}) == {"b": 1, "a": [1, None]}


@dataclass(frozen=True)
class One:
    only: tuple[int, ...] = (1,)


@dataclass(frozen=True)
class Until:
    only: float = math.inf


@dataclass(frozen=True)
class Empty:
    pass


@pytest.mark.parametrize(
    ("value", "plain"),
    [(One(), [[1]]), (One((1, 2)), [[1, 2]]), (Until(), [None]), (Until(3.0), [3.0]), (Empty(), [])],
)
def test_a_dataclass_of_one_field_is_a_list_of_one_and_of_none_an_empty_list(value, plain) -> None:
    assert to_plain(value) == plain
    assert through_json(type(value), value) == value


def test_a_whole_number_in_a_field_of_reals_reads_as_real() -> None:
    assert isinstance(from_plain(Wheels, [1, 2]).left, float)
    with pytest.raises(ValueError, match="could not convert"):
        from_plain(Wheels, ["fast", 2])


@pytest.mark.parametrize("data", [[1], [1, 2, 3], "text", 3, None, {"a": 1}])
def test_a_shape_that_does_not_fit_is_refused_and_named(data) -> None:
    with pytest.raises(ValueError, match="expected 2 fields"):
        from_plain(Inner, data)


def test_what_is_no_dataclass_has_no_plain_form() -> None:
    with pytest.raises(TypeError, match="no plain form"):
        to_plain(object())
    with pytest.raises(TypeError, match="no plain form"):
        from_plain(bytes, "")
    with pytest.raises(TypeError, match="no plain form"):
        to_plain(Everything(True, b"raw", (1, ""), (), None, {}, {}, ()).text)  # noqa: FBT003


@dataclass(frozen=True)
class Grown:
    """A value whose last field came later than the first logs."""

    a: int
    b: float
    late: str | None = field(default=None, metadata=OMIT_DEFAULT)


@pytest.mark.parametrize(("value", "row"), [(Grown(1, 2.0), [1, 2.0]), (Grown(1, 2.0, "x"), [1, 2.0, "x"])])
def test_a_last_field_that_is_said_if_set_leaves_rows_without_it_as_they_were(value, row):
    assert to_plain(value) == list(flat(Grown)(value)) == row
    assert through_json(Grown, value) == value


@pytest.mark.parametrize("row", [[1], [], [1, 2.0, "x", 4]])
def test_no_other_field_may_be_missing_and_none_be_added(row):
    with pytest.raises(ValueError, match="expected 3 fields"):
        from_plain(Grown, row)
