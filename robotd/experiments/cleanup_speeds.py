"""The variants of cleanup by robots 20 % slower and 20 % faster: conclusions must not hang on their speed."""

from robotd.experiments.cleanup import Cleanup, scenarios

SPEEDS = {"20 % slower": 0.8, "20 % faster": 1.2}

EXPERIMENT = Cleanup(
    name="cleanup-speeds", runs=5, published_seed=1, scenarios=scenarios(SPEEDS), speeds=tuple(SPEEDS),
    title="Do the conclusions of cleanup hold for robots that are 20 % slower or faster?",
)  # fmt: skip
