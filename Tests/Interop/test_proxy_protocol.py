"""The PROXY protocol: HAProxy names its clients to the server, and nobody else may."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from conftest import Deploy, Secure, tls_client, tls_connection
from deployment.haproxy import Forwarder
from deployment.process import Deployment
from deployment.waiting import DEADLINE, wait_until

NONCE = {"client_id": "app", "provider": "op"}
# Two requests of one client are too many, and the clients differ in their address only.
LIMITS = {"start_per_address": "1/h", "page_per_address": "off", "exchange_per_address": "off"}


def _expect_headers(deployment: Deployment) -> Deployment:
    """Starts a deployment that trusts only HAProxy, which connects from 127.0.0.1."""
    deployment.settings["server"] |= {"proxy_protocol": True, "trusted_proxies": ["127.0.0.1/32"]}
    deployment.settings["limits"] |= LIMITS
    deployment.configure(deployment.settings)
    return deployment.start()


@contextlib.contextmanager
def _forwarder(deployment: Deployment, header: str = "send-proxy-v2") -> Iterator[Forwarder]:
    forwarder = Forwarder(deployment, header)
    try:
        yield forwarder
    finally:
        forwarder.close()


def _post(client: httpx.Client, origin: str) -> int:
    return client.post(origin + "/v1/nonce", json=NONCE).status_code


def _client_at(address: str) -> httpx.Client:
    return httpx.Client(transport=httpx.HTTPTransport(local_address=address), timeout=DEADLINE)


@pytest.mark.parametrize("options", ["", " proxy-v2-options crc32c,unique-id,authority"])
def test_each_client_of_haproxy_has_limits_of_its_own(deploy: Deploy, options: str) -> None:
    """Also with fields after the addresses, which HAProxy sends if it is told to."""
    deployment = _expect_headers(deploy())
    with _forwarder(deployment, "send-proxy-v2" + options) as forwarder:
        origin = f"http://127.0.0.1:{forwarder.port}"
        for address in ("127.0.0.2", "127.0.0.3"):
            with _client_at(address) as client:
                assert [_post(client, origin) for _ in range(2)] == [200, 429], address
        # HAProxy's own connections, its health checks, have a header too.
        wait_until(lambda: forwarder.status(0).startswith("UP"), "the server is in use")
    assert "refused_connections_total{" not in deployment.admin_text("/metrics")


@pytest.mark.parametrize("http2", [True, False])
def test_the_header_comes_before_tls(secure: Secure, root: Path, http2: bool) -> None:
    deployment = _expect_headers(secure())
    with _forwarder(deployment) as forwarder:
        origin = f"https://localhost:{forwarder.port}"
        for address in ("127.0.0.2", "127.0.0.3"):
            with tls_client(root, http2=http2, address=address) as client:
                assert [_post(client, origin) for _ in range(2)] == [200, 429], address


def test_a_client_that_forges_a_header_is_disconnected(deploy: Deploy) -> None:
    """It connects without the proxy, from an address that is not trusted, and claims another one."""
    deployment = _expect_headers(deploy())
    header = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c" + bytes([192, 0, 2, 7, 127, 0, 0, 1, 1, 2, 3, 4])
    request = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    assert _answer(deployment, "127.0.0.1", header + request).startswith(b"HTTP/1.1 200 OK")
    for _ in range(3):
        assert _answer(deployment, "127.0.0.4", header + request) == b""
    assert 'refused_connections_total{reason="untrusted_peer"} 3' in deployment.admin_text("/metrics")
    (report,) = _reports(deployment)
    assert (report["reason"], report["address"]) == ("untrusted_peer", "127.0.0.4")
    assert "trusted_proxies" in report["advice"]


def test_version_1_is_refused_with_advice(deploy: Deploy) -> None:
    deployment = _expect_headers(deploy())
    with _forwarder(deployment, "send-proxy") as forwarder, _client_at("127.0.0.2") as client:
        with pytest.raises(httpx.TransportError):
            _post(client, f"http://127.0.0.1:{forwarder.port}")
    wait_until(lambda: _reports(deployment) != [], "the report")
    (report,) = [line for line in _reports(deployment) if line["reason"] == "version_1"]
    assert "version 2" in report["advice"]


@pytest.mark.parametrize("protocol", ["http/1.1", "h2"])
@pytest.mark.parametrize(
    "header",
    [
        b"PROXY TCP4 203.0.113.7 10.0.0.1 51000 443\r\n",
        b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c" + bytes([203, 0, 113, 7, 10, 0, 0, 1, 1, 2, 3, 4]),
    ],
)
def test_a_header_within_tls_is_reported(secure: Secure, root: Path, protocol: str, header: bytes) -> None:
    """As a proxy sends it that opens TLS to the server before the header."""
    deployment = secure().start()
    with tls_connection(deployment, root, protocol) as connection, contextlib.suppress(OSError):
        connection.sendall(header + b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
        while part := connection.recv(65536):
            assert b" 200 " not in part
    wait_until(lambda: "another protocol" in deployment.log, "the report")
    (report,) = [json.loads(line) for line in deployment.log.splitlines() if "another protocol" in line]
    assert (report["reason"], report["address"]) == ("proxy_protocol", "127.0.0.1")
    assert "or one only, before TLS" in report["advice"]


def _answer(deployment: Deployment, address: str, octets: bytes) -> bytes:
    """What the server sends until it closes; nothing if it resets the connection."""
    port = int(deployment.origin.rsplit(":", 1)[1])
    received = b""
    with socket.create_connection(("127.0.0.1", port), DEADLINE, source_address=(address, 0)) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(octets)
            while part := connection.recv(65536):
                received += part
    return received


def _reports(deployment: Deployment) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in deployment.log.splitlines()]
    return [line for line in lines if "PROXY protocol" in line.get("message", "")]
