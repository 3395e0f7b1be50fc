"""The files of an experiment: tables, and report.html, which holds all and how to do it again.

Each file is replaced as a whole, and the same rows give the same bytes.
"""

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

from robotd.experiments.base import Cell, Claim, Drawing, Experiment, Results, Table, format_count
from robotd.experiments.jobs import versions
from robotd.experiments.rows import RunRow, Value
from robotd.files.tables import replacing

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
    experiment: Experiment, results: Results, summary: Sequence[RunRow], command: str, left: int,
    drawings: Sequence[Drawing], more: Sequence[Table] = (),
) -> str:  # fmt: skip
    """The whole page; `left` runs have not been done yet, `command` does it again. OSError: a figure is gone."""
    cells, claims = experiment.cells(), list(experiment.claims(results))
    answer = experiment.answer(results) if results.rows else "No run is done yet."
    done = f"{len(results.rows)} runs of {len(cells)} cells{f', {left} more are not done yet' if left else ''}."
    parts = [
        f"<h1>{escape(experiment.name)}: {escape(experiment.title)}</h1>",
        f"<p><strong>{escape(answer)}</strong></p><p>{done}</p>",
        _section(claims_table(claims, experiment.claims_note)) if claims else "",
        *(_section(table) for table in (*experiment.tables(results), *more)), _failures(results.rows),
        _heading("Figures") + "".join(_figure(k, one) for k, one in enumerate(drawings)) if drawings else "",
        _section(_cells(cells)), _summaries(cells, summary), _repeat(results.rows, command),
    ]  # fmt: skip
    head = f'<meta charset="utf-8"><title>{escape(experiment.name)}</title><style>{STYLE}</style>'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n{"".join(parts)}\n</body></html>\n'


def claims_table(claims: Sequence[Claim], note: str = "") -> Table:
    """Each claim, in how many runs it holds, and what was counted and published."""
    rows = [[one.cell, one.text, format_count(one.holds), one.counted, one.published] for one in claims]
    return Table("Claims", ("cell", "claim", "holds in", "counted", "published"), rows, note)


def speed_table(runs_per_core_s: float) -> Table:
    """How fast runs were done: measured, so another figure each time."""
    note = "Processor time of the workers; what starts them and writes the files is not in it."
    return Table("Speed", ["runs per second and core"], [[float(f"{runs_per_core_s:.3g}")]], note)


def _repeat(rows: Sequence[RunRow], command: str) -> str:
    seeds = sorted({int(row["seed"]) for row in rows})
    consecutive = seeds == list(range(seeds[0], seeds[0] + len(seeds))) if seeds else False
    span = f"Seeds {seeds[0]} to {seeds[-1]}" if consecutive else f"{len(seeds)} seeds, which runs.csv lists"
    text = f"<pre>{escape(command)}</pre><p>{span}, the same for each cell. {escape(versions())}.</p>\n"
    return _heading("How to repeat it") + text


def _cells(cells: Sequence[Cell]) -> Table:
    settings = {cell.name: cell.settings or cell.factors for cell in cells}
    names = list(dict.fromkeys(name for own in settings.values() for name in own))
    rows = [[cell.name, *(settings[cell.name].get(name, "") for name in names)] for cell in cells]
    return Table("Cells", ["cell", *names], rows)


def _failures(rows: Sequence[RunRow]) -> str:
    failed = [row for row in rows if row.get("accomplished") is False]
    if not failed:
        return ""
    lines = [[row["cell"], row["run"], row["seed"], row.get("reason", "")] for row in failed[:MOST]]
    note = f"The first {MOST} of {len(failed)}." if len(failed) > MOST else ""
    return _section(Table("Runs without success", ["cell", "run", "seed", "reason"], lines, note))


def _summaries(cells: Sequence[Cell], summary: Sequence[RunRow]) -> str:
    """A table for each cell, without what has no value and what is 0 in every run, which is named once."""
    of_measure: dict[str, list[RunRow]] = {}
    for row in summary:
        of_measure.setdefault(str(row.get("measure", "")), []).append(row)
    zeros = [name for name, rows in of_measure.items() if name and all(map(_is_zero, rows))]
    parts = [_heading("Summary")]
    if zeros:
        parts.append(f'<p class="note">0 in every run: {escape(", ".join(zeros))}.</p>\n')
    shown = [row for row in summary if row.get("measure") not in zeros and row.get("runs", 1)]
    for cell in cells:
        own = [row for row in shown if row["cell"] == cell.name]
        names = [name for name in dict.fromkeys(name for row in own for name in row) if name != "cell"]
        if own:
            table = Table("", names, [[row.get(name, "") for name in names] for row in own])
            parts.append(f"<h3>{escape(cell.name)}</h3>{_table(table)}")
    return "".join(parts)


def _is_zero(row: RunRow) -> bool:
    return row.get("mean") == row.get("low", 0) == row.get("high", 0) == 0


def _heading(title: str) -> str:
    return f"<h2>{escape(title)}</h2>"


def _section(table: Table) -> str:
    return f"<section>{_heading(table.title)}{_table(table)}</section>\n"


def _table(table: Table) -> str:
    """Without columns that have zeros or empty fields alone; the first column is kept."""
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    if not table.rows:
        return f"<p>None.</p>{note}"
    shown = [k for k in range(len(table.columns)) if not k or any(not _is_nothing(row[k]) for row in table.rows)]
    head = "".join(f"<th>{escape(table.columns[k])}</th>" for k in shown)
    body = "".join(f"<tr>{''.join(_field(row[k]) for k in shown)}</tr>\n" for row in table.rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table>{note}"


def _is_nothing(value: Value) -> bool:
    return value == "" or (value == 0 and not isinstance(value, bool))


def _field(value: Value) -> str:
    if isinstance(value, bool):
        return f"<td>{'yes' if value else 'no'}</td>"
    if isinstance(value, str):
        return f"<td>{escape(value)}</td>"
    small = isinstance(value, float) and abs(value) < 10**DIGITS
    return f'<td class="n">{value:.{DIGITS}g}</td>' if small else f'<td class="n">{value:.0f}</td>'


def _figure(k: int, drawing: Drawing) -> str:
    """The drawing itself; the names inside that it refers to get a prefix, as one page has several."""
    text = drawing.path.read_text(encoding="utf-8")
    svg = text[text.index("<svg") :]
    svg = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>f{k}-", svg)
    return f"<figure>{svg}<figcaption>{escape(drawing.caption)}</figcaption></figure>\n"


def write_text(path: Path, text: str) -> None:
    """Put `text` in the place of the file at `path`, all of it or nothing; OSError."""
    with replacing(path) as file:
        file.write(text)
