"""Figures are the same bytes whatever matplotlib settings, back end and style the user has."""

import os
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import pytest

from robotd.figures.style import NoMatplotlib, draw_figure, need_matplotlib, save

DRAW = """
import os, sys
from pathlib import Path
from robotd.figures.style import draw_figure, save
save(draw_figure(2.0, lambda figure: figure.add_subplot().plot([0, 1], [1, 0], label="$a_b")), Path(sys.argv[1]))
print(os.getcwd(), os.environ.get("MPLBACKEND"), os.environ.get("MATPLOTLIBRC"))
"""
SETTINGS = "text.usetex: True\nlines.linewidth: 9\nsavefig.bbox: tight\naxes.grid: True\nbackend: no-such\n"


def draw(folder: Path, **variables: str) -> tuple[bytes, str]:
    """The figure that a process in `folder` draws, and its folder and variables afterwards."""
    env = {**os.environ, "PATH": "/nowhere", **variables}
    ran = subprocess.run(
        [sys.executable, "-c", DRAW, "x.svg"], cwd=folder, env=env, capture_output=True, text=True, check=True
    )
    assert ran.stderr == ""
    return (folder / "x.svg").read_bytes(), ran.stdout.strip()


def test_a_process_reads_no_settings_of_the_user_and_keeps_its_folder_and_variables(tmp_path: Path) -> None:
    plain, user = tmp_path / "plain", tmp_path / "user"
    plain.mkdir()
    user.mkdir()
    (user / "matplotlibrc").write_text(SETTINGS)
    (user / "other.rc").write_text(SETTINGS)
    backend, rc = "module://matplotlib_inline.backend_inline", str(user / "other.rc")
    usual, _ = draw(plain)
    figure, after = draw(user, MPLBACKEND=backend, MATPLOTLIBRC=rc)
    assert figure == usual
    assert after == f"{user} {backend} {rc}"


def test_a_style_that_the_process_uses_changes_no_figure_and_is_left_as_it_was(tmp_path: Path) -> None:
    files = [tmp_path / "usual.png", tmp_path / "styled.png"]
    styles = {}, {"lines.linewidth": 9.0, "axes.grid": True, "savefig.bbox": "tight"}
    for file, style in zip(files, styles, strict=True):
        with mpl.rc_context(style):
            save(draw_figure(2.0, lambda figure: figure.add_subplot().plot([0, 1], [1, 0])), file)
            assert {key: mpl.rcParams[key] for key in style} == style
    assert files[0].read_bytes() == files[1].read_bytes()


def test_without_matplotlib_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(NoMatplotlib, match="matplotlib"):
        need_matplotlib()
