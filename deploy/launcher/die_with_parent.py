"""Runs a command that ends with its parent: `tether.py PARENT COMMAND...`. Linux sends it SIGTERM when that dies.

The kernel keeps the wish across exec, so nothing stays between parent and command, and Valkey need not know of it.
It is about the parent's *thread*: spawn from one that lives as long as the process. Elsewhere the command just runs.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def tethered(command: list[str]) -> list[str]:
    """The command, tied to the calling process."""
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), *command]


def main() -> None:
    parent, command = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            sys.exit("the parent died before its child began")
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
