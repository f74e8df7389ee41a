"""The layout of WebSocket frames (RFC 6455 section 5.2): reading the heads of clients' frames, making those of ours."""

TEXT_FRAME = 0x81
"""First byte of a whole text message: FIN and opcode 1 (RFC 6455 section 5.2)."""
FIN = 0x80
"""Bit of the first byte: the last frame of a message."""
RESERVED = 0x70
"""Bits of the first byte that belong to extensions. We negotiate none, so they must be 0."""
OPCODE = 0x0F
CONTROL = 0x08
"""Bit of the opcode of Close, Ping and Pong frames."""
MASKED = 0x80
"""Bit of the second byte. Clients must mask every frame, servers none (RFC 6455 section 5.1)."""
SHORT = 126
"""Payloads below this have their length in the second byte."""
MASK_BYTES = 4
COMMON = 1_024
"""Most messages are shorter than this; their heads are made in advance."""


def masked_head(data: bytes, start: int) -> tuple[int, int] | None:
    """The sizes of the head, mask included, and of the payload of the masked frame that begins at `start`; None if the
    head is not complete. A length of 126 means that the next 2 bytes hold it, one of 127 the next 8."""
    available = len(data) - start
    if available < 2 + MASK_BYTES:
        return None
    length = data[start + 1] & 0x7F
    if length < SHORT:
        return 2 + MASK_BYTES, length
    if length == SHORT:
        return 4 + MASK_BYTES, int.from_bytes(data[start + 2 : start + 4], "big")
    if available < 10 + MASK_BYTES:
        return None
    return 10 + MASK_BYTES, int.from_bytes(data[start + 2 : start + 10], "big")


def text_head(length: int) -> bytes:
    """The head of a text frame from the server: not masked."""
    return SHORT_HEADS[length] if length < COMMON else _make_head(length)


def _make_head(length: int) -> bytes:
    if length < SHORT:
        return bytes((TEXT_FRAME, length))
    if length < 65_536:
        return bytes((TEXT_FRAME, 126)) + length.to_bytes(2, "big")
    return bytes((TEXT_FRAME, 127)) + length.to_bytes(8, "big")


SHORT_HEADS = tuple(map(_make_head, range(COMMON)))
