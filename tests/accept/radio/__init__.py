"""The radio for real: modems, base station, authentication, lost and hostile air, by the line of what shows it."""

from __future__ import annotations

from tests.accept.check import Check
from tests.accept.radio import bridged, slots

CHECKS: tuple[Check, ...] = (*slots.CHECKS, *bridged.CHECKS)
