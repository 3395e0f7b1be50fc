"""The engine: stacks, wires, sets that wake and hibernate, freezing."""

import json
from dataclasses import dataclass, replace

import pytest

from behaviors.engine import Behaviors
from behaviors.parts import BELOW, Behavior, BehaviorSet, Drive, Out, Wire
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Choice
from robotd.model.facts import Fact, FactKind
from robotd.model.inputs import Inputs
from robotd.model.senses import Capabilities, Pose, Senses
from robotd.model.table import NumberTable
from robotd.model.tasks import Assignment, Feedback, Task

TABLE = NumberTable((), (), (FactKind("seen", 1, "flag"),))
BELIEFS = Beliefs(TABLE, 1)
BODY = Capabilities(resources=("gripper", "mobile"), max_speed=0.25, wheel_base=0.2)
TASK = Task("dance", (), "dance")
DANCE = Choice(run=(Assignment("dance", TASK),))
IDLE = Choice()


@dataclass(slots=True)
class Diary:
    ticks: int = 0
    entries: tuple[str, ...] = ()


class Says(Behavior[Diary]):
    """Puts `script[tick]` (by number of the tick) on the channels."""

    def __init__(self, name, script, wires=()):
        super().__init__(Diary())
        self.name, self.script, self.wires = name, script, tuple(wires)

    def enter(self, now, task):
        self.state.entries += (f"enter {task.id if task else 'run'}",)

    def leave(self, now, why):
        self.state.entries += (f"leave {why}",)

    def act(self, i, beliefs):
        self.state.ticks += 1
        return self.script.get(i.n, self.script.get("always"))


class Dance(BehaviorSet[Diary]):
    needs = ("mobile",)

    def __init__(self, *behaviors, feedback=None):
        super().__init__(Diary())
        self.behaviors = behaviors
        self.feedback = feedback or Feedback(applicable=True)

    def assess(self, i, beliefs, task):
        return self.feedback


def tick(n, body=BODY, **senses):
    return Inputs(n / 10, n, Senses(**senses), body)


def drivers(acted):
    return dict(acted.drivers)


GO, SPIN, BACK = Drive(1.0, 0.0), Drive(0.0, 1.0), Drive(-0.4, 0.0)


def test_an_idle_robot_stands_still_and_its_layers_alone_may_move_it():
    engine = Behaviors(
        {"escape": Says("", {3: Out(drive=BACK)})}, {"dance": Dance(Says("go", {"always": Out(GO)}))}
    )
    assert engine.act(tick(1), BELIEFS, IDLE).command.left == 0.0
    assert engine.act(tick(3), BELIEFS, IDLE).command.left == pytest.approx(-0.1)
    assert engine.act(tick(4), BELIEFS, DANCE).command.left == pytest.approx(0.25)


def test_a_tick_that_comes_to_the_same_gives_the_same_result_and_one_that_does_not_another():
    slower, fact = replace(BODY, max_speed=0.1), Fact("seen", (), 0.0)
    script = {2: Out(GO), 3: Out(GO), 4: Out(GO), 5: Out(GO, facts=(fact,)), 6: Out(GO), 7: Out(GO, 0.5)}
    engine = Behaviors({}, {"dance": Dance(Says("go", script))})
    found = [engine.act(tick(n, slower if n == 4 else BODY), BELIEFS, DANCE) for n in range(2, 8)]
    assert found[0] is found[1]
    assert len({id(one) for one in found}) == 5
    assert [one.command.left for one in found] == pytest.approx([0.25, 0.25, 0.1, 0.25, 0.25, 0.25])
    assert [one.facts for one in found] == [(), (), (), (fact,), (), ()]
    assert [one.command.opening for one in found] == [None] * 5 + [0.5]


def test_a_person_who_drives_takes_the_place_of_the_set_and_the_layers_stay_on():
    dance = Says("go", {"always": Out(GO, 0.5)})
    engine = Behaviors({"avoid": Says("", {3: Out(SPIN)})}, {"dance": Dance(dance)})
    assert drivers(engine.act(tick(1), BELIEFS, DANCE)) == {"drive": "go", "gripper": "go"}
    by_hand = engine.act(tick(2), BELIEFS, DANCE, BACK)
    assert (drivers(by_hand), by_hand.command.left) == ({"drive": "by-hand"}, pytest.approx(-0.1))
    assert drivers(engine.act(tick(3), BELIEFS, DANCE, BACK)) == {"drive": "avoid"}
    assert drivers(engine.act(tick(4), BELIEFS, DANCE))["drive"] == "go"
    assert dance.state.entries == ("enter dance", "leave hibernates", "enter dance")


def test_turning_and_driving_become_wheel_speeds_that_keep_the_curve_within_the_bodys_speed():
    engine = Behaviors({}, {"dance": Dance(Says("go", {1: Out(Drive(0.4, 0.5)), 2: Out(Drive(1.0, 2.5))}))})
    slow = engine.act(tick(1), BELIEFS, DANCE).command
    assert (slow.left, slow.right) == pytest.approx((0.05, 0.15))
    fast = engine.act(tick(2), BELIEFS, DANCE).command
    assert (fast.left, fast.right) == pytest.approx((0.0, 0.25))


def test_a_layer_takes_a_channel_from_the_set_and_gives_it_back():
    engine = Behaviors({"avoid": Says("", {2: Out(SPIN)})}, {"dance": Dance(Says("go", {"always": Out(GO, 0.5)}))})
    assert drivers(engine.act(tick(1), BELIEFS, DANCE)) == {"drive": "go", "gripper": "go"}
    assert drivers(engine.act(tick(2), BELIEFS, DANCE)) == {"drive": "avoid", "gripper": "go"}
    assert drivers(engine.act(tick(3), BELIEFS, DANCE))["drive"] == "go"


def test_suppression_lasts_for_its_time_with_the_value_last_carried():
    wire = Wire("suppress", "drive", "go", "drive", hold_s=0.25)
    engine = Behaviors({}, {"dance": Dance(Says("go", {"always": Out(GO)}), Says("spin", {2: Out(SPIN)}, [wire]))})
    held = [drivers(engine.act(tick(n), BELIEFS, DANCE))["drive"] for n in range(1, 7)]
    assert held == ["go", "spin", "spin", "spin", "go", "go"]


def test_inhibition_blanks_the_target_for_its_time_and_nothing_else():
    wire = Wire("inhibit", "picking", "avoid", "drive", hold_s=0.15)
    pick = Says("pick", {"always": Out(GO), 2: Out(GO, lines=("picking",))}, [wire])
    avoid = Says("", {"always": Out(SPIN, sound=1)})
    engine = Behaviors({"avoid": avoid}, {"dance": Dance(pick)})
    seen = [drivers(engine.act(tick(n), BELIEFS, DANCE)) for n in range(1, 6)]
    assert [s["drive"] for s in seen] == ["avoid", "pick", "pick", "avoid", "avoid"]
    assert {s["sound"] for s in seen} == {"avoid"}


def test_a_higher_layer_hears_what_is_wanted_below_it():
    class Halves(Behavior[Diary]):
        def act(self, i, beliefs):
            return Out(Drive(i.wanted.speed / 2, i.wanted.turn)) if i.wanted else None

    engine = Behaviors({"halve": Halves(Diary())}, {"dance": Dance(Says("go", {"always": Out(GO)}))})
    assert engine.act(tick(1), BELIEFS, DANCE).command.left == pytest.approx(0.125)
    assert engine.act(tick(2), BELIEFS, IDLE).drivers == ()


def test_done_is_heeded_only_of_the_active_set_and_starts_it_afresh():
    go = Says("go", {"always": Out(GO)})
    engine = Behaviors({}, {"dance": Dance(go, feedback=Feedback(applicable=True, done=True))})
    before = engine.assess(tick(0), BELIEFS, "dance", TASK)
    assert (before.done, before.over) == (False, True)
    engine.act(tick(0), BELIEFS, DANCE)
    now = engine.assess(tick(1), BELIEFS, "dance", TASK)
    assert (now.done, now.applicable, now.over) == (True, False, True)
    assert not engine.assess(tick(1), BELIEFS, "dance", replace(TASK, id="other")).done
    engine.act(tick(1), BELIEFS, DANCE)
    assert go.state.entries == ("enter dance", "leave done", "enter dance")


def test_a_set_that_lacks_a_resource_is_not_applicable_and_says_what_is_missing():
    engine = Behaviors({}, {"dance": Dance()})
    assert engine.assess(tick(0), BELIEFS, "dance", TASK).applicable
    lame = engine.assess(tick(1, body=Capabilities()), BELIEFS, "dance", TASK)
    assert (lame.applicable, lame.missing) == (False, ("mobile",))


def test_facts_and_subtasks_of_all_behaviors_come_out():
    seen, want = Fact("seen"), Task("help", (), "help")
    set_ = Dance(Says("a", {1: Out(facts=(seen,))}), Says("b", {1: Out(subtasks=(want,))}))
    acted = Behaviors({}, {"dance": set_}).act(tick(1), BELIEFS, DANCE)
    assert (acted.facts, acted.subtasks) == ((seen,), (want,))


def engine_of_many_parts():
    hold = Wire("suppress", "drive", "go", "drive", hold_s=0.25)
    group = Dance(Says("go", {"always": Out(GO)}), Says("spin", {2: Out(SPIN)}, [hold]))
    return Behaviors({"avoid": Says("", {})}, {"dance": group})


def test_a_thawed_engine_continues_as_the_frozen_one_would():
    one, other = engine_of_many_parts(), engine_of_many_parts()
    for n in (1, 2):
        one.act(tick(n, pose=Pose(1.0, 2.0 + n / 10, 0.3, 0.15)), BELIEFS, DANCE)
    other.thaw(json.loads(json.dumps(one.freeze())))
    for n in (3, 4, 5, 6):
        assert one.act(tick(n), BELIEFS, DANCE) == other.act(tick(n), BELIEFS, DANCE)
    assert one.freeze() == other.freeze()
    with pytest.raises(ValueError, match="frozen state"):
        other.thaw(3)


def test_a_new_run_forgets_all_but_the_place():
    engine = engine_of_many_parts()
    fresh = engine.freeze()
    engine.act(tick(1, pose=Pose(1.0, 2.0, 0.3, 0.15)), BELIEFS, DANCE)
    engine.reset(0.2)
    left = engine.freeze()
    assert {key for key in left if left[key] != fresh[key]} == {"engine"}


def test_wires_that_could_not_work_are_refused():
    bad = Wire("suppress", "picking", "go", "drive")
    with pytest.raises(ValueError, match="must carry the channel"):
        Behaviors({}, {"dance": Dance(Says("go", {}), Says("pick", {}, [bad]))})
    with pytest.raises(ValueError, match="share a name"):
        Behaviors({}, {"dance": Dance(Says("go", {}), Says("go", {}))})
    with pytest.raises(ValueError, match="no channel"):
        Behaviors({"a": Says("", {}, [Wire("inhibit", "x", "a", "arm")])}, {})


def test_an_inhibited_behavior_does_not_suppress_either():
    wire = Wire("inhibit", "picking", "avoid", "drive")
    pick = Says("pick", {"always": Out(GO, lines=("picking",))}, [wire])
    avoid = Says("", {"always": Out(SPIN)}, [Wire("suppress", "drive", BELOW, "drive", hold_s=1.0)])
    engine = Behaviors({"avoid": avoid}, {"dance": Dance(pick)})
    assert [drivers(engine.act(tick(n), BELIEFS, DANCE))["drive"] for n in (1, 2)] == ["pick", "pick"]


def test_a_lone_behavior_whose_wire_holds_is_remembered():
    spin = Says("spin", {1: Out(SPIN)}, [Wire("suppress", "drive", "go", "drive", hold_s=0.25)])
    engine = Behaviors({}, {"dance": Dance(Says("go", {2: Out(GO), 5: Out(GO)}), spin)})
    held = [drivers(engine.act(tick(n), BELIEFS, DANCE)).get("drive") for n in range(1, 6)]
    assert held == ["spin", "spin", "spin", None, "go"]


def engine_of_sets(*names, feedback=None, wires=()):
    """An engine with one set a name, each of one behavior `go`, and the diary that all of them write."""
    diary = []

    class Notes(Says):
        def enter(self, now, task):
            diary.append(f"enter {self.owner} {task.id}")

        def leave(self, now, why):
            diary.append(f"leave {self.owner} {why}")

    sets = {}
    for name in names:
        go = Notes("go", {"always": Out(GO)}, wires)
        go.owner = name
        sets[name] = Dance(go, feedback=(feedback or {}).get(name))
    return Behaviors({"avoid": Says("", {})}, sets), diary


def path(*names, task=TASK):
    return Choice(run=tuple(Assignment(name, task) for name in names))


def test_a_path_is_entered_root_first_and_left_leaf_first_from_where_it_differs():
    engine, diary = engine_of_sets("a", "b", "c", "d")
    for n, choice in enumerate((path("a", "b", "c"), path("a", "b", "c"), path("a", "d"), IDLE)):
        engine.act(tick(n), BELIEFS, choice)
        diary.append("-")
    assert diary == [
        *("enter a dance", "enter b dance", "enter c dance", "-", "-"),
        *("leave c hibernates", "leave b hibernates", "enter d dance", "-"),
        *("leave d hibernates", "leave a hibernates", "-"),
    ]


def test_a_parent_that_is_done_is_left_with_all_below_it_and_starts_afresh():
    done = Feedback(applicable=True, done=True)
    engine, diary = engine_of_sets("walk", "lead", feedback={"walk": done})
    engine.act(tick(1), BELIEFS, path("walk", "lead"))
    assert engine.assess(tick(2), BELIEFS, "walk", TASK).done
    assert not engine.assess(tick(2), BELIEFS, "lead", TASK).done
    diary.clear()
    engine.act(tick(2), BELIEFS, path("walk", "lead"))
    assert diary == ["leave lead hibernates", "leave walk done", "enter walk dance", "enter lead dance"]


def test_two_sets_of_one_path_may_name_a_behavior_alike_and_the_leafs_has_the_channel():
    engine, _ = engine_of_sets("a", "b")
    assert drivers(engine.act(tick(1), BELIEFS, path("a", "b"))) == {"drive": "b/go"}
    assert drivers(engine.act(tick(2), BELIEFS, path("a"))) == {"drive": "go"}
    with pytest.raises(ValueError, match="named twice in the path a/b/a"):
        engine.act(tick(3), BELIEFS, path("a", "b", "a"))


def test_a_wire_leads_to_the_behavior_of_its_own_set_first():
    own = [Wire("suppress", "drive", "go", "drive", hold_s=0.25)]
    upper = Dance(Says("go", {"always": Out(SPIN)}), Says("stop", {1: Out(BACK)}, own))
    engine = Behaviors({}, {"a": Dance(Says("go", {"always": Out(GO)})), "b": upper})
    held = [drivers(engine.act(tick(n), BELIEFS, path("a", "b")))["drive"] for n in range(1, 6)]
    assert held == ["b/stop", "b/stop", "b/stop", "b/go", "b/go"]


@pytest.mark.parametrize(("then", "kept"), [(("a", "c"), 1), (("c",), 0)])
def test_a_wire_holds_on_while_its_set_stays_on_the_path(then, kept):
    hold = [Wire("inhibit", "picking", "go", "drive", hold_s=9.0)]
    pick = Dance(Says("pick", {1: Out(lines=("picking",))}, hold))
    idle = {name: Dance(Says("go", {"always": Out(GO)})) for name in ("b", "c")}
    engine = Behaviors({}, {"a": pick, **idle})
    for n, choice in ((1, path("a", "b")), (2, path(*then))):
        acted = engine.act(tick(n), BELIEFS, choice)
    assert len(engine.freeze()["engine"][-1]) == kept
    assert ("drive" in drivers(acted)) == (not kept)
