"""Records that are lost and robots that die: every task ends done, or undone with a reason."""

from __future__ import annotations

import pytest

from tests.motivation.murdoch.matrix import Case, borders, faults_of, whole
from tests.motivation.murdoch.schedules import search


@pytest.mark.parametrize("case", list(borders()), ids=str)
def test_each_loss_and_each_death_alone_leaves_no_task_without_an_end(case: Case) -> None:
    assert faults_of(case) == []


@pytest.mark.parametrize("case", list(whole())[7::53], ids=str)
def test_a_loss_and_a_death_together_leave_no_task_without_an_end(case: Case) -> None:
    assert faults_of(case) == []


def test_random_schedules_end_with_every_task_done_or_undone_with_a_reason() -> None:
    search(25)
