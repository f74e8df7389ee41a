"""Outages: the time that a room has lost, and the notes that are kept of it."""

from shared.bus import outages
from shared.bus.keys import Keys
from shared.bus.outages import Outage
from shared.ids import GameVersion, Partition

KEYS = Keys(Partition(0), 4)
OLD, NEW = GameVersion("stones@1"), GameVersion("stones@2")
DAY_MS = 24 * 3_600_000


def test_a_room_has_lost_the_outages_after_its_last_record() -> None:
    assert outages.lost_ms([Outage(100, 160), Outage(200, 230), Outage(20, 50)], OLD, 90) == 90


def test_the_part_of_an_outage_before_the_last_record_does_not_count() -> None:
    assert outages.lost_ms([Outage(100, 160)], OLD, 120) == 40


def test_overlapping_outages_count_once() -> None:
    assert outages.lost_ms([Outage(100, 160), Outage(50, 300, OLD)], OLD, 0) == 250


def test_an_outage_of_another_game_version_does_not_count() -> None:
    assert outages.lost_ms([Outage(50, 300, NEW)], OLD, 0) == 0


def test_an_outage_that_goes_on_does_not_count_yet() -> None:
    assert outages.lost_ms([Outage(50, 0, OLD)], OLD, 0) == 0


def test_outages_are_read_as_they_were_noted() -> None:
    noted = [Outage(100, 160), Outage(50, 0, OLD)]
    reply = [str(word).encode() for _, _, *words in outages.noting(KEYS, noted) for word in words]
    assert outages.parse(reply) == noted


def test_outages_are_forgotten_when_no_deadline_can_be_older() -> None:
    old, recent, going_on = Outage(1, 2), Outage(50 * DAY_MS, 50 * DAY_MS + 9), Outage(1, 0, OLD)
    assert outages.forgetting(KEYS, [old, recent, going_on], 61 * DAY_MS) == [("HDEL", KEYS.outages, "1")]


def test_the_number_of_outages_is_bounded() -> None:
    many = [Outage(number, number + 1) for number in range(1_003)]
    assert outages.forgetting(KEYS, many, 2_000) == [("HDEL", KEYS.outages, "0", "1", "2")]
