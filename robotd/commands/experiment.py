"""`robotd experiment NAME|FILE.toml`: many runs, their tables and figures, and the same again with one command."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from robotd.commands.progress import pacing
from robotd.files.options import add_json
from robotd.files.paths import folder_option
from robotd.files.refusal import DONE, INTERRUPTED, refuse_on, refuse_unwritten

if TYPE_CHECKING:
    from robotd.experiments.base import Experiment
    from robotd.experiments.runner import Request, Result


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("experiment", nargs="?", metavar="NAME|FILE", help="a named experiment, or a TOML file")
    parser.add_argument("--list", action="store_true", help="list the installed experiments, and end")
    parser.add_argument("--runs", type=int, metavar="N", help="runs of each cell (default: the experiment's own)")
    parser.add_argument("--seed", type=int, metavar="S", help="what the seeds of all runs are drawn from")
    seeds, scheduler = (
        "drawn from seed and run, or S, S + 1, ... (default: drawn)",
        "a Dask scheduler for the runs",
    )
    parser.add_argument("--seeds", choices=("drawn", "consecutive"), help=seeds)
    parser.add_argument("--jobs", type=int, metavar="J", help="processes (default: one for each core)")
    parser.add_argument("--shard", default="1/1", metavar="I/N", help="do the I-th of N shares of the work")
    parser.add_argument("--scheduler", default="", metavar="ADDRESS", help=scheduler)
    parser.add_argument("--limit", type=float, metavar="SECONDS", help="real time that one run may take")
    out = "folder (default ./robotd-experiment-NAME-SEED)"
    add_json(parser)
    parser.add_argument("--out", metavar="DIR", type=folder_option, help=out)


def run(options: argparse.Namespace) -> int:
    """Exit status 0, runs without success included: they are results; 2 bad usage or files.

    130 after control-C; the same command resumes what is left.
    """
    if options.list:
        _list(options.json)
        return DONE
    from robotd.experiments.runner import run_experiment
    from robotd.experiments.workers import ClusterError

    try:
        with refuse_on(LookupError, ValueError, ClusterError), refuse_unwritten(options.out or "its folder"):
            request = request_of(options)
            with pacing(request.experiment.name) as progress:
                result = run_experiment(request, _command(options, request), progress)
    except KeyboardInterrupt:
        print("interrupted; finished runs are kept, and the same command continues from there", file=sys.stderr)
        return INTERRUPTED
    _print(request, result, options.json)
    return DONE


def request_of(options: argparse.Namespace) -> Request:
    """What the options ask for; ConfigError, LookupError, ValueError."""
    from robotd.experiments.file import find_experiment, is_file, read_experiment
    from robotd.experiments.jobs import LONGEST_S, MOST_PROCESSES, MOST_RUNS, shard_of
    from robotd.experiments.runner import Request

    if options.experiment is None:
        raise ValueError("which experiment? robotd experiment --list names them; or give a TOML file")
    for name, most in (("runs", MOST_RUNS), ("jobs", MOST_PROCESSES)):
        given = getattr(options, name)
        if given is not None and not 1 <= given <= most:
            raise ValueError(f"--{name} {given}: expected at least 1, and at most {most}")
    if options.seed is not None and options.seed < 0:
        raise ValueError(f"--seed {options.seed}: expected at least 0")
    if options.limit is not None and not 0 < options.limit <= LONGEST_S:
        expected = f"expected a positive number of seconds, {LONGEST_S:g} at most"
        raise ValueError(f"--limit {options.limit:g}: {expected}")
    shard = shard_of(options.shard)
    file = is_file(options.experiment)
    experiment = read_experiment(Path(options.experiment)) if file else find_experiment(options.experiment)
    seed = experiment.seed if options.seed is None else options.seed
    return Request(
        experiment=experiment, runs=options.runs or experiment.runs, seed=seed, shard=shard,
        out=Path(options.out or f"robotd-experiment-{experiment.name}-{seed}"), limit_s=options.limit,
        workers=options.jobs or len(os.sched_getaffinity(0)), scheduler=options.scheduler, seeds=options.seeds,
    )  # fmt: skip


def _list(as_json: bool) -> None:
    from robotd.experiments.file import experiment_names, find_experiment

    found = [find_experiment(name) for name in experiment_names()]
    if as_json:
        rows = [{"name": x.name, "title": x.title, "cells": len(x.cells()), "runs": x.runs} for x in found]
        print(json.dumps(rows))
        return
    widest = max(len(x.name) for x in found)
    for x in found:
        print(f"{x.name:<{widest}} {len(x.cells()):>4} cells x {x.runs:<6} {x.title}")


def _command(options: argparse.Namespace, request: Request) -> str:
    """The command that gives the same rows, wherever and by however many processes."""
    words = ["robotd", "experiment", options.experiment, "--runs", str(request.runs), "--seed", str(request.seed)]
    if options.seeds:
        words += ["--seeds", options.seeds]
    return shlex.join(words)


def _print(request: Request, result: Result, as_json: bool) -> None:
    experiment: Experiment = request.experiment
    if as_json:
        print(json.dumps(result.as_json(experiment)))
        return
    for cell in experiment.cells():
        own = [row for row in result.rows if row["cell"] == cell.name]
        done = sum(row.get("accomplished") is True for row in own)
        if not own:
            continue
        key = (cell.name, "duration_s")
        times = next((line for line in result.summary if (line["cell"], line.get("measure")) == key), {})
        took = f", mean {times['mean']:.0f} s" if "mean" in times else ""
        compared = f", {times['ratio']:.2f} times that of {times['baseline']!r}" if "ratio" in times else ""
        print(f"{cell.name}: {done} of {len(own)} accomplished{took}{compared}")
    if result.left:
        print(f"{result.left} runs are left: run the other shares in this folder, or all without --shard")
    if result.repeat:
        why = "were killed at their limit, or failed for want of disk space or the like"
        print(f"{result.repeat} runs {why}: the same command does them again")
    print(request.out / "report.html")
