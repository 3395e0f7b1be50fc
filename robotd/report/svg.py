"""Pieces of SVG and HTML as text; what comes from a log is escaped."""

from collections.abc import Iterable, Sequence
from html import escape

Point = tuple[float, float]


def element(tag: str, content: str = "", /, **attributes: object) -> str:
    """One element; `_` in a name of an attribute becomes `-`, at its end nothing; `content` is markup."""
    names = (
        (name.rstrip("_").replace("_", "-"), value) for name, value in attributes.items() if value is not None
    )
    words = "".join(f' {name}="{escape(number(value))}"' for name, value in names)
    return f"<{tag}{words}>{content}</{tag}>"


def number(value: object) -> str:
    """As short as it gets: hundredths of a dot cannot be seen."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def text(words: str, x: float, y: float, **attributes: object) -> str:
    return element("text", escape(words), x=x, y=y, **attributes)


def title(words: str) -> str:
    """What is shown where one points."""
    return element("title", escape(words))


def polyline(points: Iterable[Point], **attributes: object) -> str:
    return element("polyline", points=" ".join(f"{number(x)},{number(y)}" for x, y in points), **attributes)


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """An HTML table; numbers stand to the right."""

    def cell(value: object) -> str:
        return element("td", escape(str(value)), class_="number" if isinstance(value, int | float) else None)

    head = element("tr", "".join(element("th", escape(name)) for name in columns))
    body = "".join(element("tr", "".join(map(cell, row))) for row in rows)
    return element("table", element("thead", head) + element("tbody", body))
