"""The URLs of replicated stores."""

import pytest

from shared.bus import store_address
from shared.bus.address import Address, BadUrl
from shared.bus.store_address import ClusterAddress, SentinelAddress


def sentinel(url: str) -> SentinelAddress:
    address = store_address.parse(url)
    assert isinstance(address, SentinelAddress)
    return address


def cluster(url: str) -> ClusterAddress:
    address = store_address.parse(url)
    assert isinstance(address, ClusterAddress)
    return address


def test_a_url_of_one_server_is_an_address() -> None:
    assert store_address.parse("redis://example:7000/2") == Address("example", 7000, db=2)


def test_every_sentinel_has_a_host_and_a_port() -> None:
    found = sentinel("redis+sentinel://a:1,b,[::1]:3/games").sentinels
    assert [(one.host, one.port) for one in found] == [("a", 1), ("b", 26379), ("::1", 3)]


def test_the_service_and_the_database_follow_the_sentinels() -> None:
    found = sentinel("redis+sentinel://a:1/my%20games/3")
    assert found.service == "my games"
    assert found.at("h", 9) == Address("h", 9, db=3)


def test_the_login_is_that_of_the_servers() -> None:
    found = sentinel("redis+sentinel://ann:p%40ss@a:1/games")
    assert found.at("h", 9) == Address("h", 9, username="ann", password="p@ss")
    assert found.sentinels[0] == Address("a", 1)


def test_the_sentinels_may_have_a_password_of_their_own() -> None:
    found = sentinel("redis+sentinel://:data@a:1/games?sentinel_password=watch")
    assert found.sentinels[0] == Address("a", 1, password="watch")


def test_the_nodes_of_a_cluster_share_the_login() -> None:
    found = cluster("redis+cluster://ann:pass@a:1,b")
    assert found.nodes == (
        Address("a", 1, username="ann", password="pass"),
        Address("b", 6379, username="ann", password="pass"),
    )
    assert found.at("c", 5) == Address("c", 5, username="ann", password="pass")


@pytest.mark.parametrize("url", ["rediss+sentinel://a:1/games", "rediss+cluster://a:1"])
def test_encrypted_forms_use_tls_everywhere(url: str) -> None:
    address = store_address.parse(url)
    servers = (*address.sentinels, address.server) if isinstance(address, SentinelAddress) else ()
    nodes = address.nodes if isinstance(address, ClusterAddress) else servers
    assert nodes
    assert all(one.tls and one.context is not None for one in nodes)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://a:1", "must begin with redis://"),
        ("redis+sentinel://a:1", "names no service"),
        ("redis+sentinel://a:1/games/x", "not a number"),
        ("redis+sentinel://a:1/games?password=x", "unknown option 'password'"),
        ("redis://[bad", "is malformed: Invalid IPv6 URL"),
        ("redis+sentinel://[bad/games", "is malformed"),
        ("redis+cluster://u:p@a:1,u:p@b:2", "a login before each host"),
        ("redis://a:0", "not a number from 1 to 65535"),
        ("redis+sentinel://a:99999/games", "not a number from 1 to 65535"),
        ("redis+sentinel://a:1,,b:2/games", "empty host"),
        ("redis+cluster://a:1/2", "neither databases nor options"),
        ("redis+cluster://", "empty host"),
    ],
)
def test_a_wrong_url_is_refused_with_one_line(url: str, reason: str) -> None:
    with pytest.raises(BadUrl, match=reason) as refusal:
        store_address.parse(url)
    assert "\n" not in str(refusal.value)


def test_a_refusal_does_not_show_the_password() -> None:
    with pytest.raises(BadUrl) as refusal:
        store_address.parse("redis+sentinel://ann:secret@a:99999/games")
    assert "secret" not in str(refusal.value)
