"""The page on configuration is made from the models, and the page on HTTP names all that there is."""

from pathlib import Path

import pytest

from robotd.config.mission import MissionFile
from robotd.config.reference import reference
from robotd.config.robot import RobotFile
from robotd.status.model import Status
from robotd.status.openapi import PATHS

DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture(scope="module")
def page() -> str:
    return reference()


def test_the_page_on_configuration_is_what_the_models_say(page: str) -> None:
    kept = (DOCS / "configuration.md").read_text(encoding="utf-8")
    assert kept == page, "run: python -m robotd.config.reference > docs/configuration.md"


def test_every_key_of_both_files_and_every_table_is_on_the_page(page: str) -> None:
    for model in (RobotFile, MissionFile):
        schema = model.model_json_schema()
        for part in (schema, *schema["$defs"].values()):
            for key, node in part["properties"].items():
                assert f"`{key}`" in page or f"[{key}" in page, key
                assert node.get("description", "").lower() in page.lower()
    tables = "[team.NAME] [sets.NAME.motivation] [sets.NAME.parameters] [layers.NAME.parameters] [[event]]"
    for heading in (*tables.split(), "[[world.spills]]", "[world.goal]", "[world.box]"):
        assert f"`{heading}`" in page
    for row in ("`fast_rate` | a number above 0 | **required**", '`key_file` | a text in quotes | `"team.key"`'):
        assert f"| {row} |" in page


def test_the_page_on_http_names_every_path_and_every_part_of_the_status() -> None:
    text = (DOCS / "http.md").read_text(encoding="utf-8")
    assert [name for name in (*PATHS, *Status.model_fields) if f"`{name}`" not in text] == []
