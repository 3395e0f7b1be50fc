"""Status documents as metrics for Prometheus; its library is an extra, imported at the first scrape."""

import asyncio
import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

Document = Mapping[str, Any]
Sample = tuple[tuple[str, ...], Any]  # values of the labels, and the value; None: there is none
STATES = ("running", "waiting for start", "waiting for run", "stopped", "faulted")
LIBRARY = "prometheus_client"
MISSING = "prometheus-client is not installed here: pip install 'robotd[metrics]'"


class Metric(NamedTuple):
    """A metric: its name without prefix (a counter's without `_total`), what it is, its own labels."""

    name: str
    help: str
    values: Callable[[Document], Iterable[Sample]]
    labels: tuple[str, ...] = ()
    counts: bool = False


def _one(*path: str) -> Callable[[Document], Iterator[Sample]]:
    """The single value at a place of the document."""

    def values(document: Document) -> Iterator[Sample]:
        found: Any = document
        for key in path:
            found = found[key]
        yield (), found

    return values


def _each(key: str, label: str, value: str, *path: str) -> Callable[[Document], Iterator[Sample]]:
    """The value of each entry of a list, by one of its texts."""

    def values(document: Document) -> Iterator[Sample]:
        found: Any = document
        for step in (*path, key):
            found = found[step]
        for entry in found:
            yield (entry[label],), entry[value]

    return values


def _by_reason(key: str) -> Callable[[Document], Iterator[Sample]]:
    return lambda document: (((reason,), count) for reason, count in document["radio"][key].items())


def _spread(key: str) -> Callable[[Document], Iterator[Sample]]:
    return lambda document: (((name,), document["ticks"][key][f"{name}_s"]) for name in ("p50", "p99", "max"))


def _scores(document: Document) -> Iterator[Sample]:
    return (((x["set"], name), score) for x in document["levels"] for name, score in x["scores"].items())


def _active(document: Document) -> Iterator[Sample]:
    if (active := document["active"]) is not None:
        yield (active["set"], active["task"]), 1


def _of_radio(key: str) -> Callable[[Document], Iterator[Sample]]:
    return _each("radios", "name", key)


def _contacts(key: str) -> Callable[[Document], Iterator[Sample]]:
    """A value of each sender that each radio of a base station receives."""
    return lambda document: (
        ((radio["name"], one["name"]), one[key]) for radio in document["radios"] for one in radio["heard"]
    )


def _about(document: Document) -> Iterator[Sample]:
    robot, mission = document["robot"], document["mission"]
    yield (robot["type"], mission["name"] or "", mission["digest"], document["versions"]["robotd"]), 1


METRICS = (
    Metric("info", "What runs here; always 1.", _about, ("type", "mission", "digest", "version")),
    Metric("uptime_seconds", "From the start of the daemon.", _one("uptime_s")),
    Metric("state", "1 for the word of the robot's state, 0 for all others.",
           lambda d: (((word,), float(word == d["state"]["word"])) for word in STATES), ("state",)),
    Metric("may_move", "1 where it is permitted to move and no fault stops it.", _one("state", "may_move")),
    Metric("mission_run", "Number of the run; 0 none yet.", _one("run", "number")),
    Metric("mission_running", "1 while the run is running.", _one("run", "running")),
    Metric("active", "1 for the behavior set that acts, and its task.", _active, ("set", "task")),
    Metric("level", "Scores of the coordinator.", _scores, ("set", "score")),
    Metric("level_limit", "Limit of all scores of a set.", _each("levels", "set", "limit"), ("set",)),
    Metric("fault", "1 for each open fault.",
           lambda d: (((x["name"], str(x["stops"]).lower()), 1) for x in d["faults"]), ("fault", "stops")),
    Metric("fault_age_seconds", "Since a fault opened.", _each("faults", "name", "age_s"), ("fault",)),
    Metric("battery_ratio", "Charge of the battery, 0 empty to 1 full.", _one("body", "battery")),
    Metric("resource_missing", "1 for each resource that the body has lost.",
           lambda d: (((x["resource"],), 1) for x in d["body"]["missing"]), ("resource",)),
    Metric("ticks", "Control ticks run.", _one("ticks", "count"), counts=True),
    Metric("ticks_skipped", "Whole periods skipped after overruns.", _one("ticks", "skipped"), counts=True),
    Metric("tick_lateness_seconds", "From a tick's deadline to its beginning, since the start.",
           _spread("lateness"), ("of",)),
    Metric("tick_work_seconds", "From a tick's beginning until it waits again, since the start.",
           _spread("work"), ("of",)),
    Metric("radio_alive", "1 while the modem can be used.", _one("radio", "alive")),
    Metric("radio_frames_sent", "Frames that left.", _one("radio", "sent"), counts=True),
    Metric("radio_sent_bytes", "Bytes of those frames.", _one("radio", "bytes_sent"), counts=True),
    Metric("radio_airtime_seconds", "Time on the air.", _one("radio", "airtime_s"), counts=True),
    Metric("radio_duty_used_seconds", "Airtime of the last hour.", _one("radio", "hour_used_s")),
    Metric("radio_duty_budget_seconds", "Airtime permitted in an hour; absent without regulations.",
           _one("radio", "hour_budget_s")),
    Metric("radio_pending", "States that wait to be sent.", _one("radio", "pending")),
    Metric("radio_frames_refused", "Frames not believed.", _by_reason("refused"), ("reason",), counts=True),
    Metric("radio_records_skipped", "Records not understood.", _by_reason("skipped"), ("reason",), counts=True),
    Metric("radio_frames_dropped", "What the modem's framing dropped.", _by_reason("framing"), ("reason",),
           counts=True),
    Metric("radio_frames_received", "Frames taken of a sender.", _each("heard", "name", "frames", "radio"),
           ("sender",), counts=True),
    Metric("radio_frames_missed", "Frames of a sender between those taken.",
           _each("heard", "name", "missed", "radio"), ("sender",), counts=True),
    Metric("radio_heard_age_seconds", "Since the last frame of a sender.",
           _each("heard", "name", "age_s", "radio"), ("sender",)),
    Metric("radio_rssi_dbm", "RSSI of a sender's last frame.", _each("heard", "name", "strength_dbm", "radio"),
           ("sender",)),
    Metric("port_ready", "1 while a port is open and its device answers.",
           lambda d: (((x["name"],), float(x["word"] == "ready")) for x in d["ports"]), ("port",)),
    Metric("port_reopened", "How often a port was opened again.", _each("ports", "name", "reopened"), ("port",),
           counts=True),
    Metric("port_received_bytes", "Bytes received.", _each("ports", "name", "bytes_in"), ("port",), counts=True),
    Metric("port_sent_bytes", "Bytes written.", _each("ports", "name", "bytes_out"), ("port",), counts=True),
    Metric("warnings", "Warnings of the status.", lambda d: [((), len(d["warnings"]))]),
)  # fmt: skip


STATION_METRICS = (
    Metric("uptime_seconds", "From the start of the base station.", _one("uptime_s")),
    Metric("robots", "Robots of the team.", _one("robots")),
    Metric("robot_received", "1 for a robot whose frames come, 0 for one that is silent.",
           _each("teammates", "name", "received"), ("robot",)),
    Metric("robot_age_seconds", "Since the last frame of a robot; absent before its first.",
           _each("teammates", "name", "age_s"), ("robot",)),
    Metric("slots", "TDMA slots of a beat.", _one("slots")),
    Metric("beat_seconds", "The beat that its beacons state.", _one("beat_s")),
    Metric("sending", "1 while it sends, 0 while it must not.", lambda d: [((), not d["silent"])]),
    Metric("memory_saved", "1 while its memory is saved, 0 where that fails.", lambda d: [((), not d["trouble"])]),
    Metric("frames_refused", "Frames not believed.",
           lambda d: (((reason,), count) for reason, count in d["refused"].items()), ("reason",), counts=True),
    Metric("radio_alive", "1 while the modem can be used.", _of_radio("alive"), ("radio",)),
    Metric("radio_held", "1 while the regulations put its frames off.", _of_radio("held"), ("radio",)),
    Metric("radio_beacons", "Beacons sent.", _of_radio("beacons"), ("radio",), counts=True),
    Metric("radio_repeated", "Frames of other radios sent again.", _of_radio("repeated"), ("radio",),
           counts=True),
    Metric("radio_stops", "Team stops sent at once.", _of_radio("stops"), ("radio",), counts=True),
    Metric("radio_omitted", "Frames that the regulations left no airtime for.",
           _of_radio("left_out"), ("radio",), counts=True),
    Metric("radio_unslotted", "Frames that no slot was left for.", _of_radio("no_slot"), ("radio",),
           counts=True),
    Metric("radio_airtime_seconds", "Time on the air.", _of_radio("airtime_s"), ("radio",), counts=True),
    Metric("radio_duty_used_seconds", "Airtime of the last hour.", _of_radio("hour_used_s"), ("radio",)),
    Metric("radio_duty_budget_seconds", "Airtime permitted in an hour; absent without regulations.",
           _of_radio("hour_budget_s"), ("radio",)),
    Metric("radio_frames_received", "Frames taken of a sender.", _contacts("frames"), ("radio", "sender"),
           counts=True),
    Metric("radio_frames_missed", "Frames of a sender between those taken.", _contacts("missed"),
           ("radio", "sender"), counts=True),
    Metric("radio_rssi_dbm", "RSSI of a sender's last frame.", _contacts("strength_dbm"), ("radio", "sender")),
)  # fmt: skip


class Family(NamedTuple):
    """The metrics of one kind of program: what their names begin with, and the label that all have."""

    prefix: str
    label: str
    metrics: tuple[Metric, ...]
    name: Callable[[Document], str]


ROBOT = Family("robotd_", "robot", METRICS, lambda document: str(document["robot"]["name"]))
STATION = Family("robotd_station_", "mission", STATION_METRICS, lambda document: str(document["mission"]))


def names() -> list[str]:
    """The names of all metrics, as they are exposed."""
    return [f"{family.prefix}{one.name}{'_total' if one.counts else ''}"
            for family in (ROBOT, STATION) for one in family.metrics]  # fmt: skip


async def load() -> bool:
    """Import the library while ticks go on; False where it is not installed."""
    try:
        await asyncio.to_thread(importlib.import_module, LIBRARY)
    except ImportError:
        return False
    return True


def exposed(document: Document, family: Family = ROBOT) -> tuple[bytes, str]:
    """The metrics of a status document in Prometheus' text format, and its Content-Type; after `load`."""
    from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
    from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily
    from prometheus_client.metrics_core import Metric as Exposed
    from prometheus_client.registry import Collector

    whose = family.name(document)

    class Status(Collector):
        """The one collector of a scrape."""

        def collect(self) -> Iterator[Exposed]:
            for one in family.metrics:
                kind = CounterMetricFamily if one.counts else GaugeMetricFamily
                made = kind(f"{family.prefix}{one.name}", one.help, labels=(family.label, *one.labels))
                for labels, value in one.values(document):
                    if value is not None:
                        made.add_metric((whose, *labels), float(value))
                yield made

    registry = CollectorRegistry(auto_describe=False)
    registry.register(Status())
    return generate_latest(registry), CONTENT_TYPE_LATEST
