"""Three coordinators in one experiment, one of them a plug-in file with statements of its own."""

import csv
import shutil
from pathlib import Path

import pytest

from robotd.__main__ import main
from tests.robotd.experiments.test_runner import ROOT
from tests.robotd.sim.small import text

FILE = """
name = "coordinators"
mission = "small.toml"
plugins = ["./auction.py"]
runs = 1
logs = 0

[set]
time_limit_s = 8.0       # bids, awards and the first steps of the work

[factors]
coordinator = ["alliance", "l-alliance", "auction"]
"radio.loss" = [0.0, 0.3]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The experiment's files, and what an undisturbed run of it wrote, as `whole`."""
    folder = tmp_path_factory.mktemp("coordinators")
    (folder / "small.toml").write_text(text(("green", "blue")))
    (folder / "coordinators.toml").write_text(FILE)
    shutil.copy(ROOT / "docs" / "examples" / "auction.py", folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(["experiment", "coordinators.toml", "--jobs", "1", "--out", "whole"]) == 0
    return folder


def test_statements_of_a_plug_ins_own_are_counted_and_only_where_they_can_be_made(folder: Path) -> None:
    with (folder / "whole" / "runs.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    bids = {row["coordinator"]: row["messages_auction-bid"] for row in rows if "loss=0.0" in row["cell"]}
    assert bids["alliance"] == bids["l-alliance"] == ""
    assert int(bids["auction"]) > 0
    assert all(row["messages_auction-bid"] == "" for row in rows if row["coordinator"] == "alliance")
