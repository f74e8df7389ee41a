"""Load sharing: how many clients a gateway with many more connections than the others asks to come back, so that
gateways which were added get some. It decides from numbers; the node reads them and closes the connections."""

import math
from collections.abc import Collection, Mapping

import msgspec

_CALM_S = 10.0
"""Clients that lost a gateway come back within a few seconds, and proxies find a new gateway within one or two."""
_MANY_MORE = 0.2
"""Difference from the mean, as a share of it, from which on a gateway has many more or fewer connections."""
_CHANCE = 1.5
"""Difference in standard deviations that is left alone: where chance places clients, moving them changes nothing."""
_STORM = 0.1
"""Change of all connections between two readings, as a share, that shows clients leaving or coming in crowds."""
_LONGEST_S = 2.0
"""Time since the last reading that counts, at most: a pause is not made up for."""
_FEW = 10
"""Change of all connections that is no crowd, however small the cluster is; also the fewest clients whose shedding is
judged."""
_TRIAL_S = 10.0
"""Time after which the effect of shedding is judged. Clients come back, and gateways report them, within three
seconds."""
_ARRIVED = 0.1
"""Increase of the other gateways, as a share of the shed clients, that shows that clients reach them. Where chance
places clients, and others leave meanwhile, it is much less than all."""
_LEFT = 0.5
"""Decrease of the gateway itself that shows the same. A smaller one may be clients that are about to come back."""
_USELESS_S = 600.0
"""Time without shedding after a trial that moved no clients."""


class GatewayLoad(msgspec.Struct, frozen=True):
    """The part of a gateway's status that load sharing needs."""

    connections: int = 0
    unready: str = ""
    draining: bool = False


def excess(own: int, ready: Collection[int]) -> float:
    """The connections of a gateway beyond the mean of the ready gateways; 0 if the difference does not matter. It does
    if this gateway has many more than the mean, or another one has many fewer: where chance places clients, a new
    gateway can be left behind although no other one has many more."""
    mean = sum(ready) / len(ready)
    beyond, lack = own - mean, mean - min(ready)
    uneven = max(beyond, lack) > max(_MANY_MORE * mean, _CHANCE * math.sqrt(mean))
    return max(beyond, 0.0) if uneven else 0.0


class LoadSharing:
    """Decides, at each reading of the gateways' status, how many clients one gateway sheds."""

    def __init__(self, period_ms: int) -> None:
        """Two thirds of the excess are shed within `period_ms`; 0: nothing is shed."""
        self._period_s = period_ms / 1_000
        self._before: Mapping[str, int] = {}
        self._calm_since_s = -math.inf
        self._read_s = -math.inf
        self._trial = _Trial()

    def clients_to_shed(self, own: str, statuses: Mapping[str, GatewayLoad], now_s: float) -> float:
        """The number of clients, with a fraction, that this gateway should shed now. 0 while it is not ready, or while
        clients are moving anyway: gateways or many connections have come or gone in the last seconds."""
        ready = {gateway: load.connections for gateway, load in statuses.items() if not (load.unready or load.draining)}
        passed_s = min(now_s - self._read_s, _LONGEST_S)
        if _is_storm(self._before, ready):
            self._calm_since_s = now_s
        if self._before.keys() != ready.keys():
            self._trial = _Trial()
        self._before, self._read_s = ready, now_s
        if not self._period_s or own not in ready or now_s - self._calm_since_s < _CALM_S:
            return 0.0
        wanted = excess(ready[own], ready.values()) * passed_s / self._period_s
        return self._trial.permitted(wanted, ready[own], sum(ready.values()) - ready[own], now_s)


class _Trial:
    """Judges whether shed clients go to other gateways. They do not if they cannot reach those: gateways of another
    region, or one to which no proxy forwards. Without this, they would be asked to come back again and again."""

    def __init__(self) -> None:
        self._ends_s = -math.inf
        self._shed = 0.0
        self._own = self._others = 0
        self._useless_until_s = -math.inf

    def permitted(self, wanted: float, own: int, others: int, now_s: float) -> float:
        """The number of clients to shed: as many as wanted, or none for a while after a trial that moved none."""
        if now_s >= self._ends_s:
            went = others - self._others >= _ARRIVED * self._shed or self._own - own >= _LEFT * self._shed
            if self._shed >= _FEW and not went:
                self._useless_until_s = now_s + _USELESS_S
            self._ends_s, self._shed, self._own, self._others = now_s + _TRIAL_S, 0.0, own, others
        if now_s < self._useless_until_s:
            return 0.0
        self._shed += wanted
        return wanted


def _is_storm(before: Mapping[str, int], now: Mapping[str, int]) -> bool:
    total = sum(before.values())
    return before.keys() != now.keys() or abs(sum(now.values()) - total) > max(_FEW, _STORM * total)
