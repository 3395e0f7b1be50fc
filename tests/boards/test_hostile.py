"""A little of what `make fuzz WHAT=boards` does at length, and that it would notice."""

import pytest

from boards.create2.driver import Create2
from robotd.sim.emulated import emulations
from tests.hostile.boards import decoders_of
from tests.hostile.fuzz import fuzz


@pytest.mark.parametrize("name", emulations().boards)
def test_no_damaged_input_raises_in_a_driver_and_some_of_it_is_read(name):
    for decoder in decoders_of(name):
        assert fuzz(decoder, 100, seed=3) is None
        assert decoder.seen["ready"] > 50
        assert decoder.seen["readings"] > 0 or "sealed" not in decoder.name


def test_a_driver_that_raises_or_goes_too_fast_is_found(monkeypatch):
    decoder = next(decoders_of("create2"))
    monkeypatch.setattr(Create2, "command", lambda self, now, command: command)
    assert "believed" in fuzz(decoder, 50, seed=3).what
    monkeypatch.setattr(Create2, "senses", lambda self, now: 1 / 0)
    assert "ZeroDivisionError" in fuzz(decoder, 50, seed=3).what
