"""What another run may be: coordinators that fit a mission, and their numbers, each with a range that fits it.

The numbers are those of a coordinator's models: of its own table, of the coordinators inside it, of behavior sets,
and those that the mission gives of tasks and robots. Each is changed in the table that is in force.
"""

import json
import math
import statistics
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel

from robotd.config.load import ConfigError, Mission, find_mission
from robotd.config.lookup import COORDINATORS
from robotd.config.mission import GROUPS, SetFile
from robotd.config.schema import Node, Shape
from robotd.config.tuning import OF_COORDINATOR, faults_of, is_tuned
from robotd.live.runs import Run
from robotd.model.coordinator_plugin import CoordinatorPlugin, plugin_of

Data = dict[str, Any]
Path_ = tuple[str, ...]
Table = Mapping[str, Any]
UNITS = {"_s": "s", "_m": "m", "_beats": "beats", "_rate": "/s"}
WIDE = 30.0  # a range on a logarithmic scale reaches from a 30th of the value to 30 times it
FEW = 100  # a bound of the model up to which a linear range reaches in any case
TRIES = 12  # halvings of a range until its end is accepted
NOT_TUNED = ("seed",)
MOST = 64  # missions that are kept as they were looked at


def choices_of(run: Run, mission: str) -> Data:
    """Coordinators that fit `mission`, with their numbers; `run` is what the command line named.

    A mission that is unchanged is looked at once, whoever asks. ConfigError where it cannot be used at all.
    """
    changed = find_mission(mission).stat().st_mtime_ns
    of = json.dumps([run.mission, run.coordinator, dict(run.changes), run.plugins, mission, changed])
    with _looking:
        if of not in _looked:
            while len(_looked) >= MOST:
                del _looked[next(iter(_looked))]
            _looked[of] = _look_at(run, mission)
        return _looked[of]


_looked: dict[str, Data] = {}
_looking = threading.Lock()


def _look_at(run: Run, mission: str) -> Data:
    same = mission == run.mission
    changes, coordinator = (run.changes, run.coordinator) if same else ({}, "")
    base = replace(run, mission=mission, changes=changes, coordinator=coordinator)
    first = base.load()
    chosen = first.content.coordinator.name
    found = {chosen: tunable(first)}
    shared = {key: value for key, value in changes.items() if not OF_COORDINATOR.match(key)}
    for name in first.plugins.names(COORDINATORS):
        if name != chosen and (other := _fitting(replace(base, coordinator=name, changes=shared), name)):
            found[name] = tunable(other)
    try:
        own = replace(base, coordinator="", changes=shared).load().content.coordinator.name
    except ConfigError:  # it cannot be used as it is
        own = chosen
    return {
        "coordinator": chosen, "own": own, "loss": first.content.radio.loss,
        "coordinators": dict(sorted(found.items())),
    }  # fmt: skip


def _fitting(run: Run, name: str) -> Mission | None:
    """The mission of the run if that coordinator has something to do in it; None where it has not."""
    try:
        mission = run.load()
    except ConfigError:
        return None
    content, plugin = mission.content, plugin_of(mission.plugins.get(COORDINATORS, name))
    known = name in content.coordinators or any(name in task.terms for task in content.tasks.values())
    return mission if known or plugin.TaskSettings is None else None  # it would have no task of its own


def tunable(mission: Mission) -> Data:
    """The numbers of the mission's coordinator by key of the mission file: see `Number.as_data`."""
    numbers = _Finder(mission).found
    alike: dict[str, list[float]] = {}
    for one in numbers:
        alike.setdefault(one.path[-1], []).append(one.value)
    shown = {}
    for one in numbers:
        one.fit(statistics.median(alike[one.path[-1]]))
        if one.path[0] in ("coordinator", "coordinators"):
            one.low, one.high = (_accepted(mission, one, end) for end in (one.low, one.high))
        shown[".".join(one.path)] = one.as_data()
    return shown


@dataclass
class Number:
    """A number at `key` of the table at `at` of the mission file; coordinators share an `id` of what all have."""

    at: Path_
    key: Path_
    id: str
    group: str
    label: str
    value: float
    node: Node
    below: list[Path_] = field(default_factory=list)
    low: float = 0.0
    high: float = 0.0
    log: bool = False

    @property
    def path(self) -> Path_:
        return (*self.at, *self.key)

    @property
    def whole(self) -> bool:
        return bool(self.node.get("type") == "integer")

    def fit(self, usual: float) -> None:
        """Choose range and scale within the model's bounds; `usual` is the median of the numbers of this name."""
        node, value = self.node, self.value
        least, most = node.get("minimum", -math.inf), node.get("maximum", math.inf)
        self.log = value > 0 and not self.whole and (node.get("exclusiveMinimum", -1) >= 0 or least > 0)
        if self.log:
            usual = usual if usual > 0 else value
            low, high = _round(min(value, usual) / WIDE), _round(max(value, usual) * WIDE)
        else:
            low, high = min(0.0, 3.0 * value), most if most <= FEW else max(10.0, 3.0 * value)
        above, below = node.get("exclusiveMinimum"), node.get("exclusiveMaximum")
        self.low = max(low, least) if above is None or low > above else value
        self.high = min(high, most) if below is None or high < below else value
        if self.whole:
            self.low, self.high = round(self.low), round(self.high)

    def as_data(self) -> Data:
        """For a page: `below` are the keys of numbers that it must stay below; `now`: it may change in a run."""
        return {
            "id": self.id, "group": self.group, "label": self.label, "unit": unit_of(self.key[0]),
            "help": self.node.get("description", ""), "value": self.value, "low": self.low, "high": self.high,
            "log": self.log, "whole": self.whole, "now": is_tuned(".".join(self.path)),
            "below": [".".join(path) for path in self.below],
        }  # fmt: skip


def _round(value: float) -> float:
    """To one significant digit."""
    return float(f"{value:.0e}")


def unit_of(key: str) -> str:
    """The unit that the name of a key ends with; '' for a plain number."""
    return next((unit for end, unit in UNITS.items() if key.endswith(end)), "")


def label_of(key: str) -> str:
    """A key in words, without its unit."""
    end = next((end for end in ("_s", "_m", "_beats") if key.endswith(end)), "")
    return key.removesuffix(end).replace("_", " ")


def _accepted(mission: Mission, number: Number, end: float) -> float:
    """The end of a range, moved towards the value until the mission may have it."""
    for _ in range(TRIES):
        end = round(end) if number.whole else end
        if not faults_of(mission, {".".join(number.path): end}):
            return end
        middle = math.sqrt(end * number.value) if number.log else (end + number.value) / 2
        end = float(f"{middle:.3g}")
    return number.value


class _Finder:
    """Walks the tables that a mission's coordinator reads; `found` are their numbers."""

    def __init__(self, mission: Mission) -> None:
        self._content, self._plugins = mission.content, mission.plugins
        self.found: list[Number] = []
        name = self._content.coordinator.name
        at = ("coordinators", name) if name in self._content.coordinators else ("coordinator", "parameters")
        self._coordinator(name, self._content.parameters, at, "parameters", f"coordinator {name}")
        self._sets(name, list(self._content.sets))
        self._terms(name)
        self._bind()

    def _coordinator(self, name: str, table: Table, at: Path_, own: str, group: str) -> None:
        """Its own table, and those of the coordinators inside it."""
        plugin = self._plugin(name)
        settings = plugin.Settings(**table)
        self._numbers(plugin.Settings, _values(settings), at, own, group)
        for inner in plugin.nested(settings):
            where, title = (*at, *map(str, inner.path)), f"{inner.path[-2]}: {inner.plugin}"
            if inner.model == "Settings" and inner.tasks != ():
                self._coordinator(inner.plugin, inner.table, where, ".".join((own, *where[len(at) :])), title)
            elif inner.model == "SetSettings" and inner.tasks is None:
                model = self._plugin(inner.plugin).SetSettings
                self._numbers(model, inner.table, where, ".".join((own, *where[len(at) :])), title)
            elif inner.model == "SetSettings":
                tasks = inner.tasks or ()
                self._sets(inner.plugin, [s for s, one in self._content.sets.items() if one.task in tasks])

    def _plugin(self, name: str) -> CoordinatorPlugin:
        return plugin_of(self._plugins.get(COORDINATORS, name))

    def _sets(self, name: str, sets: list[str]) -> None:
        """The tables of behavior sets: that of each for all robots, then what types and robots change."""
        model = self._plugin(name).SetSettings
        for key in sets if model is not None else ():
            base = self._content.sets[key]
            last = ("terms", name) if name in base.terms else ("motivation",)
            at, own = ("sets", key, *last), f"sets.{key}"
            self._numbers(model, _table(base, last), at, own, f"set {key}")
            for group in GROUPS:
                for who, change in getattr(self._content, group).items():
                    if key in change.sets:
                        table = _table(change.sets[key], last)
                        self._numbers(model, table, (group, who, *at), f"{group}.{who}.{own}", f"set {key}", who)

    def _terms(self, name: str) -> None:
        """What the mission gives of tasks, types and robots."""
        plugin = self._plugin(name)
        for model, group in ((plugin.TaskSettings, "tasks"), *((plugin.RobotSettings, one) for one in GROUPS)):
            for who, holder in getattr(self._content, group).items():
                if model is not None and name in holder.terms:
                    table, at = holder.terms[name], (group, who, "terms", name)
                    self._numbers(model, table, at, f"{group}.{who}", f"{group.removesuffix('s')} {who}")

    def _numbers(self, model: Any, table: Table, at: Path_, own: str, group: str, who: str = "") -> None:
        shape, seen = Shape(model), {one.path for one in self.found}
        for path, value in _leaves(table):
            if path[-1] in NOT_TUNED or (*at, *path) in seen:
                continue
            about, node = shape.at(path[:1]), shape.at(path)
            fitting = (one for one in (node, *shape.branches(node)) if one.get("type") in ("number", "integer"))
            if (found := next(fitting, None)) is not None:
                named = ", ".join(filter(None, (label_of(path[0]), *path[1:], who)))
                kept: Node = {key: about[key] for key in ("description", "below") if key in about}
                self.found.append(Number(at, path, ".".join((own, *path)), group, named, value, found | kept))

    def _bind(self) -> None:
        """Note which numbers must stay below another one of their table, as types and robots have it too."""
        paths = {one.path for one in self.found}
        for one in self.found:
            if (other := one.node.get("below")) is None:
                continue
            base = one.at[2:] if one.at[0] in GROUPS else one.at
            places = [one.at if (*one.at, other) in paths else base]
            if one.at == base:
                own = {number.at for number in self.found if number.key[0] == one.key[0]}
                places += [at for at in {number.at for number in self.found} - own if at[2:] == base]
            one.below = [(*at, other) for at in places if (*at, other) in paths]


def _values(settings: BaseModel) -> Data:
    """The numbers of a model with the defaults of what was not given."""
    return {key: getattr(settings, key) for key in type(settings).model_fields}


def _table(own: SetFile, last: Path_) -> Table:
    return own.terms.get(last[1], {}) if last[0] == "terms" else own.motivation


def _leaves(table: Table) -> Iterator[tuple[Path_, float]]:
    """The finite numbers of a table, and of the tables in it."""
    for key, given in table.items():
        value = {x: getattr(given, x) for x in given.model_fields_set} if isinstance(given, BaseModel) else given
        if isinstance(value, Mapping):
            yield from (((key, *path), inner) for path, inner in _leaves(value))
        elif isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            yield (key,), value
