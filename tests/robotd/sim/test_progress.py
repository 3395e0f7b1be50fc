"""A progress bar is for terminals; nothing of it reaches a file or a pipe."""

import io
import sys

import pytest

from robotd.sim.host import EVERY, progress_bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_it_shows_time_and_deliveries(monkeypatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar(3600.0, quiet=False) as show:
        assert show is not None
        for n in range(EVERY + 1):
            show(n / 2, 1, 8)
    reported = sys.stderr.getvalue()  # type: ignore[attr-defined]
    assert "5 s (limit 3600 s)" in reported
    assert "1 of 8 done" in reported


@pytest.mark.parametrize(("terminal", "quiet"), [(io.StringIO, False), (Terminal, True)])
def test_elsewhere_or_when_asked_to_be_quiet_there_is_none(monkeypatch, terminal, quiet) -> None:
    monkeypatch.setattr(sys, "stderr", terminal())
    with progress_bar(3600.0, quiet=quiet) as show:
        assert show is None
    assert sys.stderr.getvalue() == ""  # type: ignore[attr-defined]


def test_without_the_library_there_is_none_and_no_error(monkeypatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setitem(sys.modules, "rich.progress", None)
    with progress_bar(3600.0, quiet=False) as show:
        assert show is None
