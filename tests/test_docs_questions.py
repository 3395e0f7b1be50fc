"""The questions of tests/docs_questions.md: each answer's page exists and uses the answer's term."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "tests" / "docs_questions.md").read_text(encoding="utf-8")
QUESTIONS = re.split(r"^\d+\. ", TEXT, flags=re.MULTILINE)[1:]


def lacking(question: str) -> list[str]:
    """The terms of a question and its answer that the page does not use; the page itself if it is not there."""
    found = re.search(r"Page: (\S+)", question)
    assert found is not None
    page = ROOT / found[1]
    if not page.is_file():
        return [found[1]]
    text = " ".join(page.read_text(encoding="utf-8").lower().split())
    return [term for term in re.findall(r"\*\*`?([^*`]+)`?\*\*", question) if term.lower() not in text]


@pytest.mark.parametrize("question", QUESTIONS, ids=range(1, len(QUESTIONS) + 1))
def test_the_page_that_is_named_uses_the_terms_of_the_question(question: str) -> None:
    assert lacking(question) == []


def test_there_are_twenty_and_a_page_or_term_that_is_missing_is_found() -> None:
    assert len(QUESTIONS) == 20
    assert lacking("What? Page: docs/none.md") == ["docs/none.md"]
    assert lacking("Is **zebra** there? Page: docs/stop.md") == ["zebra"]
