"""One bidder alone: which contracts it takes up, how long they last, and its answers for those that are over."""

import pytest

from motivation.murdoch.bidder import Bidder, is_newer, key_of
from motivation.murdoch.judge import Offer
from motivation.murdoch.settings import TaskTerms
from motivation.murdoch.words import BIDS, BUSY, GIVES_BACK, HELD
from robotd.model.statements import Statement
from robotd.model.table import Member, NumberTable, TaskEntry
from robotd.model.tasks import Feedback, Task

BEAT_S = 3.0
TABLE = NumberTable(
    (Member("desk", 1, "r2"), Member("table", 2, "r2"), Member("one", 3, "r2")),
    (TaskEntry(Task("sweep", (), "sweep"), 1),), (), beat_s=BEAT_S,
)  # fmt: skip
CAN = Offer(BIDS, 0.5, "do-sweep")
WORKS, STOPS = Feedback(applicable=True), Feedback(applicable=False)


def bidder(*auctions: tuple[int, int]) -> Bidder:
    """Robot 3, which has bid in these auctions at time 0."""
    made = Bidder(TABLE, {"sweep": TaskTerms()}, 3)
    for sender, number in auctions:
        call(made, sender, number, 0.0)
    list(made.bids({key_of(*one): CAN for one in auctions}))
    return made


def call(made: Bidder, sender: int, number: int, at: float) -> None:
    made.hear_announcement(sender, Statement("announcement", (number, "sweep", 7, 0.0, 0.0, 0.0, 0)), at, BEAT_S)


def award(made: Bidder, at: float, number: int = 1, beats: float = 4.0, term: int = 1, sender: int = 1) -> None:
    made.hear_contract(sender, Statement("contract", (number, 3, term, beats)), at)


def accept(made: Bidder, now: float, offer: Offer = CAN) -> None:
    made.accept(now, lambda template, task: offer)


def answers(made: Bidder, now: float) -> list[tuple[str, tuple[object, ...]]]:
    return [(one.kind, one.fields) for one in made.answers(now, BEAT_S, WORKS)]


def works_until(made: Bidder) -> float:
    assert made.state.work is not None
    return made.state.work.until


def test_a_contract_restated_late_does_not_prolong_it_and_a_renewal_does() -> None:
    made = bidder((1, 1))
    award(made, 10.0)
    accept(made, 10.0)
    assert works_until(made) == 22.0
    award(made, 19.0)  # the same frame once more, three beats late
    assert works_until(made) == 22.0
    award(made, 13.0, beats=2.0)  # what is left, by a slower clock
    assert works_until(made) == 19.0
    award(made, 16.0, term=2)
    assert works_until(made) == 28.0
    award(made, 20.0, term=1)  # an older term
    assert works_until(made) == 28.0


def test_a_contract_without_an_own_bid_is_not_taken_up() -> None:
    made = bidder()
    call(made, 1, 1, 0.0)
    for number in (1, 2):
        award(made, 5.0, number)
        accept(made, 5.0)
        assert made.state.work is None


def test_a_contract_that_another_robot_got_closes_the_auction() -> None:
    made = bidder((1, 1))
    made.hear_contract(1, Statement("contract", (1, 2, 1, 4.0)), 5.0)
    assert made.open_calls(5.0, BEAT_S, 9.0) == {}


def test_of_two_awards_the_lower_is_taken_up_and_the_other_given_back() -> None:
    made = bidder((2, 0), (1, 9))
    award(made, 5.0, 0, sender=2)
    award(made, 5.0, 9, sender=1)
    accept(made, 5.0)
    assert answers(made, 5.0) == [("acknowledgement", (1, 9, 0.0)), ("bid", (2, 0, 0.0, GIVES_BACK + BUSY))]


@pytest.mark.parametrize(
    ("own", "at", "answer"),
    [
        (Feedback(applicable=True, done=True), 12.0, ("acknowledgement", (1, 1, 1.0))),
        (STOPS, 12.0, ("bid", (1, 1, 0.0, GIVES_BACK + HELD))),
        (WORKS, 22.0, ("bid", (1, 1, 0.0, GIVES_BACK))),
    ],
)
def test_a_contract_that_is_over_is_not_taken_up_again_and_answered_with_how_it_ended(
    own: Feedback, at: float, answer: tuple[str, tuple[object, ...]]
) -> None:
    made = bidder((1, 1))
    award(made, 10.0)
    accept(made, 10.0)
    made.go_on(at, own)
    assert made.state.work is None
    assert answers(made, at) == [answer]
    assert answers(made, at + 3 * BEAT_S) == []
    award(made, at + 20.0, term=5)
    call(made, 1, 1, at + 20.0)
    accept(made, at + 20.0)
    assert made.state.work is None
    assert answers(made, at + 20.0) == [answer]


def test_a_number_that_comes_back_later_is_another_auction() -> None:
    made = bidder((1, 1))
    award(made, 10.0)
    accept(made, 10.0)
    made.go_on(12.0, Feedback(applicable=True, done=True))
    call(made, 1, 1, 12.0 + 9 * BEAT_S)
    assert made.state.calls == {}
    call(made, 1, 1, 12.0 + 10 * BEAT_S)
    assert set(made.state.calls) == {key_of(1, 1)}


def test_an_auction_is_answered_for_a_window_and_a_beat_after_its_last_announcement() -> None:
    made = bidder((1, 1))
    assert set(made.open_calls(11.9, BEAT_S, 9.0)) == {key_of(1, 1)}
    assert made.open_calls(12.0, BEAT_S, 9.0) == {}
    call(made, 1, 1, 6.0)
    assert set(made.open_calls(12.0, BEAT_S, 9.0)) == {key_of(1, 1)}


def test_an_announcement_of_no_task_is_passed_over() -> None:
    made = bidder()
    made.hear_announcement(1, Statement("announcement", (1, "", 0, 0.0, 0.0, 0.0, 0)), 0.0, BEAT_S)
    assert made.state.calls == {}


def test_terms_go_round() -> None:
    assert is_newer(1, 255)
    assert is_newer(127, 0)
    assert not is_newer(128, 0)
    assert not is_newer(0, 0)
    assert not is_newer(255, 1)
