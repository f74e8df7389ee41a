"""Grammar-based fuzzing of every dialect: whatever a client sends, it gets an answer, and others play on.

Each seed is a table with a player and frames drawn from it. TAVOLATA_FUZZ_ROUNDS sets how many seeds are run for each
dialect (`make verify` runs 1,000), TAVOLATA_FUZZ_SEED is the first of them.
"""

import pytest

from tests.fuzz.fuzzer import Fuzzer
from tests.fuzz.rounds import for_each_seed
from tests.fuzz.subjects import SUBJECTS, Subject

pytestmark = pytest.mark.timeout(7_200)


@pytest.mark.parametrize("subject", SUBJECTS, ids=str)
def test_no_frame_breaks_a_session_or_changes_a_room_that_refuses_it(subject: Subject) -> None:
    def run(seed: int) -> None:
        fuzzer = Fuzzer(subject, seed)
        fuzzer.run()
        fuzzer.cluster.close()

    for_each_seed(run)
