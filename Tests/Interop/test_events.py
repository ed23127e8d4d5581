"""Logout tokens and security event tokens of a peer, signed by joserfc, and the sessions of the stand-in of Google."""

from __future__ import annotations

import secrets
import time
from typing import Any

import pytest
import requests

from conftest import CLIENT_SECRET, Settle
from deployment.account_application import AccountApplication
from deployment.application import Answer
from deployment.configuration import openid
from deployment.expectations import signed_in
from peers import tokens
from peers.openid_provider import Client, OpenIDProvider

LOGOUT = "http://schemas.openid.net/event/backchannel-logout"
SESSION_REVOKED = "https://schemas.openid.net/secevent/caep/event-type/session-revoked"
ACCOUNT_DISABLED = "https://schemas.openid.net/secevent/risc/event-type/account-disabled"

Provider = tuple[OpenIDProvider, Client]


@pytest.fixture
def company(settle: Settle, own_provider: Provider, directory: str) -> AccountApplication:
    """A deployment whose provider `company` sends events."""
    peer, client = own_provider
    registration = openid(peer, client, client_secret=CLIENT_SECRET, events=["logout_token", "security_event"])
    return settle(firebase={"directory": directory}, providers={"company": registration})


def enter(app: AccountApplication, peer: OpenIDProvider, subject: str) -> str:
    """Signs a person in to Firebase, sets the time of the session back, and returns the uid."""
    nonce, verifier = app.nonce("company")
    claims = peer.claims("server-client", sub=subject, nonce=nonce)
    token = tokens.signed(claims, peer.key("RS256"), "RS256")
    body = signed_in(app.exchange("company", {"type": "id_token", "id_token": token, "nonce": verifier}))
    app.firebase.sign_in(body["custom_token"])
    app.firebase.change(body["uid"], valid_since=int(time.time()) - 1000)
    return body["uid"]


def ended(app: AccountApplication, uid: str) -> bool:
    """Whether the sessions of the user were ended, as firebase-admin sees it."""
    return app.firebase.admin.get_user(uid).tokens_valid_after_timestamp / 1000 > time.time() - 900


def message(peer: OpenIDProvider, subject: str, kind: str, **claims: Any) -> str:
    now = int(time.time())
    logout = {"sub": subject, "exp": now + 120, "events": {LOGOUT: {}}}
    event = {
        "sub_id": {"format": "iss_sub", "iss": peer.issuer, "sub": subject},
        "events": {SESSION_REVOKED: {"event_timestamp": now}},
    }
    members = {"iss": peer.issuer, "aud": "server-client", "iat": now, "jti": secrets.token_hex(8)}
    members |= (logout if kind == "logout+jwt" else event) | claims
    members = {name: value for name, value in members.items() if value is not None}
    return tokens.signed(members, peer.key("RS256"), "RS256", typ=kind)


def post_logout(app: AccountApplication, token: str) -> requests.Response:
    url = f"{app.deployment.origin}/v1/events/company"
    return requests.post(url, data={"logout_token": token, "further": "ignored"}, timeout=10)


def post_event(app: AccountApplication, token: str) -> requests.Response:
    url = f"{app.deployment.origin}/v1/events/company"
    header = {"Content-Type": "application/secevent+jwt", "Accept": "application/json"}
    return requests.post(url, data=token, headers=header, timeout=10)


def refusal(response: requests.Response) -> tuple[int, str]:
    return response.status_code, response.json()["reason"]


def test_a_logout_token_ends_the_sessions_of_its_person_once(company: AccountApplication, own_provider: Provider) -> None:
    peer, _ = own_provider
    ann, ben = enter(company, peer, "ann"), enter(company, peer, "ben")
    token = message(peer, "ann", "logout+jwt", sid="session-1")
    response = post_logout(company, token)
    assert (response.status_code, response.json(), response.headers["Cache-Control"]) == (200, {}, "no-store")
    assert (ended(company, ann), ended(company, ben)) == (True, False)
    company.firebase.change(ann, valid_since=int(time.time()) - 1000)
    assert refusal(post_logout(company, token)) == (400, "replayed")
    assert not ended(company, ann)


@pytest.mark.parametrize(
    ("reason", "claims"),
    [
        ("malformed_token", {"nonce": "n"}),
        ("malformed_token", {"events": None}),
        ("malformed_token", {"events": {SESSION_REVOKED: {}}}),
        ("malformed_token", {"jti": None}),
        ("malformed_token", {"exp": None}),
        ("malformed_token", {"sub": None}),
        ("unsupported_credential", {"sub": None, "sid": "session-1"}),
        ("audience_mismatch", {"aud": "another-client"}),
        ("issuer_mismatch", {"iss": "https://other.example"}),
        ("expired", {"exp": 1_700_000_000}),
        ("too_old", {"iat": 1_700_000_000}),
    ],
    ids=str,
)
def test_a_logout_token_with_one_defect_ends_nothing(
    settle: Settle, own_provider: Provider, reason: str, claims: dict[str, Any]
) -> None:
    peer, client = own_provider
    registration = openid(peer, client, client_secret=CLIENT_SECRET, events=["logout_token"])
    company = settle(providers={"company": registration})
    ann = enter(company, peer, "ann")
    assert refusal(post_logout(company, message(peer, "ann", "logout+jwt", **claims))) == (400, reason)
    assert not ended(company, ann)
    assert post_logout(company, message(peer, "ann", "logout+jwt")).status_code == 200
    assert ended(company, ann)


def test_a_security_event_token_is_acknowledged_with_202(company: AccountApplication, own_provider: Provider) -> None:
    peer, _ = own_provider
    ann = enter(company, peer, "ann")
    other = post_event(company, message(peer, "ann", "secevent+jwt", aud="another-client"))
    assert refusal(other) == (400, "audience_mismatch")
    assert (other.json()["err"], other.headers["Content-Language"]) == ("invalid_audience", "en")
    assert other.json()["description"] == other.json()["error_description"]
    assert not ended(company, ann)
    token = message(peer, "ann", "secevent+jwt", events={ACCOUNT_DISABLED: {"reason": "hijacking"}})
    response = post_event(company, token)
    assert (response.status_code, response.content) == (202, b"")
    assert ended(company, ann)
    # A provider that has missed the response sends the same token again.
    company.firebase.change(ann, valid_since=int(time.time()) - 1000)
    assert post_event(company, token).status_code == 202
    assert not ended(company, ann)


def test_an_unknown_person_has_the_same_answer(company: AccountApplication, own_provider: Provider) -> None:
    peer, _ = own_provider
    enter(company, peer, "ann")
    known, unknown = (post_logout(company, message(peer, name, "logout+jwt")) for name in ("ann", "nobody"))
    assert (known.status_code, known.content) == (unknown.status_code, unknown.content)
    assert not company.firebase.has("company:nobody")


def test_an_id_token_is_no_logout_token_and_the_other_way_round(
    company: AccountApplication, own_provider: Provider
) -> None:
    peer, _ = own_provider
    ann = enter(company, peer, "ann")
    id_token = tokens.signed(peer.claims("server-client", sub="ann", jti="1"), peer.key("RS256"), "RS256")
    assert refusal(post_logout(company, id_token)) == (400, "malformed_token")
    nonce, verifier = company.nonce("company")
    logout = message(peer, "ann", "JWT", sub="ann", exp=int(time.time()) + 60, events={LOGOUT: {}}, nonce=nonce)
    answer: Answer = company.exchange("company", {"type": "id_token", "id_token": logout, "nonce": verifier})
    assert (answer.status, answer["reason"]) == (400, "malformed_token")
    assert not ended(company, ann)
