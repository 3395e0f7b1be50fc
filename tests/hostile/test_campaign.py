"""A campaign of damaged input can be cut, shared and continued, and comes to the same."""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile import campaign as program
from tests.hostile.campaign import Block, Done, State, blocks, done, main, share
from tests.hostile.decoders import Decoder, decoders
from tests.hostile.guided import guided

SMALL = ("--count", "40", "--engine", "mutator")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Two decoders of which one cannot stand FF; returns what they are fed. Blocks are of five inputs."""
    fed: list[bytes] = []

    def feed(now: float, data: bytes) -> bool:
        fed.append(data)
        return False

    def raises(now: float, data: bytes) -> bool:
        if b"\xff" in data:
            raise IndexError("past the end")
        return feed(now, data)

    def two() -> Iterator[Decoder]:
        yield Decoder("takes all", (b"abc",), feed, Counter({"letters": 3}))
        yield Decoder("fears FF", (b"abc",), raises, Counter())

    monkeypatch.setitem(program.READERS, "radio", two)
    monkeypatch.setattr(program, "BLOCK", 5)
    monkeypatch.setattr(blocks, "__defaults__", (5,))
    return fed


def test_blocks_hold_all_inputs_evenly_over_the_decoders_and_each_has_its_seed() -> None:
    work = blocks(100_003, 1, "mutator", size=2000)
    readers = len(list(decoders()))
    counts = [sum(x.count for x in work if x.decoder == n) for n in range(readers)]
    assert sum(counts) == 100_003
    assert max(counts) - min(counts) <= 1
    assert max(x.count for x in work) == 2000
    assert len({x.seed for x in work} | {x.seed for x in blocks(100_003, 2, "mutator", size=2000)}) == 2 * len(
        work
    )
    assert [x.number for x in blocks(1000, 1, "atheris", size=10)] == list(range(readers))


def test_a_block_is_the_same_each_time() -> None:
    block = Block(3, 4, 60, 99)
    assert done(block) == done(block)
    assert done(block).seen != done(Block(3, 4, 60, 98)).seen


def test_shares_together_are_the_whole_and_a_wrong_one_is_refused(
    small: list[bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    main(SMALL)
    whole, small[:] = sorted(small), []
    for text in ("1/2", "2/2"):
        main((*SMALL, "--shard", text))
    assert sorted(small) == whole
    for wrong in ("0/2", "3/2", "x", "1/"):
        with pytest.raises(ValueError, match="from 1 to N"):
            share(wrong)
    assert main((*SMALL, "--shard", "3/2")) == 2


def test_a_failure_is_reported_with_the_block_that_brings_it_back(
    small: list[bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(("--count", "200", "--engine", "mutator")) == 1
    told = capsys.readouterr()
    assert "takes all: 100 inputs; 60 letters found in them" in told.out
    line = told.err.splitlines()[0]
    assert "fears FF, input" in line
    assert "IndexError: past the end" in line
    block = line.split()[5].rstrip(":")
    assert main(("--count", "200", "--engine", "mutator", "--block", block)) == 1
    assert capsys.readouterr().err.splitlines()[0] == line


def test_an_interrupted_campaign_continues_and_comes_to_the_same(
    small: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    main(SMALL)
    whole = capsys.readouterr().out
    state, real = ("--state", str(tmp_path / "fuzz" / "state.jsonl")), program.done

    def stops(block: Block) -> Done:
        if block.number == 3:
            raise KeyboardInterrupt
        return real(block)

    monkeypatch.setattr(program, "done", stops)
    assert main((*SMALL, *state)) == 130
    assert "the same command continues" in capsys.readouterr().err
    monkeypatch.setattr(program, "done", real)
    before = len(small)
    main((*SMALL, *state))
    assert capsys.readouterr().out == whole
    assert len(small) - before < 30
    main((*SMALL, *state))
    assert capsys.readouterr().out == whole


def test_what_other_code_or_another_campaign_has_done_is_not_taken_up_nor_a_line_that_was_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state"
    state = State(path, [1])
    for number in (0, 1):
        state.keep(Done(number, "one", 5, {}, ""))
    assert set(State(path, [1]).done) == {0, 1}
    path.write_text(path.read_text()[:-4])
    assert set(State(path, [1]).done) == {0}
    assert State(path, [2]).done == {}
    State(path, [1]).keep(Done(0, "one", 5, {}, ""))
    monkeypatch.setattr(program, "code", lambda: "other")
    assert State(path, [1]).done == {}


def test_atheris_is_asked_for_where_it_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(("--engine", "atheris")) == 2
    assert "robotd[fuzz]" in capsys.readouterr().err


def test_two_processes_find_what_one_does() -> None:
    command = (sys.executable, "-m", "tests.hostile", "--count", "60", "--engine", "mutator", "--jobs")
    one, two = (
        subprocess.run((*command, jobs), capture_output=True, text=True, check=True, timeout=600).stdout
        for jobs in ("1", "2")
    )
    assert one == two
    assert "xbee" in one


def test_with_atheris_a_decoder_is_fed_by_libfuzzer() -> None:
    pytest.importorskip("atheris")
    seen, failure = guided("radio", 0, 200, 1)
    assert failure == ""
    assert seen
