"""Which board and which modem a simulated robot has, and that real bytes give the same run as none."""

import re

import pytest

from boards.body import Body
from boards.create2.driver import Create2
from boards.mock.driver import MockR2
from radio.mock.modem import MockModem
from radio.statistics import RadioStatistics
from radio.transparent.modem import Transparent
from robotd.sim.parts import parts_of

from .small import Ran, run, small

TEAM = small()
BOTH = {"green": "mock", "blue": "mock"}


def test_without_options_all_is_direct_and_with_bytes_nothing_is() -> None:
    parts = parts_of(TEAM, [], [], all_bytes=False)
    assert (dict(parts.boards), dict(parts.radios)) == (BOTH, BOTH)
    parts = parts_of(TEAM, [], [], all_bytes=True)
    assert set(parts.boards.values()) == {"r2"}
    assert set(parts.radios.values()) == {"transparent"}


def test_an_option_is_for_all_or_for_one_and_the_last_word_counts() -> None:
    assert dict(parts_of(TEAM, ["r2"], [], all_bytes=False).boards) == {"green": "r2", "blue": "r2"}
    assert dict(parts_of(TEAM, ["blue=r2"], [], all_bytes=False).boards) == {"green": "mock", "blue": "r2"}
    assert dict(parts_of(TEAM, ["blue=r2", "mock"], [], all_bytes=False).boards) == BOTH
    radios = parts_of(TEAM, [], ["green=mock"], all_bytes=True).radios
    assert dict(radios) == {"green": "mock", "blue": "transparent"}


@pytest.mark.parametrize(
    ("boards", "radios", "reported"),
    [
        (["r3"], [], "no simulated part is called 'r3' (there are: create2, firmata, kobuki, mock, pioneer, r2)"),
        (["r2+radar"], [], "--board r2+radar: no add-on is called 'radar' (there are: maestro, positioning)"),
        (["r2+maestro+maestro"], [], "an add-on is named twice"),
        ([], ["xbee+maestro"], "no simulated part is called 'xbee+maestro'"),
        (["gren=r2"], [], "--board gren=r2: no robot is called 'gren'; did you mean 'green'?"),
        ([], ["transparant"], "--radio transparant: no simulated part is called 'transparant'"),
        ([], ["=mock"], "--radio =mock: no robot is called ''"),
    ],
)
def test_what_cannot_be_chosen_is_refused_in_words(boards, radios, reported) -> None:
    with pytest.raises(ValueError, match=re.escape(reported)):
        parts_of(TEAM, boards, radios, all_bytes=False)


def test_robots_with_different_modems_receive_each_other() -> None:
    """As if a base station were between them: what is simulated is what each driver sends to its modem."""
    seen: dict[str, RadioStatistics] = {}

    def look(now, team) -> None:
        seen.update({name: robot.radio.statistics for name, robot in team.robots.items()})

    names = ("green", "blue", "gold", "red", "grey")
    kinds = ["blue=zenoh", "gold=xbee", "red=reyax", "grey=udp"]
    quick = small(names, radio={"beat_s": 1.5})
    run(for_s=8.0, mission=quick, parts=parts_of(quick, [], kinds, all_bytes=True), see=look)
    for name in names:
        assert seen[name].sent >= 3
        teammates = [contact for contact in seen[name].contacts if contact.number]
        assert len(teammates) == 4
        assert all(contact.frames >= 3 for contact in teammates)


def test_each_robot_gets_the_parts_that_were_chosen_for_it() -> None:
    kinds: dict[str, tuple[type, type]] = {}

    def look(now, team) -> None:
        kinds.update({name: (type(own.board), type(own.modem)) for name, own in team.attached.items()})

    parts = parts_of(TEAM, ["blue=r2"], ["green=transparent"], all_bytes=False)
    assert run(for_s=1.0, mission=TEAM, parts=parts, see=look).outcome.ticks["count"] == 20
    assert kinds == {"green": (MockR2, Transparent), "blue": (Body, MockModem)}


# -- real bytes


@pytest.fixture(scope="module")
def both() -> tuple[Ran, Ran]:
    """Ten seconds direct, and over bytes."""
    parts = parts_of(TEAM, [], [], all_bytes=True)
    return tuple(run(for_s=10.0, parts=own, mission=TEAM) for own in (None, parts))  # type: ignore[return-value]


def test_over_real_bytes_the_same_robots_do_the_same(both) -> None:
    """Only a little later: a handshake of the board and the lines' own time lie between."""
    direct, over_bytes = (ran.outcome.story.spells for ran in both)
    assert set(direct) == set(over_bytes)
    for name, spells in direct.items():
        others = over_bytes[name]
        assert [spell[:2] for spell in spells] == [spell[:2] for spell in others]
        for spell, other in zip(spells, others, strict=True):
            assert other[2:] == pytest.approx(spell[2:], abs=1.0)
    figures = [[ran.outcome.radio[key] for key in ("sent", "delivered", "lost")] for ran in both]
    assert figures[1] == pytest.approx(figures[0], abs=2)
    assert figures[0][2] == figures[1][2] == 0


def test_add_ons_of_a_board_speak_over_lines_of_their_own() -> None:
    bodies: list[Body] = []
    mission = small(("green",))
    parts = parts_of(mission, ["create2+maestro+positioning"], [], all_bytes=False)
    ran = run(
        "4 dead green positioning", for_s=7.0, mission=mission, robots=("green",), parts=parts,
        see=lambda now, team: bodies.extend(own.board for own in team.attached.values()),
    )  # fmt: skip
    assert isinstance(bodies[0], Body)
    assert isinstance(bodies[0].base, Create2)
    assert ran.at(3.0).missing == {}
    assert set(ran.at(6.0).missing) == {"positioning"}


def test_what_happens_to_a_body_is_felt_over_bytes_too() -> None:
    parts = parts_of(small(("green",)), [], [], all_bytes=True)
    ran = run("4 dead green side-range", "6 stop-team green", for_s=8.0, parts=parts)
    assert "side-range" in ran.at(6.0).missing
    assert ran.at(8.0).still
    assert ran.at(8.0).state == "stopped"
