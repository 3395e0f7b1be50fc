"""No modem: the robot carries on as if alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict


class NoModem:
    """A `Modem` that reaches nobody."""

    needs_port = False

    class Settings(BaseModel):
        """There is nothing to set."""

        model_config = ConfigDict(extra="forbid", frozen=True)

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def send(self, now: float, frame: bytes, at: float) -> None:
        """See `Modem.send`."""

    def received(self, now: float) -> Sequence[tuple[float, bytes]]:
        """See `Modem.received`."""
        return ()

    def left(self, now: float) -> Sequence[tuple[float, bytes]]:
        """See `Modem.left`."""
        return ()

    def alive(self, now: float) -> bool:
        """See `Modem.alive`."""
        return False

    def counts(self) -> Mapping[str, int]:
        """See `Modem.counts`."""
        return {}

    def airtime(self, size: int) -> float:
        """See `Modem.airtime`."""
        return 0.0

    def rssi_dbm(self, frame: bytes) -> float | None:
        """See `Modem.rssi_dbm`."""
        return None

    def advice(self, robots: int, beat_s: float) -> str:
        """See `Modem.advice`."""
        return ""
