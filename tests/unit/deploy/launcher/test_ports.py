"""Free ports, and the process that listens on a taken one."""

import os
import socket

import pytest

from deploy.errors import USAGE, CommandError
from deploy.launcher import ports, valkey
from shared.runtime.settings import HIGHEST_PORT
from tests.support.free_ports import free_port, free_span


def test_a_port_is_free_until_a_server_listens_on_it() -> None:
    port = ports.free_port()
    assert ports.is_free(port)
    with socket.create_server(("127.0.0.1", port)):
        assert not ports.is_free(port)


def test_the_preferred_port_is_chosen_if_it_is_free() -> None:
    port = free_port()
    assert ports.free_port(port) == port
    with socket.create_server(("127.0.0.1", port)):
        assert ports.free_port(port) != port


def test_a_preferred_port_beyond_the_highest_is_replaced() -> None:
    assert ports.free_port(70_000) in ports.POOL


def test_consecutive_ports_skip_those_that_are_taken() -> None:
    first = free_span(4)
    assert ports.consecutive(first, 3) == (first, first + 1, first + 2)
    with socket.create_server(("127.0.0.1", first + 1)):
        one, other, last = ports.consecutive(first, 3, besides=[first + 2])
    assert one == first
    assert not {other, last} & {first, first + 1, first + 2}


def test_servers_with_two_ports_get_pairs_that_are_both_free() -> None:
    first = free_span(4)
    with socket.create_server(("127.0.0.1", first + 2)):
        one, other = ports.consecutive(first, 2, second=lambda port: port + 2)
    assert one != first
    assert ports.is_free(one + 2)
    assert other == first + 1


def test_bus_ports_are_not_taken_by_outgoing_connections() -> None:
    assert all(valkey.cluster_port(port) < ports.OUTGOING for port in (*ports.POOL, 8_200, ports.OUTGOING - 1))
    assert valkey.cluster_port(HIGHEST_PORT) <= HIGHEST_PORT


def test_the_listening_process_is_found_by_its_port() -> None:
    port = free_port()
    assert ports.listener(port) is None
    with socket.create_server(("127.0.0.1", port)):
        assert str(ports.listener(port)).endswith(f"(pid {os.getpid()})")


def test_an_address_of_another_machine_is_reported_as_wrong_usage() -> None:
    with pytest.raises(CommandError, match=r"cannot listen on 203\.0\.113\.1") as caught:
        ports.is_free(ports.free_port(), "203.0.113.1")
    assert caught.value.code == USAGE
