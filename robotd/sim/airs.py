"""The airs of a mission's simulated radios, and their key."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from radio.mock.airs import Airs
from radio.mock.channel import Channel
from radio.mock.loss import Bernoulli, GilbertElliott
from robotd.config.load import Mission


def team_key(team: int) -> bytes:
    """The key of simulated radios: nothing that is simulated needs a secret."""
    return hashlib.blake2s(f"simulated team {team}".encode()).digest()


def air(mission: Mission, seed: int, kinds: Sequence[str] = ()) -> Airs:
    """The mission's simulated radio channel; with `kinds` of modem one for each, without base stations in them."""
    radio = mission.content.radio

    def channel(base_station: bool) -> Channel:
        return Channel(
            seed,
            mission.table,
            key=team_key(radio.team),
            team=radio.team,
            loss=radio.loss,
            base_station=base_station,
            model=GilbertElliott(seed) if radio.loss_model == "gilbert-elliott" else Bernoulli(seed),
        )

    if kinds:
        return Airs(by_kind={kind: channel(base_station=False) for kind in kinds})
    return Airs(channel(radio.base_station))
