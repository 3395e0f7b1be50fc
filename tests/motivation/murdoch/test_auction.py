"""One auction: which robot wins, what it does, and what is answered without a bid."""

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


def test_a_robot_that_lost_says_to_whom_and_to_which_bid_and_one_that_won_what_it_bid() -> None:
    team = two()
    team.at(1.0, lambda: team.add("desk", "sweep"))
    team.run(40.0)
    ((lost,),) = [[e for _, e in team["one"].events if e.kind == "not-won"]]
    assert lost.data["task"] == "desk.0"
    assert (lost.data["winner"], lost.data["bid"], lost.data["winning"]) == ("two", 0.4, 0.8)
    assert lost.cause == "two won it from desk with a bid of 0.80; own bid 0.40"
    (won,) = [e for _, e in team["two"].events if e.kind == "activated"]
    assert (won.task, won.data) == ("sweep", {"task": "desk.0"})
    assert won.cause.startswith("won the auction with a bid of 0.80; one 0.40; from desk, for ")
    assert team["one"].count("activated") == team["two"].count("not-won") == 0


def test_a_level_says_bids_only_while_an_auction_is_open_and_what_a_robot_works_on() -> None:
    team = two()
    team.run(2.0)
    assert why(team, "one") == {"no auction of it is open"}
    team.add("desk", "sweep")
    team.run(60.0, lambda: team["one"].choice.levels[0].why.startswith("bids"))
    assert why(team, "one") == {"bids in the auction that is open"}
    team.run(60.0, lambda: bool(team["two"].choice.run))
    assert why(team, "two") == {"works on desk.0"}
    assert why(team, "desk") == {"lacks mobile, camera"}


def test_a_contract_whose_auctioneer_is_silent_says_so_and_ends_by_that() -> None:
    team = two(contract_s=60.0)
    team["two"].bot.takes_s = 1000.0
    team.add("desk", "sweep")
    team.run(60.0, lambda: bool(team["two"].choice.run))
    team.kill("desk")
    team.run(team.now + 25.0)
    assert why(team, "two") == {"works on desk.0; desk, which renews its contract, is silent"}
    (silent,) = [e for _, e in team["two"].events if e.kind == "teammate-silent"]
    assert silent.cause.endswith("the contract of desk.0 that it awarded to this robot runs out unless it is back")
    team.run(team.now + 120.0)
    (end,) = [e for _, e in team["two"].events if e.kind == "ended"]
    assert end.cause.startswith("desk did not renew its contract: nothing received from it for ")


def why(team: Team, robot: str) -> set[str]:
    return {level.why for level in team[robot].choice.levels}
