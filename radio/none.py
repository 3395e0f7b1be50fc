"""No modem: the robot works as if it were alone."""

from pydantic import BaseModel, ConfigDict

from radio.contract import Modem


class NoModem(Modem):
    """A `Modem` that reaches no other."""

    class Settings(BaseModel):
        """There is nothing to set."""

        model_config = ConfigDict(extra="forbid", frozen=True)

    def __init__(self, settings: Settings) -> None:
        """Nothing is opened."""
