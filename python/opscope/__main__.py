# SPDX-License-Identifier: Apache-2.0
"""``python -m opscope``: serve a file of ops, or say what can be measured here."""

import argparse
import sys

from . import __version__, devices, diagnose
from ._serve import serve_file
from .errors import OpscopeError


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m opscope", description="Opscope's Python side.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    served = commands.add_parser("serve", help="speak the engine protocol for the ops of a Python file")
    served.add_argument("file", help="a .py file with @opscope.op functions or a dictionary OPS")
    commands.add_parser("devices", help="the devices that can be named")
    commands.add_parser("doctor", help="what a GPU measurement would still need")
    options = parser.parse_args(arguments)
    try:
        if options.command == "serve":
            return serve_file(options.file)
        if options.command == "devices":
            for device in devices():
                print(f"{device['id']:8} {device['name']} ({device['figures']})")
            return 0
        for state, subject, sentence, remedy in diagnose():
            print(f"{state:8} {subject}: {sentence}{' ' + remedy if remedy else ''}")
        return 0
    except OpscopeError as error:
        print(f"opscope: {type(error).__name__}: {error}", file=sys.stderr)
        return 5


if __name__ == "__main__":
    sys.exit(main())
