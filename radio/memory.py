"""What a robot's radio keeps over a restart."""

from __future__ import annotations

from dataclasses import dataclass

from robotd.model.plain import Json, from_plain


@dataclass(frozen=True, slots=True)
class RadioMemory:
    """States of the parts, and of the whole."""

    authentication: Json
    stop: Json
    unpaced: int | None = None  # frames of the last hour that did not wait for their turn
    doubt: str = ""  # why a team stop may have been lost, in words, until people acknowledge it


def read_memory(memory: Json) -> RadioMemory:
    """What `memory()` gave, of this version or one that kept less; ValueError where it is none."""
    if memory is None:
        return RadioMemory(None, None)
    if not isinstance(memory, list | tuple) or not 2 <= len(memory) <= 4:
        raise ValueError(f"it is no state of a radio: expected 4 fields, found {memory!r:.80}")
    return from_plain(RadioMemory, [*memory, *(None, "")[len(memory) - 2 :]])
