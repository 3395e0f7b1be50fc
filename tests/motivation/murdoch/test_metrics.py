"""Metrics: what each makes of a robot's state, and how several combine."""

import math

import pytest

from motivation.murdoch import Candidate
from motivation.murdoch.metrics import METRICS, camera_offset, distance, score
from motivation.murdoch.settings import TaskTerms
from motivation.murdoch.words import mask_of, unmask
from robotd.model.beliefs import Beliefs
from robotd.model.facts import SHARE_PARTS, Fact, FactKind
from robotd.model.inputs import Inputs
from robotd.model.senses import Capabilities, Pose, Senses, Sight
from robotd.model.table import Member, NumberTable
from robotd.model.tasks import Feedback, Task

TABLE = NumberTable((Member("one", 1, "r2"),), (), (FactKind("goal", 1, "place"),))


def candidate(terms: TaskTerms, senses: Senses | None = None, fitness: float = 0.5, **args: str) -> Candidate:
    beliefs = Beliefs(TABLE, 1).learn([Fact("goal", (3.0, 4.0), 1.0)])
    task = Task("go", tuple(sorted(args.items())), "one.1")
    own = Feedback(applicable=True, fitness=fitness)
    return Candidate(Inputs(1.0, 1, senses or Senses(), Capabilities()), beliefs, task, own, terms)


def box(bearing: float) -> Senses:
    return Senses(sights=(Sight("box", bearing, 0.3, None, ""),))


HERE = Senses(pose=Pose(0.0, 0.0, 0.0, 0.1), battery=0.2)


def test_a_score_is_the_sum_by_weight_as_a_share_of_the_greatest() -> None:
    plain = TaskTerms(metrics=("fitness", "battery"))
    weighted = TaskTerms(metrics={"fitness": 3.0, "battery": 1.0})
    assert score(candidate(plain, HERE, 0.6), METRICS) == pytest.approx(0.4, abs=1 / SHARE_PARTS)
    assert score(candidate(weighted, HERE, 0.6), METRICS) == pytest.approx(0.5, abs=1 / SHARE_PARTS)
    assert score(candidate(plain, HERE, 0.6), METRICS) * SHARE_PARTS == pytest.approx(102)


@pytest.mark.parametrize(("value", "share"), [(math.nan, 0.0), (-3.0, 0.0), (7.0, 1.0), (math.inf, 1.0)])
def test_a_metric_beyond_its_range_or_no_number_does_no_harm(value: float, share: float) -> None:
    assert score(candidate(TaskTerms(metrics=("own",))), {"own": lambda c: value}) == share


def test_a_distance_counts_against_the_declared_range() -> None:
    terms = TaskTerms(range_m=10.0)
    assert distance(candidate(terms, HERE, x="3", y="4")) == pytest.approx(0.5)
    assert distance(candidate(terms, HERE, place="goal")) == pytest.approx(0.5)
    assert distance(candidate(terms, HERE)) == 0.0
    assert distance(candidate(terms, Senses(), x="3", y="4")) == 0.0


def test_the_right_end_wants_the_box_to_the_left_in_the_picture() -> None:
    terms = TaskTerms()
    right, left = (camera_offset(candidate(terms, box(0.2), end=end)) for end in ("right", "left"))
    assert right > 0.5 > left
    assert right + left == pytest.approx(1.0)
    assert camera_offset(candidate(terms, box(0.0), end="right")) == 0.5
    assert camera_offset(candidate(terms, end="right")) == 0.0


def test_what_is_lacking_travels_as_bits() -> None:
    needs = ("mobile", "camera", "laser")
    assert unmask(needs, mask_of(needs, ["laser", "mobile", "sound"])) == ["mobile", "laser"]
    assert unmask(needs, 0) == []
