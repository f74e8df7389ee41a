"""The version of this package, as `/healthz`, the registry and `tavolata --version` name it."""

VERSION = "0.2.0"
