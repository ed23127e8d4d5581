"""TLS in the server itself: protocols, header fields, the certificate and its replacement."""

from __future__ import annotations

import json
import re
import ssl
import subprocess
from pathlib import Path

import h2.config
import h2.connection
import h2.events
import pytest
from cryptography import x509

from conftest import Secure, tls_client, tls_connection
from deployment.configuration import google_at
from deployment.process import free_port
from deployment.waiting import DEADLINE, wait_until
from peers.authority import Authority, Issued

# RFC 9113 §7
PROTOCOL_ERROR = "1"


@pytest.mark.parametrize(("http2", "version"), [(True, "HTTP/2"), (False, "HTTP/1.1")])
def test_a_client_negotiates_its_protocol(secure: Secure, root: Path, http2: bool, version: str) -> None:
    """A request with a body succeeds, and the response tells browsers to use only TLS (RFC 6797)."""
    deployment = secure().start()
    with tls_client(root, http2=http2) as client:
        for _ in range(3):
            answer = client.post(
                deployment.origin + "/v1/nonce",
                json={"client_id": "app", "provider": "op"},
            )
            assert (answer.http_version, answer.status_code) == (version, 200), answer.text
            assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"


def test_browsers_need_not_remember_tls(secure: Secure, root: Path) -> None:
    deployment = secure(strict_transport_security="off").start()
    with tls_client(root) as client:
        answer = client.get(deployment.origin + "/openapi.json")
    assert (answer.status_code, answer.headers.get("Strict-Transport-Security")) == (200, None)


def test_curl_gets_http2_by_default(secure: Secure, root: Path) -> None:
    deployment = secure().start()
    ran = subprocess.run(
        ["curl", "--silent", "--show-error", "--cacert", str(root), "--output", "/dev/null", "--noproxy", "*"]
        + ["--write-out", "%{http_version} %{http_code}", deployment.origin + "/openapi.json"],
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert (ran.stdout, ran.stderr) == ("2 200", "")


def _serial_number(connection: ssl.SSLSocket) -> int:
    certificate = connection.getpeercert(binary_form=True)
    assert certificate is not None
    return x509.load_der_x509_certificate(certificate).serial_number


def _stream(connection: ssl.SSLSocket, header: list[tuple[str, str]]) -> dict[str, str]:
    """Sends one request with HTTP/2, and returns the header of its response, or the error code of the reset."""
    http2 = h2.connection.H2Connection(
        # Otherwise the library would remove or refuse the fields that the server must refuse.
        h2.config.H2Configuration(
            validate_outbound_headers=False, normalize_outbound_headers=False, header_encoding="utf-8"
        )
    )
    http2.initiate_connection()
    http2.send_headers(1, header, end_stream=True)
    connection.sendall(http2.data_to_send())
    while data := connection.recv(65536):
        for event in http2.receive_data(data):
            if isinstance(event, h2.events.ResponseReceived):
                return dict(event.headers)
            if isinstance(event, h2.events.StreamReset | h2.events.ConnectionTerminated):
                return {"error": str(int(event.error_code))}
    return {}


def _get(authority: str | None, *more: tuple[str, str]) -> list[tuple[str, str]]:
    pseudo = [(":method", "GET"), (":scheme", "https"), (":path", "/openapi.json")]
    return pseudo + ([(":authority", authority)] if authority is not None else []) + list(more)


def test_older_protocols_are_refused(secure: Secure, root: Path) -> None:
    """RFC 8996: TLS 1.0 and 1.1 must not be used. A client without ALPN gets HTTP/1.1."""
    deployment = secure().start()
    # OpenSSL's default level of security would refuse these versions without the server.
    old = ssl.TLSVersion.TLSv1_1
    with pytest.deprecated_call(), pytest.raises(ssl.SSLError, match="ALERT_PROTOCOL_VERSION"):
        tls_connection(deployment, root, ciphers="ALL@SECLEVEL=0", minimum_version=old, maximum_version=old)
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        with tls_connection(deployment, root, minimum_version=version, maximum_version=version) as connection:
            connection.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert connection.recv(15) == b"HTTP/1.1 200 OK"


def test_a_stream_obeys_the_rules_of_messages(secure: Secure, root: Path) -> None:
    """The authority is checked as `Host` is (RFC 9113 §8.3.1), and fields of a connection are in no message (§8.2.2)."""
    deployment = secure().start()

    def send(header: list[tuple[str, str]]) -> dict[str, str]:
        with tls_connection(deployment, root, "h2") as connection:
            return _stream(connection, header)

    good = send(_get("localhost"))
    assert good[":status"] == "200"
    assert "connection" not in good
    assert send(_get(None, ("host", "localhost")))[":status"] == "200"
    for header in (
        _get(None),
        _get("local host"),
        _get("localhost", ("host", "example.com")),
        _get("user@localhost"),
    ):
        # The decoder resets a stream whose field is malformed.
        answer = send(header)
        assert answer == {"error": PROTOCOL_ERROR} or answer[":status"] == "400", (header, answer)
    assert send(_get("localhost", ("connection", "close"))) == {"error": PROTOCOL_ERROR}
    # A refusal after a body that is not read closes a connection of HTTP/1.1, and must not say so in HTTP/2.
    refused = send([(":method", "DELETE"), *_get("localhost")[1:]])
    assert refused[":status"] == "405"
    assert "connection" not in refused


def test_a_renewed_certificate_is_used_without_a_restart(
    secure: Secure, authority: Authority, root: Path
) -> None:
    """Connections that are open keep working, and new ones see the new certificate."""
    first, second = authority.issue(), authority.issue()
    deployment = secure(first).start()
    with tls_connection(deployment, root, "http/1.1") as old:
        assert _serial_number(old) == first.serial_number
        second.write(deployment.folder)
        deployment.reload()
        wait_until(lambda: "certificate replaced" in deployment.log, f"the reload in\n{deployment.log}")
        with tls_connection(deployment, root) as new:
            assert _serial_number(new) == second.serial_number
        old.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert old.recv(15) == b"HTTP/1.1 200 OK"
    # A key that does not belong to the certificate changes nothing.
    (deployment.folder / "privkey.pem").write_bytes(first.key)
    deployment.reload()
    wait_until(lambda: "configuration not reloaded" in deployment.log, f"the refusal in\n{deployment.log}")
    with tls_connection(deployment, root) as new:
        assert _serial_number(new) == second.serial_number


def test_a_certificate_that_cannot_serve_is_refused(secure: Secure, authority: Authority) -> None:
    def check(issued: Issued) -> tuple[int, str]:
        ran = secure(issued).run("config", "check")
        return ran.returncode, ran.stderr.replace(str(Path(ran.args[-1]).parent), "DIR")

    good, other = authority.issue(), authority.issue("example.com")
    assert check(Issued(good.chain, other.key, 0)) == (
        78,
        "token-exchange: server.tls: DIR/privkey.pem is not the key of the first certificate in DIR/fullchain.pem: write "
        "the two files of one certificate\n",
    )
    assert check(other) == (
        78,
        "token-exchange: server.tls.certificate: DIR/fullchain.pem is not a certificate for localhost, the host of "
        "server.public_url, but for DNS:example.com: get one that names this host\n",
    )
    begin = b"-----BEGIN CERTIFICATE-----"
    server, *authorities = [begin + part for part in good.chain.split(begin)[1:]]
    sorted_by_trust = b"".join([*reversed(authorities), server])
    assert check(Issued(sorted_by_trust, good.key, 0)) == (
        78,
        f"token-exchange: server.tls: DIR/privkey.pem is the key of certificate {len(authorities) + 1} in "
        "DIR/fullchain.pem, and must be that of the first one: write the server's own certificate first, and then each "
        "authority behind the one that it issued\n",
    )
    # A key in the file of the certificate counts as a secret.
    combined = secure(Issued(good.key + good.chain, good.key, 0))
    assert "fullchain.pem can be read by " in combined.run("config", "check").stderr
    (combined.folder / "fullchain.pem").chmod(0o600)
    assert combined.run("config", "check").returncode == 0
    assert check(Issued(good.chain[:200], good.key, 0)) == (
        78,
        "token-exchange: server.tls: DIR/fullchain.pem has no line -----END CERTIFICATE-----: copy the whole file again\n",
    )


@pytest.mark.parametrize(
    ("days", "severity", "warning"),
    [
        (90, "ok", ""),
        (13, "warning", "warning: server.tls: DIR/fullchain.pem expires in 13 days: renew it\n"),
        (
            -1,
            "error",
            "warning: server.tls: DIR/fullchain.pem has expired at TIME: renew it, or clients refuse to connect\n",
        ),
    ],
)
def test_the_end_of_a_certificate_is_announced(
    secure: Secure, authority: Authority, days: int, severity: str, warning: str
) -> None:
    deployment = secure(authority.issue(days=days))
    ran = deployment.run("config", "check")
    out = re.sub(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z", "TIME", ran.stdout.replace(str(deployment.folder), "DIR"))
    lines = out.splitlines(keepends=True)
    assert ran.returncode == 0, ran.stderr
    assert "".join(line for line in lines if "server.tls:" in line) == warning
    # No test calls Google.
    deployment.settings["firebase"]["endpoints"] = google_at(f"http://127.0.0.1:{free_port()}")
    deployment.configure(deployment.settings)
    report = json.loads(deployment.run("doctor", "--format", "json").stdout)
    severities = [finding["severity"] for finding in report["findings"] if finding["id"] == "server.certificate"]
    assert severities == [severity]
