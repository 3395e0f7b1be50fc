"""How long a teammate may be silent before it counts as gone, and which loss of frames it tolerates."""

import math
from typing import NamedTuple

from robotd.config.mission import MissionFile
from robotd.model.coordinator_plugin import Timing

FALSE_DEATH = 1e-3  # the chance per window at which a silence time-out still tolerates a loss


class Silence(NamedTuple):
    """`numbers` for programs, empty where silence means nothing; `words`; whether they are a warning."""

    numbers: dict[str, float]
    words: str
    warns: bool


def timeout_s(timing: Timing, beat_s: float) -> float:
    """The silence time-out tau, s, inf for never: half a beat is added."""
    return (timing.silence_timeout_beats + 0.5) * beat_s


def all_lost(share: float, frames: int, *, bursts: bool) -> float:
    """The chance that so many frames in a row are lost, at a loss of `share`.

    Lost independently it is share to the power of `frames`; in bursts, the first one falls into a bad spell, which
    then has to go on (Gilbert 1960, with the spells of the simulated channel).
    """
    from radio.mock.loss import BURST_BEATS

    if not bursts or share in (0.0, 1.0):
        return share**frames
    burst = max(BURST_BEATS, share / (1.0 - share))
    return share * float((1.0 - 1.0 / burst) ** (frames - 1))


def greatest_loss(frames: int, *, bursts: bool) -> float:
    """The loss at which `FALSE_DEATH` of all windows make a live teammate seem gone; by halving, to 1e-6."""
    low, high = 0.0, 1.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if all_lost(middle, frames, bursts=bursts) < FALSE_DEATH else (low, middle)
    return low


def silence(mission: MissionFile, timing: Timing) -> Silence:
    """What follows from the silence time-out of a mission."""
    radio = mission.radio
    tau = timeout_s(timing, radio.beat_s)
    if math.isinf(tau):
        never = (
            "a silent teammate never counts as gone (silence_timeout_beats = inf): its tasks are not taken over"
        )
        return Silence({}, f"{never} before patience has run out", warns=True)
    beats = tau / radio.beat_s
    frames = math.floor(beats)
    tolerated, in_bursts = (greatest_loss(frames, bursts=bursts) for bursts in (False, True))
    false = all_lost(radio.loss, frames, bursts=radio.loss_model == "gilbert-elliott")
    numbers = {
        "beats": beats - 0.5, "seconds": tau, "frames": frames, "tolerated_loss": tolerated,
        "tolerated_loss_in_bursts": in_bursts, "configured_loss": radio.loss, "false_deaths_per_window": false,
    }  # fmt: skip
    words = (
        f"a teammate counts as gone after {tau:g} s of silence ({beats:g} beats, so {frames} frames in a row): "
        f"it tolerates {tolerated:.0%} of frames lost independently, or {in_bursts:.1%} in bursts of four beats "
        f"(at that loss a live teammate seems gone in one window of {1 / FALSE_DEATH:.0f})"
    )
    if false <= FALSE_DEATH:
        return Silence(numbers, words, warns=False)
    how = "in bursts" if radio.loss_model == "gilbert-elliott" else "independently"
    often = f"in one window of {1 / false:.0f}" if false < 1 else "always"
    words += (
        f"; at the simulated loss of {radio.loss:.0%}, {how}, it seems so {often}: raise silence_timeout_beats"
    )
    return Silence(numbers, words, warns=True)
