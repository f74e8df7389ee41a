"""Facts that all processes of a cluster share."""

import msgspec
import pytest

from shared.bus import keys, meta
from shared.bus.meta import GameCard, IncompatibleStore
from shared.bus.registry import WORKERS
from shared.bus.store import Store
from tests.support.bus import LONG_MS

CARD = GameCard("stones", "Stones", 1, (2, 3), msgspec.Raw(b"{}"), msgspec.Raw(b"{}"))


async def test_processes_with_the_same_partitions_agree(store: Store) -> None:
    await meta.agree(store, 4)
    await meta.agree(store, 4)


async def test_a_process_with_other_partitions_is_unfit(store: Store) -> None:
    await meta.agree(store, 4)
    with pytest.raises(IncompatibleStore, match="TAVOLATA_PARTITIONS=4"):
        await meta.agree(store, 8)


async def test_a_store_of_another_format_is_unfit(store: Store) -> None:
    await store.call("HSET", keys.META, "format", 99)
    with pytest.raises(IncompatibleStore, match="format 99"):
        await meta.agree(store, 4)


@pytest.mark.parametrize("form", [meta.LAST_FORMAT, meta.FORMAT])
async def test_a_store_of_this_release_or_the_last_one_keeps_its_format(store: Store, form: int) -> None:
    await store.call("HSET", keys.META, "format", form)
    await meta.agree(store, 4)
    assert await meta.stored_format(store) == form


async def test_a_finished_upgrade_raises_the_format(store: Store) -> None:
    await store.call("HSET", keys.META, "format", meta.LAST_FORMAT)
    await meta.finish_upgrade(store)
    assert await meta.stored_format(store) == meta.FORMAT


async def test_a_secret_is_made_once(store: Store) -> None:
    assert await meta.secret(store, "tokens", "") == await meta.secret(store, "tokens", "")


async def test_a_secret_that_is_set_is_not_stored(store: Store) -> None:
    assert await meta.secret(store, "tokens", "mine") == "mine"
    assert await store.call("EXISTS", keys.SECRETS) == 0


async def test_secrets_have_nothing_in_common(store: Store) -> None:
    assert await meta.secret(store, "tokens", "") != await meta.secret(store, "admin_token", "")


async def test_announced_games_are_known(store: Store) -> None:
    await meta.announce(store, [CARD])
    assert await meta.games(store) == {"stones": CARD}


@pytest.mark.parametrize(
    ("statuses", "known"),
    [
        ((), {"stones", "coin"}),
        (('{"games":["stones"]}',), {"stones"}),
        (('{"games":["stones"]}', '{"games":["coin","lost"]}'), {"stones", "coin"}),
        (('{"games":[]}',), set()),
        (('{"games":["stones"]}', '{"pid":1}'), {"stones", "coin"}),
    ],
)
async def test_a_game_is_known_as_long_as_a_worker_plays_it(
    store: Store, statuses: tuple[str, ...], known: set[str]
) -> None:
    await meta.announce(store, [CARD, msgspec.structs.replace(CARD, name="coin")])
    for number, status in enumerate(statuses):
        await WORKERS.heartbeat(store, f"w-{number}", LONG_MS, status.encode(), first=True)
    assert (await meta.games(store)).keys() == known
    for number in range(len(statuses)):
        await WORKERS.unregister(store, f"w-{number}")
    assert (await meta.games(store)).keys() == {"stones", "coin"}


async def test_a_worker_without_games_announces_nothing(store: Store) -> None:
    await meta.announce(store, [])
    assert await meta.games(store) == {}
