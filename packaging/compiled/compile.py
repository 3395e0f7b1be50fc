"""Compile the modules of `modules.txt` with mypyc; run as a program, put them beside their sources.

Their rewritten sources (see `rewrite`), the C files and what gcc makes of them are kept in build/compiled, so that
a second run compiles what has changed.
"""

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

from rewrite import assigned, rewrite  # noqa: E402

PACKAGES = ("robotd", "boards", "radio", "behaviors", "motivation")
MODULES = (HERE / "modules.txt").read_text(encoding="utf-8").split()
LEVEL = os.environ.get("ROBOTD_OPTIMIZE", "2")  # of gcc: 3 takes a third longer than 2 and gains nothing
COLD = HERE / "cold.h"
FLAGS = ("-fPIC", "-fwrapv", "-fvisibility=hidden", "-DNDEBUG", "-include", str(COLD))  # few pages, read in part
SUFFIX = str(sysconfig.get_config_var("EXT_SUFFIX"))
CONFIGURATION = """
[mypy]
plugins = pydantic.mypy
follow_imports = silent
cache_dir = .mypy_cache
[mypy-serial.*,serial_asyncio.*,pymunk.*,construct.*,zenoh.*]
ignore_missing_imports = True
follow_imports = skip
"""


def compile_into(folder: Path) -> list[Path]:
    """The extension modules, made in `folder`, relative to it; RuntimeError where mypyc or gcc refuses."""
    _copy_sources(folder)
    before = Path.cwd()
    os.chdir(folder)
    try:
        return _build(_extensions())
    finally:
        os.chdir(before)


def _copy_sources(folder: Path) -> None:
    """The packages with the chosen modules rewritten; a file that is as before keeps its time."""
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in MODULES}
    names = set().union(*(assigned(text) for text in texts.values()))
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.py"):
            name = file.relative_to(ROOT).as_posix()
            text = rewrite(texts[name], names) if name in texts else file.read_text(encoding="utf-8")
            copy = folder / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(text, encoding="utf-8")
    (folder / "mypy.ini").write_text(CONFIGURATION, encoding="utf-8")


def _extensions() -> Sequence[Any]:
    """What mypyc wants compiled: one library of all modules, and a module for each that takes itself out of it."""
    import setuptools  # noqa: F401 - mypyc looks whether it is there
    from mypyc.build import mypycify

    words = ["--config-file", "mypy.ini", *MODULES]
    return mypycify(words, opt_level=LEVEL, debug_level="0", multi_file=True, group_name="robotd")


def _build(extensions: Sequence[Any]) -> list[Path]:
    headers = b"".join(path.read_bytes() for path in (COLD, *sorted(Path("build").rglob("*.h"))))
    made = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = [[pool.submit(_object, one, source, headers) for source in one.sources] for one in extensions]
        for one, parts in zip(extensions, objects, strict=True):
            target = Path(*one.name.split(".")[:-1], one.name.rpartition(".")[2] + SUFFIX)
            link = shlex.split(str(sysconfig.get_config_var("LDSHARED")))
            subprocess.run([*link, "-s", *[part.result() for part in parts], "-o", str(target)], check=True)
            made.append(target)
    return made


def _object(extension: Any, source: str, headers: bytes) -> str:
    """Compile one C file, unless this was done before with the same headers."""
    target, known = Path(source).with_suffix(".o"), Path(source).with_suffix(".digest")
    compiler = shlex.split(str(sysconfig.get_config_var("CC")))
    folders = [f"-I{folder}" for folder in (sysconfig.get_paths()["include"], *extension.include_dirs)]
    words = [*compiler, *FLAGS, *folders, *extension.extra_compile_args]
    digest = hashlib.sha256(Path(source).read_bytes() + headers + repr(words).encode()).hexdigest()
    if not (target.exists() and known.exists() and known.read_text(encoding="utf-8") == digest):
        subprocess.run([*words, "-c", source, "-o", str(target)], check=True)
        known.write_text(digest, encoding="utf-8")
    return str(target)


def main() -> None:
    folder = ROOT / "build" / "compiled"
    for made in compile_into(folder):
        shutil.copy2(folder / made, ROOT / made)


if __name__ == "__main__":
    main()
