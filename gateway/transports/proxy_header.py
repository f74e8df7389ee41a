"""The header of the PROXY protocol, version 1: the first line that a TCP proxy sends on a connection."""

MOST_BYTES = 107
"""The longest header, its line end included (section 2.1 of the PROXY protocol specification)."""


def source_address(header: bytes) -> str | None:
    """The address that the proxy has accepted the connection from. Empty: the proxy does not say (`UNKNOWN`), for
    example because it connects for itself. None: not a PROXY header."""
    match header.decode("ascii", "replace").split(" "):
        case ["PROXY", "TCP4" | "TCP6", address, _, _, _]:
            return address
        case ["PROXY", "UNKNOWN", *_]:
            return ""
    return None
