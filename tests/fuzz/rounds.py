"""The number of rounds of fuzzing, from the environment, and the words that repeat a failed one."""

import os
from collections.abc import Callable

ROUNDS = int(os.environ.get("TAVOLATA_FUZZ_ROUNDS", "6"))
FIRST = int(os.environ.get("TAVOLATA_FUZZ_SEED", "0"))


def for_each_seed(test: Callable[[int], None]) -> None:
    """Call the test with each seed. A failure names the variables that run its seed again, alone."""
    for seed in range(FIRST, FIRST + ROUNDS):
        try:
            test(seed)
        except BaseException as error:
            error.add_note(f"TAVOLATA_FUZZ_SEED={seed} TAVOLATA_FUZZ_ROUNDS=1 shows it again")
            raise
