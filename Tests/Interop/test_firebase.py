"""Firebase behind the server: `redeem`, App Check, and tokens that Google signs for a machine without a key."""

from __future__ import annotations

import json
from typing import Any

import pytest
from google.auth import jwt as google_jwt

from conftest import Settle
from deployment.account_application import identities
from deployment.application import Answer
from deployment.expectations import refused, signed_in
from deployment.firebase import PROJECT, Firebase
from deployment.sandbox import Sandbox
from deployment.waiting import wait_until
from peers import tokens

YAHOO, X = "yahoo.com", "twitter.com"
APP = "1:1234567890:ios:abcdef"


# MARK: - Redeem


def test_a_client_without_an_sdk_is_given_firebase_tokens(
    settle: Settle, firebase: Firebase, directory: str
) -> None:
    people = settle("without-sdk", firebase={"directory": directory})
    answer = people.try_to_enter(YAHOO)
    assert answer.status == 200, answer
    assert "custom_token" not in answer.body
    assert answer["firebase_expires_in"] == answer["expires_in"] == 3600
    claims = firebase.verified(answer["firebase_id_token"])
    assert claims["sub"] == answer["uid"]
    assert (claims["idp"], claims["firebase"]["sign_in_provider"]) == (YAHOO, "custom")
    refreshed = firebase.refresh(answer["firebase_refresh_token"])
    assert firebase.verified(refreshed.json()["id_token"])["sub"] == answer["uid"]
    assert people.account(answer["firebase_id_token"])["uid"] == answer["uid"]
    nobody = people.post("/v1/anonymous", {"client_id": "without-sdk"})
    assert firebase.verified(nobody["firebase_id_token"])["sub"] == nobody["uid"]


def test_a_disabled_user_is_not_redeemed(settle: Settle, firebase: Firebase) -> None:
    """With the local directory only Firebase knows that the user is disabled."""
    people = settle("without-sdk", firebase={"directory": "local"})
    uid = people.try_to_enter(YAHOO)["uid"]
    firebase.admin.update_user(uid, disabled=True)
    refused(people.try_to_enter(YAHOO), 403, "user_disabled")


def test_without_google_no_custom_token_is_redeemed(settle: Settle, sandbox: Sandbox) -> None:
    people = settle("without-sdk", firebase={"directory": "local"})
    credential = people.token_of(YAHOO)
    sandbox.order("PUT", "/faults", target="google.client_custom_token", status=503)
    try:
        answer = people.exchange(YAHOO, credential)
    finally:
        sandbox.order("DELETE", "/faults")
    assert (answer.status, answer["reason"], answer["retry"]) == (503, "directory_unavailable", "same"), answer
    again = people.exchange(YAHOO, credential)
    assert again.status == 200, again


# MARK: - App Check


@pytest.mark.parametrize(
    ("token", "reason"),
    [
        (None, "app_check_required"),
        ({"issued_seconds_ago": 3700}, "app_check_invalid"),
        ({"project_id": "another", "remove": ["aud"], "set": {"aud": ["projects/another"]}}, "app_check_invalid"),
        ({"key": "foreign"}, "app_check_invalid"),
        ({"key": "none"}, "app_check_invalid"),
        ({"app_id": "1:1234567890:android:other"}, "app_check_invalid"),
    ],
    ids=["absent", "expired", "another-project", "foreign-key", "unsigned", "another-app"],
)
def test_an_application_that_proves_itself_by_app_check(
    settle: Settle, firebase: Firebase, token: dict[str, Any] | None, reason: str
) -> None:
    people = settle("checked-app")
    good = {"X-Firebase-AppCheck": firebase.app_check_token(APP)}
    bad = {} if token is None else {"X-Firebase-AppCheck": firebase.app_check_token(**({"app_id": APP} | token))}

    def exchange(credential: dict[str, Any], header: dict[str, str]) -> Answer:
        return people.post("/v1/exchange", people.exchange_body(YAHOO, credential), **header)

    def credential() -> dict[str, Any]:
        nonce = people.post("/v1/nonce", {"client_id": "checked-app", "provider": YAHOO}, **good)
        issued = people.sandbox.issue(provider=YAHOO, user="alice", nonce=nonce["nonce"])
        return {"type": "id_token", "id_token": issued["id_token"], "nonce": nonce["nonce_verifier"]}

    evidence = credential()
    refused(people.post("/v1/nonce", {"client_id": "checked-app", "provider": YAHOO}, **bad), 403, reason)
    refused(exchange(evidence, bad), 403, reason)
    # A credential that was refused for this reason is not used up.
    entered = people.entered(exchange(evidence, good))
    bearer = {"Authorization": f"Bearer {entered.session.id_token}"}
    body = people.exchange_body(X, {"type": "pending", "pending_credential": "x"})
    refused(people.post("/v1/account/link", body, **bearer, **bad), 403, reason)


def test_keys_that_are_not_fetched_are_named_with_their_endpoint(
    settle: Settle, sandbox: Sandbox, firebase: Firebase
) -> None:
    endpoints = sandbox.settings["firebase"]["endpoints"] | {"id_token_keys": sandbox.google + "/none"}
    people = settle(firebase={"endpoints": endpoints})
    refused(people.account(people.enter(YAHOO).session.id_token), 503, "directory_unavailable", retry="same")
    lines = [json.loads(line) for line in people.deployment.log.splitlines() if "keys not fetched" in line]
    assert lines and lines[0]["advice"] == (
        "If firebase.endpoints is written, compare id_token_keys. If a proxy or a firewall answers in place of Google, let it "
        "pass the call."
    )
    assert lines[0]["url"] == endpoints["id_token_keys"]


# MARK: - Signed by Google


def test_google_signs_if_there_is_no_key(settle: Settle, firebase: Firebase, directory: str) -> None:
    """`signer: iam`: the metadata server returns the service account, and signBlob signs."""
    settings = {"signer": "iam", "service_account": None, "project_id": PROJECT, "directory": directory}
    people = settle(firebase=settings)
    answer = signed_in(people.try_to_enter(YAHOO))
    account = f"default@{PROJECT}.iam.gserviceaccount.com"
    certificates = firebase.certificates(account)
    claims = google_jwt.decode(
        answer["custom_token"],
        certs=certificates,
        audience="https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit",
    )
    assert (claims["iss"], claims["sub"]) == (account, account)
    # The key is not known in advance.
    assert tokens.header(answer["custom_token"]) == {"alg": "RS256", "typ": "JWT"}
    entered = people.enter(YAHOO)
    bearer = entered.session.id_token
    assert identities(people.link(bearer, X, people.token_of(X))).keys() == {YAHOO, X}
    assert firebase.providers(entered.uid).keys() == ({YAHOO, X} if directory == "firebase" else set())


@pytest.mark.parametrize("target", ["google.sign_blob", "google.metadata_token"])
def test_no_sign_in_succeeds_while_google_does_not_sign(settle: Settle, sandbox: Sandbox, target: str) -> None:
    people = settle(firebase={"signer": "iam", "service_account": None, "project_id": PROJECT})
    if target == "google.sign_blob":
        signed_in(people.try_to_enter(YAHOO))
    else:
        people.deployment.terminate()
    sandbox.order("PUT", "/faults", target=target, status=503)
    try:
        if target == "google.metadata_token":
            people.deployment.start(until="/healthz")
        # The result is cached for one second.
        wait_until(lambda: people.deployment.admin("/readyz") == 503, "readiness fails")
        credential = people.token_of(YAHOO)
        answer = people.exchange(YAHOO, credential)
        refused(answer, 503, "signer_unavailable", retry="same")
    finally:
        sandbox.order("DELETE", "/faults")
    # After a failure the server waits before it tries again.
    wait_until(lambda: people.deployment.admin("/readyz") == 200, "Google signs again")
    signed_in(people.exchange(YAHOO, credential))
