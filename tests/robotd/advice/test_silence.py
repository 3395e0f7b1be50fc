"""Silence against loss: when a teammate counts as gone, and which loss that tolerates."""

from pathlib import Path

import pytest

from radio.mock.loss import A_SLOT, GilbertElliott
from robotd.advice.silence import FALSE_DEATH, all_lost, greatest_loss
from tests.robotd.advice.advised import has, of_mission

BEATS = "_beats = 6"
LOSS = "[facts]", "[radio]\nloss = {}\n[facts]"


@pytest.mark.parametrize(("beats", "loss"), [(3, 0.10), (6, 0.316), (10, 0.50)])
def test_the_loss_that_a_silence_time_out_tolerates_is_that_of_one_false_death_in_1000_windows(
    tmp_path: Path, beats: int, loss: float
) -> None:
    advice = of_mission(tmp_path, (BEATS, f"_beats = {beats}"))
    assert advice.silence["tolerated_loss"] == pytest.approx(loss, abs=0.002)
    assert advice.silence["seconds"] == (beats + 0.5) * 3.0
    assert has(advice.notes, f"{loss:.0%} of frames lost")


def test_a_simulated_loss_beyond_it_is_a_warning(tmp_path: Path) -> None:
    assert not has(of_mission(tmp_path, (LOSS[0], LOSS[1].format(0.3))).warnings, "raise silence_timeout_beats")
    advice = of_mission(tmp_path, (LOSS[0], LOSS[1].format(0.5)))
    assert has(advice.warnings, "at the simulated loss of 50%", "one window of 64", "raise silence_timeout_beats")
    assert has(of_mission(tmp_path, (LOSS[0], LOSS[1].format(1))).warnings, "loss of 100%", "always")


def test_losses_in_bursts_are_tolerated_less_well(tmp_path: Path) -> None:
    bursts = '0.1\nloss_model = "gilbert-elliott"'
    advice = of_mission(tmp_path, (LOSS[0], LOSS[1].format(bursts)))
    assert has(advice.warnings, "loss of 10%, in bursts", "one window of 42", "raise silence_timeout_beats")
    assert advice.silence["tolerated_loss_in_bursts"] == pytest.approx(0.0042, abs=1e-4)
    assert not has(of_mission(tmp_path, (LOSS[0], LOSS[1].format(0.1))).warnings, "raise silence_timeout_beats")


@pytest.mark.parametrize(("share", "frames"), [(0.3, 3), (0.1, 4), (0.85, 6)])
def test_the_chance_of_a_silent_window_is_that_of_the_simulated_channel(share: float, frames: int) -> None:
    model, windows = GilbertElliott(1), 20_000
    lost = [model.loses(1, 2, n * A_SLOT, share) for n in range(windows + frames)]
    silent = sum(all(lost[n : n + frames]) for n in range(windows)) / windows
    assert all_lost(share, frames, bursts=True) == pytest.approx(silent, rel=0.12)
    assert all_lost(share, frames, bursts=False) == share**frames


@pytest.mark.parametrize("bursts", [False, True])
@pytest.mark.parametrize("frames", [3, 7, 40])
def test_at_the_greatest_loss_one_window_in_1000_is_silent(frames: int, bursts: bool) -> None:
    loss = greatest_loss(frames, bursts=bursts)
    assert all_lost(loss, frames, bursts=bursts) <= FALSE_DEATH < all_lost(loss + 1e-4, frames, bursts=bursts)


def test_a_time_out_that_never_ends_is_a_warning_and_takeovers_wait_for_patience(tmp_path: Path) -> None:
    advice = of_mission(tmp_path, (BEATS, "_beats = inf"))
    assert has(advice.warnings, "never counts as gone")
    assert advice.silence == {}
    times = advice.takeovers["shift"]["red"]
    assert times.silent_s == times.announcing_s
