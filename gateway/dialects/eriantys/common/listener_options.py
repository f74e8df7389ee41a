"""The options of a TCP listener of Eriantys: above all `compat`, which adapts a dialect to an original program."""

from collections.abc import Mapping

COMPAT = "compat"


def has_compat(options: Mapping[str, str], dialect: str, mode: str, *others: str) -> bool:
    """Whether the listener adapts the dialect to the program that `mode` names; raises `ValueError` for an option that
    is neither `compat` nor one of `others`, and for another mode."""
    known = (COMPAT, *others)
    unknown = [name for name in options if name not in known]
    if unknown:
        raise ValueError(f"a listener of {dialect} has no option {unknown[0]!r}; there are {', '.join(known)}")
    wanted = options.get(COMPAT)
    if wanted not in (None, mode):
        raise ValueError(f"compat must be {mode}, not {wanted!r}")
    return wanted == mode
