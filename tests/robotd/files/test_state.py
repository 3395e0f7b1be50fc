"""Each robot of a computer has a state folder of its own, which one process at a time uses."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from robotd.files.state import FolderInUseError, lock_folder, state_folder
from tests.patience import WAIT_S


def test_robots_without_a_folder_of_their_own_share_none(tmp_path, monkeypatch):
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path))
    assert state_folder("gold", "", tmp_path / "etc") == tmp_path / "gold"
    assert state_folder("gold", "kept", tmp_path / "etc") == tmp_path / "etc" / "kept"


HOLD = """
import os, sys
from pathlib import Path
from robotd.files.state import lock_folder
with lock_folder(Path(sys.argv[1])) as fd:
    os.register_at_fork(after_in_child=lambda: os.close(fd))
    child = os.fork()
    if not child:
        print(os.getpid(), flush=True)  # by now it has run what was registered
        os.read(0, 1)
        os._exit(0)
    os.read(0, 1)
"""


def test_a_folder_is_one_process_s_until_it_ends_though_its_child_lives_on(tmp_path):
    place = tmp_path / "new" / "state"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    child = int(holder.stdout.readline())
    with pytest.raises(FolderInUseError, match=str(place)), lock_folder(place):
        pass
    holder.kill()
    holder.wait(WAIT_S)
    os.kill(child, 0)  # it lives
    with lock_folder(place) as fd:
        assert fd is not None
    holder.stdin.close()
    holder.stdout.close()


def test_a_folder_that_cannot_be_locked_is_no_error():
    with lock_folder(Path("/proc/robotd/state")) as fd:
        assert fd is None
