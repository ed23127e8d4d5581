"""Access tokens, which are accepted only if the provider reports to which client they were issued (RFC 7662)."""

from __future__ import annotations

import time
from typing import Any

import pytest

from conftest import Peers
from deployment.application import Answer, Application
from deployment.expectations import refused, signed_in
from peers import browser, faults


def _post(app: Application, access_token: str, provider: str = "op") -> Answer:
    _, verifier = app.nonce(provider)
    return app.exchange(provider, {"type": "access_token", "access_token": access_token, "nonce": verifier})


def test_a_token_that_was_issued_to_this_client_signs_in(app: Application, peers: Peers) -> None:
    issued = browser.obtain_tokens(peers.openid, peers.ours, subject="niaj")
    body = signed_in(_post(app, issued["access_token"]))
    assert (body["uid"], body["audience_proof"]) == ("op:niaj", "introspection")
    assert body["profile"]["email"] == "niaj@people.example"


def test_a_token_that_was_issued_to_our_phone_application_signs_in(app: Application, peers: Peers) -> None:
    issued = browser.obtain_tokens(peers.openid, peers.phone)
    signed_in(_post(app, issued["access_token"]))


def test_a_token_that_was_issued_to_another_client_is_refused(app: Application, peers: Peers) -> None:
    """The userinfo endpoint would accept it: it returns the user of a token, not the client that it was issued to."""
    issued = browser.obtain_tokens(peers.openid, peers.stranger)
    before = len(peers.openid.arrivals("/userinfo"))
    refused(_post(app, issued["access_token"]), 400, "audience_mismatch")
    assert len(peers.openid.arrivals("/userinfo")) == before


def test_an_unknown_token_is_refused(app: Application) -> None:
    refused(_post(app, "made-up-access-token"), 400, "token_rejected")


def test_the_question_carries_our_own_credentials(app: Application, peers: Peers) -> None:
    issued = browser.obtain_tokens(peers.openid, peers.ours)
    signed_in(_post(app, issued["access_token"]))
    arrival = peers.openid.arrivals("/introspect")[-1]
    assert arrival.form == {"token": issued["access_token"], "token_type_hint": "access_token"}
    assert arrival.header["Authorization"].startswith("Basic ")


@pytest.mark.parametrize(
    ("status", "reason", "members"),
    [
        (400, "token_rejected", {"active": False}),
        (400, "token_rejected", {"active": "true"}),
        (400, "token_rejected", {"active": 1}),
        (502, "provider_response_invalid", {"active": None}),
        (400, "token_rejected", {"exp": 1}),
        (400, "audience_mismatch", {"client_id": None}),
        (400, "audience_mismatch", {"client_id": ["server-client"]}),
        (400, "audience_mismatch", {"client_id": "server-client "}),
        (400, "audience_mismatch", {"iss": "https://evil.example"}),
        (400, "token_rejected", {"sub": None}),
        (400, "token_rejected", {"sub": 7}),
    ],
    ids=str,
)
def test_a_response_with_one_wrong_member_signs_no_user_in(
    app: Application, peers: Peers, status: int, reason: str, members: dict[str, Any]
) -> None:
    answer = {
        "active": True,
        "client_id": peers.ours.client_id,
        "sub": "niaj",
        "iss": peers.openid.issuer,
        "exp": int(time.time()) + 60,
    }
    with (
        peers.openid.answering("/introspect", faults.content(answer)),
        peers.openid.answering("/userinfo", faults.status(401)),
    ):
        signed_in(_post(app, "a-token"))
    with peers.openid.answering("/introspect", faults.content(answer | members)):
        refused(_post(app, "a-token"), status, reason, "restart" if status == 502 else None)


@pytest.mark.parametrize("provider", ["op-ec", "twitter.com"])
def test_a_provider_without_introspection_proves_nothing(app: Application, peers: Peers, provider: str) -> None:
    """X2-01."""
    issued = browser.obtain_tokens(peers.openid, peers.ours_with_ec)
    refused(_post(app, issued["access_token"], provider), 400, "audience_unverifiable")


def test_a_request_without_a_nonce_is_refused(app: Application, peers: Peers) -> None:
    issued = browser.obtain_tokens(peers.openid, peers.ours)
    before = len(peers.openid.arrivals("/introspect"))
    credential = {"type": "access_token", "access_token": issued["access_token"]}
    refused(app.exchange("op", credential), 400, "missing_field")
    assert len(peers.openid.arrivals("/introspect")) == before
