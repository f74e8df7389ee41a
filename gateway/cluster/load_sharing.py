"""Load sharing: how many clients a gateway with many more connections than the others asks to come back, so that
gateways which were added get some. It decides from numbers; the node reads them and closes the connections."""

import math
from collections.abc import Collection, Mapping

import msgspec

_CALM_S = 10.0
"""Clients that lost a gateway come back within a few seconds, and proxies find a new gateway within one or two."""
_MANY_MORE = 0.2
"""Excess over the mean, as a share of the mean, from which on a gateway has many more connections than the others."""
_CHANCE = 2.0
"""Excess in standard deviations that is left alone: where chance places clients, moving them again changes nothing."""
_STORM = 0.1
"""Change of all connections between two looks, as a share, that shows clients leaving or coming in crowds."""
_LONGEST_S = 2.0
"""Time since the last look that counts, at most: a pause is not made up for."""
_FEW = 10
"""Change of all connections that is no crowd, however small the cluster is."""


class GatewayLoad(msgspec.Struct, frozen=True):
    """The part of a gateway's status that load sharing needs."""

    connections: int = 0
    unready: str = ""
    draining: bool = False


def excess(own: int, ready: Collection[int]) -> float:
    """The connections of a gateway beyond the mean of the ready gateways; 0 if they are not many more."""
    mean = sum(ready) / len(ready)
    beyond = own - mean
    return beyond if beyond > max(_MANY_MORE * mean, _CHANCE * math.sqrt(mean)) else 0.0


class LoadSharing:
    """The looks of one gateway at all ready gateways."""

    def __init__(self, period_ms: int) -> None:
        """In `period_ms`, two thirds of the excess are shed; 0: nothing is shed."""
        self._period_s = period_ms / 1_000
        self._before: Mapping[str, int] = {}
        self._calm_since_s = -math.inf
        self._looked_s = -math.inf

    def look(self, own: str, statuses: Mapping[str, GatewayLoad], now_s: float) -> float:
        """The number of clients, with a fraction, that this gateway should shed now. None while it is not ready, or
        while clients are moving anyway: gateways or many connections have come or gone in the last seconds."""
        ready = {gateway: load.connections for gateway, load in statuses.items() if not (load.unready or load.draining)}
        passed_s = min(now_s - self._looked_s, _LONGEST_S)
        if _is_storm(self._before, ready):
            self._calm_since_s = now_s
        self._before, self._looked_s = ready, now_s
        if not self._period_s or own not in ready or now_s - self._calm_since_s < _CALM_S:
            return 0.0
        return excess(ready[own], ready.values()) * passed_s / self._period_s


def _is_storm(before: Mapping[str, int], now: Mapping[str, int]) -> bool:
    total = sum(before.values())
    return before.keys() != now.keys() or abs(sum(now.values()) - total) > max(_FEW, _STORM * total)
