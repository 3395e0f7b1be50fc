"""The channels of a simulated team: one for all its modems, or one for each kind, deaf to the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from radio.mock.channel import Channel


class Channels:
    """`by_kind` holds the channel of each kind of modem; those of other kinds share `shared`, where there is
    one."""

    def __init__(self, shared: Channel | None = None, by_kind: Mapping[str, Channel] | None = None) -> None:
        self._by_kind = dict(by_kind or {})
        self._shared = shared
        self._all = [*([shared] if shared is not None else []), *self._by_kind.values()]

    def of(self, kind: str) -> Channel:
        """The channel of a kind of modem; KeyError where it has none."""
        found = self._by_kind.get(kind, self._shared)
        if found is None:
            raise KeyError(f"no channel for modems of the kind {kind!r}")
        return found

    def switch(self, number: int, on: bool, now: float) -> None:
        """See `Channel.switch`."""
        for channel in self._all:
            channel.switch(number, on, now)

    def set_loss(self, number: int, share: float, now: float) -> None:
        """See `Channel.set_loss`."""
        for channel in self._all:
            channel.set_loss(number, share, now)

    def statistics(self) -> dict[str, int]:
        """See `Channel.statistics`: of all channels together."""
        total: Counter[str] = Counter()
        for channel in self._all:
            total.update(channel.statistics())
        return dict(total)
