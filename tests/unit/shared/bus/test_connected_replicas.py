"""Which replicas a write waits for, and when their confirmations are enough."""

from shared.bus.connected_replicas import SLOW_REPLICA_S, ConnectedReplicas


def role(*ports: int) -> list[object]:
    """The reply of a primary to ROLE."""
    return [b"master", 100, [[b"h", str(port).encode(), b"100"] for port in ports]]


def following(*ports: int) -> ConnectedReplicas:
    """After a write that these replicas have confirmed."""
    replicas = ConnectedReplicas()
    replicas.confirmed(len(ports), len(ports), role(*ports), 0.0)
    return replicas


def test_nothing_is_known_before_the_first_write() -> None:
    replicas = ConnectedReplicas()
    assert replicas.wanted(1, 0.0) == 1
    assert not replicas.all_have(2, role(1, 2))


def test_a_write_waits_for_all_connected_replicas() -> None:
    replicas = following(1, 2)
    assert replicas.wanted(1, 0.0) == 2
    assert replicas.all_have(2, role(1, 2))
    assert not replicas.all_have(1, role(1, 2))


def test_a_replica_that_has_left_is_noticed_although_another_one_has_joined() -> None:
    replicas = following(1)
    assert not replicas.all_have(1, role(2))
    assert replicas.all_have(2, role(1, 2))


def test_a_slow_replica_is_not_waited_for_but_still_missed() -> None:
    replicas = following(1, 2)
    replicas.confirmed(1, 2, role(1, 2), 10.0)
    assert replicas.wanted(1, 10.0) == 1
    assert not replicas.all_have(1, role(1, 2))
    assert replicas.wanted(1, 10.0 + SLOW_REPLICA_S) == 2


def test_a_server_that_is_no_primary_any_more_has_no_replicas() -> None:
    assert not following(1).all_have(1, [b"slave", b"h", 1, b"connected", 100])
    assert not following(1).all_have(1, RuntimeError("NOPERM"))
