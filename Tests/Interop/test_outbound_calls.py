"""The way out: sign-ins through an HTTP proxy (tinyproxy of Debian), and by plain http at a permitted host."""

from __future__ import annotations

import contextlib
import os
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Deploy
from deployment.application import Application
from deployment.configuration import openid
from deployment.expectations import refused, signed_in
from deployment.process import free_port
from deployment.waiting import DEADLINE, wait_until
from peers import browser
from peers.authority import Authority
from peers.openid_provider import Client, OpenIDProvider

HOST = "idp.example"
USER, PASSWORD = "outbound", "wG7-outbound-password"
BUNDLE = "/etc/ssl/certs/ca-certificates.crt"


def _seeing(folder: Path, name: str, program: Path | str, mounts: dict[str, Path]) -> Path:
    """A command that runs `program` in a mount namespace, in which other files are at these paths."""
    namespace = "--mount" if os.geteuid() == 0 else "--mount --map-current-user"
    steps = " && ".join(f"mount --bind {file} {path}" for path, file in mounts.items())
    wrapper = folder / name
    wrapper.write_text(f"#!/bin/sh\nexec unshare {namespace} sh -c '{steps} && exec \"$0\" \"$@\"' {program} \"$@\"\n")
    wrapper.chmod(0o700)
    return wrapper


def _hosts(folder: Path, host: str) -> Path:
    """A table of names in which only `host` is added."""
    file = folder / f"hosts-{host}"
    file.write_text(f"127.0.0.1 localhost {host}\n")
    return file


class TLSFront:
    """Terminates TLS for `idp.example` in front of a port of this machine."""

    def __init__(self, folder: Path, authority: Authority, port: int) -> None:
        issued = authority.issue(HOST)
        (folder / "front.pem").write_bytes(issued.key + issued.chain)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(folder / "front.pem")
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with (
            contextlib.suppress(OSError),
            self._context.wrap_socket(connection, server_side=True) as client,
            socket.create_connection(("127.0.0.1", self._target)) as peer,
        ):
            threading.Thread(target=_copy, args=(client, peer), daemon=True).start()
            _copy(peer, client)


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while octets := source.recv(65536):
            target.sendall(octets)
        target.shutdown(socket.SHUT_RDWR)


class Tinyproxy:
    """A proxy with user name and password, which alone knows the address of `idp.example`."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self._log = folder / "tinyproxy.log"
        configuration = folder / "tinyproxy.conf"
        configuration.write_text(
            f"Port {self.port}\nListen 127.0.0.1\nAllow 127.0.0.1\nTimeout 60\nBasicAuth {USER} {PASSWORD}\n"
            f"LogLevel Connect\nLogFile \"{self._log}\"\n"
        )
        program = _seeing(folder, "proxy", "/usr/bin/tinyproxy", {"/etc/hosts": _hosts(folder, HOST)})
        self._process = subprocess.Popen(
            [str(program), "-d", "-c", str(configuration)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait_until(self._listens, "tinyproxy")

    def _listens(self) -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
            return True
        return False

    @property
    def tunnels(self) -> int:
        """The number of connections to `idp.example`."""
        return self._log.read_text().count(f"CONNECT {HOST}:")

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait(timeout=DEADLINE)


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[Tinyproxy]:
    tinyproxy = Tinyproxy(tmp_path)
    yield tinyproxy
    tinyproxy.stop()


def _endpoints(provider: OpenIDProvider, origin: str) -> dict[str, str]:
    """The endpoints of the back channel at `origin`, and the others at the provider's own origin."""
    names = {"token": "token", "userinfo": "userinfo", "jwks": "keys"}
    moved = {name: origin + provider.endpoint(path).removeprefix(provider.origin) for name, path in names.items()}
    return moved | {"issuer": provider.issuer, "authorization": provider.endpoint("authorize")}


def test_a_sign_in_goes_through_the_proxy_and_names_its_refusal(
    deploy: Deploy, tmp_path: Path, proxy: Tinyproxy, own_provider: tuple[OpenIDProvider, Client]
) -> None:
    provider, client = own_provider
    authority = Authority()
    front = TLSFront(tmp_path, authority, int(provider.origin.rsplit(":", 1)[1]))
    address = f"127.0.0.1:{proxy.port}"
    secret = tmp_path / "proxy-url"
    secret.touch(mode=0o600)
    secret.write_text(f"http://{USER}:{PASSWORD}@{address}\n")
    entry = openid(provider, client, endpoints=_endpoints(provider, f"https://{HOST}:{front.port}"))
    deployment = deploy(
        # The variables of other programs lead nowhere.
        {"op": entry}, {"HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": "*"}
    )
    deployment.secrets.add(PASSWORD)
    deployment.settings["server"] |= {"outbound_proxy": f"file:{secret}", "no_proxy": ["10.0.0.0/8"]}
    deployment.configure(deployment.settings)
    deployment.binary = _seeing(
        tmp_path, "trusting", deployment.binary, {BUNDLE: authority.write_root(tmp_path / "root.pem")}
    )
    deployment.start()
    app = Application(deployment)
    grant, _, _ = browser.obtain_code(provider, client, subject="ivan")
    assert signed_in(app.exchange("op", grant.credential))["uid"] == "op:ivan"
    assert proxy.tunnels > 0
    assert deployment.terminate() == 0

    # Another password: the code is not spent, and the log names the proxy.
    secret.write_text(f"http://{USER}:another-{PASSWORD}@{address}\n")
    deployment.start(until="/healthz")
    grant, _, _ = browser.obtain_code(provider, client, subject="judy")
    refused(app.exchange("op", grant.credential), 502, "provider_unreachable", "same")
    sentence = f"the proxy {address} requires other credentials than those of server.outbound_proxy"
    wait_until(lambda: sentence in deployment.log, "the proxy in the log")
    assert 'outcome="proxy_failed"' in deployment.admin_text("/metrics")
    found = deployment.run("doctor").stdout
    assert f"info: server.outbound_proxy: Calls by https go through the proxy {address}" in found
    assert sentence in found and PASSWORD not in found
    assert deployment.terminate() == 0
    secret.write_text(f"http://{USER}:{PASSWORD}@{address}\n")
    deployment.start()
    assert signed_in(app.exchange("op", grant.credential))["uid"] == "op:judy"

    # A host that is exempted is called directly: this machine does not know its address.
    assert deployment.terminate() == 0
    deployment.settings["server"]["no_proxy"] = [".example"]
    deployment.configure(deployment.settings)
    deployment.start(until="/healthz")
    before = proxy.tunnels
    grant, _, _ = browser.obtain_code(provider, client, subject="mallory")
    refused(app.exchange("op", grant.credential), 502, "provider_unreachable", "same")
    assert proxy.tunnels == before
    front.stop()


def test_a_host_of_the_private_network_is_called_by_plain_http(
    deploy: Deploy, tmp_path: Path, own_provider: tuple[OpenIDProvider, Client]
) -> None:
    provider, client = own_provider
    port = provider.origin.rsplit(":", 1)[1]
    entry = openid(
        provider, client, endpoints=_endpoints(provider, f"http://keycloak:{port}"), plain_http_hosts=["keycloak"]
    )
    deployment = deploy({"op": entry})
    deployment.binary = _seeing(
        tmp_path, "naming", deployment.binary, {"/etc/hosts": _hosts(tmp_path, "keycloak")}
    )
    check = deployment.run("config", "check")
    assert check.returncode == 0 and "plain_http_hosts[0]: is called without encryption" in check.stdout
    deployment.start()
    grant, _, _ = browser.obtain_code(provider, client, subject="kim")
    body = signed_in(Application(deployment).exchange("op", grant.credential))
    assert (body["uid"], body["profile"]["email"]) == ("op:kim", "kim@people.example")
    del deployment.settings["providers"]["op"]["plain_http_hosts"]
    deployment.configure(deployment.settings)
    check = deployment.run("config", "check")
    assert check.returncode == 78 and "for the hosts in plain_http_hosts" in check.stderr
