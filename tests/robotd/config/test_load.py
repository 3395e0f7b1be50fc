"""Reading robot and mission files: every fault, with its file, line and key."""

import contextlib
import copy
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robotd.advice.advice import advise_robot
from robotd.config.load import ConfigError, Problem, Source, load_mission, load_robot, mission_of
from robotd.config.mission import MissionFile
from tests.robotd.config.files import MISSION, PLUGINS, ROBOT, changed, line, write

MAESTRO = '\n[[add_ons]]\nname = "maestro"\nport = "/dev/zero"\n'
GROUP = "udp://239.1.1.1:4000?interface=lo"
POSITIONING = f'\n[[add_ons]]\nname = "positioning"\nport = "{GROUP}"\n'
NULL, TCP = '"/dev/null"', '"tcp://localhost:4000"'
OTHER = "number = 3, type = 'big'"


def faults(path: Path) -> dict[str, Problem]:
    """Every problem of the robot file at `path` and of its mission, by key."""
    with pytest.raises(ConfigError) as caught:
        load_robot(path)
    assert len({problem.key for problem in caught.value.problems}) == len(caught.value.problems)
    return {problem.key: problem for problem in caught.value.problems}


def test_files_without_a_fault_are_read_and_a_device_that_is_away_is_none(tmp_path: Path) -> None:
    robot, mission = load_robot(
        write(tmp_path, changed(ROBOT, (NULL, '"/dev/not-there"')) + MAESTRO + POSITIONING)
    )
    assert (robot.name, robot.board.port, robot.start) == ("red", "/dev/not-there", "at-boot")
    assert [part.name for part in robot.add_ons] == ["maestro", "positioning"]
    assert any("maestro: nothing" in note for note in advise_robot(robot, mission, mission.plugins).notes)
    assert sorted(mission.content.team) == ["blue", "red"]
    assert mission.content.time_limit_s == 1000.0
    assert mission.content.sets["push"].motivation["patience_s"] == float("inf")
    kept = json.loads(json.dumps(mission.as_data()))  # as a run log has it
    assert MissionFile.model_validate(kept) == mission.content


ROBOT_FAULTS = [
    ("port = 0", 'port = "8421"', "http.port", "without the quotes"),
    ("port = 0", "port = true", "http.port", "found true"),
    ("port = 0", "port = 1979-05-27", "http.port", "found a date"),
    ("port = 0", "port = [1]", "http.port", "found a list"),
    ("port = 0", "port = 70000", "http.port", "from 0 to 65535, found 70000"),
    ("port = 0", "port = 1.0", "http.port", "found 1.0"),
    ("[board]\n", "host = '0.0.0.0'\n[board]\n", "host", "[http]"),
    ("port = ", "prot = ", "board.prot", "did you mean 'port'"),  # which the plug-in requires
    ("mission = ", "misson = ", "misson", "did you mean 'mission'"),
    ("[radio]", "[rado]", "rado", "did you mean 'radio'"),
    ('mission = "tidy.toml"\n', "", "mission", "required"),
    (f'"modem"\nport = {TCP}', f'"reyax"\nport = {TCP}', "radio.parameters.band_hz", "required"),
    ('"modem"', '"reyax"\nparameters = { band_hz = 869525000, spreading_factor = 12 }', "radio.parameters",
     "at most 9 at 125 kHz"),
    *(("port = 0", f'port = 0\nallowed_hosts = ["desk", "{host}"]', "http.allowed_hosts.1", "a host name")
      for host in ("a/b", "*.local", "")),
    *(("port = 0", f'port = 0\nhost = "{host}"', "http.host", "an IP address or a host name") for host in (
        "", ".", "a..b", "x" * 64, "ü" * 70, "a b", "[::1]", "127.0.0.1:80", "http://robot", "999.1.1.1", "*")),
    *((NULL, f'"{port}"', "board.port", "expected") for port in ("dev/x", "tcp://robot", "serial:///dev/x?fast")),
    ('"wired"', '"maestro"', "board.name", "under [[add_ons]]"),
    (TCP, NULL, "radio.port", "by board.port"),
    ('"modem"', '"udp"', "radio.port", "udp://GROUP:PORT"),
    (f'"modem"\nport = {TCP}', '"udp"\nport = "udp://239.1.1.1:4000"', "radio.port", "network interface"),
    (f'"modem"\nport = {TCP}', '"udp"\nport = ""', "radio.port", "udp://GROUP:PORT"),
    (f'"modem"\nport = {TCP}', f'"xbee"\nport = "{GROUP}"', "radio.port", "serial:///dev"),
    (f'"modem"\nport = {TCP}', '"udp"\nport = "zenoh://tcp/10.0.0.1:7447"', "radio.port", "udp://GROUP:PORT"),
    ('"modem"', '"zenoh"', "radio.port", "zenoh://tcp/HOST:PORT"),
    (f'"modem"\nport = {TCP}', '"zenoh"\nport = "zenoh://localhost:4000"', "radio.port", "endpoint"),
    ("tidy.toml", "tide.toml", "mission", "tide.toml: there is no such file"),
    ('"./mine.py"]', '"./mine.py", "none.py"]', "plugins.1", "cannot be loaded"),
    ("", MAESTRO.replace("maestro", "create2"), "add_ons.0.name", "is a board"),
    ("", MAESTRO + MAESTRO.replace("zero", "full"), "add_ons.1.name", "from 'maestro' already"),
    ("", MAESTRO.replace('port = "/dev/zero"', ""), "add_ons.0.port", "over a port"),
    ("", MAESTRO.replace("/dev/zero", GROUP), "add_ons.0.port", "not reached"),
    ("", MAESTRO.replace("maestro", "maestri"), "add_ons.0.name", "'maestri'"),
    ("", MAESTRO + "parameters = { chanel = 3 }\n", "add_ons.0.parameters.chanel", "unknown key"),
    ("", MAESTRO + "speed = 3\n", "add_ons.0.speed", "unknown key"),
    *(("", MAESTRO.replace("/dev/zero", port), "add_ons.0.port", "by board.port")
      for port in ("/dev/null", "serial:///dev/null?57600", "/dev/../dev/null")),
    ("", MAESTRO.replace("/dev/zero", "tcp://LOCALHOST:4000"), "radio.port", "by add_ons.0.port"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "key", "word"), ROBOT_FAULTS, ids=lambda value: str(value)[:30])
def test_each_fault_of_a_robot_file_is_reported_at_its_key(
    tmp_path: Path, old: str, new: str, key: str, word: str
) -> None:
    text = changed(ROBOT, (old, new)) if old else ROBOT + new
    found = faults(write(tmp_path, text.replace("speed = 0.4", "") if '"maestro"' in new and old else text))
    assert set(found) == {key}
    assert found[key].line
    assert word in found[key].message


@pytest.mark.parametrize("old", ['"tidy.toml"', '"./mine.py"', NULL, '"team.key"', "0.4"])
def test_a_text_that_no_file_can_be_called_is_refused_with_its_line(tmp_path: Path, old: str) -> None:
    text = changed(ROBOT, (old, '"a\\u0000b"'))
    ((key, problem),) = faults(write(tmp_path, text)).items()
    assert (key, problem.line) == ("", 1 + text[: text.index("u0000")].count("\n"))


MISSION_FAULTS = [
    ("slow_rate = 1\n", "slow_rate = -1\n", "sets.look.motivation.slow_rate", "above 0"),
    ("blue = 0.5", "blue = -0.5", "sets.push.motivation.slow_rate.blue", "found -0.5"),
    ("{ default = 1, blue = 0.5 }", "'x'", "sets.push.motivation.slow_rate", "or a table by name"),
    ("slow_rate = 1\n", "slow_rate = 30\n", "sets.look.motivation", "below the fast_rate"),
    ('task = "find"', 'task = "fimd"', "sets.look.task", "'find'"),
    ('task = "shift"', 'taks = "shift"', "sets.push.taks", "'task'"),
    ('completion = "found"', 'completion = "fond"', "tasks.find.completion", "'found'"),
    ('completion = "found"', 'completion = "spot"', "tasks.find.completion", "a flag or count"),
    ("number = 2, type", "number = 1, type", "team.blue.number", "'red'"),
    ("[layers.glance]", "[layers.glanc]", "layers.glanc", "'glance'"),
    ("[layers.glance]", "[layers.look]", "layers.look", "no layer"),
    ("[sets.look]", "[sets.look]\nbehavior = 'glance'", "sets.look.behavior", "no behavior set"),
    ("[types.small]", "[types.smal]", "types.smal", "'small'"),
    ("[robots.red.", "[robots.rad.", "robots.rad", "'red'"),
    ('without = ["look"]', 'without = ["lok"]', "types.small.without.0", "'look'"),
    ("red.sets.push]", "red.sets.pash]", "robots.red.sets.pash", "'push'"),
    ("{ speed = 0.9 }", "{ speed = 9 }", "robots.red.sets.push.parameters.speed", "found 9"),
    ("{ speed = 0.5 }", "{ speed = 5 }", "sets.push.parameters.speed", "found 5"),  # once, though red changes it
    ("{ speed = 0.5 }", "{ sped = 0.5 }", "sets.push.parameters.sped", "'speed'"),
    ("_beats = 6", "_beats = 2", "coordinator.parameters.silence_timeout_beats", "at least 3"),
    ('without = ["look"]', 'body = { lacks = ["griper"] }', "types.small.body", "'griper'"),
    ("[facts]", "[world]\nwidth_m = -1\n[facts]", "world.width_m", "found -1"),
    ("[facts]", "[control]\nticks_per_decision = 21\n[facts]", "control", "at most 1 s"),
    ("[facts]", "[coordinator]\nname = 'aliance'\n[facts]", "coordinator.name", "'alliance'"),
    ("red = {", f"Red_1 = {{ {OTHER} }}\nred = {{", "team.Red_1", "lower-case letters"),
    ("red = {", f"all = {{ {OTHER} }}\nred = {{", "team.all", "'all'"),
    ('kind = "flag"', 'kind = "flg"', "facts.found.kind", "'flag'"),
    ("[team]", "[[event]]\nat_s = 1\nverb = 'remov'\nwho = 'red'\n[team]", "event.0", "'remove'"),
    ("[team]", "[[event]]\nverb = 'remove'\nwho = 'red'\n[team]", "event.0", "at_box_m"),
    ("[team]", "[[event]]\nat_s = 1\nat_box_m = 1\nverb = 'remove'\nwho = 'red'\n[team]", "event.0", "at_box_m"),
    ("[team]", "[[event]]\nat_box_m = 1\nverb = 'remove'\nwho = 'red'\n[team]", "event.0", "no box"),
]


@pytest.mark.parametrize(("old", "new", "key", "word"), MISSION_FAULTS, ids=lambda value: str(value)[:30])
def test_each_fault_of_a_mission_is_reported_once_at_its_key(
    tmp_path: Path, old: str, new: str, key: str, word: str
) -> None:
    ((found, problem),) = faults(write(tmp_path, mission=changed(MISSION, (old, new)))).items()
    assert (found, problem.line > 1) == (key, True)
    assert word in problem.message


@pytest.mark.parametrize(
    ("old", "new"),
    [*((GROUP, port) for port in ("/dev/zero", "tcp://localhost:4001")),
     *(("port = 0", f'port = 0\nhost = "{host}"') for host in (
         "127.0.0.1", "0.0.0.0", "::1", "fe80::1%eth0", "localhost", "robot-7.lab.example", "my_pi", "x" * 63))],
)  # fmt: skip
def test_ports_of_lines_addresses_and_host_names_are_taken(tmp_path: Path, old: str, new: str) -> None:
    assert load_robot(write(tmp_path, changed(ROBOT + POSITIONING, (old, new))))


def test_a_faulty_entry_does_not_make_its_name_unknown_to_others(tmp_path: Path) -> None:
    mission = changed(
        MISSION, ("number = 2\n\n[facts]", 'number = "two"\n\n[facts]'), ("number = 2, type", "number = 99, type")
    )
    assert set(faults(write(tmp_path, mission=mission))) == {"tasks.shift.number", "team.blue.number"}


@pytest.mark.parametrize(
    ("key", "word"),
    [("", "cannot be read"), (f"white {'cafe' * 16}", "white"), ("cafe" * 3, "64 hex"), (None, "chmod 0600")],
)
def test_a_key_file_that_cannot_be_used_is_reported_with_what_to_do(
    tmp_path: Path, key: str | None, word: str
) -> None:
    path, file = write(tmp_path), tmp_path / "team.key"
    if key is None:
        file.chmod(0o644)
    elif key:
        file.write_text(key)
    else:
        file.unlink()
    found = faults(path)
    assert set(found) == {"radio.key_file"}
    assert word in found["radio.key_file"].message


@pytest.mark.parametrize(
    ("mode", "tokens", "word"),
    [
        (0o644, "cafe0123" * 8, "chmod 0600"),
        (0o600, "cafe", "64 hex"),
        (0o600, "", "no key"),
        (0o600, None, "cannot be read"),
        (0o600, f"ann {'cafe0123' * 8}", ""),
        (0o600, f"ann {'cafe0123' * 8}\nben {'0123456789ABCDEF' * 4}", "holds a key that signs frames, of"),
    ],
)
def test_a_file_of_tokens_that_cannot_be_used_is_reported_with_what_to_do(
    tmp_path: Path, mode: int, tokens: str | None, word: str
) -> None:
    path = write(tmp_path, changed(ROBOT, ("[http]", '[http]\ntoken_file = "http.token"')))
    if tokens is not None:
        (tmp_path / "http.token").write_text(tokens)
        (tmp_path / "http.token").chmod(mode)
    if not word:
        assert load_robot(path)[0].http.token_file == "http.token"
        return
    found = faults(path)
    assert set(found) == {"http.token_file"}
    assert word in found["http.token_file"].message


@pytest.mark.parametrize(
    "raises", ["1 / 0", "import nothing_like_it", "a b", "ROBOTD = {'x': {}}", "raise OSError"]
)
def test_a_plugin_file_that_fails_is_a_problem_of_the_line_that_names_it(tmp_path: Path, raises: str) -> None:
    path = write(tmp_path, changed(ROBOT, ('["./mine.py"]', '["./mine.py", "bad.py"]')))
    (tmp_path / "bad.py").write_text(raises)
    assert {key: one.line for key, one in faults(path).items()} == {"plugins.1": 3}


def test_a_plugin_without_settings_is_a_problem_not_a_traceback(tmp_path: Path) -> None:
    found = faults(write(tmp_path, plugins=PLUGINS.replace('"push": Push', '"push": object')))
    assert "robotd.behaviors" in found["sets.push"].message


@pytest.mark.parametrize("value", ["5", "'x'", "[]", "[5]", "true", "{ a = 1 }", "[{ a = 1 }]", "1979-05-27"])
def test_whatever_is_at_a_key_of_a_robot_file_the_answer_is_a_list_of_problems(tmp_path: Path, value: str) -> None:
    for key in ("name", "mission", "plugins", "board", "radio", "http", "log", "base_station_timeout_s", "start"):
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


@pytest.mark.parametrize("new", ["[team]", "[teem]"])
def test_faults_in_the_tables_of_plug_ins_are_reported_together_with_those_of_the_structure(
    tmp_path: Path, new: str
) -> None:
    tables = {
        "sets.push.motivation.fast_rat": ("fast_rate = 10", "fast_rat = 10"),
        "sets.look.motivation.give_up_tme_s": ("give_up_time_s", "give_up_tme_s"),
        "sets.push.parameters.sped": ("parameters = { speed = 0.5 }", "parameters = { sped = 0.5 }"),
        "coordinator.parameters.silence_timeout_beat": ("silence_timeout_beats", "silence_timeout_beat"),
    }
    text = changed(MISSION, *tables.values(), ("[team]", f"world.width = 3\n{new}"))
    found = faults(write(tmp_path, mission=text))
    assert any(key.startswith("teem") for key in found) is (new == "[teem]")
    for key, starts in {**{key: new for key, (_, new) in tables.items()}, "world.width": "world.width"}.items():
        assert (found[key].line, found[key].expected[:7]) == (line(text, starts), "one of ")


WORDS = st.sampled_from(["", "red", "look", "push", "find", "mission", "alliance", "./mine.py", "default", "Ä b"])
VALUES = st.recursive(
    WORDS | st.integers(-3, 300) | st.floats(allow_nan=False) | st.booleans(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=6,
)


def _paths(data: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = data.items() if isinstance(data, dict) else ()
    return [at, *(path for key, value in inner for path in _paths(value, (*at, key)))]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Source:
    folder = tmp_path_factory.mktemp("sound")
    write(folder)
    return Source.read(folder / "tidy.toml")


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_whatever_is_in_a_mission_the_answer_is_a_list_of_problems(sound: Source, data: st.DataObject) -> None:
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


def _calls_to_load(folder: Path, size: int) -> int:
    """The function calls of reading a mission of so many robots, tasks, sets and changes and a misspelt key."""
    names = [f"n{number}" for number in range(size)]
    push = MISSION[MISSION.index("[sets.push.motivation]") : MISSION.index("[types.small]")]
    rows = ['name = "large"\nplugins = ["./mine.py"]\nteam.n0.tipe = "big"']
    rows += [f'team.{name} = {{ number = {n % 31 + 1}, type = "big" }}' for n, name in enumerate(names[1:])]
    rows += [f"[tasks.{name}]\nnumber = {n % 255 + 1}" for n, name in enumerate(names)]
    rows += [f'[sets.{name}]\nbehavior = "push"\ntask = "{name}"\n{push.replace("push", name)}' for name in names]
    rows += [f"[robots.{name}.sets.{name}]\nparameters = {{ speed = 0.9 }}" for name in names]
    path = folder / "large.toml"
    path.write_text("\n".join(rows))
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        with contextlib.suppress(ConfigError):
            load_mission(path)
    finally:
        sys.setprofile(None)
    return calls


def test_the_work_of_a_check_grows_with_the_size_of_the_mission_and_not_with_its_square(tmp_path: Path) -> None:
    write(tmp_path)
    _calls_to_load(tmp_path, 10)  # fills caches
    assert _calls_to_load(tmp_path, 120) < 5 * _calls_to_load(tmp_path, 30)
