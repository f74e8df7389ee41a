"""Failovers of the servers that `tavolata up --store` starts: Sentinel and Cluster, with their users and passwords."""

from tests.support.store_sets import RunningClusterSet, RunningSentinelSet
from tests.support.waiting import eventually


def test_a_killed_primary_is_replaced_by_a_replica_and_returns_as_one(own_sentinel_set: RunningSentinelSet) -> None:
    servers = own_sentinel_set
    servers.ask(servers.primary(), "SET", "move", "7")
    eventually(lambda: all(servers.ask(one, "GET", "move") == "7" for one in servers.replicas()), "it is copied")
    dead = servers.kill_primary()
    assert servers.ask(servers.primary(), "GET", "move") == "7"
    servers.ask(servers.primary(), "SET", "move", "8")
    servers.restart(dead)
    assert servers.role(dead) == "slave"
    eventually(lambda: servers.ask(dead, "GET", "move") == "8", "the old primary has the new data")
    assert servers.config.last_primary() == servers.servers.index(servers.primary())


def test_a_killed_server_of_a_cluster_returns_as_a_replica(own_cluster_set: RunningClusterSet) -> None:
    servers = own_cluster_set
    dead = servers.owner("move")
    servers.ask(dead, "SET", "move", "7")
    replica = next(one for one in servers.servers if servers.is_copy(one) and servers.ask(one, "ROLE")[2] == dead.port)
    eventually(lambda: servers.ask(replica, "DBSIZE") == 1, "it is copied")
    servers.kill_primary(dead)
    assert servers.owner("move") is replica
    assert servers.ask(replica, "GET", "move") == "7"
    servers.restart(dead)
    assert servers.role(dead) == "slave"
