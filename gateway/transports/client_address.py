"""The address of a client behind HTTP proxies."""

from functools import cache


@cache
def parse_list(setting: str) -> frozenset[str]:
    """The parts of a setting that are separated by commas."""
    return frozenset(filter(None, (part.strip() for part in setting.split(","))))


def client_address(peer: str, forwarded_for: str, trusted: frozenset[str]) -> str:
    """The address of the peer or, if that is a trusted proxy, the address that it received the request from. A proxy
    appends that address to `X-Forwarded-For`; everything before it may be forged."""
    if forwarded_for and ("*" in trusted or peer in trusted):
        return forwarded_for.split(",")[-1].strip() or peer
    return peer
