"""Why a robot did what it did, from its log."""

import json
from pathlib import Path
from typing import Any

import pytest

from robotd.__main__ import main
from robotd.record.why import Account, accounts_of
from tests.robotd.sim.small import run

EVENTS = ("6 dead blue side-range", "8 remove blue", "10 return blue", "12 reboot green", "34 start green")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two robots for 40 s: one fails in part and is taken out for a while, the other's computer reboots."""
    path = tmp_path_factory.mktemp("why") / "run.jsonl"
    run(*EVENTS, for_s=40.0, robots=("green", "blue"), log=path, part_bytes=60_000)
    return path


def by_robot(log: Path, until: float | None = None) -> dict[str, Account]:
    return {account.robot: account for account in accounts_of(log, until)}


def whats(account: Account) -> list[str]:
    return [one.what for one in account.happened]


def test_what_acts_is_there_with_since_when_and_the_cause_of_its_beginning(log: Path) -> None:
    for account in by_robot(log, 5.5).values():
        assert account.at == pytest.approx(5.5, abs=0.2)
        if account.set:
            assert 0.0 < account.since <= account.at
            assert account.cause
    assert any(account.set for account in by_robot(log, 5.5).values())


def test_failures_what_was_done_to_it_and_orders_are_there_at_their_times(log: Path) -> None:
    blue = by_robot(log)["blue"]
    times = {one.what: one.at for one in blue.happened}
    assert 6.0 <= times["lost side-range"] <= 7.0
    assert times["remove"] == 8.0
    assert times["return"] == 10.0
    assert 8.0 <= times["lost mobile"] <= 8.5
    assert "order mission-start" in times
    assert [one.at for one in blue.happened] == sorted(one.at for one in blue.happened)
    assert dict(blue.missing).keys() >= {"side-range"}


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


def test_a_file_that_is_no_log_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text('{"part": 0}\n["green", 1]\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"run\.jsonl:2"):
        accounts_of(path)
    assert main(["why", str(path)]) == 2
    assert main(["why", str(tmp_path / "none.jsonl")]) == 2
