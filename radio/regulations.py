"""What regulations permit a transmitter, by region and frequency: how much of an hour, how long at a stretch.

Presets state the sub-bands for short range devices; they are no legal advice, and do not cover power limits.
Sources: ETSI EN 300 220-2 (868 MHz), CEPT ERC/REC 70-03 annex 1 (433 MHz), FCC 47 CFR 15.247 (915 MHz).
"""

from collections.abc import Sequence
from typing import Literal, get_args

from robotd.model.value import value

HOUR_S = 3600.0  # the window over which all of these rules count
Region = Literal["none", "eu433", "eu868", "us915"]


@value
class SubBand:
    """One sub-band, MHz. `duty` is the share of any hour that one transmitter may send, `longest_s` the longest
    single transmission; None: no limit."""

    region: str
    low_mhz: float
    high_mhz: float
    duty: float | None = None
    longest_s: float | None = None

    @property
    def words(self) -> str:
        """The band and its rule, for people."""
        rules = []
        if self.duty is not None:
            rules.append(f"{100 * self.duty:g} % of an hour")
        if self.longest_s is not None:
            rules.append(f"{1000 * self.longest_s:g} ms at a stretch")
        return f"{self.region}, {self.low_mhz:g} to {self.high_mhz:g} MHz: {', '.join(rules)}"


BANDS = (
    SubBand("eu433", 433.05, 434.79, duty=0.10),
    SubBand("eu868", 863.0, 865.0, duty=0.001),
    SubBand("eu868", 865.0, 868.0, duty=0.01),
    SubBand("eu868", 868.0, 868.6, duty=0.01),
    SubBand("eu868", 868.7, 869.2, duty=0.001),
    SubBand("eu868", 869.4, 869.65, duty=0.10),
    SubBand("eu868", 869.7, 870.0, duty=0.01),
    SubBand("us915", 902.0, 928.0, longest_s=0.4),
)


def bands_of(region: str) -> Sequence[SubBand]:
    """The sub-bands of a region, by frequency; ValueError for one that is not known."""
    if region not in get_args(Region):
        raise ValueError(f"no region {region!r}; expected one of {', '.join(get_args(Region))}")
    return [band for band in BANDS if band.region == region]


def band_at(region: str, frequency_mhz: float) -> SubBand | None:
    """The sub-band of a carrier, None in region `none`; ValueError where the region has none there.

    At a limit that two bands share the stricter one holds.
    """
    bands = bands_of(region)
    if not bands:
        return None
    here = [band for band in bands if band.low_mhz <= frequency_mhz <= band.high_mhz]
    if not here:
        there = ", ".join(f"{band.low_mhz:g} to {band.high_mhz:g}" for band in bands)
        raise ValueError(f"{frequency_mhz:g} MHz is in no band of {region}; expected a frequency in {there} MHz")
    return min(here, key=lambda band: band.duty if band.duty is not None else 1.0)
