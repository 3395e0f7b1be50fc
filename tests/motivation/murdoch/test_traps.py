"""What goes wrong in auctions over a slow, lossy radio: each has its test."""

from itertools import pairwise

import pytest

from robotd.model.statements import MAX_PENDING, Heard, Statement
from robotd.model.tasks import Task
from tests.motivation.murdoch.team import ENDS, WATCHING, Bot, Channel, Robot, Team, push

SWEEP = {"sweep": {"resources": ("mobile", "camera")}}


def stated(robot: Robot, kind: str) -> list[tuple[float, Statement]]:
    """What left, with its time."""
    return [(at, one) for at, said in robot.frames for one in said if one.kind == kind]


def ends_of(robot: Robot) -> list[float]:
    """When it stopped working."""
    return [after[0] for before, after in pairwise(robot.history) if before[1] and not after[1]]


# -- orders and subtasks


def test_forty_orders_in_quick_succession_are_forty_jobs() -> None:
    team = Team({"desk": Bot(("desk",)), "one": Bot(takes_s=2.0)}, SWEEP, beat_s=0.1, decision_s=0.5)
    for k in range(40):
        team.at(1.0 + 0.37 * k, lambda: team.add("desk", "sweep"))
    team.run(30.0)
    assert team["desk"].count("introduced") == 40
    assert len({e.cause.split()[1] for _, e in team["desk"].events if e.kind == "introduced"}) == 40


def watchers(**settings: float) -> Team:
    """A watcher and two pushers; the watcher asks for two ends."""
    asks = (push("left", 0.10), push("right", 0.08))
    bots = {
        "watcher": Bot(("mobile", "laser", "camera"), takes_s=500.0, asks=lambda now: asks),
        "one": Bot(fitness={"push-left": 0.9, "push-right": 0.2}, takes_s=500.0),
        "two": Bot(fitness={"push-left": 0.8, "push-right": 0.4}, takes_s=500.0),
        "desk": Bot(("desk",)),
    }
    given = {"beat_s": 0.1, **settings}
    return Team(bots, WATCHING, args=ENDS, **given)  # type: ignore[arg-type]


def test_two_ends_that_are_asked_for_twice_a_second_are_two_auctions_in_that_order() -> None:
    team = watchers()
    team.at(0.5, lambda: team.add("desk", "watch-box"))
    team.run(12.0)
    found = {one.fields[0]: (at, one.fields[1]) for at, one in reversed(stated(team["watcher"], "announcement"))}
    assert [task for _, task in sorted(found.values())] == ["push-left", "push-right"]
    assert {name: team[name].choice.run[0].set for name in ("one", "two")} == {
        "one": "do-push-left", "two": "do-push-right",
    }  # fmt: skip
    assert dict(team["two"].choice.run[0].task.args) == {"end": "right", "speed": "0.08"}
    assert team["watcher"].count("introduced") == 2


def test_another_speed_lets_the_old_contract_run_out_before_the_new_auction() -> None:
    team = watchers()
    speeds = {"left": 0.10}
    team["watcher"].bot.asks = lambda now: (push("left", speeds["left"]), push("right", 0.08))
    team.at(0.5, lambda: team.add("desk", "watch-box"))
    team.at(10.0, lambda: speeds.update(left=0.05))
    team.run(20.0)
    times = [at for at, one in stated(team["watcher"], "announcement") if at > 10.0]
    stopped = next(at for at in ends_of(team["one"]) if at > 10.0)
    assert 10.0 < stopped <= 13.4
    assert stopped - 0.3 <= min(times)
    assert float(dict(team["one"].choice.run[0].task.args)["speed"]) == pytest.approx(0.05, abs=0.0005)
    assert team["watcher"].jobs["watch-box/left"].state == "awarded"


def test_a_refused_end_is_auctioned_again_when_the_other_gets_another_speed() -> None:
    team = watchers()
    team.kill("two")
    speeds = {"left": 0.10}
    team["watcher"].bot.asks = lambda now: (push("left", speeds["left"]), push("right", 0.08))
    team.at(0.5, lambda: team.add("desk", "watch-box"))
    team.run(12.0)
    assert team["watcher"].jobs["watch-box/right"].state == "refused"
    team.reboot("two")
    team.run(18.0)
    assert team["two"].choice.run == ()
    speeds["left"] = 0.05
    team.run(30.0)
    assert [team[name].choice.run[0].set for name in ("one", "two")] == ["do-push-left", "do-push-right"]


# -- time-limited contracts


@pytest.mark.parametrize("every_second", [False, True])
def test_a_contract_runs_out_for_its_winner_when_the_auctioneer_dies(every_second: bool) -> None:
    team = Team({"desk": Bot(("desk",)), "one": Bot(takes_s=900.0)}, SWEEP, contract_beats=4.0, decision_s=0.2)
    count = {"n": 0}

    def fate(at: float, sender: int, receiver: int, said: tuple[Statement, ...]) -> tuple[float, ...]:
        count["n"] += sender == 1
        return () if every_second and sender == 1 and count["n"] % 2 else (0.0,)

    team.channel.fate = fate
    team.add("desk", "sweep")

    def has_worked() -> bool:
        return bool(team["one"].choice.run)

    team.run(60.0, has_worked)
    arrived = team.now
    team.run(team.now + 1.0)
    team.kill("desk")
    team.run(team.now + 30.0)
    (end,) = ends_of(team["one"])
    assert end <= arrived + 12.0 + 0.2 + 1e-6


def test_what_is_left_of_a_contract_falls_between_renewals() -> None:
    team = Team({"desk": Bot(("desk",)), "one": Bot(takes_s=60.0)}, SWEEP)
    team.add("desk", "sweep")
    team.run(80.0)
    said = stated(team["desk"], "contract")
    assert len({one.fields[2] for _, one in said}) > 5
    for (at, one), (later, other) in pairwise(said):
        if one.fields[2] == other.fields[2]:
            assert float(other.fields[3]) <= float(one.fields[3]) - (later - at) / 3.0 + 0.1


# -- progress is the auctioneer's observation


def pushing(speed: float, *, stuck: bool) -> tuple[Team, dict[str, float]]:
    """A watcher that sees each end move at `speed`, m/s; from 12 s on the right one does not."""
    team = watchers()
    seen = {"left": 0.0, "right": 0.0}

    def asks(now: float) -> tuple[Task, ...]:
        for end in seen:
            pushed = any(r.choice.run and r.choice.run[0].set == f"do-push-{end}" for r in team.robots.values())
            if pushed and not (stuck and end == "right" and now >= 12.0):
                seen[end] += speed * 0.2
        return push("left", 0.10, seen["left"]), push("right", 0.08, seen["right"])

    team["watcher"].bot.asks = asks
    team.at(0.5, lambda: team.add("desk", "watch-box"))
    return team, seen


def test_a_pusher_that_acknowledges_and_does_not_move_is_excluded() -> None:
    team, _ = pushing(0.1, stuck=True)
    team.run(60.0)
    ((at, event),) = [(at, e) for at, e in team["watcher"].events if e.kind == "excluded"]
    assert 12.0 + 20.0 - 3.5 <= at <= 12.0 + 20.0 + 3.5
    assert event.cause.startswith("two")
    assert team["two"].choice.run == ()
    assert team["watcher"].jobs["watch-box/right"].state == "refused"
    assert "two is excluded" in team["watcher"].jobs["watch-box/right"].why


def test_a_slow_pair_is_not_excluded() -> None:
    team, seen = pushing(0.03, stuck=False)
    team.run(120.0)
    assert team["watcher"].count("excluded") == 0
    assert min(seen.values()) > 3.0


# -- numbers, bids that arrive late, and frames that arrive twice


def many_auctions(count: int) -> Team:
    """Tasks one after the other, over a radio with frames that arrive up to three beats late, or twice."""
    channel = Channel(late=3.0, double=0.3, seed=5)
    bots = {"desk": Bot(("desk",)), "one": Bot(takes_s=0.2), "two": Bot(takes_s=0.2)}
    team = Team(bots, SWEEP, beat_s=0.5, decision_s=0.5, channel=channel, auction_s=2.0, contract_s=4.0)
    assert team["desk"].coordinator is not None
    team["desk"].coordinator._auctioneer.state.numbers = 200
    for k in range(count):
        team.at(1.0 + 2.0 * k, lambda: team.add("desk", "sweep"))
    team.run(20.0 + 2.0 * count)
    return team


def assert_fresh(team: Team) -> None:
    """Each contract rests on a bid that was stated after its announcement, and numbers come back late."""
    begun = [(at, e.data["auction"]) for at, e in team["desk"].events if e.kind == "announced"]
    for k, (_, number) in enumerate(begun):
        assert number not in [earlier for _, earlier in begun[max(0, k - 128) : k]]
    for at, one in stated(team["desk"], "contract"):
        number, winner = one.fields[:2]
        since = max(began for began, other in begun if other == number and began <= at)
        bids = [
            when for when, bid in stated(team["one" if winner == 2 else "two"], "bid") if bid.fields[1] == number
        ]
        assert any(since < when < at for when in bids)
    assert team.overlap_s() == 0.0


def test_no_contract_rests_on_a_bid_older_than_its_announcement() -> None:
    team = many_auctions(150)
    assert team["desk"].count("done") >= 100
    assert team["desk"].count("done") + team["desk"].count("refused") == 150
    assert_fresh(team)


# -- two auctioneers, one robot


@pytest.mark.parametrize("seed", range(6))
def test_of_two_awards_at_once_a_robot_takes_the_lower_and_the_other_task_is_auctioned_again(seed: int) -> None:
    bots = {"desk": Bot(("desk",)), "table": Bot(("desk",)), "one": Bot(takes_s=10.0)}
    team = Team(bots, SWEEP, channel=Channel(seed=seed, late=0.5), slots=False, reannounce_s=5.0)
    team.add("desk", "sweep")
    team.add("table", "sweep")
    team.run(240.0)
    assert {team[name].jobs[f"{name}.0"].state for name in ("desk", "table")} == {"done"}
    assert team.overlap_s() == 0.0
    assert [task for _, task in team["one"].history if task]


def test_two_awards_in_one_decision_the_lower_auctioneer_wins() -> None:
    bots = {"desk": Bot(("desk",)), "table": Bot(("desk",)), "one": Bot(takes_s=10.0)}
    team = Team(bots, SWEEP, beat_s=0.1, reannounce_s=2.0)
    team.add("desk", "sweep")
    team.add("table", "sweep")
    team.run(60.0)
    first = next(task for _, task in team["one"].history if task)
    assert first == "desk.0"
    assert team["table"].count("reassigned") >= 1
    assert team["table"].jobs["table.0"].state == "done"


# -- an auctioneer that is able itself


def test_a_watcher_alone_says_that_it_is_busy_and_does_not_push() -> None:
    team = watchers()
    for name in ("one", "two"):
        team.kill(name)
    team.at(0.5, lambda: team.add("desk", "watch-box"))
    team.run(15.0)
    job = team["watcher"].jobs["watch-box/left"]
    assert job.state == "refused"
    assert "push-left" in job.why
    assert "no idle robot has mobile, camera" in job.why
    assert "watcher is busy" in job.why
    assert {task for _, task in team["watcher"].history} == {"", "desk.0"}


def test_an_able_robot_alone_does_its_own_task() -> None:
    team = Team({"one": Bot(takes_s=5.0)}, SWEEP)
    team.add("one", "sweep")
    team.run(60.0)
    assert team["one"].jobs["one.0"].state == "done"


# -- ties, and being busy at once


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_of_scores_that_round_alike_the_lower_number_wins(seed: int, swap: bool) -> None:
    fit = (0.5001, 0.5003) if swap else (0.5003, 0.5001)
    bots = {"desk": Bot(("desk",)), "one": Bot(fitness={"sweep": fit[0]}), "two": Bot(fitness={"sweep": fit[1]})}
    team = Team(bots, SWEEP, slots=False, channel=Channel(late=0.9, seed=seed))
    team.add("desk", "sweep")
    team.run(40.0)
    assert team["desk"].jobs["desk.0"].who == 2


@pytest.mark.parametrize("first", ["contract", "announcement"])
def test_a_robot_that_takes_up_a_contract_answers_busy_in_the_same_decision(first: str) -> None:
    team = Team({"desk": Bot(("desk",)), "one": Bot(takes_s=30.0)}, SWEEP)
    team.add("desk", "sweep")
    team.run(60.0, lambda: bool(team["one"].choice.run))
    team = Team({"desk": Bot(("desk",)), "one": Bot(takes_s=30.0)}, SWEEP)
    team.add("desk", "sweep")
    team.run(60.0, lambda: team["desk"].jobs.get("desk.0") is not None and team["desk"].jobs["desk.0"].who == 2)
    award = next(one for one in team["desk"].choice.statements if one.kind == "contract")
    second = Statement("announcement", (99, "sweep", 7, 0.0, 0.0, 0.0, 0))
    both = (award, second) if first == "contract" else (second, award)
    team["desk"].stop()
    one = team["one"]
    one.inbox.append(_frame(team.now + 0.1, both))
    team.run(team.now + 0.2)
    assert one.choice.run
    assert [s.fields for s in one.choice.statements if s.kind == "bid"] == [(1, 99, 0.0, 2)]


def _frame(at: float, said: tuple[Statement, ...]) -> Heard:
    return Heard(at, 1, 1, running=True, same_mission=True, statements=said)


# -- greedy, and bursts

LASER = {"look": {"resources": ("camera",)}, "scan": {"resources": ("camera", "laser")}}


@pytest.mark.parametrize(("order", "states"), [("look scan", "awarded refused"), ("scan look", "awarded awarded")])
def test_the_order_of_tasks_can_leave_one_undone_although_resources_suffice(order: str, states: str) -> None:
    bots = {"desk": Bot(("desk",)), "one": Bot(("camera", "laser"), takes_s=200.0),
            "two": Bot(("camera",), takes_s=200.0)}  # fmt: skip
    team = Team(bots, LASER)
    for k, task in enumerate(order.split()):
        team.at(1.0 + 20.0 * k, lambda task=task: team.add("desk", task))
    team.run(60.0)
    jobs = list(team["desk"].jobs.values())
    assert " ".join(job.state for job in jobs) == states
    if "refused" in states:
        assert "one is busy" in jobs[1].why
        assert "two lacks laser" in jobs[1].why


def test_twenty_tasks_at_once_are_all_announced_within_twenty_beats() -> None:
    bots = {"desk": Bot(("desk",)), **{f"r{k}": Bot(takes_s=900.0) for k in range(4)}}
    team = Team(bots, SWEEP)
    team.run(6.0)
    for _ in range(20):
        team.add("desk", "sweep")
    most, began = 0, team.now
    while team.now < began + 66.0:
        team.run(team.now + 0.2)
        most = max(most, *(len(robot.choice.statements) for robot in team.robots.values()))
    assert most <= MAX_PENDING
    first = {int(one.fields[2]): at for at, one in reversed(stated(team["desk"], "announcement"))}  # type: ignore[arg-type]
    assert set(first) == set(range(20))
    assert max(first.values()) <= began + 20 * 3.0 + 3.0
