"""What the process of a robot imports, and what that reads."""

import contextlib
import os
import ssl
import subprocess
import sys

import pytest

from robotd.daemon.authorities import FILE, no_file_of_authorities

CODE = """
import sys
from robotd.daemon.authorities import no_file_of_authorities
with no_file_of_authorities():
    import robotd.daemon.daemon
print(*sorted({"robotd.advice.advice", "robotd.guardian.guardian", "numpy", "pymunk"} & set(sys.modules)))
"""


def authorities() -> int:
    return ssl.create_default_context().cert_store_stats()["x509_ca"]


@pytest.mark.parametrize("file", [None, "authorities.pem"])
def test_contexts_read_no_file_of_authorities_inside_and_as_before_afterwards(
    file: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_DIR", os.devnull)
    monkeypatch.delenv(FILE, raising=False)
    if file is not None:
        monkeypatch.setenv(FILE, file)
    before = authorities()
    with contextlib.suppress(ZeroDivisionError), no_file_of_authorities():
        inside = authorities()
        raise ZeroDivisionError
    assert (inside, authorities(), os.environ.get(FILE)) == (0, before, file)


def test_a_daemon_imports_no_advice_no_guardian_and_no_simulation() -> None:
    ran = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, timeout=600, check=True)
    assert ran.stdout == "\n"
