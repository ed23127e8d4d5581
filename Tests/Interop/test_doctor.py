"""`token-exchange doctor` against the stand-ins: each fault is named, and a healthy deployment has no finding."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deployment.firebase import PROJECT
from deployment.sandbox import SandboxedDeployment, sandboxed_deployment
from deployment.service_account import ServiceAccount

EXIT_CODES = {"ok": 0, "error": 1, "warning": 2}


@pytest.fixture(scope="module")
def healthy(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxedDeployment]:
    """A deployment whose secrets come from variables, as the doctor expects it."""
    with sandboxed_deployment(binary, tmp_path_factory.mktemp("doctor"), ServiceAccount(PROJECT)) as deployment:
        settings, variables = deployment.server.settings, deployment.server.environment
        places = [
            (settings["firebase"], "api_key"),
            (settings["providers"]["yahoo.com"], "client_secret"),
            (settings["providers"]["twitter.com"]["oauth1"], "consumer_secret"),
            (settings["providers"]["twitter.com"]["oauth2"], "client_secret"),
        ]
        for number, (section, name) in enumerate(places):
            variables[f"SECRET_{number}"] = section[name]
            deployment.server.secrets.add(section[name])
            section[name] = f"env:SECRET_{number}"
        deployment.server.configure(settings)
        yield deployment


def _findings(deployment: SandboxedDeployment) -> dict[str, str]:
    """The severity of each finding that is neither ok nor info, by id and subject; and checks what holds for all."""
    server = deployment.server
    ran = server.run("doctor", "--format", "json")
    assert ran.stderr == "", ran.stderr
    report = json.loads(ran.stdout)
    assert ran.returncode == EXIT_CODES[report["result"]]
    assert server.secrets.found_in(ran.stdout) == []
    found = {}
    for finding in report["findings"]:
        if finding["severity"] in ("warning", "error"):
            assert finding["remedy"], finding
        if finding["severity"] not in ("ok", "info"):
            found[" ".join([finding["id"], *filter(None, [finding.get("subject")])])] = finding["severity"]
    return found


@contextlib.contextmanager
def _changed(deployment: SandboxedDeployment, change: Callable[[dict[str, Any]], None]) -> Iterator[None]:
    before = json.dumps(deployment.server.settings)
    change(deployment.server.settings)
    deployment.server.configure(deployment.server.settings)
    try:
        yield
    finally:
        deployment.server.configure(json.loads(before))


@contextlib.contextmanager
def _fault(deployment: SandboxedDeployment, target: str, **fault: Any) -> Iterator[None]:
    deployment.sandbox.order("PUT", "/faults", target=target, **fault)
    try:
        yield
    finally:
        deployment.sandbox.order("DELETE", "/faults")


def _google_error(status: int, name: str) -> dict[str, Any]:
    body = {"error": {"code": status, "message": name, "status": name}}
    return {"status": status, "body": json.dumps(body)}


def test_a_healthy_deployment_has_no_finding(healthy: SandboxedDeployment) -> None:
    assert _findings(healthy) == {}


def test_the_text_names_checks_remedies_and_what_to_register(healthy: SandboxedDeployment) -> None:
    ran = healthy.server.run("doctor")
    assert (ran.returncode, ran.stderr) == (0, "")
    callback = f"{healthy.server.origin}/callback/yahoo.com"
    assert f"info: provider.redirect_uris (yahoo.com): Register exactly these redirect URIs: {callback} " in ran.stdout
    assert "ok: google.redeem: Firebase accepts the custom tokens." in ran.stdout
    assert ran.stdout.splitlines()[-1].startswith("0 errors, 0 warnings, 0 checks skipped, ")
    # The user that was made for the check is gone.
    users = healthy.sandbox.order("GET", "/google/users")
    assert "token-exchange-doctor" not in json.dumps(users)


@pytest.mark.parametrize(
    ("target", "fault", "expected"),
    [
        ("google.token", {"status": 400}, {"google.access_token": "error"}),
        ("google.token", {"drop": True}, {"google.access_token": "error"}),
        ("google.lookup", _google_error(403, "PERMISSION_DENIED"), {"google.lookup": "warning"}),
        (
            "google.delete",
            _google_error(403, "PERMISSION_DENIED"),
            {"google.delete": "warning", "google.redeem": "skipped"},
        ),
        ("google.lookup", _google_error(404, "PROJECT_NOT_FOUND"), {"google.lookup": "error"}),
        ("google.client_custom_token", _google_error(400, "INVALID_CUSTOM_TOKEN"), {"google.redeem": "error"}),
        ("yahoo.certs", {"status": 503}, {"provider.keys yahoo.com": "error"}),
        ("yahoo.token", {"status": 503}, {"provider.client yahoo.com": "warning"}),
        ("yahoo.token", {"drop": True}, {"provider.client yahoo.com": "error"}),
        ("x.request_token", {"status": 401}, {"provider.client twitter.com oauth1": "error"}),
        (
            "x.request_token",
            {"status": 403, "body": '{"errors": [{"code": 415}]}'},
            {"provider.client twitter.com oauth1": "error"},
        ),
        (
            "x.oauth2_token",
            {"status": 403, "body": '{"reason": "client-not-enrolled"}'},
            {"provider.client twitter.com oauth2": "error"},
        ),
        ("x.oauth2_token", {"status": 402}, {"provider.client twitter.com oauth2": "error"}),
    ],
)
def test_a_fault_of_a_peer_is_found_and_named(
    healthy: SandboxedDeployment, target: str, fault: dict[str, Any], expected: dict[str, str]
) -> None:
    with _fault(healthy, target, **fault):
        assert _findings(healthy) == expected
    assert _findings(healthy) == {}


def test_an_unknown_service_account_is_found(healthy: SandboxedDeployment) -> None:
    email = healthy.account.email
    account = {"email": email, "public_key": healthy.account.public_pem, "project_id": PROJECT}
    healthy.sandbox.order("DELETE", "/google/service-accounts", email=email)
    try:
        found = _findings(healthy)
    finally:
        healthy.sandbox.order("PUT", "/google/service-accounts", **account, key_id=healthy.account.key_id)
    assert found == {"google.access_token": "error", f"google.signature {email}": "error"}


def test_a_key_that_was_deleted_at_google_is_found(healthy: SandboxedDeployment) -> None:
    """Google still knows the account, with another key."""
    email, other = healthy.account.email, ServiceAccount(PROJECT)
    account = {"email": email, "project_id": PROJECT}
    healthy.sandbox.order("PUT", "/google/service-accounts", **account, public_key=other.public_pem, key_id="other")
    try:
        found = _findings(healthy)
    finally:
        own = {"public_key": healthy.account.public_pem, "key_id": healthy.account.key_id}
        healthy.sandbox.order("PUT", "/google/service-accounts", **account, **own)
    assert found == {"google.access_token": "error", f"google.signature {email}": "error"}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        # No client may redeem without an API key.
        (lambda s: (s["firebase"].pop("api_key"), s["clients"].pop("without-sdk")), {"google.redeem": "skipped"}),
        (lambda s: s["firebase"].update(api_key="env:WRONG"), {"google.redeem": "error"}),
        (
            lambda s: s["providers"]["yahoo.com"].update(client_secret="env:WRONG"),
            {"provider.client yahoo.com": "error"},
        ),
        (
            lambda s: s["providers"]["twitter.com"]["oauth1"].update(consumer_secret="env:WRONG"),
            {"provider.client twitter.com oauth1": "error"},
        ),
        (
            lambda s: s["providers"]["twitter.com"]["oauth2"].update(client_secret="env:WRONG"),
            {"provider.client twitter.com oauth2": "error"},
        ),
    ],
)
def test_a_wrong_secret_is_found(
    healthy: SandboxedDeployment, change: Callable[[dict[str, Any]], Any], expected: dict[str, str]
) -> None:
    healthy.server.environment["WRONG"] = "another-secret-of-another-application"
    with _changed(healthy, change):
        assert _findings(healthy) == expected


def test_a_callback_that_is_not_registered_at_x_is_found(healthy: SandboxedDeployment) -> None:
    x = {"provider": "twitter.com"}
    uris = [f"{healthy.server.origin}/callback/twitter.com", "com.example.app:/x"]
    healthy.sandbox.order("PUT", "/applications", **x, redirect_uris=["https://elsewhere.example/callback"])
    try:
        found = _findings(healthy)
    finally:
        healthy.sandbox.order("PUT", "/applications", **x, redirect_uris=uris)
    assert found == {"provider.client twitter.com oauth1": "error"}


def test_another_issuer_is_found(healthy: SandboxedDeployment) -> None:
    """The provider's metadata names another issuer than the configuration."""

    def change(settings: dict[str, Any]) -> None:
        yahoo = settings["providers"]["yahoo.com"]
        settings["providers"]["moved"] = {
            "issuer": healthy.sandbox.yahoo + "/moved",
            "client_id": yahoo["client_id"],
            "client_secret": yahoo["client_secret"],
        }

    with _changed(healthy, change):
        assert _findings(healthy) == {"provider.metadata moved": "error"}


def test_a_public_address_that_leads_elsewhere_is_found(healthy: SandboxedDeployment) -> None:
    address = healthy.sandbox.control

    def change(settings: dict[str, Any]) -> None:
        settings["server"]["public_url"] = address

    with _changed(healthy, change):
        found = _findings(healthy)
    assert found.pop(f"server.public_url {address}") == "error"
    # X refuses the callback of that address as well.
    assert found == {"provider.client twitter.com oauth1": "error"}


def test_a_clock_that_is_off_is_found(healthy: SandboxedDeployment, tmp_path: Path) -> None:
    """With the clock 20 seconds ahead, sign-ins succeed; with 45 seconds they may fail."""
    server, binary = healthy.server, healthy.server.binary
    for seconds, severity in ((20, "warning"), (45, "error")):
        wrapper = tmp_path / f"ahead-{seconds}"
        wrapper.write_text(f'#!/bin/sh\nexec faketime -f +{seconds}s "{binary}" "$@"\n')
        wrapper.chmod(0o700)
        server.binary = wrapper
        try:
            found = _findings(healthy)
        finally:
            server.binary = binary
        assert [found[name] for name in found if name.startswith("clock.offset")] == [severity], found


def test_a_database_that_others_can_read_is_found(healthy: SandboxedDeployment) -> None:
    path = Path(healthy.server.settings["store"].removeprefix("sqlite://"))
    path.chmod(0o644)
    try:
        assert _findings(healthy) == {"store.open": "error"}
    finally:
        path.chmod(0o600)


def test_a_configuration_that_is_invalid_is_not_examined(healthy: SandboxedDeployment) -> None:
    with _changed(healthy, lambda settings: settings.update(nonsense=1)):
        ran = healthy.server.run("doctor")
    assert (ran.returncode, ran.stdout) == (78, "")
    assert "nonsense" in ran.stderr
