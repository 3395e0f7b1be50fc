"""The contract suite on every emulated board; and boards that break the contract, each detected by one check."""

import json
import math
import threading

import pytest

from boards.conformance import CHECKS, FORWARD
from boards.create2.driver import Create2, Create2Settings
from boards.r2.driver import R2, R2Settings
from robotd.__main__ import main
from robotd.bringup.against import ConformRequest, against, format_outcome, summarize
from robotd.bringup.bench import Bench
from robotd.bringup.conform import FAILED, NOT_OBSERVED, PASSED, Outcome, blocking, conform
from robotd.files.plugins import Plugins
from robotd.model.command import Command
from robotd.sim.emulated import emulations
from robotd.timing.virtual_loop import run_virtual
from tests.patience import have_patience
from tests.robotd.bringup.desk import PORT, emulated, loop_time, memory, silence
from tests.robotd.transport.emulated_port import answering

ON_PORT = [
    "answers", "drives", "top-speed", "expiry", "gripper", "unanswered", "stale", "reconnect", "leaves-halted",
    "cut-cable",
]  # fmt: skip
"""The checks that need a port, its recording or measured speeds; the others run in the tests of each board."""
NAMES = [each.name for each in CHECKS]


def played(kind, device=None, only=NAMES, meddle=lambda robot: None):
    """The outcomes by check, of a board on an emulator in virtual time."""

    async def main():
        robot = emulated(kind, loop_time())
        meddle(robot)
        plugin = Plugins().get("robotd.boards", kind)
        board = device if device is not None else plugin(plugin.Settings())
        checks = [each for each in CHECKS if each.name in only]
        async with Bench(PORT, board, memory(robot)) as bench:
            return {each.check: each for each in await conform(bench, checks=checks)}

    return run_virtual(main())


@pytest.mark.parametrize("kind", emulations().boards)
def test_every_emulated_board_keeps_the_contract(kind):
    outcomes = played(kind, only=ON_PORT)
    assert [each for each in outcomes.values() if each.outcome == FAILED] == []
    unseen = {name for name, each in outcomes.items() if each.outcome == NOT_OBSERVED}
    seen_by_encoders = {"drives", "expiry", "reconnect", "cut-cable"}
    assert unseen <= {"gripper"} or unseen == {"gripper", *seen_by_encoders}
    assert list(outcomes) == [*ON_PORT, "blocking"]


class Forever(Create2):
    """Its commands never expire."""

    def command(self, now, command):
        driven = super().command(now, command)
        self._latch.until = math.inf
        return driven


class Blind(Create2):
    """It takes old senses for new."""

    def _is_fresh(self, now):
        return self._reading is not None


class Half(Create2):
    """It reports more speed than it drives."""

    def command(self, now, command):
        super().command(now, type(command)(command.left * 0.4, command.right * 0.4))
        return command


class Hasty(Create2):
    """It drives on when the line comes back."""

    connects = 0

    def connect(self, now):
        self.connects += 1
        super().connect(now)

    def transmit(self, now):
        if self.connects > 1 and self.ready:
            self.command(now, FORWARD)
        return super().transmit(now)


class Sleepy(Create2):
    """It waits for the robot."""

    def receive(self, now, data):
        threading.Event().wait(0.012)
        super().receive(now, data)


class Fragile(Create2):
    """It takes any bytes for a frame."""

    def receive(self, now, data):
        if len(data) > 4000:
            raise IndexError("a frame of 4000 bytes")
        super().receive(now, data)


class Motionless(R2):
    """It drives nothing and reports that it does."""

    def command(self, now, command):
        super().command(now, Command())
        return command


def declaring(base, **changes):
    """A kind of board with other declarations."""
    return type("Declaring", (base,), changes)


LIAR = declaring(Create2, when_computer_dies="the robot itself, within a second")
MODEST = declaring(R2, when_computer_dies="nothing that is known")  # though its board has a watchdog


@pytest.mark.parametrize(
    ("kind", "caught", "words"),
    [
        (Forever, "expiry", "wheels rest"),
        (Blind, "stale", "without senses nothing is driven"),
        (Half, "drives", "wheels at"),
        (Half, "top-speed", "at most 0.50 m/s where 50.0 is requested"),
        (Hasty, "reconnect", "before a new command the wheels rest"),
        (Sleepy, "blocking", "99 of 100 calls"),
        (LIAR, "cut-cable", "the wheels rest"),
        (declaring(Create2, halt=b""), "leaves-halted", "a halt"),
        (Motionless, "cut-cable", "before the cable is cut the wheels turn"),
    ],
)
def test_a_board_that_breaks_a_promise_fails_that_check_with_what_was_expected_and_seen(kind, caught, words):
    base, settings = ("r2", R2Settings()) if issubclass(kind, R2) else ("create2", Create2Settings())
    outcome = played(base, kind(settings), ["zero" if caught == "blocking" else caught])[caught]
    assert outcome.outcome == FAILED
    assert words in outcome.expected
    assert outcome.seen


def test_a_board_that_stops_without_its_cable_and_has_not_promised_to_passes_with_a_note():
    outcome = played("r2", MODEST(R2Settings()), ["cut-cable"])["cut-cable"]
    assert outcome.outcome == PASSED
    assert outcome.seen == (
        "safer than it declares (nothing that is known): 4 s after the cable is cut its wheels rest"
    )
    assert format_outcome(outcome).endswith(f"or sooner: {outcome.seen}")
    kept = played("create2", only=["cut-cable"])["cut-cable"]
    assert (kept.outcome, kept.seen) == (PASSED, "")


def test_a_board_that_raises_is_a_failed_check_and_ends_the_others():
    outcomes = played("create2", Fragile(Create2Settings()), ["garbage", "reconnect"])
    assert outcomes["raises"].outcome == FAILED
    assert "IndexError: a frame of 4000 bytes" in outcomes["raises"].seen
    assert "reconnect" not in outcomes


def test_a_board_that_does_not_answer_fails_the_first_check_and_ends_the_others():
    outcomes = played("create2", meddle=lambda robot: setattr(robot, "deaf", True))
    assert list(outcomes) == ["answers", "blocking"]
    assert "press Clean" in outcomes["answers"].seen


def test_calls_that_are_slow_once_pass_and_those_that_block_fail():
    assert blocking({"receive": [0.001] * 500 + [0.02]}).outcome == PASSED
    assert blocking({"receive": [0.001] * 500 + [0.3]}).outcome == FAILED
    assert blocking({"receive": [0.012] * 10}).seen == "receive: 12.0, 12 ms"


def ran(asked, opener):
    written = []
    return run_virtual(against(asked, written.append, opener=opener)), "".join(written)


def test_the_result_is_a_table_or_one_json_object(tmp_path):
    async def opener(address, line, protocol):
        return await memory(emulated("pioneer", loop_time()))(address, line, protocol)

    code, text = ran(ConformRequest(PORT, "pioneer", only=("answers", "top-speed")), opener)
    assert code == 0
    assert "passed        top-speed" in text
    assert "board pioneer keeps the contract: 3 checks passed" in text
    code, text = ran(ConformRequest(PORT, "pioneer", only=("top-speed",), json=True), opener)
    document = json.loads(text)
    assert (code, document["ok"], document["board"]) == (0, True, "pioneer")
    assert [each["check"] for each in document["checks"]] == ["top-speed", "blocking"]
    robot = tmp_path / "robot.toml"
    robot.write_text(
        f'name = "olive"\nmission = "patrol"\n[board]\nname = "pioneer"\nport = "{PORT}"\n'
        '[board.parameters]\nmax_speed_m_s = 0.2\n[radio]\nname = "none"\n',
        encoding="utf-8",
    )
    assert ConformRequest(PORT, file=str(robot)).device()[0] == "pioneer"
    assert ran(ConformRequest(PORT, file=str(robot), only=("top-speed",)), opener)[0] == 0


def test_a_port_without_a_board_is_a_failed_check_with_status_1():
    code, text = ran(ConformRequest(PORT, "r2"), silence)
    assert code == 1
    assert "FAILED        answers" in text
    assert "fails 1 of 2 checks: answers" in text


def opening(failures, error):
    """An opener that raises `error` so often before it opens a line to an R-2; how often it was tried."""
    tries = []

    async def opener(address, line, protocol):
        tries.append(address)
        if len(tries) <= failures:
            raise error
        return await memory(emulated("r2", loop_time()))(address, line, protocol)

    return opener, tries


def test_a_port_that_does_not_open_is_an_error_and_one_that_another_program_closes_is_waited_for(capsys):
    opener, _ = opening(math.inf, FileNotFoundError(2, "No such file"))
    assert ran(ConformRequest("/dev/nope", "create2"), opener) == (2, "")
    assert capsys.readouterr().err == "robotd: /dev/nope: cannot be opened: no such device\n"
    opener, tries = opening(4, BlockingIOError(11, "Resource temporarily unavailable"))
    code, text = ran(ConformRequest(PORT, "r2", only=("top-speed",)), opener)
    assert (code, len(tries)) == (0, 5)
    assert "board r2 keeps the contract" in text


def test_a_setting_that_does_not_fit_is_an_error_and_no_check_is_run(capsys):
    assert ran(ConformRequest(PORT, "create2", settings=(("mode", '"ful"'),)), silence)[0] == 2
    err = capsys.readouterr().err
    assert "--set mode: expected one of 'safe', 'full', found 'ful'; did you mean 'full'?" in err
    assert "pydantic" not in err


def test_the_last_line_counts_failed_and_unobserved_checks():
    failed, unseen = Outcome("drives", "", FAILED, "this", "that"), Outcome("a", "b", NOT_OBSERVED, "", "c")
    assert summarize("mine", [failed, unseen]) == "board mine fails 1 of 2 checks: drives; not observed: a"
    assert "expected: this\n" in format_outcome(failed)
    assert format_outcome(unseen).endswith("b: c")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "name what to check: FILE"),
        (["--board", "r2"], "name what to check"),
        (["--against", "ttyUSB0", "--board", "r2"], "is no port: expected"),
        (["--against", PORT], "needs --board NAME, or a robot FILE"),
        (["robot.toml", "--board", "r2", "--against", PORT], "needs --board NAME, or a robot FILE"),
        (["--board", "r2", "--against", PORT, "--only", "drive"], "did you mean 'drives'"),
        (["--board", "r2", "--against", PORT], "off the ground, and give --yes"),
    ],
)
def test_what_cannot_be_tried_is_refused_before_anything_moves(words, reason, capsys):
    assert main(["check", *words]) == 2
    assert reason in capsys.readouterr().err


def test_the_program_itself_runs_on_a_real_port_under_a_guardian(capfd, monkeypatch):
    have_patience(monkeypatch)
    with answering("r2") as port:
        words = ["--board", "r2", "--against", port, "--only", "top-speed", "--only", "leaves-halted", "--yes"]
        assert main(["check", *words]) == 0
    assert "board r2 keeps the contract: 3 checks passed" in capfd.readouterr().out
