"""SIGKILL at random instants of writing: what was learned is never unreadable, and nothing saved is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.robotd.guardian.killing import NAME, Found, _look, document

INSTANTS = 20  # `python -m tests.robotd.guardian.killing FOLDER 1000 SEED` is the long form


def test_killed_at_any_instant_the_last_document_saved_is_there(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.robotd.guardian.killing", str(tmp_path), str(INSTANTS), "1"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    told = json.loads(ended.stdout)
    assert (told["kills"], told["unreadable"], told["torn"], told["lost"]) == (INSTANTS, 0, 0, 0)
    assert told["newest"] > INSTANTS


def test_the_look_after_a_kill_sees_what_is_spoilt_torn_or_lost(tmp_path: Path) -> None:
    found = Found(kills=1)
    path = tmp_path / f"{NAME}.json"
    path.write_text(json.dumps(document(5)))
    _look(tmp_path, 5, found)
    assert found.sound
    _look(tmp_path, 6, found)
    assert (found.lost, found.sound) == (1, False)
    path.write_text(json.dumps({**document(7), "end": 6}))
    _look(tmp_path, 7, found)
    assert found.torn == 1
    path.write_text(json.dumps(document(8))[:-20])
    _look(tmp_path, 8, found)
    assert found.unreadable == 1
