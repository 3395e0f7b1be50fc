"""The newest reading of a driver, with the age of what it holds."""

from __future__ import annotations

from dataclasses import dataclass, replace

from robotd.model.senses import Ages, Senses


@dataclass(frozen=True, slots=True)
class Reading:
    """One report of a device, received at `at` (s): values without ages, and what is lost of the body and why.

    `ranges_age` and `fix_age` (s): how old its ranges and its position were by then.
    """

    at: float
    values: Senses
    lost: tuple[tuple[str, str], ...] = ()
    ranges_age: float = 0.0
    fix_age: float = 0.0

    @property
    def cliff(self) -> bool:
        """A cliff sensor detects no floor."""
        return any(cliff.pressed for cliff in self.values.cliffs)

    def senses(self, now: float) -> Senses:
        """The values with their ages at `now`."""
        late = now - self.at
        return replace(
            self.values, ages=Ages(late, late + self.fix_age, late + self.ranges_age, late, late, late, late)
        )


def empty(age: float) -> Senses:
    """No reading that can be believed; the last one is `age` s old."""
    return Senses(ages=Ages(age, age, age, age, age, age, age))
