"""A run as a command line gives it, and what a page reads of an error."""

from pathlib import Path

import pytest

from robotd.config.load import ConfigError
from robotd.live.runs import Run, command_of, for_page, run_of_command


def test_a_command_of_either_kind_gives_its_run_again() -> None:
    run = Run(
        "patrol", 4, "l-alliance", {"radio.loss": 0.1, "coordinator.parameters.threshold": 60}, ("3 kill amber",)
    )
    command = command_of(run, [])
    assert run_of_command(command) == run
    for text in (command.replace("robotd sim", "$ .venv/bin/robotd live"), f"{command} --speed 10"):
        assert run_of_command(text) == run
    assert run_of_command("robotd live --speed max --seed=7 --set coordinator.name=murdoch") == Run(
        "cleanup", 7, "murdoch", speed=None
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "expected a link"),
        ("ls -l", "expected a link"),
        ("robotd check cleanup", "expected a link"),
        ("robotd sim 'cleanup", "no command"),
        ("robotd sim cleanup --sed 4", "did you mean '--seed'"),
        ("robotd sim cleanup --seed", "a value is missing"),
        ("robotd sim cleanup --seed x", "whole number"),
        ("robotd sim cleanup --speed fast", "speed"),
        ("robotd sim cleanup patrol", "one mission"),
    ],
)
def test_what_is_no_such_command_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        run_of_command(text)


def test_a_page_reads_no_folder_of_the_server(tmp_path: Path) -> None:
    folder = tmp_path / "some where"
    folder.mkdir()
    (folder / "mine.toml").write_text("name = 5")
    with pytest.raises(ConfigError) as refused:
        Run(str(folder / "mine.toml")).load()
    assert for_page(refused.value).startswith("mine.toml:1: name: ")
    assert str(tmp_path) not in for_page(refused.value)
    assert (
        for_page(ValueError("/srv/a/b.py: see http://host/a/b; and/or x")) == "b.py: see http://host/a/b; and/or x"
    )
