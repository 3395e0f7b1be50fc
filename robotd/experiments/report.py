"""report.html: one file that holds all, figures included, and how to do it again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from robotd.experiments.contract import Cell, Drawing, Experiment, Row, Table, Value
from robotd.experiments.identity import versions

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1em; color: #1a1a1a; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin-top: 2em; }
table { border-collapse: collapse; font-size: 13px; margin: .6em 0; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid #e3e3e3; padding: .25em .7em; text-align: left; vertical-align: top; }
td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
pre { background: #f5f5f5; padding: .7em 1em; overflow-x: auto; } figure { margin: 1.2em 0; }
figure svg { max-width: 100%; height: auto; } figcaption, .note { color: #6e6e6e; font-size: 13px; }
"""
DIGITS = 4  # significant ones in a table for people
MOST = 30  # runs without success that are listed


def report(
    experiment: Experiment,
    rows: Sequence[Row],
    summary: Sequence[Row],
    command: str,
    left: int,
    drawings: Sequence[Drawing],
    tables: Sequence[Table],
) -> str:
    """The whole page; `left` runs have not been done yet, `command` does it again. OSError: a figure is gone."""
    cells = experiment.cells()
    parts = [
        f"<h1>{escape(experiment.name)}</h1><p>{escape(experiment.title)}</p>",
        f"<p>{len(rows)} runs of {len(cells)} cells{f', {left} more are not done yet' if left else ''}.</p>",
        _again(rows, command),
        _section("Cells", _table(_cells(cells))),
        *(_section(table.title, _table(table)) for table in tables),
        _failures(rows),
        _section("Figures", "".join(_figure(k, drawing) for k, drawing in enumerate(drawings)))
        if drawings
        else "",
        _section("Summary", "".join(_table(table) for table in _summaries(cells, summary))),
    ]
    head = f'<meta charset="utf-8"><title>{escape(experiment.name)}</title><style>{STYLE}</style>'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n{"".join(parts)}\n</body></html>\n'


def speed_table(runs_per_core_s: float) -> Table:
    """How fast runs were done: measured, so another figure each time."""
    note = "Processor time of the workers; what starts them and writes the files is not in it."
    return Table("Speed", ["runs per second and core"], [[float(f"{runs_per_core_s:.3g}")]], note)


def _again(rows: Sequence[Row], command: str) -> str:
    seeds = sorted({int(row["seed"]) for row in rows})
    span = f"Seeds {seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else f"Seed {seeds[0]}" if seeds else "No seed"
    text = f"<pre>{escape(command)}</pre><p>{span}, the same for each cell. {escape(versions())}.</p>"
    return _section("How to repeat it", text)


def _cells(cells: Sequence[Cell]) -> Table:
    names = list(dict.fromkeys(name for cell in cells for name in cell.factors))
    return Table("", ["cell", *names], [[cell.name, *(cell.factors.get(n, "") for n in names)] for cell in cells])


def _failures(rows: Sequence[Row]) -> str:
    failed = [row for row in rows if row.get("accomplished") is False]
    if not failed:
        return ""
    lines = [[row["cell"], row["run"], row["seed"], row.get("reason", "")] for row in failed[:MOST]]
    note = f"The first {MOST} of {len(failed)}." if len(failed) > MOST else ""
    return _section("Runs without success", _table(Table("", ["cell", "run", "seed", "reason"], lines, note)))


def _summaries(cells: Sequence[Cell], summary: Sequence[Row]) -> list[Table]:
    """A table for each cell."""
    tables = []
    for cell in cells:
        own = [row for row in summary if row["cell"] == cell.name]
        names = [name for name in dict.fromkeys(name for row in own for name in row) if name != "cell"]
        tables.append(Table(cell.name, names, [[row.get(name, "") for name in names] for row in own]))
    return tables


def _section(title: str, text: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{text}</section>\n"


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in table.columns)
    body = "".join(f"<tr>{''.join(_field(value) for value in row)}</tr>\n" for row in table.rows)
    title = f"<h3>{escape(table.title)}</h3>" if table.title else ""
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    return f"{title}<table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table>{note}"


def _field(value: Value) -> str:
    if isinstance(value, bool):
        return f"<td>{'yes' if value else 'no'}</td>"
    if isinstance(value, int):
        return f'<td class="n">{value}</td>'
    if isinstance(value, float):
        return (
            f'<td class="n">{value:.{DIGITS}g}</td>'
            if abs(value) < 10**DIGITS
            else f'<td class="n">{value:.0f}</td>'
        )
    return f"<td>{escape(value)}</td>"


def _figure(k: int, drawing: Drawing) -> str:
    """The drawing itself; what it refers to inside gets names of its own, as several stand in one page."""
    text = drawing.path.read_text(encoding="utf-8")
    svg = text[text.index("<svg") :]
    svg = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>f{k}-", svg)
    return f"<figure>{svg}<figcaption>{escape(drawing.caption)}</figcaption></figure>\n"
