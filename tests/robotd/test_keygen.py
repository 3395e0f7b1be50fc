"""A team's key: random, private, never overwritten."""

import argparse
import os
import stat

from robotd.commands import keygen


def run(*arguments):
    parser = argparse.ArgumentParser()
    keygen.add_arguments(parser)
    return keygen.run(parser.parse_args(arguments))


def test_a_key_is_64_hexadecimal_digits_that_only_the_owner_reads(tmp_path):
    before = os.umask(0)
    try:
        assert run(str(tmp_path / "team.key")) == 0
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "team.key").stat().st_mode) == 0o600
    assert len(bytes.fromhex((tmp_path / "team.key").read_text().strip())) == 32


def test_two_keys_differ(tmp_path):
    run(str(tmp_path / "a"))
    run(str(tmp_path / "b"))
    assert (tmp_path / "a").read_text() != (tmp_path / "b").read_text()


def test_an_existing_file_or_link_is_never_overwritten(tmp_path, capsys):
    (tmp_path / "team.key").write_text("precious")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    assert run(str(tmp_path / "team.key")) == 1
    assert run(str(tmp_path / "link")) == 1
    assert (tmp_path / "team.key").read_text() == "precious"
    assert not (tmp_path / "elsewhere").exists()
    assert "team.key exists; a team's key is never overwritten: name another file" in capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_told(tmp_path, capsys):
    assert run(str(tmp_path / "none" / "team.key")) == 1
    assert "cannot be written" in capsys.readouterr().err
