"""A coordinator's plan as a picture: panels of boxes in layers, with arrows between them."""

from typing import Literal

from robotd.model.value import value


@value
class Box:
    """A vertex: its name, unique in its panel, the lines below the name, and its layer from the top, 0."""

    name: str
    layer: int
    lines: tuple[str, ...] = ()


@value
class Arrow:
    """An edge between boxes: `down` to a part, `then` to what follows, `uses` to what is asked."""

    start: str
    end: str
    kind: Literal["down", "then", "uses"]


@value
class Panel:
    """A graph of its own with its title."""

    title: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
