"""Short labels of behavior sets come out as the papers write them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robotd.figures.series import short_labels

CLEANUP = {
    "find-locations-methodical": "FLM", "find-locations-wander": "FLW", "move-spill-left": "MS(L)",
    "move-spill-right": "MS(R)", "report-progress": "RP",
}  # fmt: skip
SIDES = {"move-spill-left": ["left"], "move-spill-right": ["right"]}
LEFT = {"push-left": ["left"], "pull-left": ["left"]}


@pytest.mark.parametrize(
    ("labels", "arguments"),
    [
        (CLEANUP, SIDES),  # as the paper writes them
        ({"move-spill-left": "MSL"}, {}),  # only an argument of the task goes into brackets
        ({"left": "L"}, {"left": ["left"]}),  # every word is an argument
        ({"push-left": "push-left", "pull-left": "pull-left", "go-home": "GH"}, LEFT),  # the same initials
    ],
)
def test_labels_are_initials_with_arguments_in_brackets_and_whole_names_where_those_are_alike(labels, arguments):
    assert short_labels(list(labels), arguments) == labels


WORDS = st.sampled_from(["push", "pull", "p", "left", "lefty", "2", "go"])


@given(st.lists(st.lists(WORDS, min_size=1, max_size=3).map("-".join), unique=True, max_size=6))
@settings(max_examples=40, deadline=None)
def test_no_two_sets_share_a_label(names):
    labels = short_labels(names, {name: [name.rpartition("-")[2]] for name in names})
    assert len(set(labels.values())) == len(names)
    assert all(labels.values())
