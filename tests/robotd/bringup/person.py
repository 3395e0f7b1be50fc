"""A person at a pseudo-terminal who answers what is asked, and the whole text that they saw."""

import asyncio
import contextlib
import os
import pty
import re
import tty

ANSWER_S = 0.3  # what a person takes to press a key
ESCAPES = re.compile(r"\x1b\[[0-9]*[A-Z]")


class Person:
    """`answers`: (what a text ends with, the keys then pressed), in this order; `fd` is the program's terminal."""

    def __init__(self, answers):
        self.master, self.fd = pty.openpty()
        tty.setraw(self.master)
        os.set_blocking(self.master, False)
        self.answers = list(answers)
        self._said = ""
        self._unread = ""
        asyncio.get_running_loop().add_reader(self.master, self._read)

    def write(self, text):
        """What the program prints: on its terminal, so that it comes out at the person's end."""
        os.write(self.fd, text.encode())

    def press(self, keys):
        os.write(self.master, keys.encode())

    def _read(self):
        with contextlib.suppress(BlockingIOError):
            text = os.read(self.master, 65536).decode()
            self._said += text
            self._unread += text
        while self.answers and self.answers[0][0] in self._unread:
            prompt, keys = self.answers.pop(0)
            self._unread = self._unread.partition(prompt)[2]
            asyncio.get_running_loop().call_later(ANSWER_S, self.press, keys)

    @property
    def transcript(self):
        """What was on the terminal, without what moves the cursor."""
        self._read()
        return ESCAPES.sub("", self._said).replace("\r", "")

    def close(self):
        asyncio.get_running_loop().remove_reader(self.master)
        os.close(self.master)
        os.close(self.fd)
