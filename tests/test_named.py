"""What counts as a test that names an example or a report, and what does not."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.named import collected, ids_of, named


def test_a1_b2_in_a_name() -> None:
    assert ids_of(test_a1_b2_in_a_name) == {"A1", "B2"}


def test_in_a_docstring() -> None:
    """C3, and XB07."""
    assert ids_of(test_in_a_docstring) == {"C3", "XB07"}


@pytest.mark.parametrize("name", ["D4", pytest.param("no id", id="E5-x")])
@pytest.mark.parametrize(("one", "two"), [("F6", 7)])
@pytest.mark.parametrize("four", ["Z9"], ids=["G8"])
@pytest.mark.parametrize("five", [1], ids=lambda five: f"H{five}")
def test_among_parameters(name: str, one: str, two: int, four: str, five: int) -> None:
    assert ids_of(test_among_parameters) == {"D4", "E5", "F6", "G8", "H1"}


def test_comments_strings_and_tests_that_assert_nothing_name_nothing() -> None:
    def test_a9() -> None:
        """A9."""

    def test_of_text() -> None:
        text = "A9"  # A9
        assert text

    def test_of_a8() -> None:
        with pytest.raises(ValueError, match="no"):
            raise ValueError("no")

    assert ids_of(test_a9) == ids_of(test_of_text) == set()
    assert ids_of(test_of_a8) == {"A8"}


def test_what_pytest_does_not_collect_or_skips_is_no_test() -> None:
    def test_it() -> None:
        """Nothing."""

    skipped = pytest.mark.skip(reason="of this test")(lambda: None)
    helper = type("Helper", (), {"test_it": test_it})
    suite = type("TestSuite", (), {"test_it": test_it})
    module = SimpleNamespace(test_it=test_it, play=test_it, test_skipped=skipped, Helper=helper, TestSuite=suite)
    assert list(collected(module)) == [test_it, test_it]


def test_what_no_test_names_is_found_missing() -> None:
    assert "A2" not in named("boards")
