"""Certificates for tests of TLS, made with the `openssl` program: a CA, a server for 127.0.0.1, and a client."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

_DAYS = "2"


@dataclass(frozen=True, slots=True)
class Certificates:
    """A folder with PEM files: NAME.crt and NAME.key of `ca`, `server` and `client`."""

    folder: Path

    def path(self, name: str) -> str:
        return str(self.folder / name)

    @staticmethod
    def make(folder: Path) -> "Certificates":
        made = Certificates(folder)
        new_key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", _DAYS)
        ca = ("-x509", "-subj", "/CN=CA of tests", "-keyout", made.path("ca.key"), "-out", made.path("ca.crt"))
        _openssl("req", *new_key, *ca)
        for name in ("server", "client"):
            files = ("-keyout", made.path(f"{name}.key"), "-out", made.path(f"{name}.crt"))
            signed = ("-CA", made.path("ca.crt"), "-CAkey", made.path("ca.key"))
            named = ("-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1")
            _openssl("req", *new_key, "-x509", *signed, *named, "-addext", "basicConstraints=CA:FALSE", *files)
        return made


def _openssl(*words: str) -> None:
    subprocess.run(["openssl", *words], check=True, capture_output=True)
