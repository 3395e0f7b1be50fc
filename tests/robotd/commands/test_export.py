"""`robotd export`: a run log as tables."""

import csv
import json
from pathlib import Path

import pytest

from robotd.__main__ import main
from robotd.api import read_records
from tests.robotd.sim.small import run


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_each_table_has_the_records_of_the_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, out = tmp_path / "run.jsonl", tmp_path / "tables"
    run(for_s=12.0, robots=("green", "blue"), log=log)
    assert main(["export", str(log), "--csv", str(out), "--json"]) == 0
    written = json.loads(capsys.readouterr().out)["written"]
    records = read_records(log)
    for name in ("poses", "levels", "frames", "activities", "events"):
        rows, own = read(out / f"{name}.csv"), getattr(records, name)
        assert written[str(out / f"{name}.csv")] == len(rows) == len(own) > 0
        assert [row["robot"] for row in rows] == [one["robot"] for one in own]
        assert [float(row["time_s"]) for row in rows] == [one["time_s"] for one in own]
    assert {row["kind"] for row in read(out / "events.csv")} >= {"activated"}
    assert all(row["cause"] for row in read(out / "events.csv"))
    assert main(["export", str(log), "--csv", str(out)]) == 0


def test_what_is_no_log_and_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    assert main(["export", str(tmp_path / "none.jsonl"), "--csv", str(tmp_path / "out")]) == 2
    assert not (tmp_path / "out").exists()
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit) as refused:
        main(["export", "run.jsonl", "--csv", str(tmp_path / "file")])
    assert refused.value.code == 2
