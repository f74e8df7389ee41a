"""A game of stones between test players, and the check that all of them saw the same complete history."""

import asyncio
from dataclasses import dataclass, field
from typing import Any, Self

from tests.support.player import Message, Player


@dataclass
class StonesTable:
    """Players at one table, in the order of their seats."""

    room: int
    players: list[Player]
    acked: list[tuple[int, int]] = field(default_factory=list)
    """Request and offset of every move that was acknowledged."""

    @classmethod
    async def open(cls, *players: Player, stones: int = 1_000, **fields: Any) -> Self:
        """The first player opens a table and the others join; returns when all have seen the start."""
        first, *others = players
        seats = fields.pop("seats", len(players))
        opened = await first.ask("create", game="stones", seats=seats, options={"stones": stones}, **fields)
        assert opened["type"] == "entered", opened
        for player in others:
            joined = await player.ask("join", room=opened["room"], key=opened.get("key", ""))
            assert joined["type"] == "entered", joined
        table = cls(opened["room"], list(players))
        for player in players:
            await player.wait_for_event(table.room, "room.started")
        return table

    @property
    def turn(self) -> Player:
        """The player to move, by the latest step that any player has seen."""
        most = max(self.players, key=lambda player: player.rooms[self.room].offset)
        taken = most.rooms[self.room].kinds().count("taken")
        return self.players[taken % len(self.players)]

    async def move(self, count: int = 1) -> Message:
        """Make the next move; returns when all players have seen it."""
        player = self.turn
        ack = await player.take(self.room, count)
        assert ack["type"] == "ack", ack
        self.acked.append((ack["id"], ack["offset"]))
        await self.seen(ack["offset"])
        return ack

    async def seen(self, offset: int) -> None:
        await asyncio.gather(*(player.wait_for_step(self.room, offset) for player in self.players))

    async def moves(self, number: int) -> None:
        for _ in range(number):
            await self.move()

    async def check(self) -> None:
        """All players have the same history without a hole or a repetition, and every acknowledged move is in it once,
        at the offset of its acknowledgement."""
        top = max(player.rooms[self.room].offset for player in self.players)
        await self.seen(top)
        histories = [player.rooms[self.room].steps for player in self.players]
        common = set.intersection(*(set(steps) for steps in histories))
        for player, steps in zip(self.players, histories, strict=True):
            assert not player.faults, player.faults
            assert sorted(steps) == list(range(min(steps), top + 1)), f"{player.name} has a hole"
            assert [steps[at] for at in sorted(common)] == [histories[0][at] for at in sorted(common)]
        by_id = {step["id"]: step["offset"] for steps in histories for step in steps.values() if "id" in step}
        carried_out = [step["id"] for step in histories[0].values() if "id" in step]
        assert len(carried_out) == len(set(carried_out)), "a command was carried out twice"
        assert [(number, by_id.get(number)) for number, _ in self.acked] == self.acked
