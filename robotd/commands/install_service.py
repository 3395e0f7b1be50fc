"""`robotd install-service`: install a robot as a systemd service, or report why the service could not work."""

import argparse
import grp
import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

from robotd.deploy.service import USER, Plan, for_image, own_program, plan_for, user_of, write
from robotd.files.paths import folder_option
from robotd.files.refusal import DONE, FAILED, Refusal, refuse_on

ROOT = Path("/")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="ROBOT.toml", type=Path, help="the robot file")
    parser.add_argument("--dry-run", action="store_true", help="only print what would be done")
    below = "install below DIR, for an image"
    parser.add_argument("--root", type=folder_option, default=ROOT, metavar="DIR", help=below)
    parser.add_argument("--program", type=Path, metavar="PATH", help="the robotd that the service runs (this one)")


def run(args: argparse.Namespace) -> int:
    """Exit status: 0, 1 where it cannot be installed (each reason is printed), 2 for a bad robot file."""
    interpreter, program = args.program or Path(sys.executable).resolve(), args.program or own_program()
    plan = plan_for(args.file, program, interpreter)
    if not os.access(args.root / program.relative_to(program.anchor), os.X_OK):
        missing = f"{program}: no such program {'here' if args.root == ROOT else 'in the image yet'}"
        (plan.refusals if args.root == ROOT else plan.warnings).append(missing)
    for warning in plan.warnings:
        print(f"warning: {warning}")
    if plan.refusals:
        raise Refusal("\n".join(plan.refusals), FAILED)
    if args.root != ROOT:
        plan = for_image(plan)
    for entry in plan.files:
        print(f"{entry.mode:04o} {USER if entry.owner else 'root'} {entry.path}")
    if args.dry_run:
        return DONE
    with refuse_on(subprocess.CalledProcessError, status=FAILED):
        _install(plan, args.root)
    there = "systemctl enable --now robotd" if args.root == ROOT else f"systemctl --root={args.root} enable robotd"
    print(f"installed; now: {there}")
    return DONE


def _install(plan: Plan, root: Path) -> None:
    if root != ROOT:
        write(plan, root, None)
        return
    if os.geteuid() != 0:
        raise PermissionError("only root can install a service: use sudo")
    write(user_of(plan), root, None)
    subprocess.run(["/usr/bin/systemd-sysusers"], check=True)
    write(plan, root, (pwd.getpwnam(USER).pw_uid, grp.getgrnam(USER).gr_gid))
    subprocess.run(["/usr/bin/systemctl", "daemon-reload"], check=True)
    if udevadm := shutil.which("udevadm"):
        subprocess.run([udevadm, "control", "--reload"], check=True)  # noqa: S603 - the system's own
