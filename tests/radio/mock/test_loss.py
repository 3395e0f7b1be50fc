"""How links lose frames: the share that is asked for, alone or in bursts, whatever the order of asking."""

from __future__ import annotations

from itertools import groupby

import pytest

from radio.mock.loss import A_SLOT, Bernoulli, GilbertElliott

PERIODS = range(0, 4000 * A_SLOT, A_SLOT)


def fate(model, share: float, slots=PERIODS) -> list[bool]:
    return [model.loses(1, 2, slot, share) for slot in slots]


def mean_burst(lost: list[bool]) -> float:
    bursts = [len(list(run)) for bad, run in groupby(lost) if bad]
    return sum(bursts) / len(bursts)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.7])
def test_both_models_lose_the_share_and_only_one_of_them_in_bursts(share: float) -> None:
    alone, bursts = fate(Bernoulli(1), share), fate(GilbertElliott(1), share)
    assert sum(alone) / len(alone) == pytest.approx(share, abs=0.03)
    assert sum(bursts) / len(bursts) == pytest.approx(share, abs=0.06)
    assert mean_burst(alone) == pytest.approx(1 / (1 - share), rel=0.1)
    assert mean_burst(bursts) == pytest.approx(max(4.0, share / (1 - share)), rel=0.15)


def test_a_greater_loss_loses_more_of_the_same_and_another_link_or_seed_others() -> None:
    some, more = fate(Bernoulli(5), 0.1), fate(Bernoulli(5), 0.5)
    assert all(lost for rarely, lost in zip(some, more, strict=True) if rarely)
    assert more != [Bernoulli(5).loses(1, 3, slot, 0.5) for slot in PERIODS]
    assert more != fate(Bernoulli(6), 0.5)


def test_nothing_and_everything_are_exact() -> None:
    for model in (Bernoulli(1), GilbertElliott(1)):
        assert not any(fate(model, 0.0, range(50)))
        assert all(fate(model, 1.0, range(50)))


def test_the_fate_of_a_slot_does_not_depend_on_what_was_asked_before() -> None:
    backwards = fate(GilbertElliott(7), 0.3, range(400, -1, -1))
    assert backwards[::-1] == fate(GilbertElliott(7), 0.3, range(401))
    one = GilbertElliott(7)
    assert fate(one, 0.3) != [one.loses(2, 1, slot, 0.3) for slot in PERIODS]
