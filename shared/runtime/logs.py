"""Format and level of log lines. `tavolata up` recognizes warnings by this format (deploy/launcher/process.py)."""

import logging
import sys


def set_up(level: str, process: str) -> None:
    """Log to stderr from this level up; every line names the process that wrote it."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter(f"%(asctime)s {process} %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    for verbose in ("uvicorn", "uvicorn.error", "uvicorn.access", "websockets"):
        logging.getLogger(verbose).setLevel(logging.WARNING)
