"""What a mission file says of ALLIANCE: of all behavior sets of a robot, and of one."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from motivation.settings import Table

Rate = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Time = Annotated[float, Field(gt=0)]


class AllianceSettings(Table):
    """What holds for all behavior sets of a robot."""

    threshold: Rate = Field(default=100.0, description="motivation at which a behavior set becomes active")
    silence_timeout_beats: float = Field(
        default=6.0,
        ge=3,
        description="beats of silence after which a teammate counts as gone (half a beat is added)",
    )
    literal_paper_rule: bool = Field(
        default=False, description="equation (1) as printed; see docs/faithfulness.md"
    )

    @property
    def longest_delay_s(self) -> float | None:
        """The longest time to the threshold that a robot may learn, s; None where it learns none."""
        return None


class SetMotivation(Table):
    """The motivation of one behavior set."""

    fast_rate: Rate = Field(description="growth per second while no robot works on the task")
    slow_rate: Rate | dict[str, Rate] = Field(
        description="growth per second while a teammate does; by name or one",
        json_schema_extra={"below": "fast_rate"},
    )
    patience_s: Time | dict[str, Time] = Field(description="how long a teammate's attempt may hold it back, s")
    yield_time_s: Time = Field(description="active time after which it yields to a newer claim, s")
    give_up_time_s: Time = Field(description="active time after which it gives up, s")
    preempts: bool = Field(default=False, description="may interrupt an ordinary behavior set")
    exclusive: bool = Field(
        default=False,
        description="for one robot at a time: inapplicable while a teammate is known to be on the task, and "
        "yields only to a claim stated after yield_time_s",
    )

    @model_validator(mode="after")
    def _slow_below_fast(self) -> SetMotivation:
        rates = self.slow_rate.values() if isinstance(self.slow_rate, dict) else (self.slow_rate,)
        if any(rate >= self.fast_rate for rate in rates):
            raise ValueError(f"every slow_rate must be below the fast_rate, {self.fast_rate:g}")
        for name in ("slow_rate", "patience_s"):
            table = getattr(self, name)
            if isinstance(table, dict) and "default" not in table:
                raise ValueError(f"{name}: a table by teammate needs the key 'default'")
        return self
