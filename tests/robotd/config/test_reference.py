from __future__ import annotations

from pathlib import Path

from robotd.config.mission import MissionFile
from robotd.config.reference import reference
from robotd.config.robot import RobotFile
from robotd.status.model import Status
from robotd.status.openapi import PATHS

DOCS = Path(__file__).parents[3] / "docs"


def test_the_page_on_configuration_is_what_the_models_say() -> None:
    page = (DOCS / "configuration.md").read_text(encoding="utf-8")
    assert page == reference(), "run: python -m robotd.config.reference > docs/configuration.md"


def test_every_key_of_both_files_is_on_the_page_with_its_meaning() -> None:
    page = reference()
    for model in (RobotFile, MissionFile):
        schema = model.model_json_schema()
        for part in (schema, *schema["$defs"].values()):
            for key, node in part["properties"].items():
                assert f"`{key}`" in page or f"[{key}" in page, key
                assert node.get("description", "").lower() in page.lower()


def test_every_table_of_plugins_stands_where_a_file_has_it() -> None:
    page = reference()
    for heading in (
        "[team.NAME]", "[sets.NAME.motivation]", "[sets.NAME.parameters]", "[layers.NAME.parameters]", "[[event]]",
        "[[world.spills]]", "[world.goal]",
    ):  # fmt: skip
        assert f"`{heading}`: " in page
    assert "| `fast_rate` | a number above 0 | **required** |" in page
    assert '| `key_file` | a text in quotes | `"team.key"` |' in page


def test_the_page_on_http_names_every_path_and_every_part_of_the_status() -> None:
    page = (DOCS / "http.md").read_text(encoding="utf-8")
    for name in (*PATHS, *Status.model_fields):
        assert f"`{name}`" in page, name


def test_a_table_that_may_be_left_out_is_told_with_its_keys() -> None:
    text = reference()
    assert "`[world.box]`: A long heavy box" in text
    assert "| `drag_n` |" in text
