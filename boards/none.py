"""No body: a desktop computer that takes part in a team, with the resources that its settings name."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from robotd.model.command import Command
from robotd.model.senses import Capabilities, Pose, Senses

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]


class NoBody:
    """A `Board` that never moves: it has no wheels, no gripper and nothing to halt."""

    needs_port = False
    when_computer_dies = "nothing has to: it has no wheels"
    reboots = 0

    class Settings(BaseModel):
        """What the computer has, and where it is."""

        model_config = ConfigDict(extra="forbid", frozen=True)

        resources: tuple[Name, ...] = Field((), description="its resources, an overhead-camera for example")
        x_m: float | None = Field(None, ge=-1e4, le=1e4, description="x of its place, m; default: not known")
        y_m: float = Field(0.0, ge=-1e4, le=1e4, description="y of its place, m")

    def __init__(self, settings: Settings) -> None:
        self._able = Capabilities(tuple(sorted(set(settings.resources))))
        place = None if settings.x_m is None else Pose(settings.x_m, settings.y_m, 0.0, 0.0)
        self._senses = Senses(pose=place)

    def capabilities(self, now: float) -> Capabilities:
        return self._able

    def senses(self, now: float) -> Senses:
        return self._senses

    def command(self, now: float, command: Command) -> Command:
        return Command(expiry_s=command.expiry_s)
