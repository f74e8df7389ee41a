"""Acts of operators on their way to rooms and to the lobby: sent like commands, answered once they are committed."""

import asyncio
from collections.abc import Callable

from gateway.cluster.command_outbox import CommandOutbox
from shared.acts import OperatorAct
from shared.bus import meta
from shared.bus.store import Store
from shared.commands import Operate
from shared.deliveries import Reply
from shared.errors import Rejected, refusal
from shared.ids import RoomId, SessionId

WAIT_S = 15.0
"""Time for an answer: long enough for the partition of a killed worker to be taken over."""
_NO_CONNECTION = 0
"""Connections are numbered from 1."""


class _WaitingOperator:
    """The sender of an act, which waits for the answer."""

    def __init__(self) -> None:
        self.reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()

    def answered(self, reply: Reply) -> None:
        if not self.reply.done():
            self.reply.set_result(reply)


class OperatorActs:
    """One gateway's way to order acts."""

    def __init__(self, outbox: CommandOutbox, store: Store, store_up: Callable[[], bool]) -> None:
        self._outbox = outbox
        self._store = store
        self._store_up = store_up

    async def order(self, room: RoomId, act: OperatorAct) -> Rejected | None:
        """Send an act and wait until it is committed; the refusal, if it was refused. Without an answer in time the act
        may still be carried out, and the operator has to send it again under the same id to learn it. The release
        before cannot read the journal of a room with an act: acts have to wait for the end of an upgrade. Raises
        `StoreError`."""
        if not self._store_up():
            return refusal("busy/store")
        if self._outbox.lacks_worker is not None and self._outbox.lacks_worker(room):
            return refusal("busy/no_worker")
        if await meta.stored_format(self._store) == meta.LAST_FORMAT:
            return refusal("ops/upgrade")
        waiting = _WaitingOperator()
        self._outbox.send_own(room, SessionId(""), _NO_CONNECTION, Operate(act), waiting)
        try:
            async with asyncio.timeout(WAIT_S):
                reply = await waiting.reply
        except TimeoutError:
            return refusal("ops/unanswered")
        return Rejected(reply.code, reply.text) if reply.code else None
