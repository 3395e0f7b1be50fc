"""The rules of a udev file, read and obeyed: as much of udev as ours use."""

import fnmatch
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

TOKEN = re.compile(
    r'\s*(?P<key>[A-Z_]+)(?:\{(?P<arg>[^}]+)\})?\s*(?P<op>==|!=|\+=|:=|=)\s*"(?P<value>[^"]*)"\s*(?:,|$)'
)
MATCHES = ("ACTION", "SUBSYSTEM", "KERNEL", "ATTR", "ATTRS", "ENV")


@dataclass
class Device:
    """What the kernel says of a device; `env` is what the rules make of it."""

    subsystem: str
    kernel: str
    attrs: Mapping[str, str] = field(default_factory=dict)  # of it or a parent
    env: dict[str, str] = field(default_factory=dict)
    tags: set[str] = field(default_factory=set)


def parsed(text: str) -> list[list[tuple[str, str, str, str]]]:
    """Each rule's (key, argument, operator, value); ValueError for what is none."""
    rules = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        rule, at = [], 0
        while at < len(line):
            found = TOKEN.match(line, at)
            if found is None:
                raise ValueError(f"line {number}: {line[at:]!r}")
            rule.append((found["key"], found["arg"] or "", found["op"], found["value"]))
            at = found.end()
        rules.append(rule)
    return rules


def applied(text: str, device: Device, action: str = "add") -> Device:
    """The device once the rules have been through with it; KeyError for a label that does not come."""
    rules, label = parsed(text), ""
    for rule in rules:
        if label:
            label = "" if ("LABEL", "", "=", label) in rule else label
            continue
        if not all(_holds(token, device, action) for token in rule):
            continue
        for key, arg, op, value in rule:
            if key == "GOTO":
                label = value
            elif key == "TAG":
                device.tags.add(value)
            elif key == "ENV" and op in ("=", "+="):
                value = value.replace("%k", device.kernel)
                device.env[arg] = f"{device.env.get(arg, '')} {value}".strip() if op == "+=" else value
    if label:
        raise KeyError(label)
    return device


def _holds(token: tuple[str, str, str, str], device: Device, action: str) -> bool:
    key, arg, op, value = token
    if key not in MATCHES or op not in ("==", "!="):
        return True
    known = {"ACTION": action, "SUBSYSTEM": device.subsystem, "KERNEL": device.kernel}
    there = device.env.get(arg, "") if key == "ENV" else device.attrs.get(arg) if arg else known[key]
    same = there is not None and any(fnmatch.fnmatchcase(there, one) for one in value.split("|"))
    return same == (op == "==")
