"""Sign-in at the Authlib provider by the flows that end in a code."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode

import pytest

from conftest import Peers
from deployment.application import Answer, Application
from deployment.configuration import CALLBACK, NATIVE_CALLBACK
from deployment.expectations import refused, signed_in
from peers import browser, faults, tokens

ALGORITHMS = pytest.mark.parametrize("provider", ["op", "op-ec"])


def _callback(app: Application, answer: Answer, callback_url: str, provider: str = "op") -> Answer:
    return app.exchange(provider, {"type": "callback", "session": answer["session"], "callback_url": callback_url})


def _begun(app: Application, provider: str = "op", subject: str = "dave", uri: str = CALLBACK) -> tuple[Answer, str]:
    """A complete flow: the answer of /v1/signin, and the provider's redirect."""
    answer = app.sign_in(provider, uri, parameters={"login_hint": subject})
    assert answer.status == 200, answer
    redirect = browser.callback(answer["authorization_url"])
    app.deployment.secrets.add(browser.parameters(redirect)["code"])
    return answer, redirect


@ALGORITHMS
@pytest.mark.parametrize("uri", [CALLBACK, NATIVE_CALLBACK])
def test_a_flow_that_the_server_begins_ends_in_a_custom_token(app: Application, provider: str, uri: str) -> None:
    answer, redirect = _begun(app, provider, "erin", uri)
    body = signed_in(_callback(app, answer, redirect, provider))
    assert (body["uid"], body["provider"], body["provider_uid"]) == (f"{provider}:erin", provider, "erin")
    assert body["audience_proof"] == "authorization_code"


def test_the_authorization_request_is_bound_by_state_nonce_and_pkce(app: Application) -> None:
    begun = [app.sign_in("op", CALLBACK, parameters={"login_hint": "dave"}) for _ in range(2)]
    first, second = (browser.parameters(answer["authorization_url"]) for answer in begun)
    assert first["response_type"] == "code"
    assert first["code_challenge_method"] == "S256"
    assert set(first["scope"].split()) == {"openid", "profile", "email"}
    for name in ("state", "nonce", "code_challenge"):
        assert len(first[name]) >= 22
        assert first[name] != second[name]
    assert begun[0]["expires_in"] == 600


@ALGORITHMS
def test_a_code_that_authlibs_client_obtained_ends_in_a_custom_token(
    app: Application, peers: Peers, provider: str
) -> None:
    client = peers.ours if provider == "op" else peers.ours_with_ec
    grant, _, _ = browser.obtain_code(peers.openid, client, subject="frank")
    body = signed_in(app.exchange(provider, grant.credential))
    assert (body["uid"], body["audience_proof"]) == (f"{provider}:frank", "authorization_code")


def test_the_profile_comes_from_userinfo(app: Application, peers: Peers) -> None:
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours, subject="grace")
    body = signed_in(app.exchange("op", grant.credential))
    assert body["profile"] == {
        "name": "Person grace",
        "given_name": "Person",
        "family_name": "grace",
        "picture": "https://people.example/picture.png",
        "locale": "de",
        "email": "grace@people.example",
        "email_verified": True,
    }


def test_without_userinfo_only_new_users_cannot_sign_in(app: Application, peers: Peers) -> None:
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours, subject="heidi")
    with peers.openid.answering("/userinfo", faults.status(503)):
        refused(app.exchange("op", grant.credential), 502, "provider_error", "restart")
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours, subject="heidi")
    signed_in(app.exchange("op", grant.credential))
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours, subject="heidi")
    with peers.openid.answering("/userinfo", faults.status(503)):
        assert signed_in(app.exchange("op", grant.credential))["profile"] == {}


def test_a_permanent_refusal_of_userinfo_only_loses_the_profile(app: Application, peers: Peers) -> None:
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours, subject="ivan")
    with peers.openid.answering("/userinfo", faults.status(403)):
        assert signed_in(app.exchange("op", grant.credential))["profile"] == {}


def test_a_client_gets_the_providers_tokens_only_if_configured(
    app: Application, trusted: Application, peers: Peers
) -> None:
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
    assert "oauth" not in signed_in(app.exchange("op", grant.credential))
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
    oauth = signed_in(trusted.exchange("op", grant.credential))["oauth"]
    assert oauth["access_token"] in peers.openid.tokens
    assert tokens.payload(oauth["id_token"])["aud"] == peers.ours.client_id
    assert oauth["scope"] == "openid profile email"


def test_the_same_person_is_the_same_account_whichever_way_they_come(app: Application, peers: Peers) -> None:
    answer, redirect = _begun(app, subject="olga")
    first = signed_in(_callback(app, answer, redirect))
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours, subject="olga")
    second = signed_in(app.exchange("op", grant.credential))
    assert (first["is_new_user"], second["is_new_user"]) == (True, False)
    assert first["uid"] == second["uid"]


def test_people_of_one_subject_at_two_providers_are_two_accounts(app: Application, peers: Peers) -> None:
    """MT-05."""
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours, subject="ivan")
    other, _, _ = browser.obtain_code(peers.openid, peers.ours_with_ec, subject="ivan")
    first, second = app.exchange("op", grant.credential), app.exchange("op-ec", other.credential)
    assert signed_in(first)["uid"] != signed_in(second)["uid"]


def test_a_code_without_its_verifier_never_reaches_the_provider(app: Application, peers: Peers) -> None:
    """EX-04."""
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
    before = len(peers.openid.arrivals("/token"))
    credential = grant.credential
    del credential["code_verifier"]
    refused(app.exchange("op", credential), 400, "pkce_required")
    assert len(peers.openid.arrivals("/token")) == before


def test_a_code_with_another_verifier_is_refused_by_the_provider(app: Application, peers: Peers) -> None:
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
    refused(app.exchange("op", grant.credential | {"code_verifier": "v" * 43}), 400, "code_rejected")


def test_a_code_with_another_nonce_is_refused(app: Application, peers: Peers) -> None:
    """EX-07: the provider accepts it, and only the ID token shows the error."""
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
    refused(app.exchange("op", grant.credential | {"nonce": "somebody-elses-nonce"}), 400, "nonce_mismatch")


def test_a_code_without_a_nonce_is_refused(app: Application, peers: Peers) -> None:
    """EX-23."""
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
    credential = grant.credential
    del credential["nonce"]
    refused(app.exchange("op", credential), 400, "missing_field")


def test_a_code_that_was_issued_to_another_client_is_refused(app: Application, peers: Peers) -> None:
    """EX-08."""
    grant, _, _ = browser.obtain_code(peers.openid, peers.stranger)
    refused(app.exchange("op", grant.credential), 400, "redirect_uri_not_allowed")
    refused(app.exchange("op", grant.credential | {"redirect_uri": CALLBACK}), 400, "code_rejected")


def test_a_code_whose_id_token_names_another_client_is_refused(app: Application, peers: Peers) -> None:
    """EX-08 at a provider that does not bind its codes to a challenge."""
    op = peers.openid
    claims = op.claims(peers.stranger.client_id, nonce="n" * 22)
    answer = {
        "access_token": "a-strangers-access-token",
        "token_type": "Bearer",
        "id_token": tokens.signed(claims, op.rsa_key, "RS256"),
    }
    grant, _, _ = browser.obtain_code(op, peers.ours)
    with op.answering("/token", faults.content(answer)):
        refused(app.exchange("op", grant.credential | {"nonce": "n" * 22}), 400, "audience_mismatch")


def test_an_access_token_that_the_id_token_does_not_vouch_for_is_refused(app: Application, peers: Peers) -> None:
    """IDT-37 in the code flow."""
    op = peers.openid
    theirs = browser.obtain_tokens(op, peers.ours)
    grant, session, redirect = browser.obtain_code(op, peers.ours)
    answer = session.fetch_token(
        op.origin + "/token", authorization_response=redirect, code_verifier=grant.code_verifier
    )
    mixed = faults.content(dict(answer) | {"access_token": theirs["access_token"]})
    with op.answering("/token", mixed):
        refused(app.exchange("op", grant.credential), 400, "at_hash_mismatch")


def test_a_person_who_does_not_consent_is_not_signed_in(app: Application, peers: Peers) -> None:
    before = len(peers.openid.arrivals("/token"))
    answer = app.sign_in("op", CALLBACK, parameters={"login_hint": "dave", "prompt": "none"})
    redirect = browser.callback(answer["authorization_url"])
    assert browser.parameters(redirect)["error"] == "access_denied"
    refused(_callback(app, answer, redirect), 400, "access_denied")
    assert len(peers.openid.arrivals("/token")) == before


Change = Callable[[str], str]


def _replacing(name: str, value: str) -> Change:
    return lambda url: f"{url.split('?')[0]}?{urlencode(browser.parameters(url) | {name: value})}"


@pytest.mark.parametrize(
    ("reason", "change"),
    [
        ("state_mismatch", _replacing("state", "s" * 22)),
        ("issuer_mismatch", _replacing("iss", "https://evil.example")),
        ("callback_mismatch", lambda url: url.replace(CALLBACK, "https://evil.example/callback")),
        ("callback_mismatch", lambda url: url + "&code=another"),
        ("callback_mismatch", lambda url: url + "&access_token=t"),
        ("issuer_mismatch", lambda url: url.split("&iss=")[0]),
    ],
    ids=["state", "issuer", "redirect_uri", "second code", "implicit", "no issuer"],
)
def test_a_callback_that_does_not_belong_leaves_the_session_as_it_is(
    app: Application, peers: Peers, reason: str, change: Change
) -> None:
    """CB-02, CB-03, CB-12, CB-13, CB-18, CB-19: an attacker who has seen a URL cannot use up a sign-in."""
    answer, redirect = _begun(app)
    before = len(peers.openid.arrivals("/token"))
    refused(_callback(app, answer, change(redirect)), 400, reason)
    assert len(peers.openid.arrivals("/token")) == before
    signed_in(_callback(app, answer, redirect))


def test_a_session_of_another_client_or_provider_is_refused(app: Application, trusted: Application) -> None:
    """CB-14, IDT-44."""
    answer, redirect = _begun(app)
    refused(_callback(trusted, answer, redirect), 400, "session_invalid")
    refused(_callback(app, answer, redirect, provider="op-ec"), 400, "session_invalid")
    signed_in(_callback(app, answer, redirect))


def test_the_client_secret_is_sent_only_in_the_header(app: Application, peers: Peers) -> None:
    """X2-06."""
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
    signed_in(app.exchange("op", grant.credential))
    arrival = peers.openid.arrivals("/token")[-1]
    assert arrival.header["Authorization"].startswith("Basic ")
    assert arrival.query == ""
    assert arrival.form == {
        "grant_type": "authorization_code",
        "code": grant.code,
        "redirect_uri": CALLBACK,
        "code_verifier": grant.code_verifier,
    }


@pytest.mark.parametrize("code", ["x&client_id=evil&grant_type=refresh_token", "ü/+ %26"])
def test_a_code_arrives_as_one_value(app: Application, peers: Peers, code: str) -> None:
    """EX-12."""
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
    refused(app.exchange("op", grant.credential | {"code": code}), 400, "code_rejected")
    form = peers.openid.arrivals("/token")[-1].form
    assert (form["code"], form["grant_type"]) == (code, "authorization_code")


def test_a_client_may_use_only_its_own_providers(app: Application, peers: Peers) -> None:
    narrow = Application(app.deployment, "narrow")
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours_with_ec)
    refused(narrow.exchange("op-ec", grant.credential), 403, "provider_disabled")
    signed_in(app.exchange("op-ec", grant.credential))


def test_an_unknown_client_or_provider_is_refused(app: Application, peers: Peers) -> None:
    """EX-21, ST-18."""
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
    refused(Application(app.deployment, "nobody").exchange("op", grant.credential), 401, "unknown_client")
    refused(app.exchange("nobody", grant.credential), 400, "unknown_provider")


@pytest.mark.parametrize("member", ["uid", "sub", "email", "claims", "issuer", "skip_nonce", "id_token"])
def test_a_member_that_the_credential_has_no_use_for_is_refused(app: Application, peers: Peers, member: str) -> None:
    """EX-11, EX-22, IDT-48."""
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
    refused(app.exchange("op", grant.credential | {member: "victim"}), 400, "unknown_field")
