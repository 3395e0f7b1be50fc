"""What a process that a plug-in forks must not keep: a descriptor open there keeps port, lock or address taken."""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator

_ours: list[Callable[[], Iterable[int]]] = []


@contextlib.contextmanager
def withhold(find: Callable[[], Iterable[int]]) -> Iterator[None]:
    """While it lasts, a forked process has nothing behind the descriptors that `find` returns there."""
    _ours.append(find)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # in a forked process, which has released all
            _ours.remove(find)


def _release() -> None:
    """In the forked process: the null device takes each number, which an object here may close or use yet.

    Without a descriptor for that device each number is closed.
    """
    found = [fd for find in _ours for fd in find()]
    _ours.clear()
    null = -1
    with contextlib.suppress(OSError):
        null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    for fd in found:
        with contextlib.suppress(OSError):
            if null < 0:
                os.close(fd)
            else:
                os.dup2(null, fd, inheritable=False)
    if null >= 0:
        os.close(null)


os.register_at_fork(after_in_child=_release)
