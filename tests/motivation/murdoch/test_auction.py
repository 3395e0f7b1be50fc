"""One auction: who wins, what the winner does, and what is answered where nobody bids."""

from tests.motivation.murdoch.team import Bot, Team

TASKS = {"sweep": {"resources": ("mobile", "camera")}}


def two(**settings: float) -> Team:
    return Team({"desk": Bot(("desk",)), "one": Bot(fitness={"sweep": 0.4}), "two": Bot(fitness={"sweep": 0.8})},
                TASKS, **settings)  # fmt: skip


def test_an_added_task_goes_to_the_best_bidder_and_ends_done() -> None:
    team = two()
    team.at(1.0, lambda: team.add("desk", "sweep"))
    team.run(60.0)
    job = team["desk"].jobs["desk.0"]
    assert (job.state, job.who) == ("done", 3)
    assert team.workers("desk.0") == ["two"]
    assert team.overlap_s() == 0.0
    assert [e.kind for _, e in team["desk"].events] == ["introduced", "announced", "awarded", "done"]
    assert [e.kind for _, e in team["two"].events] == ["activated", "done"]
