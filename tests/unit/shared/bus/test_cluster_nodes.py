"""The reply to CLUSTER NODES."""

from shared.bus import cluster_nodes

REPLY = """\
07c3 127.0.0.1:8202@13202,host-2,shard-id=69bc slave e7d1 0 1426238317239 4 connected
67ed 127.0.0.1:8201@13201 master,fail - 0 1426238316232 2 disconnected 5461-10921
e7d1 127.0.0.1:8200@13200 myself,master - 0 0 1 connected 0-5459 5460 [77->-07c3]
6ec2 :0@0 handshake - 0 0 0 connected
"""


def test_a_line_has_the_address_the_role_and_the_slots_of_a_server() -> None:
    replica, dead, own, stranger = cluster_nodes.parse(REPLY)
    assert (replica.host, replica.port, replica.bus_port) == ("127.0.0.1", 8202, 13202)
    assert (replica.hostname, dead.hostname) == ("host-2", "")
    assert not replica.is_primary
    assert replica.primary == own.id
    assert dead.is_primary
    assert dead.is_dead
    assert not dead.linked
    assert own.slots == ("0-5459", "5460")
    assert (own.host, own.port) == ("127.0.0.1", 8200)
    assert not stranger.is_met


def test_a_server_finds_itself_in_its_reply() -> None:
    assert cluster_nodes.myself(cluster_nodes.parse(REPLY)).id == "e7d1"
