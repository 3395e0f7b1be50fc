"""Names of serial devices that lead to either of two adapters: those without a serial number of their own.

udev makes `/dev/serial/by-id` names of maker, product and serial number. Adapters without a number (CH340 clones)
claim the same name, and it leads to the one that was plugged in last.
"""

import errno
import os
from pathlib import Path

CLAIMS = "/run/udev/links"  # a folder for each name, in it an entry for each device that claims it (udev, node.c)
DEVICES, BY_ID = "/dev", "/dev/serial/by-id"


def claims_of(link: Path, claims: str = CLAIMS, devices: str = DEVICES) -> list[str]:
    """The devices that claim the name `link`, as udev records them ("c188:0"); empty where it records nothing."""
    name = str(link).removeprefix(devices)
    escaped = name.replace("\\", "\\x5c").replace("/", "\\x2f")
    for folder in (escaped, escaped.removeprefix("\\x2f")):  # before udev 250, and since
        try:
            return sorted(entry for entry in os.listdir(os.path.join(claims, folder)) if entry[:1] in ("c", "b"))
        except OSError:
            continue
    return []


def is_shared(link: Path, by_path: Path, claims: str = CLAIMS, devices: str = DEVICES) -> bool:
    """Whether several adapters that are plugged in claim the by-id name `link`.

    Where udev records no claims, one counts as such if it has a name in `by_path`, none beside `link`, and is a
    device of the same kind (ttyUSB, ttyACM).
    """
    known = claims_of(link, claims, devices)
    if known:
        return len(known) > 1
    named = {one.resolve() for one in link.parent.glob("*")}
    kind = link.resolve().name.rstrip("0123456789")
    others = {one.resolve() for one in by_path.glob("*")} - named
    return any(one.name.rstrip("0123456789") == kind for one in others)


def refuse_shared(path: str, claims: str = CLAIMS) -> None:
    """OSError (ENOTUNIQ) for a by-id name that several adapters claim: what is sent could reach the wrong one."""
    if path.startswith(BY_ID) and len(claims_of(Path(path), claims)) > 1:
        message = "several adapters without a serial number have this name: use that in /dev/serial/by-path"
        raise OSError(errno.ENOTUNIQ, message)
