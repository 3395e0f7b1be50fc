"""A task that is added to a run: `NAME [KEY=VALUE ...]`, checked against the mission's task of that name.

In a simulation's events the same is one word: `NAME:key=value,...`.
"""

from collections.abc import Iterator, Mapping, Sequence

from behaviors.parts import BehaviorPlugin
from robotd.config.explain import build_model
from robotd.config.mission import MissionFile
from robotd.files.nearest import hint, nearest, unknown
from robotd.files.plugins import Plugins
from robotd.model.coordinator_plugin import plugin_of


def split_order(word: str) -> tuple[str, ...]:
    """The words NAME and KEY=VALUE of an event's `NAME:key=value,...`."""
    name, _, arguments = word.partition(":")
    return name, *(argument for argument in arguments.split(",") if argument)


def check_order(words: Sequence[str], mission: MissionFile, plugins: Plugins) -> None:
    """ValueError names which word of NAME [KEY=VALUE ...] is wrong, what was expected, and the nearest valid name.

    Keys are the arguments of the task, those that its behavior sets read, and the keys of the coordinator's terms.
    """
    if not words:
        raise ValueError(f"name a task; expected one of {', '.join(sorted(mission.tasks))}")
    name, *arguments = words
    if name not in mission.tasks:
        raise ValueError(unknown("task", name, mission.tasks))
    settings = plugin_of(plugins.get("robotd.coordinators", mission.coordinator.name)).TaskSettings
    values = dict(_arguments(name, mission, plugins))
    terms = settings.model_fields if settings is not None else {}
    valid, given = sorted({*values, *terms}), {}
    for word in arguments:
        key, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"{word!r}: expected KEY=VALUE")
        if key not in valid:
            there = f"expected one of {', '.join(valid)}" if valid else f"task {name!r} takes no argument"
            raise ValueError(f"{word!r}: unknown key{hint(nearest(key, valid))} ({there})")
        if values.get(key) and value not in values[key]:
            expected = f"expected one of {', '.join(map(repr, values[key]))}"
            raise ValueError(f"{word!r}: {expected}{hint(nearest(value, values[key]))}")
        if key in terms:
            given[key] = value
    if settings is not None and given:
        build_model(settings, given)


def _arguments(name: str, mission: MissionFile, plugins: Plugins) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Arguments of the task by key with the values that its behavior sets know; (): any text."""
    yield from ((key, ()) for key in mission.tasks[name].args)
    for own, entry in mission.sets.items():
        if entry.task == name:
            behavior: type[BehaviorPlugin] = plugins.get("robotd.behaviors", entry.behavior or own)
            yield from behavior.args.items() if isinstance(behavior.args, Mapping) else ()
