"""What `robotd base-station` is told is checked as a robot file's [radio] is, and every fault told at once."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robotd.commands.keygen import write_key
from robotd.config.base_station import StationConfig, read_radio, read_station, table_of
from robotd.config.load import ConfigError, Problem
from robotd.files.plugins import Plugins
from robotd.transport.zenoh import INSTALL

LORA = "reyax@/dev/ttyUSB0,region=eu868,band_hz=869525000"


def read(folder: Path, *radios: str, mission: str = "cleanup") -> StationConfig:
    key = folder / "team.key"
    if not key.exists():
        write_key(key)
    return read_station(mission, radios, key)


def told(folder: Path, *radios: str, mission: str = "cleanup") -> list[str]:
    with pytest.raises(ConfigError) as error:
        read(folder, *radios, mission=mission)
    return [str(problem) for problem in error.value.problems]


def test_radios_have_modem_port_law_and_the_modems_own_settings(tmp_path: Path) -> None:
    config = read(
        tmp_path, LORA, "xbee@serial:///dev/ttyUSB1?57600,region=us915,frequency_mhz=915,air_rate=200000"
    )
    lora, xbee = config.radios
    assert (lora.name, lora.part.port) == ("reyax@/dev/ttyUSB0", "/dev/ttyUSB0")
    assert lora.modem().airtime(40) == pytest.approx(0.1016, abs=1e-4)
    assert lora.band is not None
    assert lora.band.duty == 0.1
    assert xbee.band is not None
    assert xbee.band.longest_s == 0.4
    assert config.mission.content.name == "cleanup"


def test_a_radio_without_a_law_has_no_band(tmp_path: Path) -> None:
    (radio,) = read(tmp_path, "udp@udp://239.255.77.1:8422?interface=wlan0").radios
    assert radio.band is None


def test_of_zenoh_all_endpoints_belong_to_the_port(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("robotd.config.cross.missing", lambda: "")
    port = "zenoh://tcp/10.0.0.1:7447,udp/router:7447?listen=tcp/0.0.0.0:7447"
    (radio,) = read(tmp_path, f"zenoh@{port},air_rate=2e6").radios
    assert radio.part.port == port
    assert radio.part.parameters == {"air_rate": 2e6}


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("reyax", "expected --radio MODEM@PORT[,KEY=VALUE...], as reyax@/dev/ttyUSB0,"),
        ("reyax@", "expected --radio MODEM@PORT"),
        ("@/dev/ttyUSB0", "expected --radio MODEM@PORT"),
        ("xbee@/dev/ttyUSB0,baud", "'baud' is not KEY=VALUE; expected --radio MODEM@PORT"),
        ("xbe@/dev/ttyUSB0", "radio.name: no radio is called 'xbe'; did you mean 'xbee'?"),
        ("xbee@ttyUSB0", "radio.port: 'ttyUSB0' is no port: expected /dev/NAME"),
        ("udp@/dev/ttyUSB0", "radio.port: 'udp' is not reached over /dev/ttyUSB0; expected udp://GROUP"),
        ("xbee@/dev/ttyUSB0,bauds=9600", "radio.parameters.bauds: unknown key; did you mean 'baud'?"),
        ("xbee@/dev/ttyUSB0,baud=fast", "radio.parameters.baud: expected a whole number"),
        ("xbee@/dev/ttyUSB0,region=eu886", "radio.region: "),
        ("reyax@/dev/ttyUSB0", "radio.parameters.band_hz: this key is required"),
        ("reyax@/dev/ttyUSB0,region=eu868,band_hz=915000000", "915 MHz is in no band of eu868"),
        ("reyax@/dev/ttyUSB0,region=us915,band_hz=915000000,spreading_factor=9,bandwidth_khz=125,coding_rate=4",
         "a frame of 40 bytes takes 459.8 ms on the air; us915"),
        ("none@/dev/ttyUSB0", "radio.name: a base station needs a modem, which none is not"),
    ],
)  # fmt: skip
def test_a_radio_that_cannot_be_used_is_refused_in_words(option: str, said: str) -> None:
    problems: list[Problem] = []
    assert read_radio(option, Plugins(), problems) is None
    assert any(said in problem.message or said in str(problem) for problem in problems), problems
    assert all(str(problem).startswith(f"--radio {option}: ") for problem in problems)


def test_no_radio_two_on_one_port_and_a_key_that_is_not_there_are_refused_together(tmp_path: Path) -> None:
    assert told(tmp_path)[0].startswith("--radio: a base station needs a radio: give --radio MODEM@PORT")
    (twice,) = told(tmp_path, "xbee@/dev/ttyUSB0", "transparent@/dev/ttyUSB0")
    assert twice == "--radio: /dev/ttyUSB0 is given 2 times: each radio has its own port"
    with pytest.raises(ConfigError) as error:
        read_station("cleanup", ["xbe@/dev/ttyUSB0"], tmp_path / "none.key")
    key, radio = map(str, error.value.problems)
    assert "none.key cannot be read; make one for the whole team with: robotd keygen" in key
    assert radio.startswith("--radio xbe@")


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("/dev/x", "serial:///dev/x?57600", "/dev/x (also as serial:///dev/x?57600) is given 2 times"),
        ("serial:///dev/x?9600", "serial:///dev/x?57600", "is given 2 times"),
        ("tcp://HOST:4000", "tcp://host:4000", "is given 2 times"),
        ("/dev/x", "/dev/y", ""),
        ("tcp://host:4000", "tcp://host:4001", ""),
    ],
)
def test_a_port_is_the_same_however_it_is_written(tmp_path: Path, one: str, other: str, said: str) -> None:
    radios = (f"xbee@{one}", f"transparent@{other}")
    if not said:
        assert [radio.part.port for radio in read(tmp_path, *radios).radios] == [one, other]
        return
    (problem,) = told(tmp_path, *radios)
    assert said in problem


def test_a_device_and_a_link_to_it_are_one_port(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "device")
    (problem,) = told(tmp_path, f"xbee@{tmp_path}/device", f"transparent@{tmp_path}/link")
    assert "is given 2 times" in problem


def test_zenoh_without_its_package_or_without_a_router_is_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("robotd.config.cross.missing", lambda: INSTALL)
    (problem,) = told(tmp_path, "zenoh@zenoh://tcp/10.0.0.1:7447")
    assert problem == f"--radio zenoh@zenoh://tcp/10.0.0.1:7447: radio.port: {INSTALL}"
    assert "pip install 'robotd[zenoh]'" in problem
    assert read(tmp_path, "udp@udp://239.255.77.1:8422?interface=wlan0").radios  # which needs no package
    monkeypatch.setattr("robotd.config.cross.missing", lambda: "")
    assert read(tmp_path, "zenoh@zenoh://tcp/10.0.0.1:7447").radios
    (problem,) = told(tmp_path, "zenoh@zenoh://tcp/PUT-THE-ROUTER-HERE:7447")
    assert "is still to be named" in problem


def test_a_key_file_without_a_key_for_the_base_station_is_refused(tmp_path: Path) -> None:
    key = tmp_path / "team.key"
    key.touch(mode=0o600)
    key.write_text(f"green {'ab' * 32}\n")
    (problem,) = told(tmp_path, LORA)
    assert "holds no key for 'base-station'; add one with: robotd keygen" in problem


def test_a_mission_that_is_not_there_is_refused(tmp_path: Path) -> None:
    (problem,) = told(tmp_path, LORA, mission="clean")
    assert "did you mean 'cleanup'?" in problem


@settings(max_examples=50)
@given(st.one_of(st.text(), st.text("ab@,=1'\"[")))
def test_any_text_is_a_table_or_a_value_error(text: str) -> None:
    table = {}
    with contextlib.suppress(ValueError):
        table = table_of(text)
    assert not table or (table["name"] and table["port"])
