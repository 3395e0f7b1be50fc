"""The computer itself: its clock, its power and heat, and whether programs may run in real time."""

import re
from collections.abc import Iterator

from robotd.doctor.view import Finding, View, note, problem, text_of
from robotd.timing.clock import EPOCH_START

THROTTLED = {  # bits of `vcgencmd get_throttled` (Raspberry Pi documentation); 16 higher: since the last start
    0: "the supply voltage is too low",
    1: "the processor's frequency is capped",
    2: "the processor is throttled",
    3: "the soft temperature limit is reached",
}
SINCE = 16
POWER = "use the supply of the maker and a short cable, feed motors from another, and cool the processor"
SYNCHRONISED = (
    "/run/systemd/timesync/synchronized",
    "/run/chrony/chronyd.pid",
    "/run/ntpd.pid",
    "/run/ntpd/ntpd.pid",
)
UNIT = "robotd-halt@.service"
NO_REALTIME = "the halt that udev starts for a port that appears will not start"
UNSET = f"sudo systemctl edit {UNIT}, with the lines [Service] and CPUSchedulingPolicy=other"


def find_clock(view: View) -> Iterator[Finding]:
    """No decision depends on the clock, but the names and times of logs do."""
    if view.now < EPOCH_START.timestamp():
        advice = "sudo timedatectl set-ntp true, or fit a real-time clock"
        yield note("clock-unset", "the clock is years behind: logs will have the wrong date", advice)
    elif view.exists("/run/systemd/system") and not view.exists(*SYNCHRONISED):
        advice = "sudo timedatectl set-ntp true, and let the robots reach a time server"
        yield note("clock-unsynchronised", "the clock follows no other: logs of robots will not match", advice)


def find_throttling(view: View) -> Iterator[Finding]:
    """Of a Raspberry Pi: what its firmware reports, or at least the alarm of its voltage."""
    bits = 0
    for file in view.find("/sys/devices/platform/soc*/*firmware*/get_throttled"):
        found = re.fullmatch(r"(?:0x)?([0-9a-fA-F]{1,8})", text_of(file).strip())
        bits |= int(found[1], 16) if found else 0
    for name in view.find("/sys/class/hwmon/*/name"):
        if text_of(name).strip() == "rpi_volt" and text_of(name.with_name("in0_lcrit_alarm")).strip() == "1":
            bits |= 1
    now = [words for bit, words in THROTTLED.items() if bits >> bit & 1]
    before = [words for bit, words in THROTTLED.items() if bits >> bit + SINCE & 1 and words not in now]
    if now:
        yield problem("throttled", f"now {', and '.join(now)}: ticks may be late", POWER)
    if before:
        yield note("throttled-before", f"since the start, at times {', and '.join(before)}", POWER)


def find_realtime(view: View) -> Iterator[Finding]:
    """The halt's unit asks for a real-time policy; systemd starts nothing whose policy it cannot set."""
    if view.text("/proc/sys/kernel/sched_rt_runtime_us").strip() == "0":
        what = f"the kernel lets no program run in real time: {NO_REALTIME}"
        yield problem("realtime-off", what, f"sudo sysctl kernel.sched_rt_runtime_us=950000, or {UNSET}")
        return
    release = view.text("/proc/sys/kernel/osrelease").strip()
    grouped = "CONFIG_RT_GROUP_SCHED=y" in view.text(f"/boot/config-{release}").splitlines()
    shares = [text_of(file).strip() for file in view.find("/sys/fs/cgroup/*/system.slice/cpu.rt_runtime_us")]
    if "0" in shares or (grouped and not shares):
        yield problem("realtime-groups", f"the kernel gives services no real time: {NO_REALTIME}", UNSET)


def find_priority(view: View) -> Iterator[Finding]:
    """A limit of the login on nice and real-time priorities: a daemon started from it cannot raise its own."""
    text = view.text("/proc/self/limits")
    limits = dict(re.findall(r"^Max (nice|realtime) priority +(\S+)", text, re.MULTILINE))
    if view.uid != 0 and limits.get("nice") == limits.get("realtime") == "0":
        what = "a robotd run of yours has no more priority than any other program"
        yield note("priority", what, "install it as a service, which has: robotd install-service ROBOT.toml")


CHECKS = (find_clock, find_throttling, find_realtime, find_priority)
