"""`robotd page`: a link to the page of a running robot, on which this person may act."""

import argparse
import json
import sys
import webbrowser

from robotd.control import client
from robotd.files.refusal import DONE, FAILED, Refusal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    client.add_arguments(parser)
    parser.add_argument("--open", action="store_true", help="open it in this computer's browser at once")


def run(args: argparse.Namespace) -> int:
    """Exit status: 0; 1 where no robot can be asked, or it serves no page."""
    path = client.find_socket(args.robot)
    answer = client.ask(path, {"do": "page"})
    if not answer.get("ok"):
        raise Refusal(f"{path.stem}: {answer.get('error', 'refused')}", FAILED)
    words = f"{answer['link']}  (works once, within two minutes; whoever opens it may act on {answer['robot']})"
    sys.stdout.write((json.dumps(answer) if args.json else words) + "\n")
    if args.open:
        webbrowser.open(answer["link"])
    return DONE
