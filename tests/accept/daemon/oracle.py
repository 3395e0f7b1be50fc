"""Line 6: `robotd motivate` and the second, independent implementation of the motivations agree."""

import json
from collections import Counter
from typing import Any

from hypothesis import given

from tests.accept.check import Check, Found
from tests.accept.desk import Desk
from tests.motivation.alliance.oracle import Oracle
from tests.motivation.alliance.test_oracle import RAW, RULES, compare, scaled, search, text_of

EXAMPLES, QUICK_EXAMPLES = 4000, 100
COMMANDS, QUICK_COMMANDS = 10, 2
CLOSE = 1e-9  # the command prints twelve digits of levels up to 10


def agree(desk: Desk) -> Found:
    count = desk.fewer(EXAMPLES, QUICK_EXAMPLES)
    reached: Counter[str] = Counter()
    tried = 0

    @search(count)
    @given(RAW.map(scaled))
    def search_for_a_difference(scenario: dict[str, Any]) -> None:
        nonlocal tried
        reached.update(compare(scenario, literal_paper_rule=False).reached)
        compare(scenario, literal_paper_rule=True)
        tried += 1
        if tried % 50 == 0:
            desk.report(f"{tried} of {count}")

    search_for_a_difference()
    rules = f"{len(set(reached) & RULES)} of {len(RULES)} rules reached"
    figure = f"{tried} scenarios agree, in both readings of equation (1); {rules}"
    return Found(figure, f"{count} scenarios, every rule", tried >= count and set(reached) == RULES)


def command(desk: Desk) -> Found:
    scenarios: list[dict[str, Any]] = []
    wanted = desk.fewer(COMMANDS, QUICK_COMMANDS)

    @search(40 * wanted)
    @given(RAW.map(scaled))
    def collect(scenario: dict[str, Any]) -> None:
        scenarios.append(scenario)

    collect()
    rows = 0
    for index, scenario in enumerate(scenarios[:: len(scenarios) // wanted][:wanted]):
        path = desk.folder / f"scenario-{index}.toml"
        path.write_bytes(text_of(scenario))
        found = [json.loads(line) for line in desk.robotd("motivate", path, "--json").checked().out.splitlines()]
        expected = list(Oracle(scenario).rows())
        if len(found) != len(expected):
            return Found(f"{path}: {len(found)} rows, not {len(expected)}", "as many rows", ok=False)
        for row, (time_s, levels, active) in zip(found, expected, strict=True):
            close = all(abs(row["levels"][name] - level) <= CLOSE for name, level in levels.items())
            if abs(row["time_s"] - time_s) > CLOSE or row["active"] != active or not close:
                return Found(f"{path}: {row}, not {(time_s, levels, active)}", "agreement", ok=False)
            rows += 1
    return Found(f"{wanted} scenarios, {rows} rows agree", "every row", ok=True)


CHECKS = (
    Check("6.1", "motivations against a second implementation", "tests/motivation/alliance/test_oracle.py, more",
          agree),
    Check("6.2", "the command against it", "robotd motivate SCENARIO --json", command),
)  # fmt: skip
