"""A little of what `make fuzz` and `make attack` do at length, and that they would notice."""

import pytest

from radio.authentication import Authentication
from radio.pacing import Pacing
from tests.benches import frames
from tests.compiled import needs_sources
from tests.hostile.attack import attack
from tests.hostile.decoders import Decoder, decoders
from tests.hostile.endurance import Finding, live, worst_hour
from tests.hostile.fuzz import fuzz


@pytest.mark.parametrize("decoder", list(decoders()), ids=lambda decoder: decoder.name)
def test_no_damaged_input_raises_or_is_believed_and_some_of_it_is_read(decoder: Decoder) -> None:
    assert fuzz(decoder, 1500, seed=3) is None
    assert sum(decoder.seen.values()) > 0


def test_of_an_attackers_frames_of_every_kind_none_is_taken_and_all_of_the_teams_are_heard() -> None:
    result = attack(4000, seed=2)
    assert result.held
    assert (result.taken, result.stopped, result.restarts) == (0, 0, 2)
    assert min(result.sent.values()) > 250
    assert len(result.sent) == 14
    assert result.refused.keys() == {"length", "mac", "replay", "version"}


@needs_sources
def test_an_authentication_that_believes_recordings_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Authentication, "newest_of", lambda self, number: None)
    assert not attack(200, seed=2).held


def test_a_few_restarts_unplugs_stops_and_clock_steps_exceed_neither_beat_nor_law() -> None:
    found = live(0.25, 12, seed=4)
    assert all(each.legal and each.frames > 20 for each in found)
    assert sum(each.stops for each in found) > 0


@needs_sources
def test_a_robot_that_sent_as_soon_as_it_starts_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    begin = Pacing.begin

    def at_once(self: Pacing, now: float, unpaced: int | None = None) -> None:
        begin(self, now, unpaced)
        self._not_before = self._next_at = now

    monkeypatch.setattr(Pacing, "begin", at_once)
    assert not all(each.legal for each in live(0.2, 30, seed=4))


def test_an_hour_that_is_overdrawn_would_be_noticed() -> None:
    assert worst_hour([(0.0, 20.0), (10.0, 10.0), (3600.0, 5.0)]) == 30.0
    assert worst_hour([(0.0, 20.0), (10.0, 10.0), (3599.9, 5.0)]) == 35.0
    assert Finding(1, 400, 0, 3.0, 36.0, 36.0).legal
    assert not Finding(1, 400, 0, 3.0, 36.1, 36.0).legal
    assert not Finding(1, 400, 0, 2.9, 30.0, 36.0).legal


def test_a_frame_of_ours_is_smaller_than_the_same_in_any_other_form() -> None:
    figures = frames.run()
    assert figures[0].value == 33
    measured = [figure for figure in figures[1:] if figure.met is not None]
    assert measured
    assert all(figure.met for figure in measured)
