"""How far a leader walks, by its odometry alone."""

from behaviors.formation.lead import Lead
from behaviors.parts import Percept
from robotd.model.beliefs import Beliefs
from robotd.model.facts import FactKind
from robotd.model.senses import Pose
from robotd.model.table import NumberTable, TaskEntry
from robotd.model.tasks import Task
from tests.behaviors.senses import percept, sensing

LEAD = Task("lead", (), "lead")
TABLE = NumberTable((), (TaskEntry(LEAD, 1, completion="walked"),), (FactKind("walked", 1, "flag"),))
BELIEFS = Beliefs(TABLE, 1)


def at(n: int, way_m: float) -> Percept:
    return sensing(percept(n), odometry=Pose(way_m, 0.0, 0.0, 0.0))


def test_a_leg_is_over_so_far_from_where_it_began_and_only_the_end_of_the_way_completes_the_task() -> None:
    lead = Lead(Lead.Settings(leg_m=1.0, to_m=2.0))
    ends = []
    for n, (enters, way_m) in enumerate(
        [(True, 0.2), (False, 1.1), (False, 1.3), (True, 1.3), (False, 1.9), (False, 2.0)]
    ):
        if enters:
            lead.enter(n / 10, LEAD)
        out = lead.behaviors[0].act(at(n, way_m), BELIEFS)
        ends.append((lead.assess(at(n, way_m), BELIEFS, LEAD).done, [fact.name for fact in out.facts]))
    assert ends == [(False, []), (False, []), (True, []), (False, []), (False, []), (True, ["walked"])]
