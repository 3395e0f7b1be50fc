"""Unknown names: the nearest known one, and the messages for both."""

import difflib
from collections.abc import Iterable

MAX_NAME, MAX_NAMES = 60, 300  # compared with each other: `difflib` takes time with the product of lengths
OTHER_WORDS = {"modem": "radio", "driver": "board"}  # that people have for the same thing
NEAR = 0.6  # of `difflib`: one slip in a short word still counts as near


def nearest(name: str, valid: Iterable[str]) -> str:
    """The one of `valid` that was probably meant, or ''."""
    names = sorted(valid)
    if OTHER_WORDS.get(name) in names:
        return OTHER_WORDS[name]
    near = difflib.get_close_matches(name[:MAX_NAME], names, n=1, cutoff=NEAR) if len(names) <= MAX_NAMES else ()
    return near[0] if near else ""


def hint(near: str) -> str:
    """The question whether `near` was meant; '' for ''."""
    return f"; did you mean {near!r}?" if near else ""


def unknown(what: str, name: str, valid: Iterable[str]) -> str:
    """A message for a name that is not among `valid`, with the nearest that is."""
    known = sorted(valid)
    return f"no {what} is called {name!r}{hint(nearest(name, known))} (there are: {', '.join(known) or 'none'})"
