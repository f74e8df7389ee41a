"""Revoked sessions: their tokens are refused by all gateways, and their connections are closed."""

from gateway.cluster.tokens import Claims
from shared.bus import revocations
from shared.bus.registry import GATEWAYS
from shared.bus.store import Store
from shared.errors import Rejected
from shared.ids import SessionId


class Revocations:
    """One gateway's access to the revoked sessions of the cluster. The methods raise `StoreError`."""

    def __init__(self, store: Store, token_ms: int) -> None:
        self._store = store
        self._token_ms = token_ms

    async def check(self, claims: Claims | Rejected) -> Claims | Rejected:
        """The claims of a valid token, unless its session was revoked."""
        if isinstance(claims, Claims) and await revocations.is_revoked(self._store, claims.sid):
            return Rejected("token/revoked")
        return claims

    async def revoke(self, session: SessionId) -> None:
        await revocations.revoke(self._store, session, self._token_ms)

    async def revoke_and_close(self, session: SessionId) -> None:
        """Revoke a session and have its connection closed, at whichever gateway it is."""
        await self.revoke(session)
        await revocations.publish(self._store, (await GATEWAYS.members(self._store)).live, session)
