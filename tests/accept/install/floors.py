"""Line 4: the oldest libraries that pyproject.toml permits do what the tests of their users ask for."""

import re
import tomllib

from tests.accept.check import Check, Found
from tests.accept.desk import ROOT, Desk
from tests.accept.install.wheel import fresh

TESTS = [f"tests/robotd/{name}" for name in ("config", "figures", "foxglove", "live", "sim", "status")]
USED = ("sim", "plot", "metrics", "cluster", "foxglove", "parquet")  # extras that dev has
NEWER = "default::DeprecationWarning"  # of an old library about a newer one that it needs


def floors() -> dict[str, str]:
    """The oldest version of each library that users have, by its name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(word for extra in USED for word in extras[extra])]
    return dict(found.groups() for word in wanted if (found := re.fullmatch(r"([\w-]+)>=([\w.]+).*", word)))


def oldest(desk: Desk) -> Found:
    home, constraints = fresh(desk, "floors"), desk.folder / "floors.txt"
    constraints.write_text("".join(f"{name}=={version}\n" for name, version in floors().items()), encoding="utf-8")
    desk.run(home / "bin/pip", "install", "-q", "-c", constraints, "-e", f"{ROOT}[dev]").checked()
    done = desk.run(home / "bin/python", "-m", "pytest", "-n", "2", "-W", NEWER, *TESTS)
    return Found(done.out.strip().splitlines()[-1], "all pass", done.code == 0)


CHECKS = (Check("4.1", "the oldest libraries", "pip install -c floors.txt -e .[dev]; pytest", oldest),)
