"""Messages for people never hold up the loop, whoever reads them or does not."""

import logging
import os

import pytest

from robotd.daemon.logging import MAX_MESSAGE, ROOM_BYTES, MessageWriter, set_up_logging


def test_messages_arrive_in_order():
    read, write = os.pipe()
    writer = MessageWriter(write)
    print("one", file=writer)
    print("two \udcff", file=writer)
    assert writer.drain(2.0)
    assert os.read(read, 99) == b"one\ntwo \\udcff\n"
    os.close(read)
    os.close(write)


def test_what_is_not_read_is_dropped_and_counted_and_no_writer_waits():
    read, write = os.pipe()
    writer = MessageWriter(write)
    for _ in range(3 * ROOM_BYTES // 1000):
        writer.write("x" * 999 + "\n")
    assert not writer.drain(0.01)
    data = b""
    while b"dropped" not in data:
        data += os.read(read, 65536)
    kept = data.count(b"x" * 999 + b"\n")
    assert data.endswith(
        b"robotd: %d messages were dropped, as they were not read\n" % (3 * ROOM_BYTES // 1000 - kept)
    )
    os.close(read)
    assert writer.drain(2.0)
    writer.write("lost\n")  # a broken pipe: nothing is raised
    assert writer.drain(2.0)  # `write` stays open: the thread reports the loss to it


def test_a_descriptor_that_does_not_block_loses_nothing():
    read, write = os.pipe()
    os.set_blocking(write, False)
    writer = MessageWriter(write)
    for _ in range(200):
        writer.write("x" * 999 + "\n")
    assert not writer.drain(0.1)  # a pipe holds 65536 bytes
    data = b""
    while len(data) < 200_000:
        data += os.read(read, 65536)
    assert data == (b"x" * 999 + b"\n") * 200
    assert writer.drain(2.0)
    os.close(read)
    os.close(write)


def test_what_a_full_disk_does_not_take_is_counted(monkeypatch):
    read, write = os.pipe()
    writer, write_to = MessageWriter(write), os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda fd, data: write_to(os.open("/dev/full", os.O_WRONLY), data))
        writer.write("one\n")
        writer.write("two\n")
        assert writer.drain(2.0)
    writer.write("three\n")
    assert writer.drain(2.0)
    data = b""
    while not data.endswith(b"read\n"):
        data += os.read(read, 999)
    assert data == b"three\nrobotd: 2 messages were dropped, as they were not read\n"
    os.close(read)
    os.close(write)


@pytest.mark.parametrize("journal", [True, False])
def test_a_message_is_one_bounded_line_that_steers_no_terminal(journal, monkeypatch, capfd):
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    monkeypatch.setattr(root, "level", root.level)
    if journal:
        monkeypatch.setenv("JOURNAL_STREAM", "8:1")
    else:
        monkeypatch.delenv("JOURNAL_STREAM", raising=False)
    writer = set_up_logging("green")
    logging.warning("asked: %s", "a\n<0>green: forged \x1b[2J" + "x" * 9999)
    try:
        raise ValueError("b\x1b[2J")
    except ValueError:
        logging.exception("it raised")
    assert writer.drain(2.0)
    long, *rest = capfd.readouterr().err.splitlines()
    long, *rest = (line[3:] for line in (long, *rest)) if journal else (long, *rest)
    assert long.startswith("green: asked: a?<0>green: forged ?[2Jx")
    assert len(long) == MAX_MESSAGE
    assert (rest[0], rest[1], rest[-1]) == (
        "green: it raised", "Traceback (most recent call last):", "ValueError: b?[2J",
    )  # fmt: skip
