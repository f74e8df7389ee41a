"""Revoked sessions: a key for each, which expires with the last token that the session can have."""

import msgspec

from shared.bus import keys
from shared.bus.store import Store
from shared.deliveries import SessionRevoked
from shared.ids import GatewayId, SessionId


async def revoke(store: Store, session: SessionId, kept_ms: int) -> None:
    """Make all tokens of the session invalid. `kept_ms` is the longest time for which a token is accepted."""
    await store.call("SET", keys.revoked(session), 1, "PX", kept_ms)


async def is_revoked(store: Store, session: SessionId) -> bool:
    return bool(await store.call("EXISTS", keys.revoked(session)))


async def publish(store: Store, gateways: list[str], session: SessionId) -> None:
    """Ask gateways to close the connection of a revoked session. If the message is lost, the connection stays open
    until it closes; its token is invalid all the same."""
    message = msgspec.json.encode(SessionRevoked(session))
    await store.pipe([("PUBLISH", keys.control(GatewayId(gateway)), message) for gateway in gateways])
