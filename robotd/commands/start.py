"""`robotd start`: permit a robot to move."""

from __future__ import annotations

import argparse

from robotd.control import client

HELP = "permit a robot to move"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `run` reads."""
    client.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Exit status: 0 once it may move, 1 if it may not (the reason is told) or cannot be asked."""
    return client.order(args, "start", failed=("waiting for start", "stopped", "faulted"))
