"""The connection to the store, on a real server: order, loss, mending, subscriptions."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from shared.bus import leases
from shared.bus.address import Address, BadUrl
from shared.bus.client import StoreClient
from shared.bus.connection import connect
from shared.bus.keys import Keys
from shared.bus.scripts import LOADING
from shared.bus.store import OutcomeUnknown, StoreDown, StoreError, StoreRefused
from shared.bus.subscription import Subscription
from shared.ids import Partition, WorkerId
from tests.support.valkey import ValkeyServer
from tests.support.waiting import eventually_async


@pytest.fixture
async def link(valkey_url: str) -> AsyncIterator[StoreClient]:
    one = StoreClient(Address.parse(valkey_url), greeting=LOADING)
    await one.start()
    yield one
    await one.stop()


async def own_id(link: StoreClient) -> int:
    return int(await link.call("CLIENT", "ID"))


async def mended(link: StoreClient, connections: int) -> None:
    await eventually_async(lambda: link.up and link.connections > connections, "the link is mended")


# --- addresses --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("redis://", Address()),
        ("redis://box:1234/5", Address("box", 1234, db=5)),
        ("redis://:pass%20word@box", Address("box", password="pass word")),
        ("rediss://ada:x@box:1", Address("box", 1, username="ada", password="x", tls=True)),
        ("unix:///tmp/sock?db=2", Address(path="/tmp/sock", db=2)),
        ("unix:///a%20b%3F", Address(path="/a b?")),
    ],
)
def test_an_address_is_read_from_its_url(url: str, address: Address) -> None:
    assert Address.parse(url) == address


@pytest.mark.parametrize("url", ["http://box", "box:6379", "redis://box:port", "redis://box/db", "unix:///s?db=x"])
def test_a_url_that_makes_no_sense_is_refused(url: str) -> None:
    with pytest.raises(BadUrl):
        Address.parse(url)


@pytest.mark.parametrize("url", ["tcp://ada:hidden@box", "redis://ada:hidden@box:port", "redis://ada:hidden@box/db"])
def test_a_refused_url_does_not_tell_its_password(url: str) -> None:
    with pytest.raises(BadUrl) as refusal:
        Address.parse(url)
    assert "hidden" not in str(refusal.value)


def test_an_address_does_not_tell_its_password() -> None:
    assert "hidden" not in str(Address.parse("redis://ada:hidden@box:1"))


# --- asking -----------------------------------------------------------------------------------------------------------


async def test_each_caller_gets_its_own_reply_when_many_call_at_once(link: StoreClient) -> None:
    async def ask(number: int) -> list[bytes]:
        replies: list[bytes] = await link.pipe([("ECHO", number), ("ECHO", -number)])
        return replies

    replies = await asyncio.gather(*(ask(number) for number in range(500)))
    assert replies == [[b"%d" % number, b"%d" % -number] for number in range(500)]


async def test_an_empty_pipeline_takes_no_reply_of_others(link: StoreClient) -> None:
    async with asyncio.timeout(5):
        nothing, *others = await asyncio.gather(link.pipe([]), link.call("ECHO", 1), link.call("ECHO", 2))
    link.cast([])
    assert (nothing, others, await link.call("ECHO", 3)) == ([], [b"1", b"2"], b"3")


async def test_commands_are_carried_out_in_the_order_in_which_they_were_asked_for(link: StoreClient) -> None:
    link.cast([("RPUSH", "list", number) for number in range(50)])
    await asyncio.gather(*(link.call("RPUSH", "list", number) for number in range(50, 100)))
    assert await link.call("LRANGE", "list", 0, -1) == [b"%d" % number for number in range(100)]


async def test_an_error_answer_raises(link: StoreClient) -> None:
    with pytest.raises(StoreRefused):
        await link.call("NONSENSE")


async def test_an_error_answer_stands_among_the_others_if_wanted(link: StoreClient) -> None:
    good, bad, also_good = await link.pipe([("ECHO", "a"), ("NONSENSE",), ("ECHO", "b")], errors=True)
    assert (good, type(bad), also_good) == (b"a", StoreRefused, b"b")


async def test_an_error_does_not_spoil_the_answers_of_others(link: StoreClient) -> None:
    bad = asyncio.create_task(link.call("NONSENSE"))
    good = asyncio.create_task(link.call("ECHO", "a"))
    await asyncio.wait((bad, good))
    assert (type(bad.exception()), good.result()) == (StoreRefused, b"a")


async def test_a_cancelled_caller_does_not_take_the_reply_of_another(link: StoreClient) -> None:
    impatient = asyncio.create_task(link.call("ECHO", "first"))
    await asyncio.sleep(0)
    impatient.cancel()
    assert await link.call("ECHO", "second") == b"second"


async def test_answers_may_be_large_and_binary(link: StoreClient) -> None:
    large = bytes(range(256)) * 20_000
    await link.call("SET", "large", large)
    assert await link.call("GET", "large") == large


# --- losing -----------------------------------------------------------------------------------------------------------


async def test_a_store_that_is_not_there_is_down() -> None:
    with pytest.raises(StoreDown):
        await StoreClient(Address("127.0.0.1", 1)).start()


async def test_a_store_that_refuses_the_password_says_so(valkey_server: ValkeyServer) -> None:
    with pytest.raises(StoreRefused):
        await StoreClient(Address("127.0.0.1", valkey_server.port, password="wrong")).start()


async def test_something_else_at_the_address_is_no_store(caplog: pytest.LogCaptureFixture) -> None:
    async def web(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(web, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(StoreDown, match="does not speak the Redis protocol"):
            await StoreClient(Address("127.0.0.1", port), greeting=[("PING",)]).start()
    assert caplog.text == ""


async def test_a_link_that_was_never_started_is_down() -> None:
    with pytest.raises(StoreDown):
        await StoreClient(Address()).call("PING")


async def test_a_stopped_link_is_down(valkey_url: str) -> None:
    one = StoreClient(Address.parse(valkey_url))
    await one.start()
    await one.stop()
    with pytest.raises(StoreDown):
        await one.call("PING")


async def test_a_command_sent_before_the_connection_was_lost_has_an_unknown_outcome(
    link: StoreClient, valkey_server: ValkeyServer
) -> None:
    number = await own_id(link)
    waiting = asyncio.create_task(link.call("BLPOP", "never", 0))
    await eventually_async(lambda: b"blocked_clients:1" in valkey_server.ask("INFO", "clients"), "it waits")
    valkey_server.ask("CLIENT", "KILL", "ID", str(number))
    with pytest.raises(OutcomeUnknown):
        await waiting


async def test_a_lost_connection_is_made_again(link: StoreClient, valkey_server: ValkeyServer) -> None:
    before = link.connections
    valkey_server.ask("CLIENT", "KILL", "ID", str(await own_id(link)))
    await mended(link, before)
    assert await link.call("ECHO", "there") == b"there"


async def test_a_mended_link_says_so(valkey_url: str, valkey_server: ValkeyServer) -> None:
    said = asyncio.Event()
    one = StoreClient(Address.parse(valkey_url), on_connect=said.set)
    await one.start()
    valkey_server.ask("CLIENT", "KILL", "ID", str(await own_id(one)))
    await eventually_async(said.is_set, "the link says that it is back")
    await one.stop()


async def test_the_first_connection_is_not_announced(valkey_url: str) -> None:
    said = asyncio.Event()
    one = StoreClient(Address.parse(valkey_url), on_connect=said.set)
    await one.start()
    await one.call("PING")
    await one.stop()
    assert not said.is_set()


async def test_a_link_mends_itself_when_the_store_comes_back(own_valkey: ValkeyServer) -> None:
    one = StoreClient(Address.parse(own_valkey.url), greeting=LOADING)
    await one.start()
    before = one.connections
    await asyncio.to_thread(own_valkey.restart)
    await mended(one, before)
    await one.stop()


async def test_scripts_are_known_to_a_store_that_was_started_anew(own_valkey: ValkeyServer) -> None:
    one = StoreClient(Address.parse(own_valkey.url), greeting=LOADING)
    await one.start()
    before = one.connections
    await asyncio.to_thread(own_valkey.restart)
    await mended(one, before)
    (lease,) = await leases.take(one, [Keys(Partition(0), 4)], WorkerId("w"), 1_000)
    await one.stop()
    assert lease is not None


async def test_no_caller_ever_finds_a_store_without_the_scripts(own_valkey: ValkeyServer) -> None:
    one = StoreClient(Address.parse(own_valkey.url), greeting=LOADING)
    await one.start()
    before, refused = one.connections, []

    async def ask_until_mended() -> None:
        while one.connections == before or not one.up:
            try:
                await leases.take(one, [Keys(Partition(0), 4)], WorkerId("w"), 1_000)
            except StoreRefused as error:
                refused.append(str(error))
            except StoreError:
                pass
            await asyncio.sleep(0)

    asking = asyncio.create_task(ask_until_mended())
    await asyncio.to_thread(own_valkey.restart)
    await asking
    await one.stop()
    assert [error for error in refused if "NOSCRIPT" in error] == []


async def test_a_script_that_the_server_has_forgotten_is_loaded_again(own_valkey: ValkeyServer) -> None:
    one = StoreClient(Address.parse(own_valkey.url), greeting=LOADING)
    await one.start()
    await one.call("SCRIPT", "FLUSH")
    (lease,) = await leases.take(one, [Keys(Partition(0), 4)], WorkerId("w"), 1_000)
    await one.stop()
    assert lease is not None


async def test_a_server_that_has_become_a_replica_is_left(own_valkey: ValkeyServer) -> None:
    one = StoreClient(Address.parse(own_valkey.url))
    await one.start()
    before = one.connections
    own_valkey.ask("REPLICAOF", "127.0.0.1", "1")
    with pytest.raises(StoreRefused, match="READONLY"):
        await one.call("SET", "a", "b")
    await mended(one, before)
    await one.stop()


async def test_a_store_that_keeps_silent_is_given_up(own_valkey: ValkeyServer) -> None:
    one = StoreClient(Address.parse(own_valkey.url), silence_s=0.1)
    await one.start()
    await asyncio.to_thread(own_valkey.pause)
    try:
        with pytest.raises(OutcomeUnknown):
            await one.call("PING")
    finally:
        await asyncio.to_thread(own_valkey.go_on)
        await one.stop()


async def test_commands_cast_while_the_store_is_down_are_dropped_silently(own_valkey: ValkeyServer) -> None:
    one = StoreClient(Address.parse(own_valkey.url))
    await one.start()
    await asyncio.to_thread(own_valkey.kill)
    await eventually_async(lambda: not one.up, "the loss is noticed")
    one.cast((("SET", "a", "b"),))
    await one.stop()


async def test_a_wire_that_is_lost_says_so(valkey_url: str, valkey_server: ValkeyServer) -> None:
    lost = asyncio.Event()
    wire = await connect(Address.parse(valkey_url), lost.set)
    (number,) = await wire.request([("CLIENT", "ID")])
    valkey_server.ask("CLIENT", "KILL", "ID", str(number))
    await eventually_async(lost.is_set, "the loss is told")
    with pytest.raises(StoreDown):
        wire.request([("PING",)])


# --- subscriptions ----------------------------------------------------------------------------------------------------


class Ear:
    """A subscription, and what it received."""

    def __init__(self, url: str) -> None:
        self.received: list[tuple[str, bytes]] = []
        self.gaps = 0
        self.subscription = Subscription(Address.parse(url))

    async def listen(self, *channels: str) -> None:
        self.subscription.start(channels, lambda channel, data: self.received.append((channel, data)), self._gap)
        await eventually_async(lambda: self.gaps == 1, "it is subscribed")

    def _gap(self) -> None:
        self.gaps += 1


async def test_messages_come_with_their_channel_in_order(link: StoreClient, valkey_url: str) -> None:
    ear = Ear(valkey_url)
    await ear.listen("a", "b")
    await link.pipe([("PUBLISH", "a", 1), ("PUBLISH", "b", 2), ("PUBLISH", "c", 3), ("PUBLISH", "a", 4)])
    await eventually_async(lambda: len(ear.received) == 3, "three messages")
    await ear.subscription.stop()
    assert ear.received == [("a", b"1"), ("b", b"2"), ("a", b"4")]


async def test_a_first_subscription_is_a_gap_too(valkey_url: str) -> None:
    ear = Ear(valkey_url)
    await ear.listen("a", "b", "c")
    await ear.subscription.stop()
    assert ear.gaps == 1


async def test_a_subscription_that_was_made_again_is_a_gap(link: StoreClient, valkey_url: str) -> None:
    ear = Ear(valkey_url)
    await ear.listen("a", "b")
    await link.call("CLIENT", "KILL", "TYPE", "pubsub")
    await eventually_async(lambda: ear.gaps == 2, "it is subscribed again")
    await ear.subscription.stop()


async def test_messages_come_again_after_a_gap(link: StoreClient, valkey_url: str) -> None:
    ear = Ear(valkey_url)
    await ear.listen("a")
    await link.call("CLIENT", "KILL", "TYPE", "pubsub")
    await eventually_async(lambda: ear.gaps == 2, "it is subscribed again")
    await link.call("PUBLISH", "a", "after")
    await eventually_async(lambda: bool(ear.received), "a message")
    await ear.subscription.stop()
    assert ear.received == [("a", b"after")]


async def test_a_subscription_outlives_its_store(own_valkey: ValkeyServer) -> None:
    ear = Ear(own_valkey.url)
    await ear.listen("a")
    await asyncio.to_thread(own_valkey.restart)
    await eventually_async(lambda: ear.gaps == 2, "it is subscribed again")
    await ear.subscription.stop()
