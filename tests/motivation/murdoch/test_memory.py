"""What outlives a process: tasks, contracts and numbers, in one run alone."""

import json

import pytest

from motivation.murdoch import Murdoch
from motivation.murdoch.auctioneer import Auctioneer
from motivation.murdoch.lots import AWARDED, AuctioneerState, Lot
from motivation.murdoch.settings import MurdochSettings, TaskTerms
from robotd.model.beliefs import Beliefs
from robotd.model.keeper import Keeper
from tests.motivation.murdoch.team import Bot, Robot, Team

SWEEP = {"sweep": {"resources": ("mobile", "camera")}}


def began(takes_s: float, contract_s: float) -> Team:
    """A task that one of two robots has worked on for 10 s."""
    bots = {
        "desk": Bot(("desk",)),
        "one": Bot(fitness={"sweep": 0.9}, takes_s=takes_s),
        "two": Bot(takes_s=takes_s),
    }
    team = Team(bots, SWEEP, contract_s=contract_s)
    team.add("desk", "sweep")
    team.run(60.0, lambda: bool(team["one"].choice.run))
    team.run(team.now + 10.0)
    return team


def restart(team: Team, name: str, boot_s: float) -> None:
    team.kill(name)
    team.run(team.now + boot_s)
    team.reboot(name)


def test_an_auctioneer_that_restarts_renews_a_contract_that_still_lives() -> None:
    team = began(60.0, contract_s=45.0)
    restart(team, "desk", 20.0)
    team.run(team.now + 120.0)
    assert team["desk"].jobs["desk.0"].state == "done"
    assert team.workers("desk.0") == ["one"]
    assert team["one"].count("activated") == 1
    assert team.overlap_s() == 0.0


def test_an_auctioneer_that_restarts_auctions_what_ran_out_meanwhile_again() -> None:
    team = began(60.0, contract_s=12.0)
    restart(team, "desk", 20.0)
    team.run(team.now + 200.0)
    assert team["one"].count("ended") == 1
    assert team["desk"].count("reassigned") == 1
    assert team["desk"].jobs["desk.0"].state == "done"
    assert team.overlap_s() == 0.0


def test_what_was_done_while_the_auctioneer_was_away_is_not_done_again() -> None:
    team = began(20.0, contract_s=45.0)
    restart(team, "desk", 30.0)
    team.run(team.now + 120.0)
    assert team["desk"].jobs["desk.0"].state == "done"
    assert sum(team[name].count("activated") for name in ("one", "two")) == 1


def test_a_winner_that_restarts_in_time_continues_its_contract() -> None:
    team = began(60.0, contract_s=45.0)
    restart(team, "one", 5.0)
    team.run(team.now + 200.0)
    assert team["desk"].jobs["desk.0"].state == "done"
    assert team.workers("desk.0") == ["one"]
    assert team["one"].count("activated") == 2
    assert team["desk"].count("reassigned") == 0


def test_a_winner_that_restarts_too_late_does_not_take_the_task_up_again() -> None:
    team = began(40.0, contract_s=12.0)
    restart(team, "one", 60.0)
    team.run(team.now + 200.0)
    assert team["desk"].jobs["desk.0"].state == "done"
    assert team.overlap_s() == 0.0


def test_numbers_go_on_after_a_restart() -> None:
    team = began(15.0, contract_s=12.0)
    team.run(team.now + 30.0)
    restart(team, "desk", 5.0)
    team.add("desk", "sweep")
    team.run(team.now + 60.0)
    numbers = [e.data["auction"] for _, e in team["desk"].events if e.kind == "announced"]
    assert numbers[1] > numbers[0] + 1
    assert team["desk"].jobs["desk.1"].state == "done"
    assert team["desk"].jobs["desk.0"].state == "done"


def test_a_new_run_drops_every_task_and_contract() -> None:
    team = began(60.0, contract_s=45.0)
    for robot in team.robots.values():
        assert robot.coordinator is not None
        table = team.table
        robot.coordinator.begin(team.now, robot.number, [e.task for e in table.tasks], table.team, 0)
    team.run(team.now + 3.0)
    assert team["desk"].jobs == {}
    assert team["one"].choice.run == ()


def test_the_memory_does_not_grow_with_renewals() -> None:
    team = began(600.0, contract_s=12.0)
    before = [version_of(robot) for robot in team.robots.values()]
    team.run(team.now + 120.0)
    assert [version_of(robot) for robot in team.robots.values()] == before


def version_of(robot: Robot) -> int:
    assert isinstance(robot.coordinator, Keeper)
    return robot.coordinator.memory_version


@pytest.mark.parametrize(
    "memory", [None, [], {}, {"robot": "two"}, {"robot": "two", "digest": 1, "kept": [[], []]}]
)
def test_a_memory_of_something_else_is_refused_and_changes_nothing(memory: object) -> None:
    team = Team({"one": Bot(), "two": Bot()}, SWEEP)
    made = team["one"].coordinator
    assert isinstance(made, Murdoch)
    state = made.freeze()
    with pytest.raises(ValueError, match=r"writes down|another|expected"):
        made.recall(memory)  # type: ignore[arg-type]
    assert made.freeze() == state


def test_a_frozen_coordinator_decides_as_the_one_that_continues() -> None:
    team, twin = began(30.0, contract_s=12.0), began(30.0, contract_s=12.0)
    for name, robot in twin.robots.items():
        assert robot.coordinator is not None
        state = json.loads(json.dumps(robot.coordinator.freeze()))
        fresh = Robot(twin, name, robot.number, robot.bot)
        assert fresh.coordinator is not None
        fresh.coordinator.thaw(state)
        robot.coordinator = fresh.coordinator
    for _ in range(60):
        for one in (team, twin):
            one.run(one.now + 1.0)
        for name, robot in team.robots.items():
            assert twin[name].choice == robot.choice


def test_inside_another_coordinator_it_has_sixteen_numbers() -> None:
    team = Team({"desk": Bot(("desk",)), "one": Bot(takes_s=2.0)}, SWEEP, beat_s=0.1)
    for robot in team.robots.values():
        assert robot.coordinator is not None
        entries = [entry.task for entry in team.table.tasks]
        robot.coordinator.begin(0.0, robot.number, entries, team.table.team, 2)
    for k in range(20):
        team.at(0.5 + 5.0 * k, lambda: team.add("desk", "sweep"))
    team.run(110.0)
    numbers = [e.data["auction"] for _, e in team["desk"].events if e.kind == "announced"]
    assert numbers == [32 + k % 16 for k in range(20)]
    assert team["desk"].count("done") == 20


def test_with_all_its_numbers_in_contracts_it_waits_and_announces_once_one_is_free() -> None:
    table = Team({"desk": Bot()}, SWEEP).table
    (task,) = [entry.task for entry in table.tasks]
    lots = {k: Lot(k, task, "sweep", 0.0, 60.0, 0.0, 20.0, 0.0, 0.0) for k in range(17)}
    for k in range(16):
        lots[k].state, lots[k].number, lots[k].who, lots[k].until = AWARDED, 32 + k, 2 + k, 60.0
    state = AuctioneerState(lots=lots)
    made = Auctioneer(MurdochSettings(), table, {"sweep": TaskTerms()}, 1, range(32, 48), state)
    assert made.step(1.0, Beliefs(table, 1), (), 3.0) == []
    lots.pop(5)
    assert [event.data["auction"] for event in made.step(1.5, Beliefs(table, 1), (), 3.0)] == [37]
