"""No message contains the parts of a Snarl level that players have to discover, in any form of the options."""

from pathlib import Path

import msgspec

from shared.games.snarl.levels import read_levels
from tests.e2e.conftest import NewPlayer
from tests.support.cluster import Cluster

LEVELS = read_levels(Path("tests/transcripts/snarl/small.levels").read_text())


async def test_the_levels_of_a_table_are_in_no_message(calm: Cluster, new_player: NewPlayer) -> None:
    host, guest = await new_player(calm.gateways[0]), await new_player(calm.gateways[1])
    options = {"levels": msgspec.to_builtins(LEVELS), "count": 2}
    room = (await host.ask("create", game="snarl", seats=2, options=options))["room"]
    listed = await guest.ask("rooms", game="snarl")
    assert {entry["room"]: entry["options"] for entry in listed["rooms"]}[room] == {"count": 2}
    entered = await guest.ask("join", room=room)
    assert entered["view"]["spec"]["options"] == {"count": 2}
    await host.wait_for_message(lambda message: "level_began" in [event["type"] for event in message.get("events", ())])
    assert not [message for player in (host, guest) for message in player.messages if "bounds" in str(message)]
