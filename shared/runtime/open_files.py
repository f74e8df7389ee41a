"""The number of files and sockets that this process may have open."""

import resource
from contextlib import suppress


def raise_limit() -> int:
    """Raise the soft limit to the hard one and return the limit. Shells and container engines often set the soft limit
    to 1,024, for programs that use select(2); the event loop does not."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # macOS refuses a limit as high as its own hard one
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return limit()


def limit() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 2**31 - 1 if soft == resource.RLIM_INFINITY else soft
