"""The mock board as a plug-in: one robot alone in a world of its own."""

from pydantic import BaseModel, ConfigDict, Field

from boards.mock.driver import MockR2
from boards.mock.settings import BodySettings, BodySpec, WorldSettings
from boards.mock.world import World


class MockSettings(BaseModel):
    """The board's own table of a robot file: one robot in its own world."""

    model_config = ConfigDict(extra="forbid")

    seed: int = Field(1, ge=0, description="seed of the world's noise and of where the objects lie")
    body: BodySettings = Field(BodySettings(), description="what this robot's body lacks")
    world: WorldSettings = Field(default_factory=WorldSettings, description="the room")


class MockBoard(MockR2):
    """The mock R-2 alone in a world of its own, which begins when it is first asked something."""

    Settings = MockSettings
    needs_port = False
    simulated = True
    when_computer_dies = "nothing has to: the body is simulated by the same computer"

    def __init__(self, settings: MockSettings) -> None:
        spec = BodySpec("robot", "r2", 1, **dict(settings.body))
        super().__init__(World(settings.world, [spec], settings.seed, None), spec.name)
