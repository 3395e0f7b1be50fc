"""All robots of a mission in one process: bodies in one world, radios in one air, each its own unchanged robot."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from boards.mock.settings import BodySpec, WorldSettings
from boards.mock.world import World
from radio.keys import Keys
from radio.link import Radio
from radio.mock.channel import Channels
from robotd.config.load import Mission
from robotd.model.streams import Stream
from robotd.record.log import RunLog
from robotd.robot.build import build_mind
from robotd.robot.faults import Faults
from robotd.robot.persistence import RADIO_MEMORY
from robotd.robot.robot import Robot
from robotd.sim.airs import team_key
from robotd.sim.parts import Attach, Attached
from robotd.sim.station import SimulatedStation
from robotd.storage.store import MemoryStore


@dataclass
class Team:
    """The world, the airs, and the robots whose computers run now (by name).

    `missions`: a robot whose mission file is not that of the others has it here. `station`: the base station where
    it is a program like theirs, and not a part of the air.
    """

    mission: Mission
    seed: int
    world: World
    airs: Channels
    log: RunLog
    attach: Attach
    stores: Mapping[str, MemoryStore]
    robots: dict[str, Robot] = field(default_factory=dict)
    attached: dict[str, Attached] = field(default_factory=dict)
    missions: Mapping[str, Mission] = field(default_factory=dict)
    station: SimulatedStation | None = None

    @property
    def numbers(self) -> dict[str, int]:
        """Each robot's number by name."""
        return {name: member.number for name, member in self.mission.content.team.items()}

    @property
    def names(self) -> list[str]:
        """All robots, sorted, whether their computers run or not."""
        return sorted(self.mission.content.team)

    def phase(self, robot: str) -> float:
        """The robot's own phase of the tick, s: computers are switched on at any instant."""
        period = 1.0 / self.mission.content.control.tick_hz
        return Stream(self.seed, robot, "tick-phase").uniform(0.0, period)

    def boot(self, name: str, now: float) -> Robot:
        """Switch a robot's computer on: fresh mind and radio, the same body, what its store has kept."""
        mission = self.missions.get(name, self.mission)
        content = mission.content
        number = content.team[name].number
        store = self.stores[name]
        self.switch_off(name)
        attached = self.attach(self, name)
        radio = Radio(
            mission.table, number, Keys((team_key(content.radio.team),)), content.radio.team, attached.modem,
            Stream(self.seed, name, f"radio-phase-{now:.3f}"), store.load(RADIO_MEMORY), None,
        )  # fmt: skip
        mind = build_mind(content, mission.plugins, name, "command")
        robot = Robot(name, mind, attached.board, radio, Faults(), self.log, store)
        robot.begin(now)
        self.robots[name] = robot
        self.attached[name] = attached
        return robot

    def switch_off(self, name: str) -> None:
        """The robot's computer is stopped; its body stops when its last command expires."""
        self.robots.pop(name, None)
        attached = self.attached.pop(name, None)
        if attached is not None:
            attached.detach()


def build_world(mission: Mission, seed: int, start: float = 0.0) -> World:
    """The mission's world with its robots at the entrance."""
    content = mission.content
    bodies = [
        BodySpec(name, member.type, member.number, **content.body_of(name))
        for name, member in content.team.items()
    ]
    return World(WorldSettings(**content.world), bodies, seed, start)
