"""Who gets a channel: the outputs of one tick, put through the wires (Brooks 1986: suppression, inhibition)."""

from collections.abc import Collection, Mapping, Sequence
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
class Stack:
    """Behaviors that act together, lowest first, their names in the log, and the wires between them.

    `taps` are in the order in which they act; `holders` are the ranks with a wire that acts on after silence.
    """

    behaviors: tuple[Behavior[Any], ...]
    names: tuple[str, ...]
    taps: tuple[Tap, ...]
    holders: frozenset[int]


def build_stack(sets: Mapping[str, Sequence[Behavior[Any]]], layers: Sequence[Behavior[Any]]) -> Stack:
    """The stack of the sets of a path, root first, with the layers above them.

    A behavior is called `SET/behavior` where there are several sets. A wire leads to a behavior of its own set,
    else to all of that name in the stack; one to a behavior that this robot does not have is left out. ValueError
    where a wire leads nowhere or could carry nothing, or two behaviors share a name.
    """
    owned = [(owner, one) for owner, group in sets.items() for one in group] + [("", layer) for layer in layers]
    names = tuple(f"{owner}/{one.name}" if owner and len(sets) > 1 else one.name for owner, one in owned)
    if len(set(names)) != len(names):
        raise ValueError(f"two behaviors of one robot share a name: {', '.join(sorted(names))}")
    found = []
    for rank, (owner, behavior) in enumerate(owned):
        for number, wire in enumerate(behavior.wires):
            _check(behavior.name, wire)
            ranks = tuple(range(rank)) if wire.target == BELOW else _find_ranks(owned, owner, wire.target)
            if ranks:
                found.append(Tap(f"{owner}/{behavior.name}/{number}", wire, rank, ranks))
    taps = tuple(sorted(found, key=lambda tap: tap.wire.kind))  # inhibiting wires act first
    holders = frozenset(tap.source for tap in taps if tap.wire.hold_s > 0.0)
    return Stack(tuple(one for _, one in owned), names, taps, holders)


def _find_ranks(owned: Sequence[tuple[str, Behavior[Any]]], owner: str, target: str) -> tuple[int, ...]:
    ranks = [rank for rank, (_, one) in enumerate(owned) if one.name == target]
    return tuple([rank for rank in ranks if owned[rank][0] == owner] or ranks)


def keep_holds(holds: Mapping[str, Hold], sets: Collection[str]) -> dict[str, Hold]:
    """The holds of the layers' wires and of those of `sets`."""
    owners = {"", *sets}
    return {key: hold for key, hold in holds.items() if key.partition("/")[0] in owners}


def _check(name: str, wire: Wire) -> None:
    if wire.channel not in CHANNELS:
        raise ValueError(f"{name}: a wire leads to {wire.channel!r}, which is no channel")
    if wire.kind == "suppress" and wire.line != wire.channel:
        raise ValueError(f"{name}: a suppressing wire must carry the channel that it leads to")


def resolve(
    outs: Sequence[Out | None], stack: Stack, holds: dict[str, Hold], now: float
) -> Mapping[str, tuple[int, Any]]:
    """For each driven channel the rank of the behavior that has it, and the value.

    `outs` is the output of each behavior in this tick, in the order of `stack`; `holds` is brought up
    to date. What is inhibited carries nothing, its own wires included. Where two drive one channel and no wire
    joins them, the higher has it.
    """
    if not holds:
        alone = _resolve_single(outs, stack.holders)
        if alone is not None:
            return alone
    lines = _collect(outs)
    blank: set[tuple[int, str]] = set()
    for tap in stack.taps:
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


def _resolve_single(outs: Sequence[Out | None], holders: frozenset[int]) -> Mapping[str, tuple[int, Any]] | None:
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
    return {channel: (rank, value) for channel, value in _values(speaker)}


def _values(out: Out) -> list[tuple[str, Any]]:
    values = (out.drive, out.gripper, out.lift, out.sound)
    return [(channel, value) for channel, value in zip(CHANNELS, values, strict=True) if value is not None]


def _collect(outs: Sequence[Out | None]) -> Lines:
    lines: Lines = {}
    for rank, out in enumerate(outs):
        for channel, value in _values(out) if out is not None else ():
            lines.setdefault(channel, {})[rank] = value
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
