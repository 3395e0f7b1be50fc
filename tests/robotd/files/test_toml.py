"""Every number in these texts is the number of its own line."""

import codecs
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotd.files import toml
from robotd.files.toml import TomlSyntaxError, line_of, quote, read, value_of

EVERY_FORM = '''# a comment with [brackets] and = signs
a = 2
"quoted # key" = 3
'literal.key' = 4
dotted.key = 5
dotted . "other" .deep = 6
text = "a # = [ string \\" " # [[not]] a table
inline = { x = 8, y.z = 8, "q, }" = 8, nested = [8, { w = 8 }] }
list = [ # a comment ]
  10,
  { k = 11 }, [11,
   12], "]", \'\'\'
   a multi-line ]
   string\'\'\', 14,
]
long = """
 x = 99 \\""" [t]
""""
after = 19
when = 1979-05-27 07:32:00 # a date

[table]
b = 23
c.d = 24
[table.sub."x y"]
e = 26
[[row]]
f = 28
[row.inner]
g = 30
[[row.cells]]
h = 32
[[row.cells]]
h = 34

  [[ row ]]   # the second
  f = 37
  [[row.cells]]
  h = 39
[late.child]
i = 41
[late]
j = 43
"\\u00e9t\\u00e9" = 44
'''


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], int]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    elif isinstance(value, int):
        yield path, value


@pytest.mark.parametrize("text", [EVERY_FORM, EVERY_FORM.replace("\n", "\r\n")], ids=["lf", "crlf"])
def test_every_value_is_found_on_its_line(text: str) -> None:
    found = list(leaves(tomllib.loads(text)))
    assert len(found) == 28
    assert {path: line_of(text, path) for path, _ in found} == dict(found)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("row", 1), 36),
        (("row", 1, "missing"), 36),
        (("row", 0, "cells", 1, "missing", 3), 33),
        (("table",), 22),
        (("late",), 42),
        (("late", "child"), 40),
        (("inline", "missing"), 8),
        (("missing",), 1),
        ((), 1),
    ],
)
def test_tables_have_the_line_of_their_header_and_missing_keys_that_of_their_table(
    path: tuple[str | int, ...], line: int
) -> None:
    assert line_of(EVERY_FORM, path) == line


@pytest.mark.parametrize(
    ("data", "line", "reason"),
    [
        (b"a = 1\nb = \n", 2, "Invalid value"),
        (b"a = 1\nb = 1 c = 2\n", 2, "Expected newline"),
        (b"a = 1\n[a]\n", 2, "Cannot overwrite"),
        (b"a = 1\nb = [1,\n", 2, "at the end of the file"),
        (b"a = 1\n\nb = '\xff'\n", 3, "UTF-8"),
        ("\ufeffa = 1\n".encode("utf-16"), 1, "UTF-8"),
        (b"a = 1\n" + b"a." * 5000 + b"b = 1\n", 2, "nested too deeply"),
        (b"a = 1\nb = [1,\n 0x" + b"f" * 5000 + b"]", 3, "at most 64 bits"),
        (b"a = 1\nb = -9223372036854775809", 2, "at most 64 bits"),
        (b"a = " + b"[" * 20000, 1, "nested too deeply"),
        (b"a = " + b"1" * 5000, 1, "digits"),
        (b"a = ''' \n", 1, "at the end of the file"),
        (b"a = 1\nb = ['x',\n 'y', \"z\\u0000\"]", 3, "cannot contain"),  # no file has such a name
    ],
)
def test_text_that_is_not_toml_has_a_line_and_a_reason(data: bytes, line: int, reason: str) -> None:
    with pytest.raises(TomlSyntaxError) as caught:
        read(data)
    assert caught.value.line == line
    assert reason in caught.value.reason
    assert "(at" not in caught.value.reason


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
def test_text_and_values_are_returned_without_a_byte_order_mark(mark: bytes) -> None:
    assert read(mark + b"a = 9223372036854775807\n") == ("a = 9223372036854775807\n", {"a": 2**63 - 1})


def test_a_text_is_scanned_once_for_all_its_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    scans: list[str] = []
    scan = toml._Scan
    monkeypatch.setattr(toml, "_Scan", lambda text: scans.append(text) or scan(text))
    text = "".join(f"k{n} = 1\n" for n in range(300))
    assert [line_of(text, (f"k{n}",)) for n in range(300)] == list(range(1, 301))
    assert len(scans) == 1


@pytest.mark.parametrize("text", ["= 3", "[", "a", "a = [1", "a = {", "[[x", 'a = "', "\x00", "a = [}"])
def test_a_text_that_is_not_toml_does_not_hang_the_search(text: str) -> None:
    assert line_of(text, ("a", 0)) == 1


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", 0.1),
        ("[1, 2]", [1, 2]),
        ('"a"', "a"),
        ("eu868", "eu868"),
        ('"a"\nname = "b"', '"a"\nname = "b"'),
        ("[" * 5000, "[" * 5000),
        ("9" * 5000, "9" * 5000),
        ("\udcff", "\udcff"),
    ],
)
def test_what_is_no_single_value_is_a_text(text: str, value: Any) -> None:
    assert value_of(text) == value


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_every_text_can_be_quoted(text: str) -> None:
    assert tomllib.loads(f"x = {quote(text)}") == {"x": text}
    assert value_of(quote(text)) == text


def test_what_is_not_utf_8_cannot_be_quoted() -> None:
    with pytest.raises(ValueError, match="is not UTF-8 text"):
        quote("\udcff")
