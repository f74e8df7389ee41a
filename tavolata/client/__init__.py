"""A client of the cluster for bots and programs: `connect` begins a session, which plays at tables.

A request is carried out exactly once and updates have no hole, whatever dies meanwhile: the client reconnects, resumes
and repeats by itself. See docs/clients/python.md. The protocol without IO is in `tavolata.client.core`.
"""

from tavolata.client.errors import ClientError, NoAnswer, RequestRefused, SessionEnded
from tavolata.client.messages import ListedTable, SeatedPlayer, TableList, TableUpdate, TableView
from tavolata.client.player import Player, connect
from tavolata.client.table import RemoteTable

__all__ = [
    "ClientError",
    "ListedTable",
    "NoAnswer",
    "Player",
    "RemoteTable",
    "RequestRefused",
    "SeatedPlayer",
    "SessionEnded",
    "TableList",
    "TableUpdate",
    "TableView",
    "connect",
]
