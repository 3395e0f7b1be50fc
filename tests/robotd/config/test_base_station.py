"""The options of `robotd base-station` are checked as a robot file's [radio] is, every fault at once."""

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
UDP = "udp@udp://239.255.77.1:8422?interface=wlan0"
TTY = "/dev/ttyUSB0"


def read(folder: Path, *radios: str, mission: str = "cleanup") -> StationConfig:
    key = folder / "team.key"
    if not key.exists():
        write_key(key)
    return read_station(mission, radios, key)


def faults(folder: Path, *radios: str, mission: str = "cleanup") -> list[str]:
    with pytest.raises(ConfigError) as error:
        read(folder, *radios, mission=mission)
    return [str(problem) for problem in error.value.problems]


def test_radios_have_modem_port_regulations_and_the_modems_own_settings(tmp_path: Path) -> None:
    other = "xbee@serial:///dev/ttyUSB1?57600,region=us915,frequency_mhz=915,air_rate=200000"
    config = read(tmp_path, LORA, other, UDP)
    lora, xbee, udp = config.radios
    assert (lora.name, lora.part.port, config.mission.content.name) == (f"reyax@{TTY}", TTY, "cleanup")
    assert lora.modem().airtime(40) == pytest.approx(0.1016, abs=1e-4)
    assert (lora.band and lora.band.duty, xbee.band and xbee.band.longest_s, udp.band) == (0.1, 0.4, None)


def test_of_zenoh_all_endpoints_belong_to_the_port(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("robotd.config.cross.missing", lambda: "")
    port = "zenoh://tcp/10.0.0.1:7447,udp/router:7447?listen=tcp/0.0.0.0:7447"
    (radio,) = read(tmp_path, f"zenoh@{port},air_rate=2e6").radios
    assert (radio.part.port, radio.part.parameters) == (port, {"air_rate": 2e6})


@pytest.mark.parametrize(
    ("option", "key", "word"),
    [
        ("reyax", "", "MODEM@PORT"),
        ("reyax@", "", "MODEM@PORT"),
        (f"@{TTY}", "", "MODEM@PORT"),
        (f"xbee@{TTY},baud", "", "'baud' is not KEY=VALUE"),
        (f"xbe@{TTY}", "radio.name", "'xbee'"),
        ("xbee@ttyUSB0", "radio.port", "/dev/NAME"),
        (f"udp@{TTY}", "radio.port", "udp://GROUP"),
        (f"xbee@{TTY},bauds=9600", "radio.parameters.bauds", "'baud'"),
        (f"xbee@{TTY},baud=fast", "radio.parameters.baud", "a whole number"),
        (f"xbee@{TTY},region=eu886", "radio.region", "eu868"),
        (f"reyax@{TTY}", "radio.parameters.band_hz", "required"),
        (f"reyax@{TTY},region=eu868,band_hz=915000000", "radio.region", "915 MHz"),
        (f"reyax@{TTY},region=us915,band_hz=915000000,spreading_factor=9,bandwidth_khz=125,coding_rate=4",
         "radio.region", "459.8 ms"),
        (f"none@{TTY}", "radio.name", "a base station needs a modem"),
    ],
)  # fmt: skip
def test_a_radio_that_cannot_be_used_is_refused_by_its_option(option: str, key: str, word: str) -> None:
    problems: list[Problem] = []
    assert read_radio(option, Plugins(), problems) is None
    assert {one.file for one in problems} == {f"--radio {option}"}
    assert any(one.key == key and word in one.message for one in problems), problems


def test_no_radio_and_keys_that_cannot_be_used_are_refused_together(tmp_path: Path) -> None:
    assert faults(tmp_path)[0].startswith("--radio: a base station needs a radio")
    key = tmp_path / "team.key"
    key.write_text(f"green {'ab' * 32}\n")
    of_key, of_radio = faults(tmp_path, f"xbe@{TTY}")
    assert "'base-station'" in of_key
    assert of_radio.startswith("--radio xbe@")
    assert "'cleanup'" in faults(tmp_path, LORA, mission="clean")[0]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("/dev/x", "serial:///dev/x?57600", True),
        ("tcp://HOST:4000", "tcp://host:4000", True),
        ("FOLDER/device", "FOLDER/link", True),
        ("/dev/x", "/dev/y", False),
        ("tcp://host:4000", "tcp://host:4001", False),
    ],
)
def test_a_port_is_the_same_however_it_is_written(tmp_path: Path, one: str, other: str, same: bool) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "device")
    radios = [f"{name}@{port.replace('FOLDER', str(tmp_path))}"
              for name, port in (("xbee", one), ("transparent", other))]  # fmt: skip
    if same:
        (problem,) = faults(tmp_path, *radios)
        assert problem.startswith(f"--radio {radios[1]}: radio.port: ")
    else:
        assert [radio.part.port for radio in read(tmp_path, *radios).radios] == [one, other]


def test_zenoh_without_its_package_or_without_a_router_is_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("robotd.config.cross.missing", lambda: INSTALL)
    option = "zenoh@zenoh://tcp/10.0.0.1:7447"
    assert faults(tmp_path, option) == [f"--radio {option}: radio.port: {INSTALL}"]
    assert "pip install 'robotd[zenoh]'" in INSTALL
    assert read(tmp_path, UDP).radios  # which needs no package
    monkeypatch.setattr("robotd.config.cross.missing", lambda: "")
    assert read(tmp_path, option).radios
    (problem,) = faults(tmp_path, "zenoh@zenoh://tcp/PUT-THE-ROUTER-HERE:7447")
    assert "is still to be named" in problem


@settings(max_examples=50)
@given(st.one_of(st.text(), st.text("ab@,=1'\"[")))
def test_any_text_is_a_table_or_a_value_error(text: str) -> None:
    table = {}
    with contextlib.suppress(ValueError):
        table = table_of(text)
    assert not table or (table["name"] and table["port"])
