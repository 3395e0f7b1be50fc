"""Who takes a failed robot's task over, and who leaves its work for a report: counted on stories made by hand."""

from robotd.api import simulate
from robotd.experiments import cleanup as takeovers
from robotd.experiments.cleanup import Failure, Witness, interruptions, takeover, takeover_columns
from tests.robotd.experiments.fakes import story
from tests.robotd.sim.small import small

GREEN = Failure("green", 100.0, "find")


def test_the_first_other_robot_that_begins_the_task_after_the_failure_and_keeps_it_takes_over() -> None:
    found = takeover(
        story(
            blue=[("search", 50.0, 60.0), ("carry", 101.0, 150.0), ("wander", 190.0, 250.0)],
            green=[("search", 10.0, 180.0), ("search", 185.0, 300.0)],
            gold=[("search", 200.0, 400.0)],
        ),
        GREEN,
    )
    assert found == ("blue", ("wander", "find", 190.0, 250.0))


def test_a_robot_that_yields_at_once_as_claims_crossed_has_not_taken_over() -> None:
    crossed = story(blue=[("wander", 190.5, 250.0)], gold=[("search", 190.0, 193.0)])
    assert takeover(crossed, GREEN) == ("blue", ("wander", "find", 190.5, 250.0))
    assert takeover(story(gold=[("search", 190.0, 193.0)]), GREEN) is None


def test_a_seized_robot_is_the_one_that_was_on_the_task_then() -> None:
    two = story(blue=[("carry", 10.0, 60.0)], green=[("search", 10.0, 60.0)])
    assert takeovers.seized(two, "find", 25.0) == Failure("green", 25.0, "find")
    assert takeovers.seized(two, "find", 60.0) is None


MOVER = Failure("gold", 430.0, "report-progress")


def test_an_interruption_is_a_report_between_two_spells_of_the_same_work() -> None:
    spells = [("carry", 160.0, 500.0), ("report-progress", 500.0, 550.0), ("carry", 550.0, 900.0)]
    assert interruptions(story(blue=spells), MOVER) == (1, 1)
    assert interruptions(story(gold=spells), MOVER) == (0, 0)
    assert interruptions(story(blue=spells), Failure("gold", 501.0, "report-progress")) == (0, 0)


def test_what_is_not_resumed_counts_as_left_only_and_a_report_after_finished_or_no_work_does_not_count() -> None:
    other = [("carry", 160.0, 500.0), ("report-progress", 500.0, 550.0), ("search", 550.0, 900.0)]
    assert interruptions(story(blue=other), MOVER) == (1, 0)
    late = [("carry", 160.0, 500.0), ("report-progress", 500.0, 550.0), ("carry", 560.0, 900.0)]
    assert interruptions(story(blue=late), MOVER) == (1, 0)
    idle = [("carry", 160.0, 490.0), ("report-progress", 500.0, 550.0), ("carry", 550.0, 900.0)]
    assert interruptions(story(blue=idle), MOVER) == (0, 0)
    assert interruptions(story([("move", [(500.0, "blue")])], blue=other), MOVER) == (0, 0)


def test_a_report_that_the_end_cuts_short_does_not_count() -> None:
    cut = [("carry", 160.0, 500.0), ("report-progress", 500.0, 520.0)]
    assert interruptions(story(blue=cut), MOVER) == (0, 0)
    assert interruptions(story(blue=cut, green=[("carry", 10.0, 600.0)]), MOVER) == (1, 0)


def test_a_row_has_the_robot_that_took_over_its_set_and_whether_the_other_yielded() -> None:
    witness = Witness()
    witness.yields, witness.blind = [("green", 204.0)], [("blue", 190.0)]
    taken = story(green=[("search", 10.0, 204.0)], blue=[("wander", 190.0, 250.0)])
    row = takeover_columns(GREEN, taken, witness)
    assert set(row) == set(takeovers.COLUMNS)
    assert (row["takeover_s"], row["takeover_by"], row["takeover_set"]) == (90.0, "blue", "wander")
    assert (row["was_idle"], row["was_blind"], row["yielded"]) == (True, True, True)
    witness.yields, witness.blind = [("green", 240.0)], [("gold", 190.0)]
    busy = story(green=[("search", 10.0, 204.0)], blue=[("carry", 20.0, 190.0), ("wander", 190.0, 250.0)])
    row = takeover_columns(GREEN, busy, witness)
    assert (row["was_idle"], row["was_blind"], row["yielded"]) == (False, False, False)


def test_where_no_robot_fails_takes_over_or_has_done_anything_fields_stay_empty() -> None:
    nothing = {"interruptions": 0, "resumed": 0}
    assert takeover_columns(None, story(), Witness()) == {}
    assert takeover_columns(GREEN, story(), Witness()) == nothing
    assert takeover_columns(GREEN, story(green=[("search", 10.0, 204.0)]), Witness()) == nothing


def test_a_witness_sees_who_leaves_the_room_and_who_begins_without_its_side_range() -> None:
    witness, events = Witness(), ["0 dead green side-range", "6 remove blue"]
    simulate(small(("green", "blue")), 1, events=events, duration_s=12.0, watch=witness)
    assert takeovers.removed(witness, "find") == Failure("blue", 6.0, "find")
    assert takeovers.removed(Witness(), "find") is None
