"""What learning teams of abstract missions make of their trials."""

import numpy as np
import pytest

from motivation.alliance.learning import work_out
from motivation.alliance.parameters import Parameters
from robotd.experiments.abstract.draws import Purpose, keys, uniform
from robotd.experiments.abstract.experience import Adaptive, LearnerSettings, times
from robotd.experiments.abstract.missions import Missions, outranks

ROBOTS, TASKS, TRIALS = 3, 4, 5
SHIPPED = {
    "fast_rate": 20.0, "slow_rate": 1.5, "patience": 25.0, "yield_time": 12.0, "give_up_time": 30.0,
    "threshold": 100.0, "silence_timeout": 10.5, "beat_s": 3.0,
}  # fmt: skip


@pytest.mark.parametrize("strategy", ["distrust", "best-wins", "fighting-chance"])
def test_a_learning_team_of_a_batch_has_the_parameters_of_a_daemon_that_knows_the_same(strategy):
    how = LearnerSettings(
        strategy=strategy, max_delay_s=20.0
    )  # below every task time: no slow rate has to be lowered
    key = keys(range(20), "test")
    params = Parameters.of((len(key), ROBOTS, TASKS, ROBOTS - 1), outranks=outranks(ROBOTS), **SHIPPED)
    missions = Missions.plain(key, np.full((len(key), ROBOTS, TASKS), 100.0), params, 0.2)
    of = np.arange(ROBOTS)[:, None, None], np.arange(TASKS)[:, None], np.arange(TRIALS)
    window = 30.0 + 170.0 * uniform(key[:, None, None, None], Purpose.DELAY, *of)
    window[uniform(key[:, None, None], Purpose.EXPLORE, of[0][..., 0], of[1][..., 0]) < 0.4] = (
        np.nan
    )  # never tried
    learned = Adaptive(missions, how, window).missions.params
    own, teammates = times(window)
    alone = Parameters.of((TASKS, ROBOTS - 1), outranks=outranks(ROBOTS)[0], **SHIPPED)
    for m in range(len(key)):
        for r in range(ROBOTS):
            rates = work_out(how, alone, own[m, r], teammates[m, r], np.ones(TASKS, np.bool_), np.zeros(TASKS))
            np.testing.assert_allclose(learned.patience[m, r], rates.patience)
            np.testing.assert_allclose(learned.yield_time[m, r], rates.yield_time)
            np.testing.assert_allclose(learned.slow_rate[m, r], rates.slow_second)
