"""The airs of a mission's simulated radios, and their key."""

import hashlib
import math
from collections.abc import Sequence

from boards.mock.objects import crosses
from boards.mock.world import World
from radio.base_station import NUMBER
from radio.mock.channel import Channel, Channels, Reaches
from radio.mock.loss import Bernoulli, GilbertElliott
from robotd.config.load import Mission


def team_key(team: int) -> bytes:
    """The key of simulated radios: nothing that is simulated needs a secret."""
    return hashlib.blake2s(f"simulated team {team}".encode()).digest()


def reaches_in(mission: Mission, world: World) -> Reaches | None:
    """Which radio reaches which over the places in `world`; None where all reach all.

    Radios outside the team have no place and reach all; a robot that is out of the room reaches none.
    """
    radio, settings = mission.content.radio, world.settings
    walls = [wall for wall in settings.walls if wall.blocks_radio]
    if radio.range_m is None and not walls:
        return None
    far = math.inf if radio.range_m is None else radio.range_m
    world.keep_places()
    names = {member.number: name for name, member in mission.content.team.items()}
    x, y = settings.entrance_xy
    own_x, own_y = radio.base_station_x_m, radio.base_station_y_m
    station = (x if own_x is None else own_x, y if own_y is None else own_y)

    def reaches(sender: int, receiver: int, time: float) -> bool:
        places = []
        for number in (sender, receiver):
            if number != NUMBER and number not in names:
                return True
            place = station if number == NUMBER else world.was_at(names[number], time)
            if place is None:
                return False
            places.append(place)
        return math.dist(*places) <= far and not any(crosses(wall, *places) for wall in walls)

    return reaches


def air(mission: Mission, seed: int, kinds: Sequence[str] = (), world: World | None = None) -> Channels:
    """The mission's simulated radio channel; with `kinds` of modem one for each, without base stations in them.

    Radios reach each other by their places in `world`; without one all reach all.
    """
    radio = mission.content.radio
    reaches = reaches_in(mission, world) if world is not None else None

    def channel(base_station: bool) -> Channel:
        return Channel(
            seed, mission.table, key=team_key(radio.team), team=radio.team, loss=radio.loss,
            base_station=base_station, bit_rate=radio.bit_rate, reaches=reaches,
            model=GilbertElliott(seed) if radio.loss_model == "gilbert-elliott" else Bernoulli(seed),
        )  # fmt: skip

    if kinds:
        return Channels(by_kind={kind: channel(base_station=False) for kind in kinds})
    return Channels(channel(radio.base_station))
