"""The process of a base station: it serves its radios, reports its status, and ends in order."""

import argparse
import json
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from radio.base_station import BaseStatus, ChannelStatus
from radio.duty_cycle import Airtime
from radio.framing import CobsParser
from radio.slots import SlotPlan
from radio.statistics import Contact
from robotd.__main__ import main
from robotd.commands import base_station as command
from robotd.commands.keygen import write_key
from robotd.config.base_station import read_station
from robotd.config.load import find_mission, load_mission
from robotd.files.state import lock_folder
from robotd.status.station import StationStatus, brief, changes, document_of, first_words
from robotd.transport.port import PortStatus
from tests.robotd.transport.serial_helper import Pty

MISSION = (Path(__file__).parents[3] / "robotd" / "missions" / "cleanup.toml").read_text(encoding="utf-8")
FAST = re.sub(r"(patience_s|yield_time_s|give_up_time_s) = [\d.]+", r"\1 = 100.0", MISSION)  # fits fast beats
WAIT_S = 120.0  # for a process to start and send, on a loaded machine


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return parser.parse_args(list(words))


def test_over_a_real_port_it_sends_beacons_and_ends_with_0_on_sigterm(tmp_path: Path) -> None:
    pty = Pty(tmp_path)
    write_key(tmp_path / "team.key")
    (tmp_path / "quick.toml").write_text(f"{FAST}\n[radio]\nbeat_s = 0.3\n", encoding="utf-8")
    words = ["quick.toml", "--json", "--radio", f"transparent@{pty.link}", "--state", "state"]
    argv = [sys.executable, "-m", "robotd", "base-station", *words]
    with subprocess.Popen(argv, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            frames, unwrapper, waited = [], CobsParser(), 0.0
            while len(frames) < 2 and waited < WAIT_S:
                frames += unwrapper.feed(pty.read())
                threading.Event().wait(0.05)
                waited += 0.05
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=WAIT_S)
        finally:
            process.kill()
            pty.unplug()
    assert process.returncode == 0, err
    assert [frame[1] for frame in frames[:2]] == [0, 0]
    last = json.loads(out.splitlines()[-1])
    assert (last["slots"], last["beat_s"], last["radios"][0]["alive"]) == (4, 0.3, True)
    assert last["radios"][0]["beacons"] >= 2
    assert json.loads((tmp_path / "state" / "base-station.json").read_text())
    assert (tmp_path / "team.key").read_text().strip().encode() not in out + err


def test_it_ends_in_order_when_the_program_that_reads_its_status_is_gone(tmp_path: Path) -> None:
    write_key(tmp_path / "team.key")
    (tmp_path / "quick.toml").write_text(MISSION, encoding="utf-8")
    words = ["quick.toml", "--json", "--radio", f"transparent@{tmp_path / 'none'}", "--state", "state"]
    argv = [sys.executable, "-m", "robotd", "base-station", *words]
    with subprocess.Popen(argv, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["slots"] == 4
        process.stdout.close()
        assert process.wait(WAIT_S) == 0


@pytest.mark.parametrize(("mission", "warned"), [("cobos", True), ("cleanup", False)])
def test_it_warns_where_robots_would_miss_its_slots(mission, warned, tmp_path, monkeypatch, caplog) -> None:
    async def nothing(*_: object, **__: object) -> None: ...

    monkeypatch.setattr(command, "_serve", nothing)
    monkeypatch.setattr(command, "set_up_logging", lambda _: None)
    write_key(tmp_path / "team.key")
    words = [mission, "--radio", "transparent@/dev/zero", "--key-file", str(tmp_path / "team.key")]
    assert command.run(parsed(*words)) == 0
    assert any("shorter than a tick" in line for line in caplog.messages) == warned


def test_the_unit_starts_what_the_command_line_takes(tmp_path: Path, monkeypatch) -> None:
    unit = (Path(__file__).parents[3] / "packaging" / "systemd" / "robotd-base-station.service").read_text()
    (words,) = re.findall(r"^ExecStart=/usr/bin/env robotd base-station (.*)$", unit, re.MULTILINE)
    (tmp_path / "mission.toml").write_text(MISSION, encoding="utf-8")
    write_key(tmp_path / "team.key")
    monkeypatch.chdir(tmp_path)
    args = parsed(*words.split())
    assert read_station(args.mission, args.radio, args.key_file).radios[0].part.name == "transparent"


def test_what_it_cannot_use_ends_with_2_and_words(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["base-station", "cleanup", "--radio", "xbee"]) == 2
    assert "--radio xbee: expected --radio MODEM@PORT" in capsys.readouterr().err
    write_key(tmp_path / "team.key")
    slow = "transparent@/dev/ttyUSB0,air_rate=300"
    (tmp_path / "fast.toml").write_text(f"{FAST}\n[radio]\nbeat_s = 0.11\n", encoding="utf-8")
    assert main(["base-station", "fast.toml", "--radio", slow, "--state", "state"]) == 2
    assert "robots follow none above 2.2 s" in capsys.readouterr().err


def test_two_base_stations_do_not_share_a_memory(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    write_key(tmp_path / "team.key")
    with lock_folder(tmp_path / "state"):
        assert main(["base-station", "cleanup", "--radio", "transparent@/dev/null", "--state", "state"]) == 2
    assert "--state: state is in use by another process" in capsys.readouterr().err


# -- the status


def air(
    name: str = "xbee@/dev/a", *, alive: bool = True, held: bool = False, heard: tuple[int, ...] = ()
) -> ChannelStatus:
    contacts = tuple(Contact(number, 5, 8.0) for number in heard)
    counts, limit = (("beacons", 3), ("left-out", 1)), Airtime("eu868", 1.0, 36.0, 0.7)
    return ChannelStatus(name, alive, held, counts, 0.5, limit, contacts, ())


def document(status: BaseStatus | None = None, trouble: str = "") -> StationStatus:
    status = status or BaseStatus(SlotPlan(4, 3.0), "", (air(),), (("mac", 2),))
    ports = [PortStatus("ready", "/dev/a", 0.0)] * len(status.channels)
    return document_of(status, load_mission(find_mission("cleanup")), ports, 10.0, 2.0, trouble)


def status(*channels: ChannelStatus, silent: str = "", slot_plan: SlotPlan | None = None) -> BaseStatus:
    return BaseStatus(slot_plan or SlotPlan(4, 3.0), silent, channels or (air(),), ())


def test_the_document_is_json_with_each_radio_and_the_first_words_have_the_beat_and_why_it_is_longer() -> None:
    data = document(status(air(heard=(0, 2)))).model_dump(mode="json")
    (radio,) = data["radios"]
    assert (radio["beacons"], radio["left_out"], radio["repeated"], radio["hour_budget_s"]) == (3, 1, 0, 36.0)
    heard = [(contact["name"], contact["age_s"]) for contact in radio["heard"]]
    assert heard == [("base station", 2.0), ("blue", 2.0)]
    assert (data["uptime_s"], data["robots"], set(brief(data)["radios"])) == (8.0, 3, {"xbee"})
    assert "4 slots in a beat of 3 s" in first_words(document())
    longer = document(status(slot_plan=SlotPlan(31, 4.63, "they take 4.62 s")))
    assert all(part in first_words(longer) for part in ("4.63 s", "3 s", "they take 4.62 s"))


@pytest.mark.parametrize(
    ("after", "lines", "ends"),
    [
        (status(air(heard=(2,))), 1, 0),
        (status(air(alive=False)), 1, 1),
        (status(air(held=True)), 1, 1),
        (status(silent="another is there"), 1, 1),
        (status(), 0, 0),
    ],
)
def test_changes_are_reported_once_and_so_is_their_end(after: BaseStatus, lines: int, ends: int) -> None:
    before, now = document(status()), document(after)
    assert len(list(changes(before, now))) == lines
    assert list(changes(now, now)) == []
    assert len(list(changes(now, before))) == ends
    assert list(changes(before, document(trouble="disk full"))) == ["its memory is not saved: disk full"]
