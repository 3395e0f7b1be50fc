import io
import json
import re
from pathlib import Path

import pytest

from robotd.experiments.base import Results
from robotd.experiments.file import find_experiment
from tests.accept import __main__ as program
from tests.accept.alliance import rows as alliance
from tests.accept.bite import rows as bite
from tests.accept.check import Check, Found, Result, checks_of, chosen, measured, write
from tests.accept.desk import CommandError, Desk

ROOT = Path(__file__).parents[2]


def check(id: str, found: Found | Exception) -> Check:
    def measure(desk: Desk) -> Found:
        if isinstance(found, Exception):
            raise found
        return found

    return Check(id, f"what {id}", f"command [{id}]", measure)


GOOD, BAD = Found("3 of 3", "3 of 3", ok=True), Found("2 of 3", "3 of 3", ok=False)
CHECKS = (check("1.1", GOOD), check("1.2", BAD), check("2.1", GOOD), check("11.1", GOOD))


def test_lines_and_parts_of_lines_are_chosen_and_none_means_all() -> None:
    assert [c.id for c in chosen(CHECKS, "1")] == ["1.1", "1.2"]
    assert [c.id for c in chosen(CHECKS, "11, 1.2")] == ["1.2", "11.1"]
    assert chosen(CHECKS, "") == list(CHECKS)


def test_a_line_or_an_acceptance_that_is_not_there_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"no line '3'; there are: 1\.1, 1\.2, 2\.1, 11\.1"):
        chosen(CHECKS, "1,3")
    with pytest.raises(ValueError, match=r"no acceptance 'deamon'; there are: .*daemon"):
        checks_of("deamon")


@pytest.mark.parametrize(
    ("what", "lines"), [("daemon", 11), ("alliance", 9), ("bite", 8), ("radio", 8), ("install", 4)]
)
def test_every_line_of_an_acceptance_is_there_once(what: str, lines: int) -> None:
    ids = [c.id for c in checks_of(what)]
    assert len(set(ids)) == len(ids)
    assert {c.line for c in checks_of(what)} == {str(line) for line in range(1, lines + 1)}


NAMED = [
    *(("cleanup", cell, f"^{re.escape(text)}$") for cell, texts in alliance.CLAIMS.items() for text in texts),
    *(("box-pushing", cell, f"^{re.escape(text)}$") for *_, cell, texts in alliance.BOX_CLAIMS for text in texts),
    *((series.name, "", part) for *_, series, pattern in bite.CLAIMS for part in pattern.split("|")),
]


@pytest.mark.parametrize(("name", "cell", "pattern"), NAMED)
def test_every_claim_that_a_line_names_is_one_of_its_experiment(name: str, cell: str, pattern: str) -> None:
    claims = find_experiment(name).claims(Results(()))
    assert [claim for claim in claims if cell in ("", claim.cell) and re.search(pattern, claim.text)]


def missing_tests(text: str) -> list[str]:
    """Tests and their files that `text` names and that are not there; no path may be put together."""
    missing = []
    for path, test in re.findall(r"\btests/([\w/.{}-]+)(?:::(\w+))?", text):
        file = ROOT / "tests" / path.rstrip(".")
        there = file.exists() and (not test or re.search(rf"def {test}\b", file.read_text(encoding="utf-8")))
        missing += [] if there or (test == "test_" and file.exists()) else [path + f"::{test}" * bool(test)]
    return missing


@pytest.mark.parametrize("what", ["alliance", "bite", "boards", "daemon", "radio"])
def test_every_command_that_an_acceptance_shows_names_tests_that_are_there(what: str) -> None:
    assert [missing for check in checks_of(what) for missing in missing_tests(check.command)] == []


def test_the_table_has_line_command_figure_bound_and_verdict() -> None:
    out = io.StringIO()
    write([Result(c, c.measure(None), 1.0) for c in CHECKS], out)  # type: ignore[arg-type]
    parts = ("1.2 ", "command [1.2]", "2 of 3", "[3 of 3]", "FAIL", "pass")
    assert [part for part in parts if part not in out.getvalue()] == []
    assert out.getvalue().endswith("1 of 4 checks failed: 1.2\n")


@pytest.mark.parametrize("error", [CommandError("robotd ended with 2: no"), KeyError("tasks"), Exception("x")])
def test_what_goes_wrong_in_a_check_is_its_figure_and_a_failure(error: Exception, tmp_path: Path) -> None:
    found = measured(check("1.1", error), Desk(tmp_path))
    assert not found.ok
    assert str(error) in found.figure


def test_what_passed_is_taken_up_and_what_failed_is_tried_again(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    assert measured(CHECKS[0], desk) == GOOD
    assert measured(CHECKS[1], desk) == BAD
    again = Desk(tmp_path, resume=True)
    assert measured(check("1.1", BAD), again) == GOOD
    assert measured(check("1.2", GOOD), again) == GOOD
    assert measured(check("1.1", BAD), Desk(tmp_path)) == BAD


def test_what_other_code_was_found_to_do_and_a_line_that_was_cut_are_not_taken_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, state = Desk(tmp_path), tmp_path / "state.jsonl"
    desk.keep("one", 1)
    desk.keep("two", 2)
    state.write_text(state.read_text()[:-5])
    again = Desk(tmp_path, resume=True)
    assert (again.found("one"), again.found("two")) == (1, None)
    monkeypatch.setattr("tests.accept.desk.digest", lambda: "other")
    assert Desk(tmp_path, resume=True).found("one") is None


def run(monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    monkeypatch.setattr(program, "checks_of", lambda what: CHECKS)
    return program.main([str(word) for word in words])


def test_the_program_ends_with_1_where_a_check_fails_0_where_none_does_and_2_for_what_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "daemon", "--out", tmp_path) == 1
    assert run(monkeypatch, "daemon", "--out", tmp_path, "--only", "2,11.1") == 0
    assert "all 2 checks passed" in capsys.readouterr().out
    assert run(monkeypatch, "daemon", "--out", tmp_path, "--json", "--only", "1") == 1
    document = json.loads(capsys.readouterr().out)
    assert [(row["line"], row["ok"]) for row in document["checks"]] == [("1.1", True), ("1.2", False)]
    assert run(monkeypatch, "daemon", "--out", tmp_path, "--only", "7") == 2
