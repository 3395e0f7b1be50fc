"""What is installed with `pip install 'robotd[EXTRA]'`, and how a missing package of it is reported."""

from __future__ import annotations

EXTRAS = {
    "dask": "cluster",
    "distributed": "cluster",
    "matplotlib": "plot",
    "pymunk": "sim",
    "rich": "sim",
    "tomli_w": "sim",
    "zenoh": "zenoh",
}


def advise_install(error: ImportError) -> str:
    """What to install where a package of an extra is missing: one line; '' for any other error."""
    package = (error.name or "").partition(".")[0]
    extra = EXTRAS.get(package)
    return f"the package {package} is not installed: pip install 'robotd[{extra}]'" if extra else ""
