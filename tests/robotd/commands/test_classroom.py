"""What `robotd class` refuses before anything listens."""

import argparse

import pytest

from robotd.commands.classroom import add_arguments, own_address, run
from robotd.config.robot import HttpPart
from robotd.files.refusal import Refusal
from robotd.status.guards import is_answered


@pytest.mark.parametrize(
    "words", [["--seats", "0"], ["--seats", "65"], ["--bind", "nowhere:99999"], ["no-such-mission"]]
)
def test_a_class_that_cannot_be_is_refused(words: list[str]) -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    with pytest.raises((Refusal, ValueError)):
        run(parser.parse_args(words))


def test_the_address_that_is_printed_is_one_that_the_server_answers_to() -> None:
    assert is_answered(f"{own_address()}:8420", HttpPart(host="0.0.0.0", port=8420))
