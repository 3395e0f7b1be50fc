"""The radio for real: modems, base station, authentication, lost and hostile air, by the line of what shows it."""

from __future__ import annotations

from tests.accept.check import Check
from tests.accept.radio import attack, bridged, channel, endurance, fuzz, sizes, slots, transports, vectors

CHECKS: tuple[Check, ...] = (
    *vectors.CHECKS, *transports.CHECKS, *fuzz.CHECKS, *attack.CHECKS, *endurance.CHECKS, *channel.CHECKS,
    *slots.CHECKS, *sizes.CHECKS, *bridged.CHECKS,
)  # fmt: skip
