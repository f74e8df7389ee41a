"""The error that the command line reports as one line."""


class BenchmarkError(Exception):
    """A run cannot be started or finished."""
