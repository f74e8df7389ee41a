"""Committing a batch: journal, updates, offset and messages of a partition in one fenced script."""

from collections.abc import Sequence
from dataclasses import dataclass

from shared.bus.keys import Keys
from shared.bus.leases import Tenure
from shared.bus.scripts import script
from shared.bus.store import Argument, Command, Store, StoreRefused


@dataclass(frozen=True, slots=True)
class Commit:
    """What one partition wants to have written, and where its stream stands before and after."""

    partition: Keys
    tenure: Tenure
    before: str
    after: str
    writes: Sequence[Command]
    messages: Sequence[Command]

    def command(self, *, publish: bool) -> Command:
        keys = dict.fromkeys((self.partition.owner, *(str(write[1]) for write in self.writes)))
        words: list[Argument] = [self.tenure.token, self.before, self.after]
        for write in (*self.writes, *self.messages) if publish else self.writes:
            words.append(len(write))
            words.extend(write)
        return script("commit", tuple(keys), words)


async def commit(store: Store, commits: Sequence[Commit], replicas: int = 0) -> list[str]:
    """Commit partitions, each for itself: OK, DONE, FENCED, or what the store said against it.

    With `replicas`, messages are published only once so many replicas have the writes."""
    replies = await store.pipe([one.command(publish=not replicas) for one in commits], errors=True)
    outcomes = [str(reply) if isinstance(reply, StoreRefused) else str(reply.decode()) for reply in replies]
    done = [one for one, outcome in zip(commits, outcomes, strict=True) if outcome == "OK"]
    messages = [message for one in done for message in one.messages]
    if replicas and messages:
        while await store.call("WAIT", replicas, 1_000) < replicas:
            pass
        await store.pipe(messages)
    return outcomes
