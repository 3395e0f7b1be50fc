"""Nine behavior graphs mixed from thirteen behaviors: formations in several orders, with and without cycles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

Table = dict[str, Any]

LEG_M = 1.5  # of a formation before the next one
BACK_M = 1.35  # so far behind its leader's end a robot may be that has come with it
HALF = 0.5  # of a leg: from there on the next formation is due, as followers are behind their leader
START_M, BEHIND_M = 1.0, 1.7  # where robots start; the finish is so far behind the end of the leaders' way
TIME_S = 240.0
TRIANGLE, ABREAST, LINE = "triangle", "abreast", "line"
FORMATIONS = {
    TRIANGLE: {"lead": "", "follow-left": "lead", "follow-right": "lead"},
    ABREAST: {"abreast-lead": "", "beside-left": "abreast-lead", "beside-right": "abreast-lead"},
    LINE: {"line-lead": "", "follow-first": "line-lead", "follow-second": "follow-first"},
}
"""By formation whom each of its robots follows; the first leads."""
ROLES: Mapping[str, Table] = {
    "lead": {"wants": {"follow-left": [-0.45, 0.45], "follow-right": [-0.45, -0.45]}, "team_m": [-0.2, 0.0]},
    "follow-left": {"side": "left", "team_m": [0.22, -0.67]},
    "follow-right": {"side": "right", "team_m": [0.22, 0.67]},
    "abreast-lead": {"wants": {"beside-left": [0.0, 0.6], "beside-right": [0.0, -0.6]}, "team_m": [0.0, 0.0]},
    "beside-left": {"side": "left", "behind_m": 0.0, "beside_m": 0.6, "team_m": [0.0, -0.6]},
    "beside-right": {"side": "right", "behind_m": 0.0, "beside_m": 0.6, "team_m": [0.0, 0.6]},
    "line-lead": {"wants": {"follow-first": [-0.5, 0.0], "follow-second": [-1.0, 0.0]}, "ahead_m": 1.2},
    "follow-first": {"side": "behind", "behind_m": 0.5},
    "follow-second": {"side": "behind", "behind_m": 0.5},
}
"""Parameters of the sets; `team_m` is how a robot sees by which place it is nearest."""
FROM_TRIANGLE = {"line-lead": [-0.75, 0.0], "follow-first": [0.0, -0.1], "follow-second": [0.75, 0.1]}
FROM_ABREAST = {"line-lead": [-0.5, -0.5], "follow-first": [0.0, 0.0], "follow-second": [0.5, 0.5]}
"""The convention of a line: its leader goes on, then the left robot; or from left to right."""


@dataclass(frozen=True)
class Plan:
    """The order of `formations`, a leg each; with `again` after each leg the team searches and chooses anew.

    `decide`: the protocol by which it chooses.
    """

    formations: Sequence[str]
    decide: str
    again: bool = False

    @property
    def way_m(self) -> float:
        """How far the leaders walk in all, m; the last leg is longer, as a line needs its time."""
        return LEG_M * (len(self.formations) + 1)

    @property
    def used(self) -> list[str]:
        """The formations that there are."""
        return list(dict.fromkeys(self.formations))

    @property
    def words(self) -> str:
        """The formations in their order."""
        return ", ".join(self.formations) + (", search before each" if self.again else "")

    def changes(self, allocate: str) -> Table:
        """What it replaces in the mission, with this protocol for all allocations."""
        return {
            "tasks": self._tasks(), "sets": self._sets(), "coordinator.parameters.graph": self._graph(allocate),
            "world.finish.y_m": START_M + self.way_m - BEHIND_M, "time_limit_s": TIME_S,
        }  # fmt: skip

    def _names(self) -> list[str]:
        return ["search", *self.used, *(role for name in self.used for role in FORMATIONS[name])]

    def _tasks(self) -> Table:
        last = next(iter(FORMATIONS[self.formations[-1]]))
        return {
            name: {"number": k, **({"completion": "walked"} if name == last else {})}
            for k, name in enumerate(self._names(), 1)
        }

    def _graph(self, allocate: str) -> Table:
        joint = {"team": "all", "decide": self.decide}
        following = {one: [two] for one, two in pairwise(self.used)}
        graph: Table = {
            "search": {"next": self.used if self.again else self.used[:1], "terminate": "all", **joint}
        }
        for name in self.used:
            graph[name] = {
                "first": list(FORMATIONS[name]), "next": ["search"] if self.again else following.get(name, []),
                "allocate": allocate, "terminate": "first", "inform": "broadcast", **joint,
            }  # fmt: skip
            graph |= {role: {} for role in FORMATIONS[name]}
        return graph

    def _sets(self) -> Table:
        sets: Table = {"search": {"task": "search", "parameters": {"sees": 2, "to_m": self.way_m - BACK_M}}}
        bounds = self._bounds()
        line = FROM_TRIANGLE if TRIANGLE in self.used else FROM_ABREAST
        for name in self.used:
            follows = {role: of for role, of in FORMATIONS[name].items() if of}
            low, high = bounds[name]
            sets[name] = {
                "behavior": "keep-formation", "task": name,
                "parameters": {"follows": follows, "from_m": low, "to_m": high},
            }  # fmt: skip
            for role, of in FORMATIONS[name].items():
                own = {**ROLES[role], **({"team_m": line[role]} if name == LINE else {})}
                if of:
                    own |= {"of": [of], "to_m": 2.0 * self.way_m}
                else:
                    is_last = name == self.formations[-1] and not self.again
                    own |= {"to_m": self.way_m, **({} if is_last else {"leg_m": LEG_M})}
                sets[role] = {"behavior": "follow" if of else "lead", "task": role, "parameters": own}
        return sets

    def _bounds(self) -> dict[str, tuple[float, float]]:
        """Between which distances from the start each formation is due, m."""
        found: dict[str, tuple[float, float]] = {}
        at = 0.0
        for k, name in enumerate(self.formations, 1):
            last = k == len(self.formations)
            end = self.way_m if last else LEG_M * (k - HALF)
            found[name] = (found.get(name, (at, 0.0))[0], end)
            at = end
        return found


PLANS: Mapping[str, Plan] = {
    "1": Plan([TRIANGLE], "vote"),
    "2": Plan([TRIANGLE, LINE], "vote"),
    "3": Plan([TRIANGLE, LINE], "leader", again=True),
    "4": Plan([TRIANGLE, TRIANGLE], "vote", again=True),
    "5": Plan([ABREAST, TRIANGLE, LINE], "leader"),
    "6": Plan([ABREAST, LINE], "agreed"),
    "7": Plan([ABREAST, TRIANGLE], "vote", again=True),
    "8": Plan([ABREAST, TRIANGLE, LINE], "vote", again=True),
    "9": Plan([LINE, LINE], "leader", again=True),
}
