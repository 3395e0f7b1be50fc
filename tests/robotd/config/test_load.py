"""Reading robot and mission files: every fault, where it stands."""

from __future__ import annotations

import contextlib
import copy
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robotd.config.load import ConfigError, Problem, Source, load_mission, load_robot, mission_of
from robotd.config.mission import MissionFile
from tests.robotd.config.files import MISSION, PLUGINS, ROBOT, changed, line, write


def faults(path: Path) -> dict[str, Problem]:
    """Every problem of the robot file at `path` and of its mission, by key."""
    with pytest.raises(ConfigError) as caught:
        load_robot(path)
    assert len({problem.key for problem in caught.value.problems}) == len(caught.value.problems)
    return {problem.key: problem for problem in caught.value.problems}


def mission_fault(tmp_path: Path, old: str, new: str) -> Problem:
    """The one problem that a change of the mission file brings."""
    found = faults(write(tmp_path, mission=changed(MISSION, (old, new))))
    assert len(found) == 1, found
    return next(iter(found.values()))


def test_files_without_a_fault_are_read(tmp_path: Path) -> None:
    robot, mission = load_robot(write(tmp_path))
    assert (robot.name, robot.board.name, robot.start) == ("red", "wired", "at-boot")
    assert sorted(mission.content.team) == ["blue", "red"]


def test_an_unknown_key_a_wrong_type_a_negative_rate_and_a_missing_port_are_told_at_once(tmp_path: Path) -> None:
    robot = changed(
        ROBOT,
        ('start = "at-boot"', 'strat = "at-boot"'),
        ("port = 0", 'port = "any"'),
        ('port = "/dev/null"\n', ""),
    )
    mission = changed(MISSION, ("fast_rate = 10", "fast_rate = -10"))
    found = faults(write(tmp_path, robot, mission))
    assert set(found) == {"strat", "http.port", "sets.push.motivation.fast_rate", "board.port"}
    unknown, wrong = found["strat"], found["http.port"]
    assert (unknown.line, unknown.nearest) == (line(robot, "strat"), "start")
    assert "did you mean 'start'?" in unknown.message
    assert wrong.line == line(robot, 'port = "any"')
    assert "expected a whole number from 0 to 65535, found 'any'" in wrong.message
    negative, missing = found["sets.push.motivation.fast_rate"], found["board.port"]
    assert negative.file.endswith("tidy.toml")
    assert negative.line == line(mission, "fast_rate = -10")
    assert "expected a number above 0, found -10 (growth per second" in negative.message
    assert missing.line == line(robot, "[board]")
    assert "/dev/serial/by-id/" in missing.message


def test_a_misspelt_required_key_is_named_by_the_one_that_is_missing(tmp_path: Path) -> None:
    found = faults(write(tmp_path, changed(ROBOT, ('port = "/dev/null"', 'prot = "/dev/null"'))))
    assert found["board.prot"].nearest == "port"
    assert "'prot' is there" in found["board.port"].message
    found = faults(write(tmp_path, changed(ROBOT, ('mission = "tidy.toml"', 'misson = "tidy.toml"'))))
    assert "'misson' is there" in found["mission"].message
    assert "the mission file" in found["mission"].message


def test_a_key_in_the_wrong_table_is_told_its_home(tmp_path: Path) -> None:
    found = faults(write(tmp_path, changed(ROBOT, ("[board]\n", "host = '0.0.0.0'\n[board]\n"))))
    assert "'host' belongs in [http]" in found["host"].message


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ('"8421"', "without the quotes it would be 8421"),
        ("true", "found true"),
        ("1979-05-27", "found a date"),
        ("[1]", "found a list"),
        ("70000", "from 0 to 65535, found 70000"),
        ("1.0", "found 1.0"),
    ],
)
def test_values_keep_their_types(tmp_path: Path, value: str, words: str) -> None:
    found = faults(write(tmp_path, changed(ROBOT, ("port = 0", f"port = {value}"))))
    assert words in found["http.port"].message


def test_a_whole_number_is_a_number_and_inf_is_one_where_time_may_be_endless(tmp_path: Path) -> None:
    _, mission = load_robot(write(tmp_path))
    assert mission.content.time_limit_s == 1000.0
    assert mission.content.sets["push"].motivation["patience_s"] == float("inf")
    kept = json.loads(json.dumps(mission.as_data()))  # as a run log has it
    assert MissionFile.model_validate(kept) == mission.content


@pytest.mark.parametrize(
    ("old", "new", "key", "words"),
    [
        ("slow_rate = 1\n", "slow_rate = -1\n", "sets.look.motivation.slow_rate", "above 0"),
        ("blue = 0.5", "blue = -0.5", "sets.push.motivation.slow_rate.blue", "found -0.5"),
        ("{ default = 1, blue = 0.5 }", "'x'", "sets.push.motivation.slow_rate", "or a table by name"),
        ("slow_rate = 1\n", "slow_rate = 30\n", "sets.look.motivation", "below the fast_rate"),
    ],
)
def test_a_value_that_may_be_one_of_two_things_has_one_problem_at_the_place_that_was_meant(
    tmp_path: Path, old: str, new: str, key: str, words: str
) -> None:
    problem = mission_fault(tmp_path, old, new)
    assert problem.key == key
    assert words in problem.message


@pytest.mark.parametrize(
    ("old", "new", "key", "words"),
    [
        ('task = "find"', 'task = "fimd"', "sets.look.task", "did you mean 'find'?"),
        ('completion = "found"', 'completion = "fond"', "tasks.find.completion", "did you mean 'found'?"),
        ('completion = "found"', 'completion = "spot"', "tasks.find.completion", "expected a flag or count"),
        ("number = 2, type", "number = 1, type", "team.blue.number", "is the number of 'red' already"),
        ("[layers.glance]", "[layers.glanc]", "layers.glanc", "did you mean 'glance'?"),
        ("[layers.glance]", "[layers.look]", "layers.look", "'look' is no layer"),
        ("[sets.look]", "[sets.look]\nbehavior = 'glance'", "sets.look.behavior", "'glance' is no behavior set"),
        ("[types.small]", "[types.smal]", "types.smal", "did you mean 'small'?"),
        ("[robots.red.", "[robots.rad.", "robots.rad", "did you mean 'red'?"),
        ('without = ["look"]', 'without = ["lok"]', "types.small.without.0", "did you mean 'look'?"),
        ("red.sets.push]", "red.sets.pash]", "robots.red.sets.pash", "did you mean 'push'?"),
        ("{ speed = 0.9 }", "{ speed = 9 }", "robots.red.sets.push.parameters.speed", "found 9"),
        ("{ speed = 0.5 }", "{ sped = 0.5 }", "sets.push.parameters.sped", "did you mean 'speed'?"),
        ("_beats = 6", "_beats = 2", "coordinator.parameters.silence_timeout_beats", "of at least 3, found 2"),
        ('without = ["look"]', 'body = { lacks = ["griper"] }', "types.small.body", "no part 'griper'"),
        ("[facts]", "[world]\nwidth_m = -1\n[facts]", "world.width_m", "found -1"),
        ("[facts]", "[control]\nticks_per_decision = 21\n[facts]", "control", "at most 1 s, as a team stop waits"),
        ("[facts]", "[coordinator]\nname = 'aliance'\n[facts]", "coordinator.name", "did you mean 'alliance'?"),
        ("red = {", "Red_1 = { number = 3, type = 'big' }\nred = {", "team.Red_1", "lower-case letters"),
        ("red = {", "all = { number = 3, type = 'big' }\nred = {", "team.all", "no robot can be called 'all'"),
        ('kind = "flag"', 'kind = "flg"', "facts.found.kind", "did you mean 'flag'?"),
        (
            "[team]",
            "[[event]]\nat_s = 1\nverb = 'remov'\nwho = 'red'\n[team]",
            "event.0",
            "did you mean 'remove'?",
        ),
    ],
)
def test_each_fault_of_a_mission_is_told_where_it_stands(
    tmp_path: Path, old: str, new: str, key: str, words: str
) -> None:
    problem = mission_fault(tmp_path, old, new)
    assert problem.key == key
    assert problem.line > 1
    assert words in problem.message


def test_a_faulty_entry_does_not_make_its_name_unknown_to_others(tmp_path: Path) -> None:
    mission = changed(
        MISSION, ("number = 2\n\n[facts]", 'number = "two"\n\n[facts]'), ("number = 2, type", "number = 99, type")
    )
    assert set(faults(write(tmp_path, mission=mission))) == {"tasks.shift.number", "team.blue.number"}


def test_a_fault_of_a_set_is_not_told_again_where_a_robot_changes_that_set(tmp_path: Path) -> None:
    mission = changed(MISSION, ("{ speed = 0.5 }", "{ speed = 5 }"))
    assert set(faults(write(tmp_path, mission=mission))) == {"sets.push.parameters.speed"}


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("", "cannot be read"),
        (f"white {'cafe' * 16}", "keys of white alone"),
        ("cafe" * 3, "64 hexadecimal digits"),
        (None, "chmod 0600"),
    ],
)
def test_a_key_file_that_cannot_be_used_is_told_with_what_to_do(
    tmp_path: Path, key: str | None, words: str
) -> None:
    path = write(tmp_path)
    if key is None:
        (tmp_path / "team.key").chmod(0o644)
    elif key:
        (tmp_path / "team.key").write_text(key)
    else:
        (tmp_path / "team.key").unlink()
    found = faults(path)
    assert set(found) == {"radio.key_file"}
    assert words in found["radio.key_file"].message


@pytest.mark.parametrize(
    "host",
    [
        "",
        ".",
        "a..b",
        "x" * 64,
        "ü" * 70,
        "a b",
        "[::1]",
        "127.0.0.1:80",
        "http://robot",
        "999.1.1.1",
        "*",
        "a\\u0000",
    ],
)
def test_a_host_that_can_be_no_address_is_a_problem_that_says_what_is_one(tmp_path: Path, host: str) -> None:
    problem = faults(write(tmp_path, changed(ROBOT, ("port = 0", f'port = 0\nhost = "{host}"'))))["http.host"]
    assert problem.line == ROBOT.count("\n") + 1
    assert problem.message.startswith("expected an IP address or a host name")


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "0.0.0.0", "::1", "fe80::1%eth0", "localhost", "robot-7.lab.example", "my_pi", "x" * 63]
)
def test_addresses_and_host_names_are_taken(tmp_path: Path, host: str) -> None:
    robot, _ = load_robot(write(tmp_path, changed(ROBOT, ("port = 0", f'port = 0\nhost = "{host}"'))))
    assert robot.http.host == host


@pytest.mark.parametrize("port", ["dev/ttyUSB0", "tcp://robot", "serial:///dev/ttyUSB0?fast"])
def test_a_port_that_is_none_is_told_with_what_one_looks_like(tmp_path: Path, port: str) -> None:
    found = faults(write(tmp_path, changed(ROBOT, ('"/dev/null"', f'"{port}"'))))
    assert set(found) == {"board.port"}
    assert "expected" in found["board.port"].message


@pytest.mark.parametrize(
    ("name", "port", "said"),
    [
        (
            "udp",
            "tcp://localhost:4000",
            "'udp' is not reached over tcp://localhost:4000; expected udp://GROUP:PORT",
        ),
        ("udp", "udp://239.1.1.1:4000", "names no network interface"),
        ("udp", "", "this key is required: 'udp' is reached over a port, expected udp://GROUP:PORT"),
        ("xbee", "udp://239.1.1.1:4000?interface=lo", "'xbee' is not reached over udp://239.1.1.1:4000"),
        (
            "xbee",
            "udp://239.1.1.1:4000",
            "'xbee' is not reached over udp://239.1.1.1:4000; expected serial:///dev",
        ),
        ("udp", "zenoh://tcp/10.0.0.1:7447", "'udp' is not reached over zenoh://tcp/10.0.0.1:7447"),
        ("zenoh", "tcp://localhost:4000", "expected zenoh://tcp/HOST:PORT,..., say zenoh://tcp/10.0.0.1:7447"),
        ("zenoh", "zenoh://localhost:4000", "'localhost:4000' is no endpoint: expected tcp/HOST:PORT"),
    ],
)
def test_datagrams_go_to_a_multicast_group_and_bytes_do_not(
    tmp_path: Path, name: str, port: str, said: str
) -> None:
    edits = ('"modem"', f'"{name}"'), ('"tcp://localhost:4000"', f'"{port}"')
    assert said in faults(write(tmp_path, changed(ROBOT, *edits)))["radio.port"].message


def test_a_multicast_group_on_an_interface_is_a_port_of_udp(tmp_path: Path) -> None:
    port = "udp://239.255.77.1:8422?interface=wlan0"
    robot, _ = load_robot(write(tmp_path, changed(ROBOT, ('"modem"', '"udp"'), ("tcp://localhost:4000", port))))
    assert robot.radio.port == port


def test_a_lora_band_must_be_given_and_settings_be_ones_that_the_modem_takes(tmp_path: Path) -> None:
    lora = changed(ROBOT, ('"modem"', '"reyax"'))
    assert "band_hz" in str(faults(write(tmp_path, lora)))
    table = "\n[radio.parameters]\nband_hz = 869525000\nspreading_factor = 12\n"
    assert "at most 9 at 125 kHz" in str(faults(write(tmp_path, lora + table)))


def test_a_device_that_is_away_now_does_not_keep_a_robot_from_starting(tmp_path: Path) -> None:
    robot, _ = load_robot(write(tmp_path, changed(ROBOT, ('"/dev/null"', '"/dev/not-there"'))))
    assert robot.board.port == "/dev/not-there"


@pytest.mark.parametrize(
    "raises", ["1 / 0", "import nothing_like_it", "a b", "ROBOTD = {'x': {}}", "raise OSError"]
)
def test_a_plugin_file_that_fails_is_a_problem_of_the_line_that_names_it(tmp_path: Path, raises: str) -> None:
    path = write(tmp_path, changed(ROBOT, ('["./mine.py"]', '["./mine.py", "bad.py"]')))
    (tmp_path / "bad.py").write_text(raises)
    found = faults(path)
    assert set(found) == {"plugins.1"}
    assert "cannot be loaded" in found["plugins.1"].message
    assert found["plugins.1"].line == 3


def test_a_plugin_without_settings_is_a_problem_not_a_traceback(tmp_path: Path) -> None:
    plugins = PLUGINS.replace('"push": Push', '"push": object')
    found = faults(write(tmp_path, plugins=plugins))
    assert "no plug-in of robotd.behaviors" in found["sets.push"].message


@pytest.mark.parametrize("value", ["5", "'x'", "[]", "[5]", "true", "{ a = 1 }", "[{ a = 1 }]", "1979-05-27"])
@pytest.mark.parametrize(
    "key", ["name", "mission", "plugins", "board", "radio", "http", "log", "base_station_timeout_s", "start"]
)
def test_whatever_stands_at_a_key_of_a_robot_file_the_answer_is_a_list_of_problems(
    tmp_path: Path, key: str, value: str
) -> None:
    rows = [row for row in ROBOT.split("\n[")[0].splitlines() if not row.startswith(f"{key} =")]
    tables = [f"[{table}" for table in ROBOT.split("\n[")[1:] if not table.startswith((f"{key}]", f"{key}."))]
    path = write(tmp_path, "\n".join([*rows, f"{key} = {value}", *tables, ""]))
    if key == "plugins" and value == "[]":
        assert set(faults(path)) == {"board.name", "radio.name"}
    elif key == "base_station_timeout_s" and value == "5":
        assert load_robot(path)[0].base_station_timeout_s == 5.0
    else:
        found = faults(path)
        assert any(problem.startswith(key) for problem in found)
        assert all(problem.line for problem in found.values())


@pytest.mark.parametrize("value", ["5", "'x'", "[5]", "true", "1979-05-27"])
@pytest.mark.parametrize("key", ["plugins", "team", "tasks", "sets", "layers", "types", "event", "world"])
def test_a_table_of_a_mission_that_is_none_is_a_problem(tmp_path: Path, key: str, value: str) -> None:
    write(tmp_path)
    with pytest.raises(ConfigError) as caught:
        load_mission(tmp_path / "tidy.toml", {key: tomllib.loads(f"x = {value}")["x"]})
    assert any(problem.key.startswith(key) for problem in caught.value.problems)


def test_a_mission_that_is_not_there_is_a_problem_of_the_robot_files_line(tmp_path: Path) -> None:
    path = write(tmp_path, changed(ROBOT, ("tidy.toml", "tide.toml")))
    found = faults(path)
    assert found["mission"].line == 2
    assert "tide.toml: cannot be read" in found["mission"].message


def test_text_that_is_not_toml_is_told_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path, ROBOT + "\n[board\n")
    with pytest.raises(ConfigError) as caught:
        load_robot(path)
    (problem,) = caught.value.problems
    assert problem.line == ROBOT.count("\n") + 2
    assert "not TOML" in problem.message


@pytest.mark.parametrize(
    ("old", "new"), [('task = "shift"', 'taks = "shift"'), ("[team]", "[teem]"), ("[tasks.", "[tasc.")]
)
def test_faults_in_the_tables_of_plug_ins_are_told_together_with_those_of_the_structure(
    tmp_path: Path, old: str, new: str
) -> None:
    wrong = changed(
        MISSION,
        ("fast_rate = 10", "fast_rat = 10"),
        ("give_up_time_s", "give_up_tme_s"),
        ("{ speed = 0.5 }", "{ sped = 0.5 }"),
        ("_beats = 6", "_beat = 6"),
        ("{ speed = 0.9 }\n", "{ speed = 0.9 }\n[world]\nwidth = 3\n"),
    )
    tables = {
        "sets.push.motivation.fast_rat": ("fast_rate", "fast_rat ="),
        "sets.look.motivation.give_up_tme_s": ("give_up_time_s", "give_up_tme_s"),
        "sets.push.parameters.sped": ("speed", "parameters = { sped"),
        "coordinator.parameters.silence_timeout_beat": ("silence_timeout_beats", "silence_timeout_beat "),
        "world.width": ("width_m", "width = 3"),
    }
    for text, structural in ((wrong, False), (wrong.replace(old, new), True)):
        write(tmp_path, mission=text)
        with pytest.raises(ConfigError) as caught:
            load_mission(tmp_path / "tidy.toml")
        found = {problem.key: problem for problem in caught.value.problems}
        assert any(key.startswith(("teem", "tasc", "sets.push.taks")) for key in found) is structural
        for key, (nearest, starts) in tables.items():
            assert (found[key].nearest, found[key].line) == (nearest, line(text, starts))
            assert found[key].expected.startswith("one of ")


WORDS = st.sampled_from(["", "red", "look", "push", "find", "mission", "alliance", "./mine.py", "default", "Ä b"])
VALUES = st.recursive(
    WORDS | st.integers(-3, 300) | st.floats(allow_nan=False) | st.booleans(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=6,
)


def _paths(data: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [at]
    if isinstance(data, dict):
        for key, value in data.items():
            found += _paths(value, (*at, key))
    return found


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Source:
    folder = tmp_path_factory.mktemp("sound")
    write(folder)
    return Source.read(folder / "tidy.toml")


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_whatever_stands_in_a_mission_the_answer_is_a_list_of_problems(sound: Source, data: st.DataObject) -> None:
    content = copy.deepcopy(sound.data)
    for _ in range(data.draw(st.integers(1, 3))):
        *parents, last = data.draw(st.sampled_from(_paths(content)[1:]))
        table = content
        for part in parents:
            table = table[part]
        table[last] = data.draw(VALUES)
    source = Source(sound.file, sound.text, content)
    with contextlib.suppress(ConfigError):
        mission_of(source, Path(sound.file).parent)
    assert all(problem.message and problem.line for problem in source.problems)
