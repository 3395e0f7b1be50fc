"""Key files: read and written whole, and never shown."""

import codecs
import contextlib
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotd.files import keyfile
from robotd.files.keyfile import KeyFileError

A, B, C = "ab" * 32, "0C" * 32, "17" * 32
TEAM = {"red": 1, "green": 2}


def test_lines_hold_two_keys_at_once_and_those_of_robots_and_the_base_station() -> None:
    keys = keyfile.parse(f"# ours\n\n{A}\n{B}  # before\ngreen {C}\nbase-station {B}\nblue {A}\n", TEAM)
    assert keys.of(1) == (bytes.fromhex(A), bytes.fromhex(B))
    assert keys.of(2) == (bytes.fromhex(C),)
    assert keys.of(0) == (bytes.fromhex(B),)
    assert set(keys.own) == {0, 2}  # blue is not of this team


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no key in it"),
        ("# nothing\n", "no key in it"),
        (f"{A}\n{A[:-1]}\n", "line 2 is not a key; expected 64 hexadecimal digits"),
        (f"{A}g\n", "line 1 is not a key"),
        (f"{A} {B}\n", "line 1 is not a key"),
        (f"red {A} {B}\n", "line 1 is not a key"),
        (f"{A}\n{B}\n{C}\n", "line 3 is key 3 of the team; 2 at most"),
        (f"{A}\nred {A}\nred {B}\nred {C}\n", "line 4 is key 3 of red"),
        (f"{A}\n{A}\n", "line 2 repeats the key of the team"),
        ("0" * 64, "line 1 is one digit repeated"),
        (f"blue {A}\nwhite {B}\n", "keys of blue, white alone"),
    ],
)
def test_what_is_no_key_file_is_reported_by_its_line_and_no_key_is_shown(text: str, words: str) -> None:
    with pytest.raises(KeyFileError, match=words) as error:
        keyfile.parse(text, TEAM)
    shown = str(error.value)
    assert not any(key[:8] in shown for key in (A, B, C))


@given(st.text(max_size=200))
def test_any_text_is_keys_or_an_error(text: str) -> None:
    with contextlib.suppress(KeyFileError):
        assert keyfile.parse(text, TEAM).of(1) is not None


@pytest.mark.parametrize("data", [A.encode(), codecs.BOM_UTF8 + A.encode() + b"\r\n"])
def test_a_byte_order_mark_and_other_line_ends_are_read(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "team.key").write_bytes(data)
    assert keyfile.read(tmp_path / "team.key", TEAM).of(1) == (bytes.fromhex(A),)


@pytest.mark.parametrize("data", [b"\xff\x00", A.encode("utf-16"), b"#" * 100_000])
def test_a_file_that_is_not_utf_8_or_too_large_is_an_error(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "team.key").write_bytes(data)
    with pytest.raises(KeyFileError):
        keyfile.read(tmp_path / "team.key", TEAM)


KEYS = st.binary(min_size=32, max_size=32).filter(lambda key: len(set(key)) > 1)


@given(
    st.dictionaries(
        st.sampled_from(["", "red", "blue"]),
        st.lists(KEYS, min_size=1, max_size=2, unique=True).map(tuple),
        min_size=1,
    )
)
def test_what_is_written_is_read_again(keys: dict[str, tuple[bytes, ...]]) -> None:
    assert keyfile.lines_of(keyfile.text_for(keys)) == keys


def test_a_file_is_written_or_replaced_whole_and_private(tmp_path, monkeypatch) -> None:
    path = tmp_path / "team.key"
    for replace in (False, True):
        with monkeypatch.context() as patch:
            patch.setattr("os.fsync", lambda _: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                keyfile.write(path, A, replace=replace)
        assert list(tmp_path.iterdir()) == []
    keyfile.write(path, A)
    with pytest.raises(FileExistsError):
        keyfile.write(path, B)
    keyfile.write(path, B, replace=True)
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == (B, 0o600)
    assert [entry.name for entry in tmp_path.iterdir()] == ["team.key"]
