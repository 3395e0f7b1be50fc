"""Short labels of behavior sets come out as the papers write them."""

from hypothesis import given, settings
from hypothesis import strategies as st

from robotd.figures.labels import short_labels

CLEANUP = [
    "find-locations-methodical",
    "find-locations-wander",
    "move-spill-left",
    "move-spill-right",
    "report-progress",
]
SIDES = {"move-spill-left": ["left"], "move-spill-right": ["right"]}


def test_the_cleanup_missions_labels_are_the_papers():
    labels = short_labels(CLEANUP, SIDES)
    assert [labels[name] for name in CLEANUP] == ["FLM", "FLW", "MS(L)", "MS(R)", "RP"]


def test_only_an_argument_of_the_task_goes_into_brackets():
    assert short_labels(["move-spill-left"], {}) == {"move-spill-left": "MSL"}


def test_a_set_whose_every_word_is_an_argument_keeps_its_words():
    assert short_labels(["left"], {"left": ["left"]}) == {"left": "L"}


def test_sets_with_the_same_initials_get_as_many_letters_as_it_takes():
    labels = short_labels(["push-left", "pull-left", "go-home"], {"push-left": ["left"], "pull-left": ["left"]})
    assert labels == {"push-left": "Pus(Lef)", "pull-left": "Pul(Lef)", "go-home": "GH"}


def test_sets_of_the_same_words_in_another_order_keep_their_names():
    names = ["push-pull-push", "pull-push-push", "go"]
    labels = short_labels(names, {name: ["push"] for name in names})
    assert labels == {"push-pull-push": "push-pull-push", "pull-push-push": "pull-push-push", "go": "G"}


WORDS = st.sampled_from(["push", "pull", "p", "left", "lefty", "2", "go"])


@given(st.lists(st.lists(WORDS, min_size=1, max_size=3).map("-".join), unique=True, max_size=6))
@settings(max_examples=40, deadline=None)
def test_no_two_sets_share_a_label(names):
    labels = short_labels(names, {name: [name.rpartition("-")[2]] for name in names})
    assert len(set(labels.values())) == len(names)
    assert all(labels.values())
