"""Text of others on a terminal or in a log."""


def printable(text: str, most: int | None = None) -> str:
    """One line of at most `most` characters of `text`, without what steers a terminal or forges a line."""
    cut = text if most is None or len(text) <= most else text[: most - 3] + "..."
    return "".join(char if char.isprintable() else "?" for char in cut)
