"""The matrix of faults: a record lost, a robot killed at a step of the auction, with a reboot or without."""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.motivation.murdoch.team import Bot, Channel, Team

KINDS = ("announcement", "bid", "contract", "acknowledgement")
TIMES = {"once": 1, "twice": 2, "always": 10**6}
ROLES = {"auctioneer": "desk", "winner": "one", "loser": "two"}
STEPS = ("announced", "bid", "awarded", "at work", "done")
BOOT_S = 20.0
LASTS_S = 400.0


@dataclass(frozen=True)
class Case:
    """`kind` '' : no record is lost; `role` '': no robot is killed."""

    kind: str = ""
    times: str = "once"
    role: str = ""
    step: str = "announced"
    reboots: bool = False

    def __str__(self) -> str:
        lost = f"{self.kind} lost {self.times}" if self.kind else "nothing lost"
        killed = f"{self.role} killed when {self.step}" if self.role else "nobody killed"
        return f"{lost}, {killed}{', reboots' if self.reboots else ''}"


def whole() -> Iterator[Case]:
    """All 360 cases."""
    for kind in KINDS:
        for times in TIMES:
            yield from (
                Case(kind, times, role, step, reboots)
                for role in ROLES for step in STEPS for reboots in (False, True)
            )  # fmt: skip


def borders() -> Iterator[Case]:
    """Each loss alone, and each death alone."""
    yield from (Case(kind, times) for kind in KINDS for times in TIMES)
    yield from (Case("", "once", role, step, reboots)
                for role in ROLES for step in STEPS for reboots in (False, True))  # fmt: skip


def reached(team: Team, step: str) -> bool:
    """Whether the auction has come to a step."""

    def left(name: str, kind: str) -> bool:
        return any(one.kind == kind for _, said in team[name].frames for one in said)

    workers = [robot for robot in team.robots.values() if robot.choice.run and robot.coordinator is not None]
    return {
        "announced": left("desk", "announcement"),
        "bid": left("one", "bid"),
        "awarded": left("desk", "contract"),
        "at work": bool(workers),
        "done": any(robot.count("done") and robot.name != "desk" for robot in team.robots.values()),
    }[step]


def faults_of(case: Case) -> list[str]:
    """Run a case; what is wrong with its end, in words."""
    bots = {"desk": Bot(("desk",)), "one": Bot(fitness={"sweep": 0.9}, takes_s=30.0), "two": Bot(takes_s=30.0)}
    drops = {case.kind: TIMES[case.times]} if case.kind else {}
    team = Team(bots, {"sweep": {"resources": ("mobile", "camera")}}, decision_s=0.5, channel=Channel(drops=drops))
    team.add("desk", "sweep")
    name = ROLES.get(case.role, "")
    if name:
        team.run(120.0, lambda: reached(team, case.step))
        team.kill(name)
        if case.reboots:
            team.at(team.now + BOOT_S, lambda: team.reboot(name))
    team.run(LASTS_S)
    return list(_wrong(team, case))


def _wrong(team: Team, case: Case) -> Iterator[str]:
    desk = team["desk"]
    if desk.coordinator is not None:
        job = desk.jobs.get("desk.0")
        if job is None:
            yield "the job is gone"
        elif job.state not in ("done", "refused"):
            yield f"the job is {job.state}: {job.why}"
        elif not job.why:
            yield "no reason"
        elif job.state == "refused" and not case.kind:
            yield f"refused: {job.why}"
        elif job.state == "done" and not any(
            robot.count("done") for robot in team.robots.values() if robot != desk
        ):
            yield "done by nobody"
    for robot in team.robots.values():
        if robot.coordinator is not None and robot.choice.run:
            yield f"{robot.name} works on without a contract"
    if not case.kind and team.overlap_s() > 0.0:
        yield f"two on one task for {team.overlap_s()} s"
