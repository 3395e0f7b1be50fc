"""What a robot holds true of this run: facts, and what its teammates last stated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from robotd.model.facts import MAX_FACTS, Fact, join, numbered
from robotd.model.statements import Heard, Statement
from robotd.model.table import NumberTable
from robotd.model.value import value

RUNS = 128  # seven bits on the air
SAME = 1e-9  # s: instants so near are equal; below any tick or beat, above the rounding of n * period over years
FACT_KINDS = ("fact", "place", "scalar", "page")
SILENT_BEATS = 3.5  # without a sign for so long a teammate's radio counts as gone
LEAST_SILENCE_S = 1.0  # and no sooner, however fast the radio: a network pauses for some tenths of a second
HELD_BEATS = 10.5  # so long slots and the beat outlast the last beacon: at 50 % loss one gap in 1000 is longer
CLOCKS = 2e-4  # two crystals may be off by 100 ppm each
MOST_BEATS = 20.0  # of a beacon's period: twenty robots with a slot of a beat each; no station silences a team


def accepts_beacon(beat_s: float, position: int, slots: int, period_s: float) -> bool:
    """Whether a robot follows a beacon, in its sending and its time-outs alike.

    `position` counts it among its team's sorted numbers, from 0; one without a slot does not follow, nor does any
    where the period is shorter than the mission's beat or longer than `MOST_BEATS` of them.
    """
    return slots > position and 1.0 - CLOCKS <= period_s / beat_s <= MOST_BEATS


def silence_s(beat_s: float) -> float:
    """After how long without a frame a sender counts as gone, s, at a beat of `beat_s`."""
    return max(SILENT_BEATS * beat_s, LEAST_SILENCE_S)


def newer_run(one: int, other: int) -> bool:
    """True if run number `one` comes after `other`, counted round seven bits; every run comes after none (0)."""
    if 0 in (one, other):
        return one != 0 and other == 0
    return 0 < (one - other) % RUNS < RUNS // 2


@value
class Teammate:
    """A teammate as its last frame states it: its active task, since when it claims that, and the task held."""

    last_received: float
    task: str = ""
    held: str = ""
    claimed_at: float = 0.0


@value
class Beliefs:
    """Immutable: `learn` gives the next beliefs. `me` numbers this robot, `run` the run (0: none yet).

    `longer` is the beat that a base station asks for where it is longer than the mission's (s), and when it did.
    """

    table: NumberTable
    me: int
    run: int = 0
    running: bool = False
    facts: Mapping[str, Fact] = field(default_factory=dict)
    teammates: Mapping[int, Teammate] = field(default_factory=dict)
    longer: tuple[float, float] | None = None

    def beat_s(self, now: float) -> float:
        """The beat that the team keeps, s: the mission's, or a longer one while a base station asks for it.

        Time-outs are counted in it; durations travel in beats of the mission, which everyone knows.
        """
        if self.longer is None or now > self.longer[1] + HELD_BEATS * self.longer[0]:
            return self.table.beat_s
        return self.longer[0]

    def flag(self, name: str) -> bool:
        return name in self.facts

    @property
    def all_done(self) -> bool:
        """Whether each task that is done once is known to be completed; False where the mission has none such."""
        wanted = self.table.closing_facts
        return bool(wanted) and self.facts.keys() >= wanted

    def count(self, name: str) -> int:
        """The greatest count known; 0 if none."""
        fact = self.facts.get(name)
        return int(fact.value[0]) if fact is not None and fact.value else 0

    def place(self, name: str) -> tuple[float, float] | None:
        """The place's latest (x, y) in metres, or None while unknown."""
        fact = self.facts.get(name)
        return (fact.value[0], fact.value[1]) if fact is not None else None

    def opened(self, run: int, running: bool) -> Beliefs:
        """The beliefs at the opening of `run`: facts and claims of older runs are dropped, teammates stay known.

        Run numbers go round from 127 to 1: 0 stands for none.
        """
        teammates = {number: Teammate(teammate.last_received) for number, teammate in self.teammates.items()}
        return replace(self, run=run % RUNS or 1, running=running, facts={}, teammates=teammates)

    def learn(self, news: Sequence[Heard | Fact]) -> Beliefs:
        """These beliefs joined with frames received and facts asserted by this robot itself, in order.

        A frame of a newer run opens that run; one of an older run counts only as a sign of life. A frame without
        an activity (its sender is faulted or not permitted to move) ends what its sender claimed.
        OverflowError past `MAX_FACTS` facts.
        """
        beliefs = self
        for item in news:
            beliefs = beliefs._asserted(item) if isinstance(item, Fact) else beliefs._hear(item)
        return beliefs

    def _asserted(self, fact: Fact) -> Beliefs:
        kind = self.table.fact(fact.name)
        return self.joined(numbered(kind, self.facts.get(fact.name), fact, self.me))

    def joined(self, fact: Fact) -> Beliefs:
        """These beliefs and one more report of a fact."""
        known = self.facts.get(fact.name)
        best = join(self.table.fact(fact.name), known, fact)
        if best is known:
            return self
        if known is None and len(self.facts) >= MAX_FACTS:
            raise OverflowError(f"more than {MAX_FACTS} facts in one run; {fact.name!r} was refused")
        return replace(self, facts={**self.facts, fact.name: best})

    def _hear(self, frame: Heard) -> Beliefs:
        beliefs = self
        if frame.sender == 0:  # a base station takes no part in the mission
            return beliefs._paced(frame)
        if frame.same_mission and newer_run(frame.run, beliefs.run):
            beliefs = beliefs.opened(frame.run, frame.running)
        elif frame.same_mission and frame.run == beliefs.run and not frame.running and beliefs.running:
            beliefs = replace(beliefs, running=False)  # two orders crossed: the one to stop holds
        if frame.same_mission and frame.run == beliefs.run:
            report = report_of(frame, self.table)
            for fact in report.facts:
                beliefs = beliefs.joined(fact)
            teammate, claim = Teammate(frame.at), report.claim
            if claim is not None:
                teammate = Teammate(frame.at, claim.task, claim.held, frame.at - claim.elapsed_s)
        else:
            known = beliefs.teammates.get(frame.sender)
            teammate = replace(known, last_received=frame.at) if known is not None else Teammate(frame.at)
        return beliefs.with_teammate(frame.sender, teammate)

    def with_teammate(self, number: int, teammate: Teammate) -> Beliefs:
        """These beliefs and what is known of one teammate; done for each frame, and so without `replace`."""
        teammates = {**self.teammates, number: teammate}
        return Beliefs(self.table, self.me, self.run, self.running, self.facts, teammates, self.longer)

    def _paced(self, frame: Heard) -> Beliefs:
        """These beliefs with the beat that a base station's beacon asks for."""
        for statement in frame.statements:
            if statement.kind == "beacon":
                slots, hundredths = statement.fields
                assert isinstance(slots, int)
                assert isinstance(hundredths, int)
                beat_s, position = hundredths / 100.0, sum(number < self.me for number in self.table.robots)
                accepted = accepts_beacon(self.table.beat_s, position, slots, beat_s)
                asked = (beat_s, frame.at) if accepted and beat_s > self.table.beat_s else None
                return replace(self, longer=asked) if asked != self.longer else self
        return self


@value
class Claim:
    """What a robot states that it works on, or '', for how long (s), and the task that it holds, or ''."""

    task: str
    held: str
    elapsed_s: float


@value
class TrialReport:
    """An attempt at `task` that took `took_s`; `outcome` as in the statement `trial`."""

    task: str
    outcome: int
    took_s: float


@value
class Report:
    """What a frame reports by statements of the mission, in seconds; None: its sender claims nothing."""

    facts: tuple[Fact, ...]
    claim: Claim | None
    trials: tuple[TrialReport, ...]


def report_of(frame: Heard, table: NumberTable) -> Report:
    """The one interpretation of a frame of this mission, for beliefs and coordinators alike.

    Statements of a coordinator's own kinds, and those of auctions, are the coordinator's to read.
    """
    facts, trials, claim = [], [], None
    for statement in frame.statements:
        if statement.kind in FACT_KINDS:
            facts.append(fact_of(statement, table, frame.at))
        elif statement.kind == "activity":
            task, held, beats = statement.fields
            assert isinstance(beats, int | float)
            claim = Claim(str(task), str(held), beats * table.beat_s)
        elif statement.kind == "trial":
            task, outcome, beats = statement.fields
            assert isinstance(outcome, int)
            assert isinstance(beats, int | float)
            trials.append(TrialReport(str(task), outcome, beats * table.beat_s))
    return Report(tuple(facts), claim, tuple(trials))


def fact_of(statement: Statement, table: NumberTable, at: float) -> Fact:
    """The fact that a statement received at `at` (own clock, s) reports; KeyError for none of the mission."""
    name, *rest = statement.fields
    kind = table.fact(str(name))
    parts = [x for entry in rest for x in (entry if isinstance(entry, tuple) else (entry,))]
    numbers = [x for x in parts if isinstance(x, int | float)]
    since = at - numbers[-1] * table.beat_s
    if not kind.versioned:
        return Fact(kind.name, () if kind.kind == "flag" else (float(numbers[0]),), since)
    stamp = int(numbers[0])
    return Fact(kind.name, tuple(float(x) for x in numbers[1:-1]), since, stamp // 32, stamp % 32)


def statement_of(fact: Fact, table: NumberTable, now: float) -> Statement:
    """How `fact` is stated at `now`: the inverse of `fact_of` but for the rounding of its age."""
    kind = table.fact(fact.name)
    age = max(0.0, now - fact.since) / table.beat_s
    if not kind.versioned:
        return Statement(kind.statement, (fact.name, int(fact.value[0]) if fact.value else 0, age))
    stamp = fact.version * 32 + fact.writer
    values = (fact.value,) if kind.kind == "page" else fact.value
    return Statement(kind.statement, (fact.name, stamp, *values, age))
