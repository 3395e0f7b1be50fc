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


def resolve(
    stack: Sequence[Behavior[Any]], outs: Sequence[Out | None], holds: dict[str, Hold], now: float
) -> Mapping[str, tuple[str, Any]]:
    """For each driven channel the behavior that has it and the value.

    `stack` lists behaviors lowest first and `outs` what each said in this tick. `holds` is brought up to date.
    Where two drive one channel and no wire joins them, the higher has it.
    """
    lines = _spoken(outs)
    for rank, behavior in enumerate(stack):
        for number, wire in enumerate(behavior.wires):
            hold = _acting(f"{behavior.name}/{number}", wire, outs[rank], holds, now)
            if hold is not None:
                speakers = lines.setdefault(wire.channel, {})
                _cut(speakers, stack, rank, wire.target)
                if wire.kind == "suppress":
                    speakers[rank] = hold.value
    chosen = {channel: max(speakers) for channel, speakers in lines.items() if speakers}
    return {channel: (stack[rank].name, lines[channel][rank]) for channel, rank in chosen.items()}


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


def _acting(key: str, wire: Wire, out: Out | None, holds: dict[str, Hold], now: float) -> Hold | None:
    """The wire's hold where it acts in this tick."""
    if out is not None:
        value = getattr(out, wire.line) if wire.line in CHANNELS else None
        if value is not None or wire.line in out.lines:
            drive = value if isinstance(value, Drive) else None
            hold = Hold(now + wire.hold_s, drive, None if drive is not None else value)
            if wire.hold_s > 0.0:
                holds[key] = hold
            return hold
    kept = holds.get(key)
    if kept is not None and now >= kept.until:
        del holds[key]
        return None
    return kept


def _cut(speakers: dict[int, Any], stack: Sequence[Behavior[Any]], rank: int, target: str) -> None:
    for speaker in list(speakers):
        if speaker < rank if target == BELOW else stack[speaker].name == target:
            del speakers[speaker]


def check(stack: Sequence[Behavior[Any]]) -> None:
    """ValueError where a wire leads nowhere or could carry nothing, or two behaviors share a name."""
    names = [behavior.name for behavior in stack]
    if len(set(names)) != len(names):
        raise ValueError(f"two behaviors of one robot share a name: {', '.join(sorted(names))}")
    for behavior in stack:
        for wire in behavior.wires:
            if wire.channel not in CHANNELS:
                raise ValueError(f"{behavior.name}: a wire leads to {wire.channel!r}, which is no channel")
            if wire.kind == "suppress" and wire.line != wire.channel:
                raise ValueError(f"{behavior.name}: a suppressing wire must carry the channel that it leads to")
