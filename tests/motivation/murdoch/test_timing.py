"""How soon an award is known to its winner: on a network at ten frames a second, and on a radio at 1/3 Hz."""

import math

import pytest

from tests.motivation.murdoch.team import Bot, Channel, Team

SWEEP = {"sweep": {"resources": ("mobile", "camera")}}


def delays(count: int, every_s: float, **how: object) -> list[float]:
    """From each order to its begin of work, over many auctions of two robots; inf where none came of it."""
    bots = {"desk": Bot(("desk",)), "one": Bot(takes_s=0.1), "two": Bot(fitness={"sweep": 0.4}, takes_s=0.1)}
    team = Team(bots, SWEEP, **how)  # type: ignore[arg-type]
    ordered = [1.0 + every_s * k for k in range(count)]
    for at in ordered:
        team.at(at, lambda: team.add("desk", "sweep"))
    team.run(ordered[-1] + every_s)
    begun: dict[str, float] = {}
    for robot in team.robots.values():
        for now, task in robot.history:
            begun[task] = min(now, begun.get(task, math.inf))
    found = [begun.get(f"desk.{k}", math.inf) - at for k, at in enumerate(ordered)]
    return sorted(found)


@pytest.mark.long
def test_at_a_beat_of_a_tenth_of_a_second_the_winner_knows_within_2_3_s() -> None:
    found = delays(100, 2.73, beat_s=0.1, decision_s=0.1, slots=False, channel=Channel(loss=0.02, seed=3))
    assert found[98] <= 2.3
    assert found[0] >= 1.5


def test_at_a_beat_of_3_s_with_slots_the_winner_knows_within_the_window_and_two_beats() -> None:
    found = delays(20, 37.3, beat_s=3.0, decision_s=0.5)
    window_s = 3 * 3.0
    assert found[-1] <= window_s + 2 * 3.0 + 0.5
    assert found[0] >= window_s


def test_a_window_counts_in_beats_on_a_slow_radio_and_in_seconds_on_a_fast_one() -> None:
    for beat_s, window_s in ((0.1, 1.5), (1.0, 3.0), (3.0, 9.0)):
        team = Team({"desk": Bot(("desk",)), "one": Bot()}, SWEEP, beat_s=beat_s, decision_s=0.1)
        team.add("desk", "sweep")
        team.run(30.0, lambda team=team: team["desk"].count("awarded") > 0)  # type: ignore[misc]
        (sent,) = [at for at, said in team["desk"].frames if said[1:2] and said[1].kind == "announcement"][:1]
        assert window_s <= team.now - sent <= window_s + 0.1 + 1e-6
