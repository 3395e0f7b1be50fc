"""`robotd export`: a run log as tables, and as a file for Foxglove."""

import csv
import itertools
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from foxglove import messages
from mcap.reader import make_reader
from pyarrow import parquet

from robotd.__main__ import main
from robotd.api import read_records
from robotd.commands.export import TABLES
from robotd.config.load import find_mission, load_mission
from robotd.foxglove.layout import layout_of
from robotd.record.reading import LogLines
from tests.docs_pages import ROOT
from tests.robotd.sim.small import rows_of, run

FOR_S, ROBOTS = 12.0, ("green", "blue")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("export") / "run.jsonl"
    run("6 remove blue", for_s=FOR_S, robots=ROBOTS, log=path)
    return path


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_each_table_has_the_records_of_the_log_which_is_read_once(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out, read_log, readings = tmp_path / "tables", LogLines.__iter__, list[Path]()

    def counted(lines: LogLines) -> Iterator[Any]:
        readings.append(lines.path)
        return read_log(lines)

    with monkeypatch.context() as patch:
        patch.setattr(LogLines, "__iter__", counted)
        assert main(["export", str(log), "--csv", str(out), "--parquet", str(out), "--json"]) == 0
    assert readings == [log]
    written = json.loads(capsys.readouterr().out)["written"]
    records = read_records(log)
    for name in TABLES:
        rows, own = read(out / f"{name}.csv"), getattr(records, name)
        counts = [written[str(out / f"{name}.{ending}")] for ending in ("csv", "parquet")]
        assert counts == [len(rows)] * 2 == [len(own)] * 2 > [0, 0]
        assert [row["robot"] for row in rows] == [one["robot"] for one in own]
        assert [float(row["time_s"]) for row in rows] == [one["time_s"] for one in own]
        assert parquet.read_table(out / f"{name}.parquet").to_pylist() == own
    events = read(out / "events.csv")
    assert {row["kind"] for row in events} >= {"activated", "state", "event", "lost"}
    assert all(row["cause"] for row in events)
    ticks = read(out / "ticks.csv")
    assert len(ticks) == sum(map(len, rows_of(log).values()))
    assert {(row["state"], row["decides"], row["battery"]) for row in ticks} == {
        ("running", "true", ""), ("running", "false", ""),
    }  # fmt: skip
    assert main(["export", str(log), "--csv", str(out)]) == 0


# -- for Foxglove


def messages_of(path: Path) -> Iterator[tuple[Any, Any, Any]]:
    with path.open("rb") as file:
        yield from make_reader(file, validate_crcs=True).iter_messages()


def test_a_run_is_messages_of_foxgloves_own_schemas_at_the_times_of_the_log(log: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    assert main(["export", str(log), "--mcap", str(path)]) == 0
    times: dict[str, list[float]] = {}
    for schema, channel, message in messages_of(path):
        own = getattr(messages, schema.name.removeprefix("foxglove."), None)
        if own is None:
            assert (channel.topic, schema.encoding) == (f"/{channel.topic[1:].split('/')[0]}/levels", "jsonschema")
            assert {"set", "score", "value", "limit", "why"} == set(json.loads(message.data)["levels"][0])
        else:
            assert (schema.encoding, schema.data) == ("protobuf", own.get_schema().data)
        times.setdefault(channel.topic, []).append(message.log_time / 1e9)
    for name, rows in rows_of(log).items():
        decisions = [row.inputs.now for row in rows if row.choice is not None]
        for topic in ("scan", "levels"):
            assert times[f"/{name}/{topic}"] == pytest.approx(decisions, abs=1e-6)
        assert 0 < len(times[f"/{name}/pose"]) <= len(decisions)
        assert times[f"/{name}/activity"]
    assert len(times["/tf"]) == sum(len(times[f"/{name}/pose"]) for name in ROBOTS)
    assert len(times["/events"]) == len(read_records(log).events)
    assert {"/room", "/robots", "/radio"} <= set(times)


def topics_in(layout: Any) -> set[str]:
    return {found[1] for found in re.finditer(r"(/[\w-]+(?:/(?:pose|scan|activity|levels))?)", json.dumps(layout))}


def test_the_layout_beside_it_shows_topics_that_are_in_it(log: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    assert main(["export", str(log), "--mcap", str(path)]) == 0
    layout = json.loads((tmp_path / "run-layout.json").read_text(encoding="utf-8"))
    there = {channel.topic for _, channel, _ in messages_of(path)}
    assert topics_in(layout) - there <= {"/objects"}  # only a simulation that is watched knows those
    panels = set(re.findall(r"[\w3]+![\w-]+", json.dumps(layout["layout"])))
    assert panels == set(layout["configById"])


def test_the_layout_that_is_delivered_is_that_of_the_mission_cleanup() -> None:
    written = json.loads((ROOT / "packaging" / "foxglove" / "cleanup.json").read_text(encoding="utf-8"))
    assert written == layout_of(load_mission(find_mission("cleanup")).as_data())


def test_a_reading_lies_where_its_sensor_looks(log: Path) -> None:
    from robotd.foxglove.topics import SCAN_PARTS, places_of

    for row in rows_of(log)["green"]:
        scan = places_of(row.inputs.senses.ranges)
        assert len(scan) == SCAN_PARTS
        for one in row.inputs.senses.ranges:
            if one.distance is not None:
                part = (one.bearing + math.pi) / (2 * math.pi) * SCAN_PARTS
                assert min(scan[k % SCAN_PARTS] for k in (math.floor(part), math.ceil(part))) <= one.distance


def test_what_is_no_log_and_what_cannot_be_written_is_refused(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    none = str(tmp_path / "none.jsonl")
    assert main(["export", none, "--csv", str(tmp_path / "out")]) == 2
    assert main(["export", none, "--mcap", str(tmp_path / "out.mcap")]) == 2
    assert main(["export", str(log)]) == 2
    assert main(["export", str(log), "--mcap", str(tmp_path)]) == 2
    broken = ('{"event": {}}\n', '["green"]\n', '{"part": 0}\n{"raised": {"robot": "green"}}\n')
    wanted = (["--mcap", "out.mcap"], ["--csv", "out"], ["--parquet", "out", "--csv", "out"])
    for text, words in itertools.product(broken, wanted):
        (tmp_path / "broken.jsonl").write_text(text)
        words = [word if word.startswith("--") else str(tmp_path / word) for word in words]
        assert main(["export", str(tmp_path / "broken.jsonl"), *words]) == 2
        assert f"{tmp_path / 'broken.jsonl'}:{text.count(chr(10))}: " in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken.jsonl"]
