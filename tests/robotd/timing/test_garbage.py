import gc

import pytest

from robotd.timing.gc_control import YOUNG, rarely_collected


def test_the_collector_looks_rarely_meanwhile_and_as_before_afterwards() -> None:
    before = gc.get_threshold()
    with rarely_collected():
        assert gc.get_threshold() == (YOUNG, *before[1:])
        assert gc.get_freeze_count() > 0
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


def test_an_error_meanwhile_leaves_it_as_before_too() -> None:
    before = gc.get_threshold()
    with pytest.raises(ValueError, match="meanwhile"), rarely_collected():
        raise ValueError("meanwhile")
    assert gc.get_threshold() == before
