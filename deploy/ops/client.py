"""A client of the operators' API: one request at a time, failures as one line."""

import http.client
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import msgspec

from deploy.errors import CommandError
from deploy.launcher import cluster_file, store
from shared.bus.address import TlsFiles
from shared.runtime.settings import OperatorCommandSettings, SettingError, StoreSettings, from_env

_TIMEOUT_S = 30.0
_LOCAL = "127.0.0.1"
_NOT_FOUND = 404
_UNKNOWN_PATH = "http/unknown_path"


class OperatorClient:
    """Requests to the operators' port of one gateway."""

    def __init__(self, url: str, token: str) -> None:
        try:
            parts = urlsplit(url)
            known = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            known = False
        if not known:
            raise CommandError(f"the address of an operators' port is http://host:port, not {url!r}")
        self._url = url
        self._parts = parts
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def get(self, path: str, query: Mapping[str, object] | None = None) -> Any:
        given = {name: value for name, value in (query or {}).items() if value not in (None, "")}
        return self._ask("GET", f"{path}?{urlencode(given)}" if given else path)

    def post(self, path: str, body: Mapping[str, object]) -> Any:
        """Order an act. Without an answer it is uncertain whether the act was carried out."""
        return self._ask("POST", path, body)

    def _ask(self, method: str, path: str, body: Mapping[str, object] | None = None) -> Any:
        again = "" if body is None else f"; repeat the command with --id {body['id']}: the act is carried out once"
        try:
            status, answer = self._send(method, f"/api/ops/{path}", body)
            # Gateways of earlier releases and other servers answer unknown paths with text.
            is_text = status == _NOT_FOUND and not answer.startswith(b"{")
            said = {"code": _UNKNOWN_PATH} if is_text else msgspec.json.decode(answer)
        except (OSError, http.client.HTTPException, msgspec.MsgspecError) as error:
            raise CommandError(f"no answer from the operators' port at {self._url} ({error}){again}") from None
        if status < 300:
            return said
        if said.get("code") == _UNKNOWN_PATH:
            where = f"{self._url} is not the operators' port of a gateway, or the gateway is of another release"
            raise CommandError(f"{where}: there is nothing at /api/ops/{path.partition('?')[0]}")
        again = again if status == 503 else ""
        raise CommandError(f"{said.get('text')} ({said.get('code')}){again}")

    def _send(self, method: str, path: str, body: Mapping[str, object] | None) -> tuple[int, bytes]:
        tls = self._parts.scheme == "https"
        kind = http.client.HTTPSConnection if tls else http.client.HTTPConnection
        connection = kind(self._parts.hostname or "", self._parts.port, timeout=_TIMEOUT_S)
        try:
            content = None if body is None else msgspec.json.encode(body)
            connection.request(method, path, content, self._headers)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()


def connect(data: Path, url: str | None) -> OperatorClient:
    """A client for a gateway: the one at the URL, or one of the cluster that runs on the data folder. The token is that
    of TAVOLATA_OPS_TOKEN, or else the admin token that the store of that cluster keeps."""
    try:
        settings = from_env(OperatorCommandSettings, os.environ)
        if url or settings.url:
            if not settings.token:
                raise CommandError("set TAVOLATA_OPS_TOKEN to the token of an operator")
            return OperatorClient(url or settings.url, settings.token)
        cluster = cluster_file.running_cluster(data)
        token = settings.token or _admin_token(cluster)
    except SettingError as error:
        raise CommandError(str(error)) from None
    ports = [process.ops_port for process in cluster.processes if process.ops_port]
    if not ports:
        raise CommandError("no gateway of this cluster has an operators' port")
    return OperatorClient(f"http://{_LOCAL}:{ports[0]}", token)


def _admin_token(cluster: cluster_file.RunningCluster) -> str:
    settings = from_env(StoreSettings, os.environ)
    token = store.admin_token(cluster.redis_url, TlsFiles.named_in(settings), settings.key_prefix)
    if token is None:
        raise CommandError("the store keeps no admin token: set TAVOLATA_OPS_TOKEN to the token of an operator")
    return token
