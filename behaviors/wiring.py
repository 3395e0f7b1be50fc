"""Who gets a channel: the outputs of one tick, put through the wires (Brooks 1986: suppression, inhibition)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from behaviors.parts import BELOW, CHANNELS, Behavior, Drive, Out, Wire

Lines = dict[str, dict[int, Any]]  # channel to (rank of the speaker, 0 the lowest, to its value)


@dataclass(slots=True)
class Hold:
    """A wire that goes on acting until `until` though its source fell silent, and the value that it carried."""

    until: float = 0.0
    drive: Drive | None = None
    number: float | None = None  # of the gripper, lift or sound channel

    @property
    def value(self) -> Drive | float | None:
        """What a suppressing wire puts in the target's place."""
        return self.drive if self.drive is not None else self.number


@dataclass(frozen=True, slots=True)
class Tap:
    """A wire in its place: ranks of its source and of its targets in one stack."""

    key: str
    wire: Wire
    source: int
    targets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Wiring:
    """All wires of one stack in the order in which they act, and the ranks whose wires act on after silence."""

    taps: tuple[Tap, ...]
    holders: frozenset[int]


def wiring(stack: Sequence[Behavior[Any]]) -> Wiring:
    """The wires of a stack (lowest behavior first) in the order in which they act: inhibiting ones first.

    ValueError where a wire leads nowhere or could carry nothing, or two behaviors share a name. A wire to a
    behavior that this robot does not have is left out.
    """
    names = [behavior.name for behavior in stack]
    if len(set(names)) != len(names):
        raise ValueError(f"two behaviors of one robot share a name: {', '.join(sorted(names))}")
    found = []
    for rank, behavior in enumerate(stack):
        for number, wire in enumerate(behavior.wires):
            _check(behavior.name, wire)
            ranks = tuple(range(rank)) if wire.target == BELOW else tuple(_ranks(names, wire.target))
            if ranks:
                found.append(Tap(f"{behavior.name}/{number}", wire, rank, ranks))
    taps = tuple(sorted(found, key=lambda tap: tap.wire.kind))
    return Wiring(taps, frozenset(tap.source for tap in taps if tap.wire.hold_s > 0.0))


def _ranks(names: Sequence[str], target: str) -> list[int]:
    return [names.index(target)] if target in names else []


def _check(name: str, wire: Wire) -> None:
    if wire.channel not in CHANNELS:
        raise ValueError(f"{name}: a wire leads to {wire.channel!r}, which is no channel")
    if wire.kind == "suppress" and wire.line != wire.channel:
        raise ValueError(f"{name}: a suppressing wire must carry the channel that it leads to")


def resolve(
    outs: Sequence[Out | None], wired: Wiring, holds: dict[str, Hold], now: float
) -> Mapping[str, tuple[int, Any]]:
    """For each driven channel the rank of the behavior that has it, and the value.

    `outs` is what each behavior of the stack said in this tick, `wired` the stack's wires; `holds` is brought up
    to date. What is inhibited carries nothing, its own wires included. Where two drive one channel and no wire
    joins them, the higher has it.
    """
    if not holds:
        alone = _alone(outs, wired.holders)
        if alone is not None:
            return alone
    lines = _spoken(outs)
    blank: set[tuple[int, str]] = set()
    for tap in wired.taps:
        out = outs[tap.source]
        if out is None and not holds:
            continue
        hold = _acting(tap, out, lines, blank, holds, now)
        if hold is None:
            continue
        speakers = lines.setdefault(tap.wire.channel, {})
        for target in tap.targets:
            speakers.pop(target, None)
        if tap.wire.kind == "suppress":
            speakers[tap.source] = hold.value
        else:
            blank.update((target, tap.wire.channel) for target in tap.targets)
    return {channel: max(speakers.items()) for channel, speakers in lines.items() if speakers}


def _alone(outs: Sequence[Out | None], holders: frozenset[int]) -> Mapping[str, tuple[int, Any]] | None:
    """The result where at most one behavior spoke and no wire of it acts on later: no wire changes that."""
    speaker: Out | None = None
    rank = -1
    for k, out in enumerate(outs):
        if out is not None:
            if speaker is not None or k in holders:
                return None
            speaker, rank = out, k
    if speaker is None:
        return {}
    values = (speaker.drive, speaker.gripper, speaker.lift, speaker.sound)
    return {channel: (rank, value) for channel, value in zip(CHANNELS, values, strict=True) if value is not None}


def _spoken(outs: Sequence[Out | None]) -> Lines:
    lines: Lines = {}
    for rank, out in enumerate(outs):
        if out is None:
            continue
        if out.drive is not None:
            lines.setdefault("drive", {})[rank] = out.drive
        if out.gripper is not None:
            lines.setdefault("gripper", {})[rank] = out.gripper
        if out.lift is not None:
            lines.setdefault("lift", {})[rank] = out.lift
        if out.sound is not None:
            lines.setdefault("sound", {})[rank] = out.sound
    return lines


def _acting(
    tap: Tap, out: Out | None, lines: Lines, blank: set[tuple[int, str]], holds: dict[str, Hold], now: float
) -> Hold | None:
    """The wire's hold where it acts in this tick."""
    wire = tap.wire
    if (tap.source, wire.line) in blank:
        return None
    value = lines.get(wire.line, {}).get(tap.source)
    if value is not None or (out is not None and wire.line in out.lines):
        drive = value if isinstance(value, Drive) else None
        hold = Hold(now + wire.hold_s, drive, None if drive is not None else value)
        if wire.hold_s > 0.0:
            holds[tap.key] = hold
        return hold
    kept = holds.get(tap.key)
    if kept is not None and now >= kept.until:
        del holds[tap.key]
        return None
    return kept
