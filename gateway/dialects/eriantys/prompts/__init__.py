"""The dialect `eriantys.prompts`: the server asks for each move (docs/protocols/eriantys-prompts.md)."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

from gateway.dialects.contract import Conversation, Dialect, Opening
from gateway.dialects.eriantys.common.listener_options import COMPAT, has_compat
from gateway.dialects.eriantys.prompts.compat_conversation import COMPAT as AM24
from gateway.dialects.eriantys.prompts.compat_conversation import Am24Conversation
from gateway.dialects.eriantys.prompts.compat_texts import Texts, read_texts
from gateway.dialects.eriantys.prompts.conversation import PromptsConversation
from gateway.dialects.framing import Framing, Lines
from gateway.transports.java_stream.framing import StringFraming

__all__ = ["DIALECT", "prompts_dialect"]

_NAME: Final = "eriantys.prompts"


def prompts_dialect(read_text: Callable[[str], str | None]) -> Dialect:
    """The dialect. `read_text` returns the text of a file, or None if it cannot be read."""

    @cache
    def texts_in(path: str) -> Texts:
        """Read once, when the listeners are checked. Raises `ValueError`."""
        text = read_text(path)
        if text is None:
            raise ValueError(f"texts: the file {path!r} cannot be read")
        try:
            return read_texts(text)
        except ValueError as error:
            raise ValueError(f"texts: {path}: {error}") from None

    def converse(opening: Opening) -> Conversation:
        if COMPAT in opening.compat:
            return Am24Conversation(opening, texts_in(opening.compat["texts"]))
        return PromptsConversation(opening)

    def framing(options: Mapping[str, str]) -> Framing:
        if not has_compat(options, _NAME, AM24, "texts"):
            if "texts" in options:
                raise ValueError(f"texts is an option of compat={AM24}")
            return Lines()
        if "texts" not in options:
            raise ValueError(f"compat={AM24} needs texts=FILE, the texts that the programs compare with their own")
        texts_in(options["texts"])
        return StringFraming()

    return Dialect(_NAME, "/ws/eriantys/prompts", converse, framing)


DIALECT: Final = prompts_dialect(lambda _path: None)
