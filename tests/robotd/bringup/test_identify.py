"""Which board answers on a port, in virtual time: each emulated board is identified, and nothing moves."""

import json
from types import SimpleNamespace

import pytest

from boards.create2.frames import SAFE, START
from boards.r2.driver import R2, R2Settings
from robotd.bringup.bench import BoardError
from robotd.bringup.identify import IS_CONSOLE, TRY_S, check_base, format_sample, identify, kinds
from robotd.bringup.procedure import BringUpRequest, Surroundings, bring_up
from robotd.files.plugins import Plugins, UnknownPlugin
from robotd.sim.emulated import emulations
from robotd.timing.virtual_loop import run_virtual
from tests.robotd.bringup.desk import PORT, emulated, loop_time, memory, silence

BOARDS = emulations().boards


def devices(wanted="auto"):
    plugins = Plugins()
    made = {name: plugins.get("robotd.boards", name) for name in kinds(plugins, wanted)}
    return {name: lambda plugin=plugin: plugin(plugin.Settings()) for name, plugin in made.items()}


@pytest.mark.parametrize("kind", BOARDS)
def test_every_emulated_board_is_named_and_does_not_move(kind):
    speeds = []

    async def main():
        robot = emulated(kind, loop_time())
        inner = robot.receive

        def watched(now, data):
            inner(now, data)
            speeds.append(robot.body.driven(now))

        robot.receive = watched
        return await identify(PORT, devices(), opener=memory(robot))

    result = run_virtual(main())
    assert result.board == kind
    assert "mobile" in result.resources
    assert result.missing == {}
    assert result.when_computer_dies
    assert [each.board for each in result.tried if each.answered] == [kind]
    assert set(speeds) == {(0.0, 0.0)}


def test_without_an_answer_every_board_was_tried_at_its_own_settings():
    result = run_virtual(identify(PORT, devices(), opener=silence))
    assert result.board == ""
    tried = {each.board: each for each in result.tried}
    assert sorted(tried) == sorted(BOARDS)
    assert (tried["create2"].baud, tried["pioneer"].baud) == (115200, 9600)
    assert "press Clean" in tried["create2"].why
    assert all((each.bytes_in, each.sample) == (0, "") for each in result.tried)
    assert all(TRY_S <= each.seconds < TRY_S + 0.2 for each in result.tried)


@pytest.mark.parametrize(
    ("data", "sample"), [(b"", ""), (b"ok\r\n", "'ok\\r\\n'"), (b"\xfflogin", "ff 6c 6f 67 69 6e")]
)
def test_a_sample_is_quoted_text_or_hexadecimal(data, sample):
    assert format_sample(data) == sample


def test_a_login_console_is_named_and_no_further_board_is_tried_there():
    class Babbler:
        wake_at = 0.5
        sent = False

        def receive(self, now, data):
            """Ignored."""

        def transmit(self, now):
            before, self.sent, self.wake_at = self.sent, now >= 0.5, None if now >= 0.5 else 0.5
            return [b"login: "] if self.sent and not before else []

    async def main():
        return await identify(PORT, {**devices("r2"), **devices("create2")}, opener=memory(Babbler()))

    (tried,) = run_virtual(main()).tried
    assert (tried.bytes_in, tried.sample, tried.why) == (7, "'login: '", IS_CONSOLE)
    assert "7 unreadable bytes: 'login: '" in str(tried)


def test_boards_that_could_take_other_handshakes_for_commands_are_tried_first():
    assert kinds(Plugins())[0] == "create2"
    assert "mock" not in kinds(Plugins())
    with pytest.raises(ValueError, match="has no port"):
        kinds(Plugins(), "mock")
    with pytest.raises(ValueError, match="is an add-on"):
        check_base("hand", SimpleNamespace(add_on=True, needs_port=True))
    with pytest.raises(UnknownPlugin, match="did you mean 'create2'"):
        kinds(Plugins(), "creat2")


def test_a_create_2_is_left_switched_off_so_that_it_ignores_other_handshakes():
    async def main():
        robot = emulated("create2", loop_time())
        robot.receive(loop_time(), bytes([START, SAFE]))
        robot.deaf = False
        await identify(PORT, devices("create2"), opener=memory(robot))
        return robot.mode

    assert run_virtual(main()) == 0


def test_a_board_that_needs_settings_is_reported_and_not_tried():
    def make():
        raise ValueError("left: Field required")

    (tried,) = run_virtual(identify(PORT, {"mine": make}, opener=silence)).tried
    assert str(tried).startswith("mine: not tried: it needs settings: give --type mine --set")


def test_a_board_whose_code_raises_is_a_board_error():
    class Broken(R2):
        def receive(self, now, data):
            raise ZeroDivisionError("in the driver")

    async def main():
        robot = emulated("r2", loop_time())
        return await identify(PORT, {"r2": lambda: Broken(R2Settings())}, opener=memory(robot))

    with pytest.raises(BoardError, match="ZeroDivisionError: in the driver"):
        run_virtual(main())


@pytest.mark.parametrize("kind", ["r2", None])
def test_json_is_one_object(kind):
    written = []

    async def main():
        opener = memory(emulated(kind, loop_time())) if kind else silence
        return await bring_up(
            BringUpRequest(PORT, kind or "r2", json=True), Surroundings(None, written.append, opener)
        )

    code = run_virtual(main())
    document = json.loads("".join(written))
    assert document["board"] == kind
    assert code == (0 if kind else 1)
    assert list(document) == ["port", "board", "tried", "resources", "missing", "when_computer_dies"]


def test_without_a_person_a_board_is_identified_and_shown_and_no_question_is_printed():
    written = []

    async def main():
        robot = emulated("pioneer", loop_time())
        return await bring_up(BringUpRequest(PORT, "pioneer"), Surroundings(None, written.append, memory(robot)))

    assert run_virtual(main()) == 0
    text = "".join(written)
    assert "is a board of the kind pioneer" in text
    assert "sonar" in text
    assert "?" not in text
    assert "no robot file was written" in text.splitlines()[-1]
