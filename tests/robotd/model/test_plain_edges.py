from dataclasses import dataclass

from robotd.model.plain import from_plain, to_plain


@dataclass(frozen=True)
class Nothing:
    pass


@dataclass(frozen=True)
class One:
    only: tuple[int, ...]


def test_a_dataclass_without_fields_is_an_empty_list_and_comes_back() -> None:
    assert to_plain(Nothing()) == []
    assert from_plain(Nothing, []) == Nothing()


def test_a_dataclass_with_one_field_is_a_list_of_one() -> None:
    assert to_plain(One((1, 2))) == [[1, 2]]
    assert from_plain(One, [[1, 2]]) == One((1, 2))
