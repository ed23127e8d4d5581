"""Credentials without a service account key: workload identity federation and impersonation (`google_credentials`)."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jwt
import pytest
from google.auth import aws, identity_pool
from google.auth.transport.requests import Request

from conftest import Settle
from deployment.expectations import refused, signed_in
from deployment.firebase import PROJECT
from deployment.sandbox import Sandbox
from deployment.service_account import ServiceAccount
from deployment.waiting import wait_until
from peers import federation
from peers.federation import Federation

YAHOO = "yahoo.com"
MINTER = f"default@{PROJECT}.iam.gserviceaccount.com"


@pytest.fixture
def issuer() -> ServiceAccount:
    """A key pair: that of the issuer which Google is configured to trust."""
    return ServiceAccount(PROJECT)


@pytest.fixture
def google(sandbox: Sandbox, issuer: ServiceAccount) -> Iterator[Federation]:
    def issue(email: str | None, scopes: list[str]) -> str:
        order = {"scopes": scopes} | ({"email": email} if email else {})
        return sandbox.order("POST", "/google/access-token", **order)["access_token"]

    peer = Federation(issuer.public_pem, issue)
    yield peer
    peer.stop()


def _subject_token(issuer: ServiceAccount, **changes: Any) -> str:
    now = int(time.time())
    audience = "https:" + federation.AUDIENCE
    claims = {"iss": federation.ISSUER, "sub": "workload", "aud": audience, "iat": now, "exp": now + 600}
    return jwt.encode(claims | changes, issuer.private_pem, algorithm="RS256")


def _from_file(google: Federation, path: Path) -> dict[str, Any]:
    return {
        "type": "external_account",
        "audience": federation.AUDIENCE,
        "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
        "token_url": google.origin + "/sts/v1/token",
        "credential_source": {"file": str(path)},
        "service_account_impersonation_url": f"{google.origin}/v1/projects/-/serviceAccounts/{MINTER}"
        ":generateAccessToken",
    }


def _from_aws(google: Federation) -> dict[str, Any]:
    return {
        "type": "external_account",
        "audience": federation.AUDIENCE,
        "subject_token_type": "urn:ietf:params:aws:token-type:aws4_request",
        "token_url": google.origin + "/sts/v1/token",
        "credential_source": {
            "environment_id": "aws1",
            "region_url": google.origin + "/latest/zone",
            "url": google.origin + "/latest/credentials",
            "imdsv2_session_token_url": google.origin + "/latest/api/token",
            "regional_cred_verification_url": federation.VERIFICATION,
        },
    }


def _settings(folder: Path, credentials: dict[str, Any], **members: Any) -> dict[str, Any]:
    path = folder / "credentials.json"
    path.write_text(json.dumps(credentials))
    common = {"signer": "iam", "service_account": None, "project_id": PROJECT, "google_credentials": str(path)}
    return common | members


def test_a_token_in_a_file_signs_in_by_impersonation(
    settle: Settle, google: Federation, issuer: ServiceAccount, tmp_path: Path
) -> None:
    path = tmp_path / "subject-token"
    path.write_text(_subject_token(issuer))
    credentials = _from_file(google, path)
    # Google's own library accepts the same file, and the peer accepts its requests.
    theirs = identity_pool.Credentials.from_info(credentials, scopes=[federation.CLOUD_PLATFORM])
    theirs.refresh(Request())
    assert theirs.token
    people = settle(firebase=_settings(tmp_path, credentials))
    answer = signed_in(people.try_to_enter(YAHOO))
    assert jwt.decode(answer["custom_token"], options={"verify_signature": False})["iss"] == MINTER
    assert google.refusals == []


def test_the_identity_of_aws_signs_in_without_impersonation(
    settle: Settle, google: Federation, tmp_path: Path
) -> None:
    credentials = _from_aws(google)
    theirs = aws.Credentials.from_info(credentials, scopes=[federation.CLOUD_PLATFORM])
    theirs.refresh(Request())
    people = settle(firebase=_settings(tmp_path, credentials, iam_service_account=MINTER))
    signed_in(people.try_to_enter(YAHOO))
    assert google.refusals == []


def test_a_new_token_in_the_file_is_used_without_a_restart(
    settle: Settle, google: Federation, issuer: ServiceAccount, tmp_path: Path
) -> None:
    """An expired token: the server is not ready and signs nothing until the file has a valid one."""
    path = tmp_path / "subject-token"
    path.write_text(_subject_token(issuer))
    people = settle(firebase=_settings(tmp_path, _from_file(google, path)))
    people.deployment.terminate()
    path.write_text(_subject_token(issuer, exp=int(time.time()) - 600))
    people.deployment.start(until="/healthz")
    wait_until(lambda: people.deployment.admin("/readyz") == 503, "readiness fails")
    credential = people.token_of(YAHOO)
    refused(people.exchange(YAHOO, credential), 503, "signer_unavailable", retry="same")
    path.write_text(_subject_token(issuer))
    wait_until(lambda: people.deployment.admin("/readyz") == 200, "Google signs again")
    signed_in(people.exchange(YAHOO, credential))


def test_credentials_that_cannot_sign_are_refused_by_config_check(
    settle: Settle, google: Federation, tmp_path: Path
) -> None:
    people = settle()
    settings = people.deployment.settings
    problems = {
        "firebase.iam_service_account is missing": {},
        "the member token_url has a value that is not allowed": {
            "token_url": "https://sts.googleapis.com.evil.example/v1/token"
        },
    }
    for problem, changes in problems.items():
        settings["firebase"] |= _settings(tmp_path, _from_aws(google) | changes)
        people.deployment.configure(settings)
        for command in (["config", "check"], ["doctor"]):
            ran = people.deployment.run(*command)
            assert ran.returncode == 78, ran.stderr
            assert problem in ran.stderr, ran.stderr
