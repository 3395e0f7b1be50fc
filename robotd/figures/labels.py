"""Short labels for behavior sets, as the papers write them: FLM, FLW, MS(L), MS(R), RP."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence


def short_labels(names: Sequence[str], arguments: Mapping[str, Collection[str]]) -> dict[str, str]:
    """A label for each set: its words' initials, those that are arguments of its task in brackets.

    `arguments`: by set, the values of its task's arguments. Sets whose labels would be the same get more letters
    of each word, as many as it takes to tell them apart, and where nothing does, their whole names.
    """
    labels = {name: _label(name, arguments.get(name, ()), 1) for name in names}
    for letters in range(2, max((len(name) for name in names), default=0) + 1):
        alike = _alike(labels)
        if not alike:
            break
        labels.update({name: _label(name, arguments.get(name, ()), letters) for name in alike})
    return {**labels, **{name: name for name in _alike(labels)}}


def _alike(labels: Mapping[str, str]) -> list[str]:
    """The names that share their label with another one."""
    return [name for name, label in labels.items() if list(labels.values()).count(label) > 1]


def _label(name: str, arguments: Collection[str], letters: int) -> str:
    words = [word for word in name.split("-") if word]
    values = {part for value in arguments for part in value.split("-")}
    bracketed = [word for word in words if word in values]
    own = [word for word in words if word not in values]
    if not own:
        own, bracketed = words, []
    label = "".join(_short(word, letters) for word in own)
    return f"{label}({''.join(_short(word, letters) for word in bracketed)})" if bracketed else label


def _short(word: str, letters: int) -> str:
    return word[0].upper() + word[1:letters]
