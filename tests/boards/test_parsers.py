"""Every parser of a board's line: whole frames are found among whatever comes, in whatever pieces."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from boards.create2 import frames as create2
from boards.firmata import frames as firmata
from boards.kobuki import frames as kobuki
from boards.parser import LineParser
from boards.pioneer import frames as pioneer
from boards.r2 import frames as r2


class Lines(LineParser[bytes]):
    """A line is itself."""

    longest = 40

    def parse(self, line: bytes) -> bytes:
        if line[:1] != b">":
            raise ValueError("skipped")
        return line


@dataclass(frozen=True)
class Kit:
    """A parser, a whole frame, the bytes that may begin one, and how many bytes are held at most."""

    make: Callable[[], Any]
    good: bytes
    begins: bytes
    held: int


CORE = kobuki.Core(1, left=2, right=3)
KOBUKI = kobuki.packet((kobuki.CORE, kobuki.build_core(CORE)), (kobuki.CURRENT, b"12"))
LAYOUT = create2.Layout((29, 13))
EXAMPLE = bytes.fromhex("13051D02190D00A3")  # the Open Interface's
PIONEER = pioneer.packet(pioneer.STANDING, bytes(21))
KITS = {
    "create2": Kit(lambda: create2.StreamParser(LAYOUT), EXAMPLE, b"\x13", LAYOUT.size),
    "firmata": Kit(firmata.MessageParser, firmata.analogue(4, 1023), bytes(range(128, 256)), firmata.LONGEST),
    "kobuki": Kit(kobuki.PacketParser, KOBUKI, b"\xaa", 4 + kobuki.LONGEST),
    "lines": Kit(Lines, b">a line\n", b"\n>", 41),
    "pioneer": Kit(pioneer.PacketParser, PIONEER, b"\xfa", 3 + pioneer.LONGEST),
    "r2": Kit(r2.FrameParser, r2.frame(r2.HELLO, version=1), b"\0", r2.LONGEST + 2),
}


@pytest.fixture(params=sorted(KITS), scope="module")
def kit(request):
    return KITS[request.param]


@given(st.lists(st.binary(max_size=30), max_size=6), st.integers(1, 9))
@settings(max_examples=40)
def test_whole_frames_are_found_between_any_garbage_in_any_pieces(kit, junks, piece):
    junks = [junk.translate(None, kit.begins) for junk in junks]
    ends = b"\n" if kit.make is Lines else b""
    parser, data = kit.make(), b"".join(junk + ends + kit.good for junk in junks)
    found = [frame for at in range(0, len(data), piece) for frame in parser.feed(data[at : at + piece])]
    assert found == kit.make().feed(kit.good) * len(junks)
    if kit.make not in (Lines, r2.FrameParser):
        assert parser.counts["skipped"] == sum(map(len, junks))


@given(st.lists(st.binary(max_size=300), max_size=5))
@example([b"\xaa\x55\xa0"])
@example([b"\xf0" + bytes(5000)])
@example([b"\x07" * 1000])
@settings(max_examples=60)
def test_whatever_comes_a_frame_is_found_again_soon_and_what_is_held_has_bounds(kit, junks):
    parser, (frame,) = kit.make(), kit.make().feed(kit.good)
    for junk in junks:
        parser.feed(junk)
        assert len(parser._held) <= kit.held
    assert parser.feed(kit.good * (2 + kit.held // len(kit.good)))[-1] == frame


@given(st.data(), st.integers(1, 9))
@settings(max_examples=40)
def test_the_same_bytes_in_other_pieces_give_the_same_frames(kit, data, piece):
    pieces = data.draw(st.lists(st.binary(max_size=30) | st.just(kit.good), max_size=6))
    stream, parser = b"".join(pieces), kit.make()
    found = [frame for at in range(0, len(stream), piece) for frame in parser.feed(stream[at : at + piece])]
    assert found == kit.make().feed(stream)
