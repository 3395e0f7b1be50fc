"""What is not needed is not imported: libraries take a tenth of a second and ten megabytes each."""

import subprocess
import sys

import pytest

HELP = "from robotd.__main__ import main\ntry: main([*sys.argv[1:], '--help'])\nexcept SystemExit: pass"
DECIDES = """
import robotd.daemon.daemon
from robotd.files.plugins import Plugins
Plugins().get("robotd.coordinators", sys.argv[1])
"""


def imported(code: str, *words: str) -> set[str]:
    code = f"import sys\n{code}\nprint('|', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("|")[2].split())


RUN = "from robotd.__main__ import main\nmain(['run', '/nowhere/robot.toml'])"


def test_the_guardian_imports_nothing_of_third_parties() -> None:
    """`robotd run` stays small: it is there to stop the motors when the rest cannot."""
    names = {name.partition(".")[0] for name in imported(RUN) - imported("")}
    assert names - sys.stdlib_module_names == {"robotd"}


@pytest.mark.parametrize("command", [(), ("sim",), ("status",)])
def test_help_needs_no_library(command: tuple[str, ...]) -> None:
    assert {"numpy", "pydantic", "aiohttp", "pymunk"}.isdisjoint(imported(HELP, *command))


def test_a_simulation_imports_no_driver_and_no_server() -> None:
    found = imported("import robotd.api")
    assert {"numpy", "aiohttp", "construct", "boards.r2.driver", "radio.xbee.modem"}.isdisjoint(found)
    assert {"pymunk", "boards.mock.world", "radio.mock.modem"} < found


@pytest.mark.parametrize(("coordinator", "needed"), [("alliance", set()), ("l-alliance", {"numpy"})])
def test_a_robot_imports_numpy_where_it_learns_alone(coordinator: str, needed: set[str]) -> None:
    found = imported(DECIDES, coordinator)
    assert found & {"numpy", "pymunk", "aiohttp.web"} == needed
