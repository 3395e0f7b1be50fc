"""Snapshots made by hand, for what is shown of a robot."""

from dataclasses import replace
from typing import Any

from radio.duty_cycle import Airtime
from radio.statistics import Contact, RadioStatistics
from robotd.model.beliefs import Beliefs, Teammate
from robotd.model.choice import Choice, Decision, Job, Level, State
from robotd.model.command import ActionResult, Command
from robotd.model.facts import Fact, FactKind
from robotd.model.inputs import Fault, Inputs
from robotd.model.senses import Capabilities, Pose, Senses
from robotd.model.table import Member, NumberTable, TaskEntry
from robotd.model.tasks import Assignment, Task
from robotd.robot.snapshot import Snapshot
from robotd.timing.ticker import Spread, TickStatistics
from robotd.transport.port import PortStatus

FIND, SHIFT = Task("find", (), "find"), Task("shift", (), "shift")
TABLE = NumberTable(
    team=(Member("blue", 3, "small"), Member("green", 2, "big"), Member("red", 1, "big")),
    tasks=(TaskEntry(FIND, 1, "found"), TaskEntry(SHIFT, 2)),
    facts=(FactKind("found", 1, "flag"), FactKind("pushes", 2, "count"), FactKind("spot", 3, "place"),
           FactKind("trust", 4, "scalar")),
    beat_s=3.0,
)  # fmt: skip
NOW = 1000.0
BELIEFS = Beliefs(
    TABLE, me=1, run=5, running=True,
    facts={
        "spot": Fact("spot", (1.5, 2.0), 990.0, 3, 2),
        "found": Fact("found", (), 940.0),
        "pushes": Fact("pushes", (4.0,), 900.0),
        "trust": Fact("trust", (0.5,), 999.0, 1, 1),
    },
    teammates={2: Teammate(994.0, "shift", "find", 970.0)},
)  # fmt: skip
CHOICE = Choice(
    run=(Assignment("look", FIND),),
    held=SHIFT,
    levels=(
        Level("look", {"impatience": 40.0, "motivation": 100.0, "acquiescence": 12.5}, 100.0, "active"),
        Level("push", {"impatience": 40.0, "motivation": 12.3456789, "acquiescence": 0.0}, 100.0,
              "slow: green is on shift"),
    ),
    jobs=(
        Job(Task("shift", (("side", "left"),), "red.1"), "awarded", 2, "the highest of 2 bids"),
        Job(Task("find", (), "red.2"), "refused", 0, "no idle robot has a camera"),
    ),
)  # fmt: skip
RADIO = RadioStatistics(
    alive=True, pacing="slots", sent=300, bytes_sent=9000, airtime_s=12.5,
    limit=Airtime("eu868, 869.4 to 869.65 MHz: 10 % of an hour", 12.5, 360.0, 3.0), pending=2,
    contacts=(Contact(0, 50, 999.5), Contact(2, 290, 994.0, 10, (3, 299), -62.0)),
    refused=(("mac", 3),), skipped=(), framing=(("crc", 7),),
)  # fmt: skip


def snapshot(**changes: Any) -> Snapshot:
    """Red at 1000 s in run 5, looking while it holds `shift`; `changes` replace fields of the snapshot."""
    senses = Senses(pose=Pose(1.0, 2.0, 0.5, 0.15), battery=0.75)
    body = Capabilities(("mobile", "sound"), (("gripper", "gripper is dead"),), 0.25)
    fault = Fault("mission-mismatch", "blue runs another mission file", 980.0)
    state = State("running", "permitted to move", "", may_move=True)
    acted = ActionResult(drivers=(("drive", "avoid-obstacles"), ("gripper", "look/grasp")))
    made = Snapshot(
        robot="red", started_at=10.0,
        inputs=Inputs(NOW, 19800, senses, body, (), (fault,)),
        decision=Decision(None, acted, Command(), BELIEFS, state),
        choice=CHOICE, driven=Command(0.1, -0.1, opening=0.5), radio=RADIO,
        ticks=TickStatistics(19790, 10, Spread(0.0001, 0.001, 0.02), Spread(0.002, 0.004, 0.009)),
        ports=(("board", PortStatus("ready", "/dev/ttyUSB0", 950.0, 1, 1000, 2000)),),
        warnings=("the disk is nearly full",),
    )  # fmt: skip
    return replace(made, **changes)
