"""Frames of the R-2's protocol with any fields: (kind, fields)."""

from __future__ import annotations

from hypothesis import strategies as st

from boards.r2 import frames as wire

u8, u16, i16, i32 = (st.integers(low, high) for low, high in
                     ((0, 255), (0, 65535), (-32768, 32767), (-(2**31), 2**31 - 1)))  # fmt: skip
pose = st.fixed_dictionaries({"x": i32, "y": i32, "heading": i16, "accuracy": u16})
flags = ("charging", "bump", "beam", "stalled", "lifted")
parts = ("sound", "wheels", "gripper", "positioning", "motors")
senses = st.fixed_dictionaries(
    {
        **dict.fromkeys(("number", "command", "battery", "pose_age", "ranges_age"), u8),
        **dict.fromkeys(("opening", "lift", "pressed", "bumps_dead", "bumps_stuck"), u16),
        **dict.fromkeys(("odometry", "pose"), pose),
        **dict.fromkeys(("driven", "speeds"), st.lists(i16, min_size=2, max_size=2)),
        "flags": st.fixed_dictionaries(dict.fromkeys(flags, st.booleans())),
        "parts": st.fixed_dictionaries(dict.fromkeys(parts, st.integers(0, 3))),
        "ranges": st.lists(u16, max_size=16),
    }
)
identity = st.fixed_dictionaries(
    {
        **dict.fromkeys(("version", "started"), u8),
        **dict.fromkeys(("max_speed", "wheel_base", "radius"), u16),
        "ranges": st.lists(st.fixed_dictionaries({"bearing": i16, "low": u16, "high": u16}), max_size=16),
        "bumps": st.lists(i16, max_size=16),
    }
)
drive = st.fixed_dictionaries(
    {"number": u8, "left": i16, "right": i16, "opening": u16, "lift": u16, "tune": u8, "expiry": u16}
)
frames = st.one_of(
    senses.map(lambda fields: (wire.SENSES, fields)),
    identity.map(lambda fields: (wire.IDENTITY, fields)),
    drive.map(lambda fields: (wire.DRIVE, fields)),
    u8.map(lambda version: (wire.HELLO, {"version": version})),
    st.just((wire.STOP, {})),
)
