"""Runs a command that ends with its parent: `die_with_parent.py PARENT COMMAND...`.

Linux then sends it SIGTERM when the parent dies. On other systems the command just runs. The file is run as a script
before each process, so it imports as little as possible.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def bound_to_parent(command: list[str]) -> list[str]:
    """The command line that runs `command` bound to the calling process.

    Linux binds to the *thread* that starts the process: call it from one that lives as long as the process.
    """
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), *command]


def main() -> None:
    parent, command = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        # The kernel keeps this across exec, so no process stays in between, and Valkey need not support it.
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        # The parent may have died before the line above: then there will be no signal.
        if os.getppid() != parent:
            sys.exit("the parent died before this process started")
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
