"""Environment variables that the server ignores (KY-06, UP-17, LK-02)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import firebase_admin
import jwt
import pytest
from firebase_admin import _token_gen, auth

from conftest import CLIENT_SECRET, Deploy, Peers
from deployment.application import Application
from deployment.configuration import CALLBACK, openid
from deployment.expectations import refused, signed_in
from deployment.service_account import ServiceAccount
from peers import browser, tokens
from peers.openid_provider import OpenIDProvider
from peers.tls import UntrustedServer
from peers.witness import Witness

EMULATOR = "127.0.0.1:9099"
PROXIES = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]


@pytest.fixture
def untrusted(tmp_path: Path) -> Iterator[UntrustedServer]:
    server = UntrustedServer(tmp_path)
    yield server
    server.stop()


def test_without_a_configuration_each_place_for_it_is_named(binary: Path, tmp_path: Path) -> None:
    """The current folder has no folder `config`, and the machine of the tests has no installed configuration."""
    for command in (["config", "check"], ["serve"]):
        ran = subprocess.run([binary, *command], cwd=tmp_path, env={}, capture_output=True, text=True, check=False)
        assert ran.returncode == 78
        assert ran.stderr == (
            "token-exchange: there is no configuration: neither /etc/token-exchange/token-exchange.yaml nor "
            "config/token-exchange.yaml exists, and the variable TOKEN_EXCHANGE_CONFIG is not set. Name a file with "
            "--config, or make one with token-exchange init\n"
        )


def test_no_proxy_of_the_environment_is_used(deploy: Deploy, peers: Peers, witness: Witness) -> None:
    deployment = deploy(peers.providers, environment=dict.fromkeys(PROXIES, witness.origin)).start()
    app = Application(deployment)
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
    signed_in(app.exchange("op", grant.credential))


def test_curl_itself_would_use_the_proxy(peers: Peers) -> None:
    """Control: without this test the test above might have no effect."""
    listener = Witness()
    subprocess.run(
        ["curl", "--silent", peers.openid.origin], env={"http_proxy": listener.origin}, check=False, timeout=10
    )
    listener.stop()
    assert listener.connections == 1


def test_no_password_file_is_read(deploy: Deploy, own_provider: tuple[OpenIDProvider, object]) -> None:
    provider, client = own_provider
    deployment = deploy({"op": openid(provider, client)})  # type: ignore[arg-type]
    netrc = deployment.folder / ".netrc"
    netrc.touch(mode=0o600)
    netrc.write_text("machine 127.0.0.1 login somebody password secret-of-netrc\n")
    deployment.start()
    assert provider.arrivals("/keys")
    assert all("Authorization" not in arrival.header for arrival in provider.arrivals("/keys"))


def test_no_authority_of_the_environment_is_trusted_and_no_key_is_logged(
    deploy: Deploy, untrusted: UntrustedServer, tmp_path: Path
) -> None:
    """KY-06: not even with the server's own certificate in every variable that names authorities."""
    certificate, key_log = str(untrusted.certificate), tmp_path / "keys.log"
    environment = dict.fromkeys(["CURL_CA_BUNDLE", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"], certificate)
    environment |= {"SSL_CERT_DIR": str(tmp_path), "SSLKEYLOGFILE": str(key_log)}
    provider = {"issuer": untrusted.origin, "client_id": "server-client", "client_secret": "env:OP_SECRET"}
    deployment = deploy({"op": provider}, environment=environment).start(until="/healthz")
    refused(Application(deployment).sign_in("op", CALLBACK), 502, "provider_unreachable", "same")
    assert deployment.admin("/readyz") == 503
    assert untrusted.attempts > 0
    assert untrusted.requests == 0
    assert not key_log.exists()


def test_curl_itself_would_trust_the_authority_and_log_the_keys(untrusted: UntrustedServer, tmp_path: Path) -> None:
    """Control: without this test the test above might have no effect."""
    key_log = tmp_path / "keys.log"
    environment = {"CURL_CA_BUNDLE": str(untrusted.certificate), "SSLKEYLOGFILE": str(key_log)}
    result = subprocess.run(["curl", "--silent", untrusted.origin], env=environment, check=False, timeout=10)
    assert result.returncode == 0
    assert untrusted.requests == 1
    assert key_log.read_text()


# MARK: - The emulator


def test_the_emulators_variable_does_not_unsign_tokens(
    deploy: Deploy, peers: Peers, service_account: ServiceAccount
) -> None:
    """LK-02, KY-10."""
    deployment = deploy(environment={"FIREBASE_AUTH_EMULATOR_HOST": EMULATOR}).start()
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
    exchanged = signed_in(Application(deployment).exchange("op", grant.credential))["custom_token"]
    minted = deployment.run("mint", "--uid", "u").stdout.strip()
    for token in (exchanged, minted):
        assert tokens.header(token)["alg"] == "RS256"
        jwt.decode(token, service_account.public_pem, algorithms=["RS256"], audience=_token_gen.FIREBASE_AUDIENCE)
    assert "FIREBASE_AUTH_EMULATOR_HOST" in deployment.log


def test_only_the_configuration_file_chooses_the_emulator(
    deploy: Deploy, peers: Peers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the emulator the server accepts the tokens of firebase_admin."""
    deployment = deploy(accounts=[], firebase={"emulator_host": EMULATOR, "project_id": "demo"}).start()
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
    exchanged = signed_in(Application(deployment).exchange("op", grant.credential))["custom_token"]
    minted = deployment.run("mint", "--uid", "u").stdout.strip()
    monkeypatch.setenv("FIREBASE_AUTH_EMULATOR_HOST", EMULATOR)
    app = firebase_admin.initialize_app(options={"projectId": "demo"}, name="emulator")
    try:
        theirs = auth.create_custom_token("u", app=app).decode()
    finally:
        firebase_admin.delete_app(app)
    for token in (exchanged, minted):
        assert token.endswith(".")
        assert tokens.header(token) == tokens.header(theirs) == {"alg": "none", "typ": "JWT"}
        assert tokens.payload(token)["iss"] == tokens.payload(theirs)["iss"]
    assert tokens.payload(minted).keys() == tokens.payload(theirs).keys()
    assert "UNSIGNED" in deployment.log


@pytest.mark.parametrize("where", ["file", "variable"])
def test_the_emulator_and_a_key_exclude_each_other(
    deploy: Deploy, service_account: ServiceAccount, where: str, tmp_path: Path
) -> None:
    path = str(service_account.write(tmp_path))
    firebase = {"emulator_host": EMULATOR} | ({"service_account": path} if where == "file" else {})
    environment = {"GOOGLE_APPLICATION_CREDENTIALS": path} if where == "variable" else {}
    deployment = deploy(accounts=[], firebase=firebase, environment=environment)
    result = deployment.run("serve")
    assert result.returncode == 78
    assert "emulator_host" in result.stderr


def test_the_key_may_be_named_by_googles_variable(
    deploy: Deploy, service_account: ServiceAccount, tmp_path: Path
) -> None:
    path = str(service_account.write(tmp_path))
    deployment = deploy(accounts=[], environment={"GOOGLE_APPLICATION_CREDENTIALS": path}, firebase={})
    token = deployment.run("mint", "--uid", "u").stdout.strip()
    assert tokens.header(token)["kid"] == service_account.key_id


def test_no_command_is_named_for_a_file_that_is_mounted_read_only(deploy: Deploy, peers: Peers, tmp_path: Path) -> None:
    """A pod has its secrets with the mode 0440 on such a mount, where neither chown nor chmod is possible."""
    secret = tmp_path / "mounted"
    secret.write_text(CLIENT_SECRET)
    secret.chmod(0o440)
    deployment = deploy({"op": peers.providers["op"] | {"client_secret": f"file:{secret}"}})
    fact = f"the file {secret} can be read by its group: "
    assert fact + f"run chmod 600 {secret}, or start with --allow" in deployment.run("config", "check").stderr
    namespace = "--mount" if os.geteuid() == 0 else "--mount --map-current-user"
    steps = f"mount --bind {secret} {secret} && mount -o remount,bind,ro {secret}"
    wrapper = tmp_path / "mounting"
    script = f"exec unshare {namespace} sh -c '{steps} && exec \"$0\" \"$@\"' {deployment.binary} \"$@\"\n"
    wrapper.write_text(f"#!/bin/sh\n{script}")
    wrapper.chmod(0o700)
    deployment.binary = wrapper
    assert fact + "set owner and mode at its source" in deployment.run("config", "check").stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [("OP_SECRET", ""), ("OP_SECRET", "changeme"), ("OP_SECRET", f"{CLIENT_SECRET}\nsecond line")],
)
def test_an_invalid_secret_prevents_the_start_and_is_not_printed(deploy: Deploy, name: str, value: str) -> None:
    """KY-09."""
    result = deploy(environment={name: value}).run("serve")
    assert result.returncode == 78
    assert name in result.stderr or "client_secret" in result.stderr
    assert CLIENT_SECRET not in result.stderr + result.stdout
