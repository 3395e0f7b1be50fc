"""What MURDOCH's numbers on the air mean, and its reasons in words."""

from collections.abc import Mapping, Sequence

from robotd.model.facts import SHARE_PARTS

BIDS, LACKS, BUSY, CHARGING, HELD, SILENT = 0, 1, 2, 3, 4, -1  # answers of the statement `bid`, and none
OWN_JOB = 255  # in place of a job's number: it is the mission's task itself, under its own name
GIVES_BACK = 8  # added to the reason: the contract of that number is given back; 8 alone: it ran out
GAVE = {LACKS: "lost a resource", BUSY: "is busy", CHARGING: "has to charge", HELD: "cannot go on",
        BIDS: "had no renewal in time"}  # fmt: skip

Answers = Mapping[int, tuple[float, int]]  # by robot score and answer


def mask_of(resources: Sequence[str], lacking: Sequence[str]) -> int:
    """Which of a task's resources are lacking, the first as bit 0."""
    return sum(1 << k for k, name in enumerate(resources) if name in lacking)


def unmask(resources: Sequence[str], mask: int) -> list[str]:
    """The inverse of `mask_of`."""
    return [name for k, name in enumerate(resources) if mask >> k & 1]


def why_no_bid(
    resources: Sequence[str], answers: Answers, names: Mapping[int, str], excluded: Mapping[int, str]
) -> str:
    """Which resources no robot has, and why each robot did not bid (002, section V-B: the error of step 4)."""
    lacks = {k: unmask(resources, round(s * SHARE_PARTS)) for k, (s, answer) in answers.items() if answer == LACKS}
    reached = [k for k in names if k in answers]
    nowhere = [name for name in resources if reached and all(name in lacks.get(k, ()) for k in reached)]
    wanted = ", ".join(resources)
    if nowhere:
        first = f"no robot in reach has {', '.join(nowhere)}"
    else:
        first = f"no idle robot has {wanted}" if wanted else "no robot is idle"
    return "; ".join([first, *(_why(k, name, answers, lacks, excluded) for k, name in sorted(names.items()))])


def _why(
    robot: int, name: str, answers: Answers, lacks: Mapping[int, Sequence[str]], excluded: Mapping[int, str]
) -> str:
    if robot in excluded:
        return f"{name} is excluded: {excluded[robot]}"
    score, answer = answers.get(robot, (0.0, SILENT))
    if answer == BIDS:
        return f"{name} bid {score:.2f}, too little"
    if answer == LACKS:
        return f"{name} lacks {', '.join(lacks[robot]) or 'a behavior set for it'}"
    return f"{name} is {({BUSY: 'busy', CHARGING: 'charging', SILENT: 'silent'}).get(answer, 'not able now')}"
