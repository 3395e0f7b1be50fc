"""The lines on the radio that are shown by tests, by fuzzing, by an attack and by a day of restarts."""

import re
import sys

from tests.accept.check import Check, Found, bench_check, pytest_check
from tests.accept.desk import ROOT, Desk

INPUTS, QUICK_INPUTS = 10_000_000, 200_000
FRAMES, QUICK_FRAMES = 1_000_000, 20_000
HOURS, RESTARTS, QUICK_DAY = 24.0, 200, (0.5, 12)
LIMIT_S = 6 * 3600.0
RECORDINGS = "tests/radio/test_recordings.py::test_"


def fuzz(desk: Desk) -> Found:
    count = desk.fewer(INPUTS, QUICK_INPUTS)
    words = ("--count", str(count), "--jobs", str(desk.jobs), "--state", str(desk.folder / f"fuzz-{count}.jsonl"))
    ran = desk.run(sys.executable, "-m", "tests.hostile", *words, timeout_s=LIMIT_S)
    done = [int(number) for number in re.findall(r": (\d+) inputs; ", ran.out)]
    failures = len(ran.err.splitlines())
    figure = f"{sum(done)} inputs to {len(done)} decoders, {failures} raised or believed {ran.err.strip()[:200]}"
    ok = ran.code == 0 and sum(done) == count and not failures
    return Found(figure.strip(), f"{count}, none raised or believed", ok)


def fuzz_in_ci(desk: Desk) -> Found:
    text = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    words = re.findall(r"^make fuzz COUNT=(\d+)$", text, re.MULTILINE)
    return Found(f"{', '.join(words) or 'no'} inputs for each change", "a short run", len(words) == 1)


def attack(desk: Desk) -> Found:
    """Forged, replayed, flipped, truncated and cross-team frames, between frames of the team."""
    count = desk.fewer(FRAMES, QUICK_FRAMES)
    ran = desk.run(sys.executable, "-m", "tests.hostile.attack", "--count", str(count), timeout_s=LIMIT_S)
    first = (ran.out.splitlines() or [ran.err.strip()[-200:]])[0]
    held = ": 0 taken, 0 stops; " in first and int(first.partition(" ")[0]) >= count
    return Found(first, f"{count}: 0 taken, 0 stops, all frames of the team received", ran.code == 0 and held)


def endure(desk: Desk) -> Found:
    """What each robot sent at most in a day of restarts, unplugs and clock steps under four regulations."""
    hours, restarts = QUICK_DAY if desk.quick else (HOURS, RESTARTS)
    words = ("--hours", str(hours), "--restarts", str(restarts))
    ran = desk.run(sys.executable, "-m", "tests.hostile.endurance", *words, timeout_s=LIMIT_S)
    lines = ran.out.splitlines()
    ok = ran.code == 0 and bool(lines) and all(line.endswith(": legal") for line in lines)
    return Found("; ".join(lines) or ran.err.strip()[-200:], "each: 3 s between, within its law", ok)


CHECKS = (
    pytest_check("1.1", "vectors decode and encode", "tests/radio/xbee/test_xbee_frames.py",
                 "tests/radio/reyax/test_reyax_lines.py", "tests/robotd/model/test_cobs.py"),
    pytest_check("1.2", "each vector and each report has a test by its name; foreign protocols are no frames",
                 "tests/radio/test_vectors.py"),
    pytest_check("1.3", "reports on ports, over ptys", "tests/robotd/transport/test_port_pty.py",
                 "tests/robotd/transport/test_port_modem.py"),
    # Splits, merges, flips, drops, garbage, unplugging, mute devices, full buffers.
    pytest_check("2.1", "every modem on hostile lines", "tests/radio/test_hostile_modems.py",
                 "tests/robotd/transport/test_port_modem.py"),
    pytest_check("2.2", "pacing and slots with clocks 100 ppm off", "tests/radio/test_pacing.py",
                 "tests/radio/test_slots.py"),
    pytest_check(
        "2.3", "modems 5 to 60 ms late",
        "tests/radio/test_hostile_modems.py::test_a_team_of_all_modems_hears_itself_and_keeps_its_beat",
        "tests/robotd/experiments/test_channel.py::test_modules_have_latencies_of_5_to_60_ms_alike_or_not"),
    Check("3.1", "no damaged input raises or is believed", f"make fuzz COUNT={INPUTS}", fuzz),
    Check("3.2", "a short run in CI", "cat .ci/run", fuzz_in_ci),
    # libFuzzer's test is skipped where atheris is not installed.
    pytest_check("3.3", "what raises or is believed is noticed", "tests/hostile", "-k", "not libfuzzer"),
    Check("4.1", "hostile frames, none accepted", f"python -m tests.hostile.attack --count {FRAMES}", attack),
    pytest_check(
        "4.2", "after a receiver's restart no recording is taken",
        "tests/radio/test_authentication.py::test_a_restart_leaves_four_frames_unheard_at_most_and_takes_no_recording"),
    *(pytest_check(f"4.{part}", what, RECORDINGS + test) for part, (what, test) in enumerate((
        ("a re-imaged robot is received again within five beats",
         "a_reimaged_robot_is_heard_again_within_five_beats"),
        ("of two robots with one number the older epoch stops and says so",
         "of_two_robots_with_one_number_both_say_so_and_the_older_epoch_is_silent"),
        ("no replayed frame stops anyone",
         "recordings_of_its_former_life_neither_stop_nor_silence_a_reimaged_robot"),
    ), 3)),
    Check("5.1", "no robot exceeds its beat or its law",
          f"python -m tests.hostile.endurance --hours {HOURS:g} --restarts {RESTARTS}", endure),
    bench_check("7.1", "ours is the smallest", "frames"),
)  # fmt: skip
