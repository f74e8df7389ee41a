"""The tables of `--mix`."""

from loadtest.clients.registry import DIALECTS, PLAY
from loadtest.mix import mixed_kinds
from loadtest.plan import LoadPlan


def test_a_mix_has_all_games_and_all_dialects() -> None:
    kinds = mixed_kinds({}, {})
    assert {kind.game for kind in kinds} == {"stones", *DIALECTS}
    spoken = {name for kind in kinds for name in kind.dialects}
    assert spoken == {PLAY, *(name for names in DIALECTS.values() for name in names)}


def test_a_mix_uses_the_listeners_of_the_cluster() -> None:
    address = ("127.0.0.1", 1236)
    kinds = mixed_kinds({"eriantys.am28": address}, {})
    [over_tcp] = [kind for kind in kinds if kind.tcp]
    assert over_tcp.game == "eriantys"
    assert over_tcp.dialects == (PLAY, "eriantys.am28")


def test_tables_take_the_kinds_in_turn() -> None:
    plan = LoadPlan(urls=("ws://127.0.0.1:1",), kinds=mixed_kinds({}, {}), rooms=9)
    games = [plan.kind_of(table)[0].game for table in range(4)]
    assert games == plan.games_played
    assert plan.kind_of(4) == (plan.kinds[0], 1)
