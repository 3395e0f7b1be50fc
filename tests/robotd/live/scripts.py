"""Runs scripts of the pages by node."""

import json
import shutil
import subprocess
from importlib import resources
from typing import Any

import pytest

NEEDS_NODE = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")


def played(name: str, before: str, after: str) -> Any:
    """What a script of the pages prints as JSON, between two others and without what it imports."""
    lines = [line for line in text_of(name).splitlines() if not line.startswith("import ")]
    program = "\n".join([before, *lines, after])
    done = subprocess.run(
        ["node", "--input-type=module", "-e", program], capture_output=True, text=True, check=True, timeout=600
    )
    return json.loads(done.stdout)


def text_of(name: str) -> str:
    return (resources.files("robotd.live") / "page" / name).read_text(encoding="utf-8")
