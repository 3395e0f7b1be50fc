"""Many random plans in virtual time: `python -m tests.motivation.bite.schedules [--count 1000]`.

It searches for one after which robots leave a point by different edges, or have no common stack once it is quiet.
"""

import argparse
import sys

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.motivation.bite.test_traps import (
    plans,
)
from tests.motivation.bite.test_traps import (
    test_random_plans_leave_no_point_by_two_edges_and_agree_when_it_is_quiet as one_plan,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many plans (default 1000)")
    count = parser.parse_args().count
    tried = given(plans(), st.sampled_from([0.0, 0.3]), st.integers(0, 999), st.sampled_from([0.0, 6.0]))
    search = settings(max_examples=count, deadline=None, suppress_health_check=list(HealthCheck))
    search(tried(one_plan.hypothesis.inner_test))()  # type: ignore[attr-defined]
    sys.stdout.write(f"{count} plans: each point was left by one edge, and all stacks agreed\n")


if __name__ == "__main__":
    main()
