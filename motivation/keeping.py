"""What coordinators that keep a memory share: whose memory it is."""

from robotd.model.plain import Json
from robotd.model.table import NumberTable


def sealed(kept: Json, table: NumberTable, me: int) -> Json:
    """The memory of robot `me` in this mission, as `opened` takes it back."""
    return {"robot": table.name(me), "digest": table.digest, "kept": kept}


def opened(memory: Json, table: NumberTable, me: int) -> Json:
    """What was sealed; ValueError where it is no memory, or one of another robot or mission."""
    if not isinstance(memory, dict) or set(memory) != {"robot", "digest", "kept"}:
        raise ValueError("it is not what this coordinator writes down")
    for key, mine in (("robot", table.name(me)), ("digest", table.digest)):
        if memory[key] != mine:
            raise ValueError(f"it is of another {key}: {memory[key]!r:.80}, and now it is {mine!r}")
    kept: Json = memory["kept"]
    return kept
