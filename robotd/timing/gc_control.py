"""The garbage collector, kept from looking again and again at what lives as long as the process."""

import contextlib
import gc
from collections.abc import Iterator

YOUNG = 50_000  # allocations between two looks; a tick makes some hundreds, nearly all freed without one


@contextlib.contextmanager
def rarely_collected() -> Iterator[None]:
    """While it lasts, what lives now is not looked at and young objects are looked at rarely.

    In a process that has frozen what it lives by already, that stays as it is: looking at all of it takes long.
    """
    before, frozen = gc.get_threshold(), gc.get_freeze_count() > 0
    if not frozen:
        gc.collect()
        gc.freeze()
    gc.set_threshold(YOUNG, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        if not frozen:
            gc.unfreeze()
