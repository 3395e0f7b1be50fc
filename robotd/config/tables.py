"""The tables of a mission that plug-ins and the simulated world define, checked whatever is wrong with the rest.

Each table is validated against the model of its plug-in; the tasks and facts that a behavior's table names must be
in the mission. Settings of types and robots are laid over those of the set before they are validated.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel

from behaviors.parts import Behavior, BehaviorPlugin, BehaviorSet
from boards.mock.settings import BodySettings, WorldSettings
from radio.codec import Codec
from robotd.config.explain import unknown_key
from robotd.config.lookup import COORDINATORS, B, find_behavior, find_plugin, model_of, table_of
from robotd.config.mission import GROUPS, CoordinatorFile, FactFile, MissionFile
from robotd.config.schema import Path_, Shape
from robotd.config.source import Source
from robotd.files.nearest import hint, nearest
from robotd.files.plugins import Plugins
from robotd.model.choice import MissionTerms, Nested
from robotd.model.coordinator_plugin import CoordinatorPlugin, OneOf, plugin_of
from robotd.model.table import NumberTable

Table = Mapping[str, Any]
FACT_KINDS = get_args(FactFile.model_fields["kind"].annotation)


def check_tables(source: Source, plugins: Plugins) -> None:
    """Note every fault of settings that plug-ins and the world define; what is no table is left alone."""
    for name, layer in _tables(source.data, "layers"):
        _check_behavior(Behavior, ("layers", name), layer, source, plugins)
    for kind, default in (("conditions", "set"), ("sets", "")):
        found = {}
        for name, own in _tables(source.data, kind):
            found[name] = behavior = _check_behavior(BehaviorSet, (kind, name), own, source, plugins, default)
            if behavior is not None and isinstance(own.get("task"), str):
                _check_args(behavior, name, own["task"], source)
        for at, change in _changes(source.data, kind):
            behavior = found.get(at[-1])
            if behavior is not None:
                base = _table(source.data, kind, at[-1], "parameters")
                settings = _check_change(behavior.Settings, base, change, source, (*at, "parameters"))
                _check_names(settings, _table(change, "parameters"), (*at, "parameters"), source)
    _check_world(source)
    _check_coordinators(source, plugins)


def _table(holder: Any, *path: str) -> Table:
    """The table at `path` of what may be a table; empty where there is none."""
    for key in path:
        holder = holder.get(key) if isinstance(holder, Mapping) else None
    return holder if isinstance(holder, Mapping) else {}


def _tables(holder: Any, key: str) -> Iterator[tuple[str, Table]]:
    """The tables in the table at `key`, by name."""
    return ((name, inner) for name, inner in _table(holder, key).items() if isinstance(inner, Mapping))


def _changes(data: Table, kind: str) -> Iterator[tuple[tuple[str, ...], Table]]:
    """What types and robots change of sets, or of conditions (`kind`), each with its key path."""
    for group in GROUPS:
        for robot, change in _tables(data, group):
            yield from (((group, robot, kind, name), own) for name, own in _tables(change, kind))


def _check_change(kind: Any, base: Table, change: Table, source: Source, at: tuple[str, ...]) -> Any:
    """The settings of `change`, whose table is at `at`, over those of `base`; only its own faults are noted."""
    own = _table(change, *at[4:])
    trial = Source(source.file, source.text, source.data)
    return source.validate(kind, {**base, **own}, at) if own and trial.validate(kind, base) is not None else None


# -- behaviors and the world


def _check_behavior(
    kind: type[B], at: tuple[str, str], own: Table, source: Source, plugins: Plugins, default: str = ""
) -> type[B] | None:
    """Note the faults of a behavior's table; `default`: the key that names the plug-in instead of `behavior`."""
    key = "behavior" if "behavior" in own else default
    name, where = (own.get(key), (*at, key)) if key else (at[1], at)
    found = find_behavior(plugins, kind, name, source, where) if isinstance(name, str) else None
    if found is not None:
        parameters = _table(own, "parameters")
        settings = source.validate(found.Settings, parameters, (*at, "parameters"))
        _check_names(settings, parameters, (*at, "parameters"), source)
    return found


class Named(NamedTuple):
    """A key that names something: its path in its table, whether a `task` or a `fact`, and what kind of fact."""

    path: Path_
    what: str
    kind: str
    name: str


def _check_names(settings: BaseModel | None, own: Table, at: Path_, source: Source) -> None:
    """Note each name in `settings` that the mission does not have, of the keys in `own`, the table at `at`."""
    for named in _names_in(settings, ()) if settings is not None else ():
        if named.path[0] not in own:
            continue
        place, there = (*at, *named.path), source.names(f"{named.what}s")
        kind = _table(source.data, "facts", named.name).get("kind")
        known = source.is_known(place, named.what, named.name, there)
        if known and named.kind and kind in FACT_KINDS and kind != named.kind:
            source.fault(place, f"{named.name!r} is a {kind}; expected a {named.kind}", f"a {named.kind}")


def _names_in(settings: BaseModel, at: Path_) -> Iterator[Named]:
    for key, field in type(settings).model_fields.items():
        extra, value = field.json_schema_extra, getattr(settings, key)
        entries: Iterable[tuple[Any, Any]] = [(None, value)]
        if isinstance(value, tuple):
            entries = enumerate(value)
        elif isinstance(value, Mapping):
            entries = [(one, x) for one, other in value.items() for x in (one, other) if isinstance(x, str)]
        for index, entry in entries:
            path = (*at, key) if index is None else (*at, key, index)
            if isinstance(entry, BaseModel):
                yield from _names_in(entry, path)
            elif isinstance(extra, dict) and "names" in extra:
                yield Named(path, str(extra["names"]), str(extra.get("kind", "")), entry)


def _check_args(behavior: type[BehaviorPlugin], name: str, task: str, source: Source) -> None:
    """What set `name` reads of its task's arguments must be there, and be one of the values that it knows."""
    known = behavior.args.items() if isinstance(behavior.args, Mapping) else ()
    args, at = _table(source.data, "tasks", task, "args"), ("tasks", task, "args")
    for key, values in known if task in source.names("tasks") else ():
        expected = f"one of {', '.join(map(repr, values))}" if values else "a text"
        if key not in args:
            source.fault(at, f"set {name!r} reads {key!r}, which is missing; expected {expected}", expected)
        elif values and args[key] not in values:
            message = f"set {name!r} does not know {key} {args[key]!r}; expected {expected}"
            source.fault((*at, key), message, expected, nearest(str(args[key]), values))


def _check_world(source: Source) -> None:
    world = source.validate(WorldSettings, _table(source.data, "world"), ("world",))
    for group in GROUPS:
        for name, change in _tables(source.data, group):
            source.validate(BodySettings, _table(change, "body"), (group, name, "body"))
    if world is None:
        return
    there = {
        "delivered": world.spills, "clean": world.areas, "box": world.box, "finish": world.finish.y_m is not None,
        "touched": world.pucks or world.clusters, "held": world.clusters,
    }  # fmt: skip
    aims = _table(source.data, "goal").get("world")
    for k, aim in enumerate(aims if isinstance(aims, list | tuple) else ()):
        if isinstance(aim, str) and aim in there and not there[aim]:  # it would be accomplished from the start
            has = ", ".join(name for name, thing in there.items() if thing)
            source.fault(("goal", "world", k), f"[world] has nothing for {aim!r}", f"one of {has or 'none'}")


# -- coordinators: the one in force, and those that `--coordinator` may choose


def _check_coordinators(source: Source, plugins: Plugins) -> None:
    in_force = _table(source.data, "coordinator").get("name", CoordinatorFile().name)
    mentioned: dict[str, tuple[str, ...]] = {}
    if isinstance(in_force, str):
        mentioned[in_force] = ("coordinator", "name")
    for path in _keyed(source.data):
        mentioned.setdefault(path[-1], path)
    found = {name: find_plugin(plugins, COORDINATORS, name, source, path) for name, path in mentioned.items()}
    for name, plugin in found.items():
        if plugin is not None:
            _check_coordinator(plugin_of(plugin), name, plugins, source, in_force=name == in_force)
    if found.get(in_force) is not None:
        _check_read(plugin_of(found[in_force]), in_force, plugins, source)


def _keyed(data: Table) -> Iterator[tuple[str, ...]]:
    """The paths of all tables that are keyed by a coordinator."""
    yield from (("coordinators", name) for name in _table(data, "coordinators"))
    for group in ("tasks", "sets", *GROUPS):
        for key, own in _tables(data, group):
            yield from ((group, key, "terms", name) for name in _table(own, "terms"))
    for at, change in _changes(data, "sets"):
        yield from ((*at, "terms", name) for name in _table(change, "terms"))


def _check_coordinator(
    plugin: CoordinatorPlugin, name: str, plugins: Plugins, source: Source, *, in_force: bool
) -> None:
    """The tables of one coordinator; of one that is not in force, those that name it."""
    data = source.data
    keyed = name in _table(data, "coordinators")
    if keyed or in_force:
        own = ("coordinators", name) if keyed else ("coordinator", "parameters")
        _check_keys(
            plugin.Settings, _table(data, *own), own, source, () if keyed else _usual_keys(plugins, source)
        )
        settings = source.validate(plugin.Settings, _table(data, *own), own)
        _check_nested(plugin, settings, own, plugins, source)
    robots = dict.fromkeys(GROUPS, plugin.RobotSettings)
    models = {"tasks": plugin.TaskSettings, "sets": plugin.SetSettings, **robots}
    for group, model in models.items():
        for key, holder in _tables(data, group):
            given = _is_given(model, holder, (group, key), name, source)
            if model is not None and (given or in_force):
                kind = _table(data, "team", key).get("type") if group == "robots" else None
                base = _table(data, "types", kind, "terms", name) if isinstance(kind, str) else {}
                last = _terms_at(holder, name) if group == "sets" else ("terms", name)
                source.validate(model, {**base, **_table(holder, *last)}, (group, key, *last))
    model = plugin.SetSettings
    for at, change in _changes(data, "sets"):
        _is_given(model, change, at, name, source)
        base = _table(data, "sets", at[-1])
        last = _terms_at(base, name)
        if model is not None and (in_force or last[0] == "terms"):
            _check_change(model, _table(base, *last), change, source, (*at, *last))


def _terms_at(own: Table, name: str) -> tuple[str, ...]:
    """The path, in the table of a set, of its settings for coordinator `name`."""
    return ("terms", name) if name in _table(own, "terms") else ("motivation",)


def _check_keys(model: Any, own: Table, at: Path_, source: Source, foreign: Collection[str] = ()) -> None:
    """Note the keys that a model would pass over; in the file those of another one, `foreign`, are left."""
    known = Shape(model).keys(()) if model.model_config.get("extra", "ignore") == "ignore" else own.keys()
    for key in own.keys() - set(known):
        if key not in foreign or source.option_at((*at, key)):
            fault = unknown_key(model, key)
            source.fault((*at, key), fault.message, fault.expected, fault.nearest)


def _usual_keys(plugins: Plugins, source: Source) -> Collection[str]:
    """The keys of [coordinator.parameters] for the coordinator of the file, where an option names another."""
    if ("coordinator", "name") not in source.replaced:
        return ()
    name = source.replaced["coordinator", "name"] or CoordinatorFile().name
    own = Source(source.file, source.text, source.data)  # its faults are those of a start without that option
    plugin = find_plugin(plugins, COORDINATORS, name, own, ()) if isinstance(name, str) else None
    return Shape(plugin.Settings).keys(()) if plugin is not None else ()


def _check_read(plugin: CoordinatorPlugin, name: str, plugins: Plugins, source: Source) -> None:
    """Note the keys that an option set in a table that is not in force: nothing would read them."""
    keyed = name in _table(source.data, "coordinators")
    for path in (tuple(map(str, one)) for one in source.replaced):
        at = path[2:] if path[0] in GROUPS else path
        if keyed and path[:2] == ("coordinator", "parameters"):
            _note_unread(source, path, 2, ("coordinators", name), plugin.Settings)
        elif at[:1] == ("sets",) and at[2:3] == ("motivation",):
            of = len(path) - len(at) + 2
            if name in _table(source.data, *path[:of], "terms") or name in _table(source.data, *at[:2], "terms"):
                _note_unread(source, path, of + 1, (*path[:of], "terms", name), plugin.SetSettings)
            elif plugin.SetSettings is None and not plugin.nests:
                source.fault(path, f"coordinator {name!r} has no settings of sets", "no key here")


def _note_unread(source: Source, path: Path_, length: int, table: Path_, model: Any) -> None:
    """Note that in place of the table that begins at `path`, of so many keys, the one at `table` is in force."""
    keys = tuple(map(str, path[length:]))
    if keys and model is not None and keys[0] not in (known := Shape(model).keys(())):
        keys = tuple(filter(None, [nearest(keys[0], known)]))
    place = ".".join((*map(str, table), *keys))
    source.fault(path, f"[{'.'.join(map(str, table))}] is in force; expected {place}", place, place)


def _is_given(model: Any, own: Table, at: tuple[str, ...], name: str, source: Source) -> bool:
    """Whether a table has terms of coordinator `name`; a fault where that has no model of such."""
    given = name in _table(own, "terms")
    if given and model is None:
        message = f"coordinator {name!r} has no settings of {at[2] if len(at) > 2 else at[0]}"
        source.fault((*at, "terms", name), message, "no table here")
    return given


def _check_nested(
    coordinator: CoordinatorPlugin, settings: Any, at: Path_, plugins: Plugins, source: Source
) -> None:
    """Note every fault of the coordinators inside a coordinator, whose settings (None: faulty) are from `at`."""
    for inner in coordinator.nested(settings) if settings is not None else ():
        where = (*at, *inner.path)
        found = find_plugin(plugins, COORDINATORS, inner.plugin, source, where)
        if found is None:
            continue
        plugin = plugin_of(found)
        if inner.model == "Settings":
            _check_keys(plugin.Settings, inner.table, where, source)
            _check_nested(plugin, source.validate(plugin.Settings, inner.table, where), where, plugins, source)
        elif plugin.SetSettings is not None and inner.tasks is None:
            source.validate(plugin.SetSettings, inner.table, where)
        elif plugin.SetSettings is not None:
            _check_sets(plugin.SetSettings, inner.plugin, inner.tasks or (), source)


def _check_sets(model: type[BaseModel], name: str, tasks: Collection[str], source: Source) -> None:
    """The tables that the behavior sets on these tasks have for coordinator `name`, which is inside another."""
    sets = {key: own for key, own in _tables(source.data, "sets") if own.get("task") in tasks}
    last = {key: _terms_at(own, name) for key, own in sets.items()}
    for key, own in sets.items():
        source.validate(model, _table(own, *last[key]), ("sets", key, *last[key]))
    for at, change in _changes(source.data, "sets"):
        if (key := at[-1]) in sets:
            _check_change(model, _table(sets[key], *last[key]), change, source, (*at, *last[key]))


def check_plan(mission: MissionFile, plugins: Plugins, source: Source) -> None:
    """Note what the coordinator in force finds wrong with its settings of a mission that is sound otherwise.

    Its statement kinds and facts must have room in the table and in a record; then its `check` is called.
    """
    name = mission.coordinator.name
    try:
        table = table_of(mission, plugins)
        Codec(table)
    except ValueError as error:
        source.fault(("coordinator", "name"), f"{name!r} cannot be used: {error}")
        return
    at = ("coordinators", name) if name in mission.coordinators else ("coordinator", "parameters")
    _Plan(mission, table, plugins, source).check(Nested(at, name, mission.parameters, tasks=tuple(mission.tasks)))


class _Plan(NamedTuple):
    """A mission that is sound but for what its coordinators find."""

    mission: MissionFile
    table: NumberTable
    plugins: Plugins
    source: Source

    def check(self, one: Nested, *, inside: bool = False) -> None:
        """Note the faults of a coordinator, and of those inside it that list the tasks they may be given."""
        mission, name, key = self.mission, one.plugin, one.plugin if inside else ""
        plugin = plugin_of(self.plugins.get(COORDINATORS, name))
        settings = plugin.Settings(**one.table)
        nested = [x for x in plugin.nested(settings) if x.model == "Settings" and x.tasks != ()]
        sets = {own: (entry.task, model_of(plugin.SetSettings, mission.terms_of_set(entry)))
                for own, entry in mission.sets.items() if not inside}  # fmt: skip
        terms = MissionTerms(
            self.table,
            {task: model_of(plugin.TaskSettings, mission.terms_of_task(task, key)) for task in one.tasks or ()},
            sets,
            {robot: model_of(plugin.RobotSettings, mission.terms_of_robot(robot, key)) for robot in mission.team},
            inside,
            frozenset(inner.plugin for inner in nested if self._has_facts(inner)),
        )
        for path, message, expected in plugin.check(settings, terms):
            near, words = "", f"; expected {expected}" if expected else ""
            if isinstance(expected, OneOf):
                near = nearest(expected.given, expected.names)
                words = f"{hint(near)} (there are: {', '.join(expected.names) or 'none'})"
            self.source.fault(self._path_of(path, one), f"{message}{words}", expected, near)
        for inner in nested:
            if inner.tasks is not None:
                self.check(inner._replace(path=(*one.path, *inner.path)), inside=True)

    def _has_facts(self, one: Nested) -> bool:
        plugin = plugin_of(self.plugins.get(COORDINATORS, one.plugin))
        return bool(plugin.own_facts(plugin.Settings(**one.table), self.table))

    def _path_of(self, path: Path_, one: Nested) -> Path_:
        """The path in the file of the settings at `path`, as a coordinator's `check` names it."""
        group, *rest = path
        if group == "parameters":
            return (*one.path, *rest)
        holder, *keys = rest
        if group == "sets" and one.plugin not in self.mission.sets[str(holder)].terms:
            return ("sets", holder, "motivation", *keys)
        return (group, holder, "terms", one.plugin, *keys)
