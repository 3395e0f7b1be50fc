"""Why a robot did what it did, from its log."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from robotd.__main__ import main
from robotd.config.verbs import VERBS
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Choice, Decision, Event, State
from robotd.model.command import ActionResult
from robotd.model.inputs import Fault, Inputs, Order
from robotd.model.senses import Capabilities, Senses
from robotd.model.tasks import Assignment, Task
from robotd.record.happened import SIMULATION, why_done
from robotd.record.log import RunLog
from robotd.record.why import Account, read_accounts
from robotd.robot.faults import ROWS
from robotd.robot.mind import STILL
from robotd.robot.permission import Permission
from tests.docs_pages import ROOT
from tests.hostile import cuts
from tests.radio.helper import table
from tests.robotd.record.conftest import Nothing
from tests.robotd.sim.small import Lines, run

EVENTS = ("6 dead blue side-range", "8 remove blue", "10 return blue", "12 reboot green", "34 start green")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two robots for 40 s: one fails in part and is taken out for a while, the other's computer reboots."""
    path = tmp_path_factory.mktemp("why") / "run.jsonl"
    run(*EVENTS, for_s=40.0, robots=("green", "blue"), log=path, part_bytes=60_000)
    return path


def by_robot(log: Path, until: float | None = None) -> dict[str, Account]:
    return {account.robot: account for account in read_accounts(log, until).robots}


def whats(account: Account) -> list[str]:
    return [one.what for one in account.happened]


def test_what_acts_is_there_with_since_when_and_the_cause_of_its_beginning(log: Path) -> None:
    for account in by_robot(log, 5.5).values():
        assert account.at == pytest.approx(5.5, abs=0.2)
        if account.set:
            assert 0.0 < account.since <= account.at
            assert account.cause
    assert any(account.set for account in by_robot(log, 5.5).values())


def test_failures_and_what_was_done_to_it_are_there_at_their_times(log: Path) -> None:
    blue = by_robot(log)["blue"]
    times = {one.what: one.at for one in blue.happened}
    assert 6.0 <= times["lost side-range"] <= 7.0
    assert times["remove"] == 8.0
    assert times["return"] == 10.0
    assert 8.0 <= times["lost mobile"] <= 8.5
    assert not [what for what in times if what.startswith("order")]  # by the simulation, which notes its events
    assert [one.at for one in blue.happened] == sorted(one.at for one in blue.happened)
    assert dict(blue.missing).keys() >= {"side-range"}


def test_orders_of_people_are_there_and_those_of_a_simulation_are_its_events() -> None:
    account = Account("green")
    orders = (Order("tune", ("a.b=1",), SIMULATION), Order("start", by=SIMULATION), Order("stop", by="ann"))
    account.take(Inputs(1.0, 0, Senses(), Capabilities(), orders=orders), account.state, None, 1.0)
    assert whats(account) == ["order stop"]


def test_a_robot_that_rebooted_says_that_it_waits_and_what_a_person_can_do(log: Path) -> None:
    green = by_robot(log, 33.5)["green"]
    assert green.state.word == "waiting for start"
    assert green.state.next_step
    assert "waiting for start" in whats(green)
    assert by_robot(log)["green"].state.word != "waiting for start"


def test_nothing_later_than_asked_for_is_there(log: Path) -> None:
    early = by_robot(log, 7.5)["blue"]
    assert "remove" not in whats(early)
    assert max(one.at for one in early.happened) <= 7.5


def test_the_command_prints_every_robot_or_one_and_refuses_what_is_not_there(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def asked(*words: str) -> tuple[int, Any]:
        code = main(["why", str(log), "--json", *words])
        return code, json.loads(capsys.readouterr().out)

    code, found = asked()
    assert (code, [robot["robot"] for robot in found["robots"]]) == (0, ["blue", "green"])
    code, found = asked("--robot", "blue", "--at", "9")
    (blue,) = found["robots"]
    assert (code, blue["robot"]) == (0, "blue")
    assert {"part": "mobile", "why": "lifted off the floor"} in blue["missing"]
    assert main(["why", str(log), "--last", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if not line.startswith(" ") and line] == ["blue", "green"]
    for words in (["--robot", "grene"], ["--at", "-1"], ["--last", "-1"]):
        assert asked(*words)[0] == 2


PAGE = """\
green at 6.0 s: running, find-locations-methodical (find-locations) since 1.9 s
  because    motivation reached 100; no teammate reported find-locations
  state      permitted to move
  find-locations-methodical  impatience 100, motivation 100, acquiescence 1.33 of 100: active
  move-spill-left            impatience 0, motivation 0, acquiescence 0 of 100: waits for the fact located: \
where the spills and the goal are
  move-spill-right           impatience 0, motivation 0, acquiescence 0 of 100: waits for the fact located: \
where the spills and the goal are
  before that
         0.1 s  running: permitted to move
         1.9 s  activated find-locations-methodical (find-locations): motivation reached 100; no teammate \
reported find-locations
  end        cut after 6 s as asked
"""


def test_the_page_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "run.jsonl"
    ran = run(for_s=6.0, log=log, robots=("green", "blue"))
    assert main(["why", str(log), "--robot", "green", "--last", "2"]) == 0
    assert capsys.readouterr().out == PAGE
    assert ran.outcome.ending == (
        "0 of 2 objects are at the goal; find-locations is not done (with green); move-spill-left is not done "
        "(with no robot); move-spill-right is not done (with no robot)"
    )


@pytest.mark.parametrize("mission", ["steps", "pucks"])
def test_no_line_of_a_plan_or_of_a_team_of_unknown_size_ends_without_a_reason(
    mission: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, log = str(ROOT / f"docs/examples/{mission}.toml"), str(tmp_path / "run.jsonl")
    assert main(["sim", file, "--duration", "8", "--log", log]) == 0
    capsys.readouterr()
    assert main(["why", log]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if re.search(r":\s*$", line)] == []
    assert any(" of 1: " in line for line in lines)


def test_every_fault_has_its_cause_what_the_robot_does_about_it_and_who_ends_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One robot that has each fault of the table for a second, and a fault that no table knows."""
    sink, permission = Lines(), Permission("at-boot")
    log = RunLog(sink, {"seed": None})
    log.register("green", Nothing())
    names = [*ROWS, "task-died:http", "of-another-version"]
    for n, name in enumerate(names):
        fault = Fault(name, f"since {n}", float(n))
        log.begin_tick(float(n))
        i = Inputs(float(n), n, Senses(), Capabilities(), faults=(fault,))
        state = permission.step(i) if name != names[-1] else State("running", "", "", may_move=True)
        decision = Decision(None, ActionResult(), STILL, Beliefs(table(), 1), state)
        log.tick("green", i, (), (), decision, STILL)
    path = tmp_path / "green.jsonl"
    path.write_text("".join(f"{line}\n" for line in sink.lines), encoding="utf-8")
    for n, name in enumerate(names):
        assert main(["why", str(path), "--json", "--at", str(n)]) == 0
        (green,) = json.loads(capsys.readouterr().out)["robots"]
        row = ROWS.get(name.partition(":")[0])
        stops = row is not None and row.stops
        word = "running" if not stops else "stopped" if name == "stopped" else "faulted"
        assert (green["state"], green["next_step"]) == (word, "robotd ack" if stops else "")
        (fault,) = green["faults"]
        assert (fault["name"], fault["detail"]) == (name, f"since {n}")
        assert row is None or (fault["action"], fault["clears"]) == (row.action, row.clears)
        assert [one["at_s"] for one in green["happened"] if one["what"] == f"fault {name}"] == [float(n)]
        cleared = [one for one in green["happened"] if one["what"] == f"fault {names[n - 1]} cleared"]
        assert len(cleared) == (n > 0)


def test_a_log_that_is_cut_at_any_byte_is_replayed_and_explained_up_to_the_cut(tmp_path: Path) -> None:
    log = cuts.write_log(tmp_path / "run.jsonl")
    assert cuts.faults_of(log, cuts.places(len(log), 24), tmp_path / "cut.jsonl") == []


def test_a_log_without_a_tick_is_refused_and_a_cut_is_said(
    tmp_path: Path, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, whole = tmp_path / "cut.jsonl", log.read_bytes()
    path.write_bytes(whole[:1000])
    assert main(["why", str(path)]) == 2
    assert "the last line was cut" in capsys.readouterr().err
    path.write_bytes(whole[:-5])
    assert main(["why", str(path), "--json"]) == 0
    assert "the last line was cut" in json.loads(capsys.readouterr().out)["cut"]


def test_a_file_that_is_no_log_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text('{"part": 0, "frozen": {}}\n["green", 1]\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"run\.jsonl:2"):
        read_accounts(path)
    assert main(["why", str(path)]) == 2
    assert main(["why", str(tmp_path / "none.jsonl")]) == 2


@pytest.mark.parametrize(
    ("verb", "cause"),
    [("kill", "its process was killed"), ("stop-process", "its process was stopped"),
     ("reboot", "its computer reboots, and its process with it")],
)  # fmt: skip
def test_a_robot_whose_process_was_ended_has_had_no_tick_since_and_says_why(
    verb: str, cause: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "run.jsonl"
    run(f"4 {verb} blue", for_s=8.0, robots=("green", "blue"), log=log)
    both = by_robot(log)
    assert (both["blue"].off, both["green"].off) == (cause, "")
    assert both["blue"].at < 4.0 < both["green"].at
    assert by_robot(log, 3.0)["blue"].off == ""
    assert main(["why", str(log), "--robot", "blue"]) == 0
    assert capsys.readouterr().out.startswith(f"blue: no tick since {both['blue'].at:.1f} s: {cause}\n")


def test_a_robot_whose_computer_has_rebooted_ticks_again(log: Path) -> None:
    assert by_robot(log, 20.0)["green"].off.startswith("its computer")
    green = by_robot(log)["green"]
    assert (green.off, green.at > 30.0) == ("", True)


def test_a_fault_that_ends_says_by_whom_or_that_its_cause_is_over() -> None:
    account = Account("green")
    ticks = ((1.0, ("stopped",), ()), (3.0, ("radio-silent",), (Order("acknowledge", (), "ann"),)), (6.0, (), ()))
    for n, (now, faults, orders) in enumerate(ticks):
        found = tuple(Fault(name, "", 1.0) for name in faults)
        i = Inputs(now, n, Senses(), Capabilities(), orders, found)
        account.take(i, State("running", "", "", may_move=True), None, now)
    causes = {one.what: one.cause for one in account.happened if one.kind == "cleared"}
    assert causes == {
        "fault stopped cleared": "acknowledged by ann after 2.0 s",
        "fault radio-silent cleared": "its cause is over after 5.0 s",
    }


def test_a_task_that_was_introduced_at_run_time_has_its_name_in_the_mission() -> None:
    account = Account("west")
    task = Task("push", (), "lookout.0")
    begun = Event("activated", "push-left", "push-left", "won", {"task": "lookout.0"})
    choice = Choice(run=(Assignment("push-left", task),), events=(begun,))
    account.take(Inputs(1.0, 0, Senses(), Capabilities()), State("running", "", "", may_move=True), choice, 1.0)
    assert (account.task, account.named, account.doing) == ("lookout.0", "push-left", "push-left")
    assert (account.cause, account.happened[-1].what) == ("won", "activated push-left")


def test_everything_that_a_simulation_does_to_a_robot_has_its_cause_in_words() -> None:
    for verb in VERBS:
        assert not why_done(verb, "camera").endswith("was done to it")
