"""`token-exchange doctor` against the stand-ins: each fault is named, and a healthy deployment has no finding."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deployment.firebase import PROJECT
from deployment.fleet import fleet_of
from deployment.postgres import Postgres
from deployment.process import Deployment
from deployment.sandbox import SandboxedDeployment, sandboxed_deployment
from deployment.service_account import ServiceAccount
from deployment.waiting import wait_until
from peers import tls
from peers.authority import Authority, Issued

EXIT_CODES = {"ok": 0, "error": 1, "warning": 2}


@pytest.fixture(scope="module")
def healthy(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxedDeployment]:
    """A deployment whose secrets come from variables, as the doctor expects it."""
    with sandboxed_deployment(binary, tmp_path_factory.mktemp("doctor"), ServiceAccount(PROJECT)) as deployment:
        settings, variables = deployment.server.settings, deployment.server.environment
        places = [
            (settings["firebase"], "api_key"),
            (settings["providers"]["twitter.com"]["oauth1"], "consumer_secret"),
            (settings["providers"]["twitter.com"]["oauth2"], "client_secret"),
        ]
        sections = settings["providers"].values()
        places += [(section, "client_secret") for section in sections if isinstance(section.get("client_secret"), str)]
        for number, (section, name) in enumerate(places):
            variables[f"SECRET_{number}"] = section[name]
            deployment.server.secrets.add(section[name])
            section[name] = f"env:SECRET_{number}"
        # The stand-in has an introspection endpoint, unlike Yahoo.
        introspection = {"introspection": deployment.sandbox.yahoo + "/oauth2/introspect"}
        settings["providers"]["yahoo.com"].setdefault("endpoints", {}).update(introspection)
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
        # An error of the program, such as unreachable(host: "a.example"), is no sentence.
        assert not re.search(r"[a-z]\([a-zA-Z.]*[:)]", finding["text"]), finding
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


def test_the_configuration_of_the_sandbox_has_no_warnings_and_nothing_to_do(
    healthy: SandboxedDeployment, binary: Path
) -> None:
    for command in (["config", "check"], ["doctor"]):
        ran = subprocess.run(
            [binary, *command, "--config", healthy.sandbox.configuration], capture_output=True, text=True, check=False
        )
        assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
        assert "warning:" not in ran.stdout


def test_the_text_names_checks_remedies_and_what_to_register(healthy: SandboxedDeployment) -> None:
    ran = healthy.server.run("doctor")
    assert (ran.returncode, ran.stderr) == (0, "")
    callback = f"{healthy.server.origin}/callback/yahoo.com"
    assert (
        f"info: provider.redirect_uris (yahoo.com): Register exactly this redirect URI: {callback} "
        "Also register each of these at which an application itself receives the response of the provider: com.example.app:/yahoo "
    ) in ran.stdout
    assert f"(twitter.com): Register exactly this redirect URI: {healthy.server.origin}/callback/twitter.com " in ran.stdout
    assert "info: client.redirect_uris (checked-app): This client has the grant authorization_code" in ran.stdout
    assert "ok: google.redeem: Firebase accepts the custom tokens." in ran.stdout
    assert "info: provider.pkce (yahoo.com): pkce: off. token-exchange doctor --sign-in yahoo.com shows" in ran.stdout
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
        ("yahoo.certs", {"status": 404}, {"provider.keys yahoo.com": "error"}),
        ("yahoo.token", {"status": 503}, {"provider.client yahoo.com": "warning"}),
        ("yahoo.token", {"drop": True}, {"provider.client yahoo.com": "error"}),
        (
            "yahoo.token",
            {"status": 404, "body": '{"error": {"errorId": "NOT_FOUND", "message": "not found"}}'},
            {"provider.client yahoo.com": "error"},
        ),
        ("yahoo.token", {"status": 403, "body": "<html>Blocked</html>"}, {"provider.client yahoo.com": "error"}),
        ("yahoo.token", {"status": 301}, {"provider.client yahoo.com": "error"}),
        ("yahoo.certs", {"body": '{"keys": []}'}, {"provider.keys yahoo.com": "error"}),
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
        ("yahoo.introspect", {"status": 503}, {"provider.introspection yahoo.com": "error"}),
        ("yahoo.introspect", {"status": 401}, {"provider.introspection yahoo.com": "error"}),
        ("yahoo.introspect", {"set": {"active": True}}, {"provider.introspection yahoo.com": "error"}),
        ("yahoo.introspect", {"set": {"active": "false"}}, {"provider.introspection yahoo.com": "error"}),
        ("yahoo.introspect", {"remove": ["active"]}, {"provider.introspection yahoo.com": "error"}),
    ],
)
def test_a_fault_of_a_peer_is_found_and_named(
    healthy: SandboxedDeployment, target: str, fault: dict[str, Any], expected: dict[str, str]
) -> None:
    with _fault(healthy, target, **fault):
        assert _findings(healthy) == expected
    assert _findings(healthy) == {}


def test_a_fault_of_a_provider_is_shown_with_each_call(healthy: SandboxedDeployment) -> None:
    with _fault(healthy, "yahoo.certs", status=503):
        ran = healthy.server.run("doctor")
    (calls,) = [line for line in ran.stdout.splitlines() if line.startswith("info: provider.calls")]
    yahoo = healthy.sandbox.yahoo
    assert calls.startswith(f"info: provider.calls (yahoo.com): The provider answered: POST {yahoo}/oauth2/get_token 401 (")
    assert f"; GET {yahoo}/openid/v1/certs 503" in calls


def test_a_token_endpoint_that_redirects_is_named_with_the_target(healthy: SandboxedDeployment) -> None:
    header = {"Location": "https://new.example/oauth2/token"}
    with _fault(healthy, "yahoo.token", status=301, body="<html><title>301 Moved</title></html>", header=header):
        ran = healthy.server.run("doctor")
    (found,) = [line for line in ran.stdout.splitlines() if line.startswith("error: provider.client (yahoo.com)")]
    assert "which is not followed. The provider says: redirects to https://new.example/..." in found


def test_the_first_call_of_oauth_1_is_not_shown_again_by_a_sign_in(healthy: SandboxedDeployment) -> None:
    with _fault(healthy, "x.request_token", status=400, body='{"errors": [{"code": 214}]}'):
        ran = healthy.server.run("doctor", "--format", "json")
    (found,) = [each for each in json.loads(ran.stdout)["findings"] if each["severity"] in ("warning", "error")]
    assert found["id"] == "provider.client" and "--sign-in" not in found["remedy"], found
    assert "each sign-in begins with this call" in found["remedy"], found


_PROBLEM = '{"title": "No", "type": "https://api.x.com/2/problems/%s"}'


@pytest.mark.parametrize(
    ("target", "status", "body", "cause", "remedy"),
    [
        ("x.request_token", 401, '{"errors": [{"code": 32}]}', "consumer_key", "compare consumer_key and consumer_secret"),
        ("x.request_token", 401, '{"errors": [{"code": 135}]}', "clock", "synchronize it with NTP"),
        ("x.request_token", 403, '{"errors": [{"code": 415}]}', "callback_not_approved", "character for character"),
        ("x.request_token", 403, '{"errors": [{"code": 416}]}', "suspended", "developer console"),
        ("x.request_token", 403, '{"errors": [{"code": 64}]}', "suspended", "or the account that owns it"),
        ("x.request_token", 403, '{"errors": [{"code": 453}]}', "access_tier", "Raise the access tier"),
        ("x.request_token", 402, "", "credit", "Add credit"),
        ("x.oauth2_token", 403, _PROBLEM % "client-not-enrolled", "enrolment", "Attach the application to a project"),
        ("x.oauth2_token", 403, _PROBLEM % "client-forbidden", "access_tier", "Raise the access tier"),
        ("x.oauth2_token", 429, _PROBLEM % "usage-capped", "credit", "Add credit"),
        ("x.oauth2_token", 402, "", "credit", "Add credit"),
    ],
)
def test_each_cause_at_x_is_named_with_its_remedy(
    healthy: SandboxedDeployment, target: str, status: int, body: str, cause: str, remedy: str
) -> None:
    with _fault(healthy, target, status=status, body=body):
        ran = healthy.server.run("doctor", "--format", "json")
    (found,) = [each for each in json.loads(ran.stdout)["findings"] if each["severity"] in ("warning", "error")]
    assert found["text"].startswith(f"The provider refuses the registration: {cause}.")
    assert remedy in found["remedy"]


def test_an_unknown_service_account_is_found(healthy: SandboxedDeployment) -> None:
    email = healthy.account.email
    account = {"email": email, "public_key": healthy.account.certificate_pem, "project_id": PROJECT}
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
    another = {"public_key": other.certificate_pem, "key_id": "other"}
    healthy.sandbox.order("PUT", "/google/service-accounts", **account, **another)
    try:
        found = _findings(healthy)
    finally:
        own = {"public_key": healthy.account.certificate_pem, "key_id": healthy.account.key_id}
        healthy.sandbox.order("PUT", "/google/service-accounts", **account, **own)
    assert found == {"google.access_token": "error", f"google.signature {email}": "error"}


@pytest.mark.parametrize(("has_key_id", "name"), [(True, "private_key_id {}"), (False, "without private_key_id")])
def test_a_key_that_is_not_the_one_of_its_id_is_found(
    healthy: SandboxedDeployment, tmp_path: Path, has_key_id: bool, name: str
) -> None:
    """As in a file that was put together from the parts of two."""
    path = healthy.account.write(tmp_path)
    file = json.loads(path.read_text()) | {"private_key": ServiceAccount(PROJECT).private_pem}
    if not has_key_id:
        del file["private_key_id"]
    path.write_text(json.dumps(file))
    with _changed(healthy, lambda settings: settings["firebase"].update(service_account=str(path))):
        ran = healthy.server.run("doctor", "--format", "json")
    (found,) = [each for each in json.loads(ran.stdout)["findings"] if each["id"] == "google.signature"]
    text = f"The key that signs ({name.format(healthy.account.key_id)}) is not among the keys that Google publishes."
    assert (found["severity"], found["text"]) == ("error", text)


def test_keys_that_google_does_not_show_now_are_no_missing_ones(healthy: SandboxedDeployment) -> None:
    with _fault(healthy, "google.account_certificates", status=503):
        found = _findings(healthy)
    assert found == {f"google.signature {healthy.account.email}": "skipped", "google.redeem": "skipped"}


@pytest.mark.parametrize(
    ("age", "left", "severity", "text"),
    [
        (89, 36500, "info", "The key is 89 days old."),
        (400, 36500, "info", "The key is 400 days old. Google recommends to replace keys every 90 days."),
        (1, 13, "warning", "The key expires in 12 days."),
        (30, -1, "error", "The key expired 1 day ago."),
    ],
)
def test_the_age_of_the_service_account_key_is_that_of_its_certificate(
    healthy: SandboxedDeployment, age: int, left: int, severity: str, text: str
) -> None:
    own = {"email": healthy.account.email, "project_id": PROJECT, "key_id": healthy.account.key_id}
    certificate = healthy.account.certificate(age, left)
    healthy.sandbox.order("PUT", "/google/service-accounts", **own, public_key=certificate)
    try:
        ran = healthy.server.run("doctor", "--format", "json")
    finally:
        certificate = healthy.account.certificate_pem
        healthy.sandbox.order("PUT", "/google/service-accounts", **own, public_key=certificate)
    (found,) = [each for each in json.loads(ran.stdout)["findings"] if each["id"] == "google.key_age"]
    assert (found["severity"], found["text"]) == (severity, text)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        # No client may redeem without an API key.
        (
            lambda s: (s["firebase"].pop("api_key"), [client.pop("redeem", None) for client in s["clients"].values()]),
            {"google.redeem": "skipped"},
        ),
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


@pytest.mark.parametrize(
    ("issuer", "fault", "sentence", "remedy"),
    [
        (
            "{yahoo}/",
            {},
            "the document names the issuer {yahoo}, and the configuration {yahoo}/",
            "Write issuer: {yahoo} if that is the issuer",
        ),
        (
            "{yahoo}",
            {"set": {"token_endpoint": "https://elsewhere.example/token"}},
            "its token endpoint is https://elsewhere.example/token, and the issuer {yahoo} has another scheme, host or port",
            "write: endpoints: {{ token: https://elsewhere.example/token }}",
        ),
        ("{yahoo}", {"remove": ["jwks_uri"]}, "it names no jwks endpoint", "endpoints: {{ jwks: https://... }}"),
        (
            "{yahoo}",
            {"status": 301, "header": {"Location": "https://elsewhere.example/metadata"}},
            "the answer is a redirect to https://elsewhere.example, which is not followed",
            "with the origin https://elsewhere.example",
        ),
        (
            "{yahoo}",
            {"status": 404, "body": json.dumps({"error": "Realm does not exist"})},
            "the status is 404. The provider says: error: Realm does not exist",
            "Compare issuer with the provider's documentation",
        ),
    ],
)
def test_metadata_that_differs_is_named_with_the_line_to_write(
    healthy: SandboxedDeployment, issuer: str, fault: dict[str, Any], sentence: str, remedy: str
) -> None:
    yahoo = healthy.sandbox.yahoo

    def change(settings: dict[str, Any]) -> None:
        known = settings["providers"]["yahoo.com"]
        settings["providers"]["found"] = {
            "issuer": issuer.format(yahoo=yahoo),
            "client_id": known["client_id"],
            "client_secret": known["client_secret"],
        }

    with _changed(healthy, change), _fault(healthy, "yahoo.discovery", **fault):
        ran = healthy.server.run("doctor", "--format", "json")
    findings = json.loads(ran.stdout)["findings"]
    [finding] = [each for each in findings if (each["id"], each.get("subject")) == ("provider.metadata", "found")]
    assert sentence.format(yahoo=yahoo) in finding["text"]
    assert remedy.format(yahoo=yahoo) in finding["remedy"]


def test_a_public_address_that_leads_elsewhere_is_found(healthy: SandboxedDeployment) -> None:
    address = healthy.sandbox.control

    def change(settings: dict[str, Any]) -> None:
        settings["server"]["public_url"] = address

    with _changed(healthy, change):
        found = _findings(healthy)
    assert found.pop(f"server.public_url {address}") == "error"
    # X refuses the callback of that address as well.
    assert found == {"provider.client twitter.com oauth1": "error"}


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@contextlib.contextmanager
def _trusting(deployment: SandboxedDeployment, root: Path, folder: Path) -> Iterator[None]:
    """The command in a mount namespace, in which `root` is the only public authority."""
    server, binary = deployment.server, deployment.server.binary
    namespace = "--mount" if os.geteuid() == 0 else "--mount --map-current-user"
    wrapper = folder / "trusting"
    bundle = "/etc/ssl/certs/ca-certificates.crt"
    wrapper.write_text(
        f"#!/bin/sh\nexec unshare {namespace} sh -c 'mount --bind {root} {bundle} && exec \"$0\" \"$@\"' {binary} \"$@\"\n"
    )
    wrapper.chmod(0o700)
    server.binary = wrapper
    try:
        yield
    finally:
        server.binary = binary


def _first(chain: bytes) -> bytes:
    """The server's own certificate of a chain."""
    end = b"-----END CERTIFICATE-----\n"
    return chain.split(end)[0] + end


@contextlib.contextmanager
def _behind(deployment: SandboxedDeployment, issued: Issued, authority: Authority, folder: Path) -> Iterator[str]:
    """The deployment behind a proxy with this certificate, whose address is registered at X."""
    root = authority.write_root(folder / "root.pem")
    with tls.front(folder, issued.chain, issued.key) as origin, _trusting(deployment, root, folder):
        deployment.sandbox.redirect_to(origin)
        try:
            server = {"public_url": origin, "trusted_proxies": ["127.0.0.1/32"]}
            with _changed(deployment, lambda settings: settings["server"].update(server)):
                yield origin
        finally:
            deployment.sandbox.redirect_to(deployment.server.origin)


def _self_signed(folder: Path, _: Authority) -> Issued:
    server = tls.UntrustedServer(folder)
    server.stop()
    key, _, certificate = server.certificate.read_bytes().partition(b"-----BEGIN CERTIFICATE-----")
    return Issued(b"-----BEGIN CERTIFICATE-----" + certificate, key, 0)


@pytest.mark.parametrize(
    ("issued", "expected"),
    [
        (lambda _, authority: authority.issue(), {}),
        (lambda _, authority: authority.issue(days=13), {"tls.dates localhost": "warning"}),
        (lambda _, authority: authority.issue(days=-1), {"tls.dates localhost": "error"}),
        (lambda _, authority: authority.issue("other.example"), {"tls.name localhost": "error"}),
        (
            lambda _, authority: Issued(_first((issued := authority.issue()).chain), issued.key, 0),
            {"tls.chain localhost": "error"},
        ),
        (
            lambda _, __: Issued((issued := (other := Authority("Private")).issue()).chain + other.root, issued.key, 0),
            {"tls.authority localhost": "error"},
        ),
        # The certificate is for 127.0.0.1, and ends tomorrow.
        (
            _self_signed,
            {
                "tls.self_signed localhost": "error",
                "tls.name localhost": "error",
                "tls.dates localhost": "warning",
            },
        ),
    ],
)
def test_a_certificate_that_browsers_refuse_is_found(
    healthy: SandboxedDeployment,
    authority: Authority,
    tmp_path: Path,
    issued: Callable[[Path, Authority], Issued],
    expected: dict[str, str],
) -> None:
    with _behind(healthy, issued(tmp_path, authority), authority, tmp_path):
        assert _findings(healthy) == expected


def test_a_certificate_file_without_its_authorities_or_order_is_found(
    healthy: SandboxedDeployment, authority: Authority, tmp_path: Path
) -> None:
    issued = authority.issue()
    own = _first(issued.chain)
    between = issued.chain.removeprefix(own)
    for chain, expected in (
        (issued.chain, None),
        (own, "server.certificate_chain"),
        (own + authority.root + between, "server.certificate_order"),
    ):
        files = Issued(chain, issued.key, 0).write(tmp_path)
        with _behind(healthy, issued, authority, tmp_path):
            with _changed(healthy, lambda settings: settings["server"].update(tls=files)):
                found = _findings(healthy)
        assert found == ({f"{expected} {files['certificate']}": "warning"} if expected else {})


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


def test_a_key_file_that_others_can_read_is_found(healthy: SandboxedDeployment) -> None:
    path = Path(healthy.server.settings["store"].removeprefix("sqlite://") + ".seal-key")
    path.chmod(0o644)
    try:
        assert _findings(healthy) == {"key_file": "error"}
    finally:
        path.chmod(0o600)


def test_before_the_first_start_nothing_is_created(healthy: SandboxedDeployment, tmp_path: Path) -> None:
    with _changed(healthy, lambda settings: settings.update(store=f"sqlite://{tmp_path}/new.db")):
        assert _findings(healthy) == {}
    assert list(tmp_path.iterdir()) == []


def test_a_database_that_is_missing_beside_its_key_files_is_found(
    healthy: SandboxedDeployment, tmp_path: Path
) -> None:
    for name in ("seal-key", "store-key"):
        key = tmp_path / f"new.db.{name}"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(32))
    with _changed(healthy, lambda settings: settings.update(store=f"sqlite://{tmp_path}/new.db")):
        assert _findings(healthy) == {f"store.open {tmp_path}/new.db": "error"}
        assert "the database was moved or deleted" in healthy.server.run("doctor").stdout


def test_a_folder_of_the_store_that_does_not_exist_is_found(healthy: SandboxedDeployment, tmp_path: Path) -> None:
    with _changed(healthy, lambda settings: settings.update(store=f"sqlite://{tmp_path}/no/new.db")):
        assert _findings(healthy) == {f"store.open {tmp_path}/no/new.db": "error"}
        assert f"mkdir -p -m 700 {tmp_path}/no" in healthy.server.run("doctor").stdout


def test_a_configuration_that_is_invalid_is_not_examined(healthy: SandboxedDeployment) -> None:
    with _changed(healthy, lambda settings: settings.update(nonsense=1)):
        ran = healthy.server.run("doctor")
    assert (ran.returncode, ran.stdout) == (78, "")
    assert "nonsense" in ran.stderr


_UNKNOWN_KEY = "this server seals with a key that other servers of its store do not have"


class _Keys:
    """Two servers on one PostgreSQL, whose seal keys change by a reload."""

    def __init__(self, servers: list[Deployment], postgres: Postgres, uri: str) -> None:
        self.servers = servers
        self._query = lambda text: postgres.query(uri, text)
        wait_until(lambda: all(map(self.recorded, servers)), "both servers are recorded")

    def recorded(self, server: Deployment) -> list[str]:
        """The fingerprints of the seal keys with which the server is recorded; empty if it is not."""
        name = f"convert_from(name, 'UTF8') LIKE '%(process {server.process.pid})'"
        rows = self._query(f"SELECT convert_from(seal_keys, 'UTF8') FROM servers WHERE {name}")
        return rows[0].split() if rows else []

    def change(self, server: Deployment, *names: str) -> None:
        """Configures the keys with these names, and waits until the store has their fingerprints."""
        keys = []
        for name in names:
            path = server.folder / name
            path.touch(mode=0o600)
            key = base64.urlsafe_b64encode(hashlib.sha256(name.encode()).digest()).rstrip(b"=").decode()
            server.secrets.add(key)
            path.write_text(key)
            keys.append("env:SEAL_KEY" if name == "old" else f"file:{path}")
        before = self.recorded(server)
        server.configure(server.settings | {"seal_keys": keys})
        server.reload()
        wait_until(lambda: self.recorded(server) != before, f"the store has {names}")


def _key_findings(server: Deployment) -> dict[str, str]:
    """The texts of the errors about keys, by id and subject; and checks that the others say that the servers agree."""
    ran = server.run("doctor", "--format", "json")
    assert server.secrets.found_in(ran.stdout) == []
    findings = [each for each in json.loads(ran.stdout)["findings"] if each["id"] in ("seal_keys", "store_keys")]
    assert {each["severity"] for each in findings} <= {"ok", "error"}
    return {f"{each['id']} {each['subject']}": each["text"] for each in findings if each["severity"] == "error"}


@pytest.fixture
def two(binary: Path, tmp_path: Path) -> Iterator[_Keys]:
    postgres = Postgres().start()
    try:
        uri = postgres.database()
        with fleet_of(binary, tmp_path, uri, count=2) as fleet:
            yield _Keys(fleet.servers, postgres, uri)
    finally:
        postgres.close()


def test_the_replacement_of_a_key_at_two_servers_has_no_finding_at_any_step(two: _Keys) -> None:
    assert [_key_findings(server) for server in two.servers] == [{}, {}]
    for names in (["old", "new"], ["new", "old"], ["new"]):
        for server in two.servers:
            two.change(server, *names)
            assert [_key_findings(server) for server in two.servers] == [{}, {}], names
    assert [server.log.count(_UNKNOWN_KEY) for server in two.servers] == [0, 0]


def test_a_server_with_another_seal_key_is_found_and_named_until_it_stops(two: _Keys) -> None:
    first, second = two.servers
    two.change(second, "other")
    (old,), (other,) = map(two.recorded, two.servers)
    pids = [f"(process {server.process.pid})" for server in two.servers]
    for server in two.servers:
        found = _key_findings(server)
        assert set(found) == {f"seal_keys {old}", f"seal_keys {other}"}
        sealing, lacking = found[f"seal_keys {other}"].split(", and seal_keys does not contain it at ")
        assert pids[1] in sealing and pids[0] not in sealing
        assert pids[0] in lacking and pids[1] not in lacking
        wait_until(lambda server=server: server.log.count(_UNKNOWN_KEY) == 1, "the server warns once")
    assert second.terminate() == 0
    assert _key_findings(first) == {}
