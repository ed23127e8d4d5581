"""Custom tokens, read by libraries of other projects (MT-02)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import firebase_admin
import jwt
import pytest
from firebase_admin import _token_gen, auth, credentials, tenant_mgt
from google.auth import jwt as google_jwt
from joserfc import jwt as joserfc_jwt
from joserfc.jwk import RSAKey

from conftest import Deploy, Peers
from deployment.application import Application
from deployment.expectations import signed_in
from deployment.process import Deployment
from deployment.service_account import ServiceAccount
from peers import browser, tokens

AUDIENCE = _token_gen.FIREBASE_AUDIENCE
Reader = Callable[[str, ServiceAccount], dict[str, Any]]


def _pyjwt(token: str, account: ServiceAccount) -> dict[str, Any]:
    return jwt.decode(
        token, account.public_pem, algorithms=["RS256"], audience=AUDIENCE, issuer=account.email, subject=account.email
    )


def _joserfc(token: str, account: ServiceAccount) -> dict[str, Any]:
    claims = joserfc_jwt.decode(token, RSAKey.import_key(account.public_pem), algorithms=["RS256"]).claims
    joserfc_jwt.JWTClaimsRegistry(
        iss={"essential": True, "value": account.email},
        sub={"essential": True, "value": account.email},
        aud={"essential": True, "value": AUDIENCE},
        exp={"essential": True},
        iat={"essential": True},
    ).validate(claims)
    return claims


def _google_with_key(token: str, account: ServiceAccount) -> dict[str, Any]:
    return dict(google_jwt.decode(token, certs=account.public_pem, audience=AUDIENCE))


def _google_with_certificate(token: str, account: ServiceAccount) -> dict[str, Any]:
    return dict(google_jwt.decode(token, certs={account.key_id: account.certificate_pem}, audience=AUDIENCE))


READERS = pytest.mark.parametrize("read", [_pyjwt, _joserfc, _google_with_key, _google_with_certificate])


@pytest.fixture(scope="module")
def minted(shared: Deployment) -> str:
    """A custom token of the command `mint`."""
    result = shared.run("mint", "--uid", "operator:1", "--claims", '{"role": "tester"}', "--lifetime", "120")
    assert result.returncode == 0, result.stderr
    assert result.stdout.endswith("\n")
    return result.stdout.removesuffix("\n")


@pytest.fixture(scope="module")
def exchanged(shared: Deployment, peers: Peers) -> dict[str, Any]:
    """A custom token of a sign-in over HTTP."""
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours, subject="carol")
    return signed_in(Application(shared).exchange("op", grant.credential))


@pytest.fixture
def admin(service_account: ServiceAccount, tmp_path: Any) -> Iterator[firebase_admin.App]:
    """Firebase's own SDK with the same key."""
    certificate = credentials.Certificate(str(service_account.write(tmp_path, "admin.json")))
    app = firebase_admin.initialize_app(certificate)
    yield app
    firebase_admin.delete_app(app)


@READERS
def test_a_token_of_the_command_line_is_verified(read: Reader, minted: str, service_account: ServiceAccount) -> None:
    claims = read(minted, service_account)
    assert claims["uid"] == "operator:1"
    assert claims["claims"] == {"role": "tester"}
    assert claims["exp"] - claims["iat"] == 120


@READERS
def test_a_token_of_a_sign_in_is_verified(
    read: Reader, exchanged: dict[str, Any], service_account: ServiceAccount
) -> None:
    claims = read(exchanged["custom_token"], service_account)
    assert claims["uid"] == exchanged["uid"] == "op:carol"
    assert claims["claims"] == {"idp": "op", "idp_uid": "carol"}
    assert claims["exp"] - claims["iat"] == exchanged["expires_in"] == 300


@READERS
def test_a_token_is_not_verified_with_another_key(read: Reader, minted: str) -> None:
    with pytest.raises(Exception, match=r"(?i)signature|certificate"):
        read(minted, ServiceAccount())


def test_a_token_equals_that_of_firebase_admin_with_the_same_key(minted: str, admin: firebase_admin.App) -> None:
    theirs = auth.create_custom_token("operator:1", {"role": "tester"}, app=admin).decode()
    assert tokens.header(minted) == tokens.header(theirs)
    ours, expected = tokens.payload(minted), tokens.payload(theirs)
    assert ours.keys() == expected.keys()
    for name in expected.keys() - {"iat", "exp"}:
        assert ours[name] == expected[name]
    assert abs(ours["iat"] - expected["iat"]) < 60
    assert ours["exp"] - ours["iat"] <= _token_gen.MAX_TOKEN_LIFETIME_SECONDS


def test_a_token_without_claims_equals_that_of_firebase_admin(
    deployment: Deployment, admin: firebase_admin.App
) -> None:
    ours = tokens.payload(deployment.run("mint", "--uid", "u").stdout.strip())
    assert ours.keys() == tokens.payload(auth.create_custom_token("u", app=admin).decode()).keys()


def test_a_tenant_is_in_the_claim_that_firebase_admin_uses(deploy: Deploy, service_account: ServiceAccount) -> None:
    deployment = deploy()
    deployment.settings["firebase"]["tenant_id"] = "tenant-1"
    deployment.configure(deployment.settings)
    ours = tokens.payload(deployment.run("mint", "--uid", "u").stdout.strip())
    theirs = _with_tenant(service_account, deployment)
    assert ours["tenant_id"] == theirs["tenant_id"]
    assert ours.keys() == theirs.keys()


def _with_tenant(service_account: ServiceAccount, deployment: Deployment) -> dict[str, Any]:
    certificate = credentials.Certificate(str(service_account.write(deployment.folder, "admin.json")))
    app = firebase_admin.initialize_app(certificate, name="tenant")
    try:
        client = tenant_mgt.auth_for_tenant("tenant-1", app)
        return tokens.payload(client.create_custom_token("u").decode())
    finally:
        firebase_admin.delete_app(app)


@pytest.mark.parametrize("name", sorted(_token_gen.RESERVED_CLAIMS))
def test_a_claim_that_firebase_admin_reserves_is_refused(deployment: Deployment, name: str) -> None:
    result = deployment.run("mint", "--uid", "u", "--claims", json.dumps({name: "x"}))
    assert (result.returncode, result.stdout) == (1, "")
    assert name in result.stderr


@pytest.mark.parametrize("uid", ["", "u" * 129])
def test_a_uid_that_firebase_admin_refuses_is_refused(
    deployment: Deployment, admin: firebase_admin.App, uid: str
) -> None:
    with pytest.raises(ValueError, match="uid"):
        auth.create_custom_token(uid, app=admin)
    result = deployment.run("mint", "--uid", uid)
    assert (result.returncode, result.stdout) == (1, "")


def test_a_uid_of_128_characters_is_taken(deployment: Deployment, service_account: ServiceAccount) -> None:
    result = deployment.run("mint", "--uid", "u" * 128)
    assert _pyjwt(result.stdout.strip(), service_account)["uid"] == "u" * 128


def test_claims_over_a_thousand_bytes_are_refused(deployment: Deployment) -> None:
    fits = json.dumps({"c": "x" * 992}, separators=(",", ":"))
    assert len(fits) == 1000
    assert deployment.run("mint", "--uid", "u", "--claims", fits).returncode == 0
    result = deployment.run("mint", "--uid", "u", "--claims", json.dumps({"c": "x" * 993}))
    assert (result.returncode, result.stdout) == (1, "")


@pytest.mark.parametrize("lifetime", ["0", "3601"])
def test_a_lifetime_over_an_hour_or_of_nothing_is_wrong_use(deployment: Deployment, lifetime: str) -> None:
    assert deployment.run("mint", "--uid", "u", "--lifetime", lifetime).returncode == 64
