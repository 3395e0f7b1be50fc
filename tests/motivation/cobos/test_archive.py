"""Tasks in the archive, and teams that have visited all places in vain, in the abstract world."""

from tests.motivation.cobos.abstract import ONE, Bot, World


def alone_and_archived(**parameters: str) -> tuple[World, list[Bot]]:
    """One robot, another that is switched off, and a task for two that is in the archive."""
    world = World((0, 0, 2, 0), sees=("red", "red"), tasks=ONE, parameters=parameters)
    off = [world.bots.pop()]
    world.run(400.0)
    state = world.bots[0].coordinator._state
    assert (state.records[0].required, state.task) == (2, 0)
    return world, off


def test_a_task_that_needs_more_robots_than_could_do_it_is_archived_until_one_more_is_there() -> None:
    world, off = alone_and_archived()
    world.bots += off
    assert world.run(600.0) is not None


def test_a_task_in_the_archive_is_tried_with_one_robot_less_after_two_terms() -> None:
    for key, states in (("retry", {1, 0}), ("wait", {0})):
        world, _ = alone_and_archived(archive=key)
        found = set()
        while world.now < 1000.0:
            world.beat()
            found.add(world.bots[0].coordinator._state.task)
        assert found == states


def test_a_team_that_has_visited_all_places_tries_as_it_is_after_a_term() -> None:
    for key, required in (("try", 2), ("wait", 3)):
        world = World((0, 0, 2, 0), sees=("red", "red", "red"), tasks=ONE, parameters={"impasse": key})
        world.run(30.0)
        world.bots.pop()  # it is out of reach for good, and counts as able
        for bot in world.bots:
            bot.coordinator._state.records = (bot.coordinator._state.records[0].changed(required=3),)
        assert (world.run(600.0) is not None) == (required == 2)
        assert {bot.coordinator._state.records[0].required for bot in world.bots} == {required}
