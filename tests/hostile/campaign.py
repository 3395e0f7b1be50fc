"""`make fuzz`: damaged input for everything that reads bytes of the radio, or with `WHAT=boards` of the boards.

None raises; of the radio none is believed without the key, and none makes a board drive faster than it can.

The work is cut in blocks, each with inputs and decoder of its own, a function of seed and number alone, so that it
may be interrupted and continued, or shared among computers. With atheris (the extra `fuzz`) a decoder's inputs
are one block: a run of libFuzzer, which looks for inputs that reach code that none before reached.
"""

import argparse
import importlib.util
import itertools
import json
import multiprocessing
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path

from robotd.experiments.jobs import code
from robotd.files.progress_bar import bar
from tests.hostile import boards
from tests.hostile.decoders import Decoder, decoders
from tests.hostile.fuzz import fuzz
from tests.hostile.guided import guided

BLOCK = 25_000  # inputs: a second's work, so that little is lost when it is interrupted
READERS: dict[str, Callable[[], Iterable[Decoder]]] = {"radio": decoders, "boards": boards.decoders}
COLUMNS = ("MofNCompleteColumn", "TimeElapsedColumn", "TimeRemainingColumn")


@dataclass(frozen=True)
class Block:
    """Block `number` of a campaign: `count` inputs for decoder `decoder` of `what`; `seed` is its own."""

    number: int
    decoder: int
    count: int
    seed: int
    engine: str = "mutator"
    what: str = "radio"


@dataclass(frozen=True)
class Done:
    """What became of a block: what its decoder found in the inputs, and the failure in words, or ''."""

    number: int
    name: str
    count: int
    seen: dict[str, int]
    failure: str


def blocks(count: int, seed: int, engine: str, size: int = BLOCK, what: str = "radio") -> Sequence[Block]:
    """A campaign of `count` inputs, as even over the decoders as can be."""
    made: list[Block] = []
    readers = len(list(READERS[what]()))
    size = size if engine == "mutator" else count
    for decoder in range(readers):
        left = count // readers + (decoder < count % readers)
        while left > 0:
            number = len(made)
            made.append(Block(number, decoder, min(size, left), (seed << 32) + number, engine, what))
            left -= size
    return made


def done(block: Block) -> Done:
    """Do a block."""
    decoder = next(itertools.islice(READERS[block.what](), block.decoder, None))
    if block.engine == "atheris":
        seen, failure = guided(block.what, block.decoder, block.count, block.seed % (1 << 31))
        return Done(block.number, decoder.name, block.count, seen, failure)
    found = fuzz(decoder, block.count, block.seed)
    return Done(block.number, decoder.name, block.count, dict(decoder.seen), str(found) if found else "")


def campaign(work: Sequence[Block], jobs: int) -> Iterator[Done]:
    """Do the blocks, `jobs` at once, in no order."""
    if jobs == 1:
        yield from map(done, work)
        return
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"))  # raises where a process of it dies
    try:
        yield from (each.result() for each in as_completed([pool.submit(done, block) for block in work]))
    finally:
        pool.shutdown(cancel_futures=True)


class State:
    """What a campaign has done: a file with its arguments and the code's version, then a line for each block.

    One of another campaign, or of other code, is begun anew. A last line that was cut is dropped.
    """

    def __init__(self, path: Path | None, head: Sequence[object]) -> None:
        self._path, self.done = path, {}
        text = json.dumps([*head, code()])
        if path is None:
            return
        lines = path.read_text(encoding="utf-8").split("\n") if path.is_file() else []
        if lines[:1] == [text]:
            self.done = {each.number: each for each in (Done(**json.loads(line)) for line in lines[1:-1])}
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = [text, *(json.dumps(asdict(each)) for each in self.done.values())]
        path.write_text("\n".join(kept) + "\n", encoding="utf-8")

    def keep(self, each: Done) -> None:
        """A block is done."""
        self.done[each.number] = each
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(each)) + "\n")


def told(found: Sequence[Done]) -> str:
    """A line for each decoder."""
    lines = []
    for name in dict.fromkeys(each.name for each in found):
        own = [each for each in found if each.name == name]
        seen: Counter[str] = Counter()
        for each in own:
            seen.update(each.seen)
        words = ", ".join(f"{number} {what}" for what, number in sorted(seen.items()))
        lines.append(f"{name}: {sum(each.count for each in own)} inputs; {words or 'nothing'} found in them\n")
    return "".join(lines)


def arguments() -> argparse.ArgumentParser:
    """What may be asked."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile", description=__doc__)
    parser.add_argument("--what", choices=tuple(READERS), default="radio", help="whose bytes (default radio)")
    parser.add_argument("--count", type=int, default=10_000_000, help="inputs in all (default 10000000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="blocks at once (default 1)")
    parser.add_argument("--shard", default="1/1", metavar="I/N", help="do the I-th of N shares of the blocks")
    parser.add_argument("--block", type=int, metavar="B", help="do this block alone: a failure states its number")
    parser.add_argument(
        "--state", type=Path, metavar="FILE", help="keep there what is done, and continue from there"
    )
    parser.add_argument(
        "--engine", choices=("auto", "atheris", "mutator"), default="auto", help="auto: atheris where installed"
    )
    return parser


def share(text: str) -> tuple[int, int]:
    """I and N of "I/N"; ValueError."""
    first, _, of = text.partition("/")
    if not (first.isdigit() and of.isdigit() and 1 <= int(first) <= int(of)):
        raise ValueError(f"--shard {text}: expected I/N with I from 1 to N, such as 1/2")
    return int(first), int(of)


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status 0 where nothing raised and nothing was believed, 1 else, 2 bad usage, 130 after control-C."""
    options = arguments().parse_args(argv)
    there = importlib.util.find_spec("atheris") is not None
    if options.engine == "atheris" and not there:
        sys.stderr.write("--engine atheris needs it: pip install 'robotd[fuzz]'\n")
        return 2
    try:
        first, of = share(options.shard)
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    engine = options.engine if options.engine != "auto" else "atheris" if there else "mutator"
    work = [
        x for x in blocks(options.count, options.seed, engine, BLOCK, options.what) if x.number % of == first - 1
    ]
    if options.block is not None:
        work = [x for x in work if x.number == options.block]
    state = State(options.state, [options.what, options.count, options.seed, engine, options.shard, options.block])
    left = [x for x in work if x.number not in state.done]
    interrupted = False
    try:
        with bar(f"fuzz with {engine}", len(work), *COLUMNS) as update:
            for each in campaign(left, options.jobs):
                state.keep(each)
                if update is not None:
                    update(completed=len(state.done))
    except KeyboardInterrupt:
        interrupted = True
    found = sorted(state.done.values(), key=lambda each: each.number)
    sys.stdout.write(told(found))
    failures = [each for each in found if each.failure]
    for each in failures:
        sys.stderr.write(f"--what {options.what} --seed {options.seed} --block {each.number}: {each.failure}\n")
    if interrupted:
        sys.stderr.write("interrupted" + ("; the same command continues\n" if options.state else "\n"))
        return 130
    return 1 if failures else 0
