"""Each kind of violation is found, and nothing is found where nothing is wrong."""

from typing import Any

import msgspec
import pytest

from loadtest.checks.checker import Findings, Recorded, RoomRecord, Track, check_record, differences

EPOCH = 3


def events(*words: str) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode([{"type": word} for word in words]))


def step(offset: int, by: int | None = None, command: int | None = None, epoch: int = EPOCH) -> Recorded:
    return Recorded(epoch, offset, events(f"e{offset}"), by, command)


@pytest.fixture
def findings() -> Findings:
    return Findings()


@pytest.fixture
def track(findings: Findings) -> Track:
    """A seat that entered at step 2."""
    track = Track(1000, 1, findings)
    track.view(EPOCH, 2)
    return track


def tell(track: Track, *offsets: int) -> None:
    for offset in offsets:
        track.update(EPOCH, offset, events(f"e{offset}"))


def found(findings: Findings) -> dict[str, int]:
    return {kind: count for kind, count in findings.counts.items() if count}


@pytest.mark.parametrize(
    ("offsets", "expected"),
    [
        ((3, 4, 5, 6), {}),
        ((3, 5), {"holes": 1}),
        ((3, 7, 8), {"holes": 3}),
        ((3, 3), {"repeats": 1}),
        ((3, 4, 3), {"repeats": 1}),
        ((2,), {"repeats": 1}),
        ((3, 5, 4), {"disorder": 1}),
        ((3, 5, 4, 4), {"disorder": 1, "repeats": 1}),
    ],
)
def test_holes_repeats_and_disorder_are_counted(
    track: Track, findings: Findings, offsets: tuple[int, ...], expected: dict[str, int]
) -> None:
    tell(track, *offsets)
    assert found(findings) == expected
    assert findings.clean is not bool(expected)


@pytest.mark.parametrize(("reason", "kind"), [("trimmed", "resyncs"), ("slow", "resyncs"), ("rewound", "rewinds")])
def test_a_view_with_a_reason_starts_a_new_sequence(track: Track, findings: Findings, reason: str, kind: str) -> None:
    tell(track, 3, 4, 5)
    track.view(EPOCH + 1, 4, reason)
    tell(track, 5, 6)
    assert found(findings) == {kind: 1}
    assert findings.clean


def compare(track: Track, *steps: Recorded, trimmed: bool = False) -> None:
    track.compare(RoomRecord(list(steps), trimmed))


def test_a_record_with_every_received_step_and_acknowledged_move_is_clean(track: Track, findings: Findings) -> None:
    tell(track, 3, 4)
    track.acked(70, 4)
    compare(track, step(1), step(2), step(3), step(4, 1, 70))
    assert not found(findings)


def test_an_acknowledged_move_that_is_not_in_the_record_is_lost(track: Track, findings: Findings) -> None:
    track.acked(70, 3)
    track.acked(71, 4)
    compare(track, step(3, 1, 70), step(4, 0, 71))
    assert found(findings) == {"lost": 1}


def test_an_acknowledged_move_at_another_step_is_misplaced(track: Track, findings: Findings) -> None:
    track.acked(70, 3)
    compare(track, step(3), step(4, 1, 70))
    assert found(findings) == {"misplaced": 1}


def test_two_acknowledgements_of_one_move_must_agree(track: Track, findings: Findings) -> None:
    track.acked(70, 3)
    track.acked(70, 3)
    assert not found(findings)
    track.acked(70, 5)
    assert found(findings) == {"doubled": 1}


def test_a_move_that_was_applied_twice_is_doubled(findings: Findings) -> None:
    twice = RoomRecord([step(1, 0, 70), step(2, 1, 70), step(3, 0, 71), step(4, 0, 70)])
    check_record(1000, twice, (1,), findings)
    assert not found(findings)
    check_record(1000, twice, (0, 1), findings)
    assert found(findings) == {"doubled": 1}


def test_a_record_with_a_hole_is_found(findings: Findings) -> None:
    check_record(1000, RoomRecord([step(1), step(3)]), (), findings)
    assert found(findings) == {"holes": 1}


def test_moves_before_a_trimmed_record_are_counted_as_unchecked(track: Track, findings: Findings) -> None:
    track.acked(70, 3)
    track.acked(71, 8)
    compare(track, step(7), step(8, 1, 71), trimmed=True)
    assert found(findings) == {"unchecked": 1}
    assert findings.clean


@pytest.mark.parametrize("other", [{"events": events("lie")}, {"epoch": 99}])
def test_a_step_that_differs_from_the_record_is_found(track: Track, findings: Findings, other: dict[str, Any]) -> None:
    tell(track, 3, 4)
    compare(track, step(3), msgspec.structs.replace(step(4), **other))
    assert found(findings) == {"differing": 1}


def test_steps_before_a_view_are_not_compared(track: Track, findings: Findings) -> None:
    tell(track, 3, 4, 5)
    track.view(EPOCH + 1, 5, "rewound")
    compare(track, step(3), step(4, epoch=9), step(5, epoch=9))
    assert found(findings) == {"rewinds": 1}
    assert findings.clean


def test_an_acknowledged_move_above_a_rewind_is_rewound_and_not_lost(track: Track, findings: Findings) -> None:
    tell(track, 3, 4)
    track.acked(70, 3)
    track.acked(71, 4)
    track.view(EPOCH + 1, 3, "rewound")
    compare(track, step(3, 1, 70), step(4, epoch=EPOCH + 1))
    assert found(findings) == {"rewinds": 1, "rewound": 1}
    assert not findings.clean
    findings.allow_rewound = True
    assert findings.clean


def test_a_move_before_one_that_a_rewind_has_kept_is_lost(track: Track, findings: Findings) -> None:
    track.acked(70, 3)
    track.acked(71, 4)
    track.view(EPOCH + 1, 4, "rewound")
    compare(track, step(3), step(4, 1, 71))
    assert found(findings) == {"rewinds": 1, "lost": 1}


def test_a_move_after_a_rewind_must_be_in_the_record(track: Track, findings: Findings) -> None:
    track.view(EPOCH + 1, 3, "rewound")
    track.acked(70, 4)
    compare(track, step(3), step(4))
    assert found(findings) == {"rewinds": 1, "lost": 1}


def test_an_undone_move_that_was_sent_again_counts_where_it_was_carried_out(track: Track, findings: Findings) -> None:
    track.acked(70, 5)
    track.view(EPOCH + 1, 3, "rewound")
    track.acked(70, 4)
    compare(track, step(3), step(4, 1, 70))
    assert found(findings) == {"rewinds": 1}
    assert track.last == 4


def test_two_rewinds_in_a_row_undo_the_same_moves(track: Track, findings: Findings) -> None:
    track.acked(70, 4)
    track.acked(71, 6)
    for _ in range(2):
        track.view(EPOCH + 1, 3, "rewound")
    track.acked(71, 4)
    compare(track, step(3), step(4, 1, 71))
    assert found(findings) == {"rewinds": 2, "rewound": 1}


def test_a_move_may_be_acknowledged_in_the_new_history_before_the_rewind_is_known(
    track: Track, findings: Findings
) -> None:
    track.acked(70, 4)
    track.acked(71, 6)
    track.acked(72, 4)
    track.view(EPOCH + 1, 4, "rewound")
    compare(track, step(3), step(4, 1, 72))
    assert found(findings) == {"rewinds": 1, "rewound": 2}


def test_the_verdict_names_every_kind(findings: Findings) -> None:
    assert findings.verdict().startswith("all good: 0 holes, 0 repeats, 0 disorder, 0 lost, 0 doubled")
    findings.add("lost", "room 1000 seat 0: move 1")
    assert findings.verdict().startswith("NOT GOOD")
    assert findings.texts == ["lost: room 1000 seat 0: move 1"]


def test_differences_are_named_by_their_path() -> None:
    one = {"cards": [[1, True], [2, False]], "mother": 3}
    assert not list(differences(one, {"cards": [[1, True], [2, False]], "mother": 3}))
    other = {"cards": [[1, False], [2, False]], "mother": 4}
    assert list(differences(one, other, "board")) == [
        "board.cards[0][1]: one has True, the other False",
        "board.mother: one has 3, the other 4",
    ]
    assert list(differences([1], [1, 2])) == ["value: one has [1], the other [1, 2]"]


def test_a_frequent_kind_of_violation_does_not_hide_a_rare_one() -> None:
    findings = Findings()
    for number in range(1_000):
        findings.add("holes", f"hole {number}")
    findings.add("lost", "a move")
    assert findings.texts[-1] == "lost: a move"
    assert len(findings.texts) == findings.most_texts + 1


def test_allowed_rewinds_are_counted_without_a_text() -> None:
    findings = Findings(allow_rewound=True)
    findings.add("rewound", "a move")
    assert findings.clean
    assert findings.counts["rewound"] == 1
    assert findings.texts == []
