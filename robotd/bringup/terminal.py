"""A person at a terminal: single keys, questions, and lines that are drawn over each other."""

import asyncio
import contextlib
import os
import termios
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Self

LEAVING = ("\x03", "\x04", "\x1c")  # control-C, control-D, control-backslash
LOCAL = 3  # the index of the local modes in what termios gives


class LeaveError(Exception):
    """The person leaves, or the terminal is closed."""


class Terminal:
    """`async with Terminal(fd, write)`: keys come one by one from `fd`, unechoed; `write` takes text.

    Keys make no signals: control-Z, which would suspend the program while the wheels turn, is an ordinary key, and
    control-C stops in order.
    """

    def __init__(self, fd: int, write: Callable[[str], Any]) -> None:
        self._fd, self._write = fd, write
        self._keys: deque[str] = deque()
        self._came = asyncio.Event()
        self._gone = False
        self._drawn = 0  # lines of what is drawn over
        self._before: list[Any] = []

    async def __aenter__(self) -> Self:
        self._before = termios.tcgetattr(self._fd)
        single = termios.tcgetattr(self._fd)
        single[LOCAL] &= ~(termios.ICANON | termios.ECHO | termios.ISIG)
        termios.tcsetattr(self._fd, termios.TCSADRAIN, single)
        asyncio.get_running_loop().add_reader(self._fd, self._read)
        return self

    async def __aexit__(self, *_: object) -> None:
        asyncio.get_running_loop().remove_reader(self._fd)
        with contextlib.suppress(termios.error):  # the terminal itself may be gone
            termios.tcsetattr(self._fd, termios.TCSADRAIN, self._before)

    def _read(self) -> None:
        try:
            data = os.read(self._fd, 256)
        except OSError:
            data = b""
        self._gone = self._gone or not data
        if self._gone:
            asyncio.get_running_loop().remove_reader(self._fd)
        self._keys.extend(data.decode("latin-1"))
        self._came.set()

    @property
    def pressed(self) -> bool:
        """A key is waiting, or the terminal is closed."""
        return bool(self._keys) or self._gone

    def drain(self) -> None:
        """Take all waiting keys; LeaveError if one of them leaves."""
        keys = "".join(self._keys)
        self._keys.clear()
        if self._gone or any(key in keys for key in LEAVING):
            raise LeaveError

    async def key(self, timeout_s: float | None = None) -> str:
        """The next key, '' where none comes in time; LeaveError for one that leaves."""
        self._came.clear()
        if not self.pressed:
            try:
                async with asyncio.timeout(timeout_s):
                    await self._came.wait()
            except TimeoutError:
                return ""
        key = self._keys.popleft() if self._keys else ""
        if not key or key in LEAVING:
            raise LeaveError
        return key

    async def ask(self, question: str, answers: Sequence[str]) -> str:
        """One of the `answers`, each a key. Keys pressed before the question are lost."""
        self._keys.clear()
        self.say(f"{question} [{'/'.join(answers)}] ", end="")
        while True:
            key = await self.key()
            if key in answers or (key := key.lower()) in answers:
                self.say(key)
                return key

    def say(self, text: str, end: str = "\n") -> None:
        """Write text below what was drawn."""
        self._drawn = 0
        self._put((text + end).replace("\n", "\r\n"))

    def draw(self, lines: Sequence[str]) -> None:
        """Write lines over those drawn before."""
        up = f"\x1b[{self._drawn}F\x1b[J" if self._drawn else ""
        self._put(up + "".join(f"{line}\r\n" for line in lines))
        self._drawn = len(lines)

    def _put(self, text: str) -> None:
        with contextlib.suppress(OSError):  # a terminal that is gone shows nothing; `key` raises
            self._write(text)
