"""`robotd ack`: take notice of a robot's faults, so that it may go on."""

from __future__ import annotations

import argparse

from robotd.control import client

HELP = "acknowledge a robot's faults"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `run` reads."""
    client.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Exit status: 0 if no fault holds it any more, 1 if one lasts (it is told) or it cannot be asked."""
    return client.order(args, "ack", failed=("faulted",))
