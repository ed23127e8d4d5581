"""The authorization server, used by the clients of Authlib and oauthlib."""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata
from oauthlib.oauth2 import DeviceClient, WebApplicationClient
from oauthlib.oauth2.rfc6749.errors import AccessDeniedError, CustomOAuth2Error, InvalidGrantError
from requests_oauthlib import OAuth2Session as RequestsOAuth2Session

from deployment.application import Answer, Application
from deployment.expectations import redeemed, refused, verified
from deployment.native_application import NativeApplication, Television, post_form
from deployment.sandbox import SandboxedDeployment, sandboxed_deployment
from deployment.service_account import ServiceAccount
from peers.browser import parameters
from peers.person import Person

ALICE = "yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4"
PRIVATE_USE = "com.example.app:/oauth"
LOOPBACK = "http://127.0.0.1:49152/callback"
WEBSITE = "https://app.example/callback"
DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code"
TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token"
JWT = "urn:ietf:params:oauth:token-type:jwt"


@pytest.fixture(scope="module")
def metadata(sandboxed: SandboxedDeployment) -> AuthorizationServerMetadata:
    """RFC 8414 section 3: the document is at the well-known path of the issuer, and contains the issuer."""
    issuer = sandboxed.server.origin
    with requests.Session() as session:
        session.trust_env = False
        response = session.get(issuer + "/.well-known/oauth-authorization-server", timeout=10)
    assert response.headers["Content-Type"] == "application/json"
    document = AuthorizationServerMetadata(response.json())
    assert document["issuer"] == issuer
    return document


@pytest.fixture
def session(metadata: AuthorizationServerMetadata) -> Iterator[OAuth2Session]:
    """Authlib's client, configured only by the metadata."""
    with _authlib(PRIVATE_USE) as session:
        yield session


def _authlib(redirect_uri: str, client_id: str = "my-app") -> OAuth2Session:
    session = OAuth2Session(
        client_id, redirect_uri=redirect_uri, code_challenge_method="S256", token_endpoint_auth_method="none"
    )
    session.trust_env = False
    return session


# MARK: - RFC 8414


def test_the_metadata_is_valid_and_true(metadata: AuthorizationServerMetadata) -> None:
    # Authlib requires https. The metadata is valid otherwise.
    https = AuthorizationServerMetadata({name: _https(value) for name, value in metadata.items()})
    https.validate()
    assert metadata["response_types_supported"] == ["code"]
    assert metadata["code_challenge_methods_supported"] == ["S256"]
    assert metadata["token_endpoint_auth_methods_supported"] == ["none"]
    assert sorted(metadata["grant_types_supported"]) == sorted(["authorization_code", DEVICE_CODE, TOKEN_EXCHANGE])
    assert metadata["authorization_response_iss_parameter_supported"] is True
    for name in ("authorization", "token", "device_authorization", "pushed_authorization_request"):
        assert metadata[f"{name}_endpoint"].startswith(metadata["issuer"] + "/")


def _https(value: Any) -> Any:
    return value.replace("http://", "https://") if isinstance(value, str) else value


# MARK: - RFC 6749 section 4.1, RFC 7636, RFC 8252


@pytest.mark.parametrize("redirect_uri", [PRIVATE_USE, LOOPBACK, LOOPBACK.replace("49152", "65535")])
def test_authlib_signs_in_a_native_application(
    sandboxed: SandboxedDeployment, metadata: AuthorizationServerMetadata, person: Person, redirect_uri: str
) -> None:
    """RFC 8252 sections 7.1 and 7.3: any loopback port is accepted if the registered URI has none."""
    with _authlib(redirect_uri) as session:
        verifier = generate_token(48)
        url, state = session.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier)
        person.open(url)
        # RFC 8252 section 8.6: the page names the application and waits for the user.
        assert person.heading == "Sign in to My App"
        redirect = person.press("provider", "yahoo.com").allow().redirect
        assert redirect.startswith(redirect_uri + "?")
        answer = parameters(redirect)
        assert answer.keys() == {"code", "state", "iss"}
        # RFC 9207 section 2.4.
        assert answer["iss"] == metadata["issuer"]
        assert answer["state"] == state
        token = session.fetch_token(
            metadata["token_endpoint"], authorization_response=redirect, state=state, code_verifier=verifier
        )
    sandboxed.server.secrets.add(token["access_token"], answer["code"], verifier)
    assert token["uid"] == verified(token["access_token"], sandboxed.account)["uid"] == ALICE
    assert token["token_type"] == "Bearer"
    assert token["expires_in"] == 300


def test_a_website_that_names_the_provider_needs_no_page(
    sandboxed: SandboxedDeployment, metadata: AuthorizationServerMetadata, person: Person
) -> None:
    with _authlib(WEBSITE, "website") as session:
        verifier = generate_token(48)
        url, state = session.create_authorization_url(
            metadata["authorization_endpoint"], code_verifier=verifier, provider="yahoo.com", scope="openid email"
        )
        person.open(url)
        assert person.heading == "Sign in with Yahoo (stand-in)"
        redirect = person.allow().redirect
        token = session.fetch_token(
            metadata["token_endpoint"], authorization_response=redirect, state=state, code_verifier=verifier
        )
    assert token["uid"] == verified(token["access_token"], sandboxed.account)["uid"] == ALICE
    assert "oauth" not in token, "this client is given no tokens of the provider"


def test_a_refusal_is_oauthlibs_error(
    sandboxed: SandboxedDeployment,
    metadata: AuthorizationServerMetadata,
    native: NativeApplication,
    person: Person,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    begun = native.begin(LOOPBACK)
    redirect = person.open(begun.url).press("provider", "yahoo.com").press("decision", "deny").redirect
    assert parameters(redirect)["iss"] == metadata["issuer"]
    with pytest.raises(AccessDeniedError):
        WebApplicationClient("my-app").parse_request_uri_response(redirect, state=begun.state)


def test_requests_oauthlib_signs_in(
    sandboxed: SandboxedDeployment,
    metadata: AuthorizationServerMetadata,
    person: Person,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # oauthlib refuses http even on loopback, unless this variable is set.
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    with RequestsOAuth2Session("my-app", redirect_uri=LOOPBACK, pkce="S256") as session:
        session.trust_env = False
        url, _ = session.authorization_url(metadata["authorization_endpoint"], provider="twitter.com")
        redirect = person.open(url).press("provider", "twitter.com").allow("bjorn").redirect
        # By default oauthlib sends the client_id as the user name of Basic, with an empty password.
        token = session.fetch_token(metadata["token_endpoint"], authorization_response=redirect)
        assert token["uid"] == verified(token["access_token"], sandboxed.account)["uid"]
        assert token["uid"] == "twitter.com:1580661436132757506"
        with pytest.raises(InvalidGrantError):
            session.fetch_token(metadata["token_endpoint"], authorization_response=redirect, include_client_id=True)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"code_verifier": "v" * 43}, "pkce_mismatch"),
        ({"redirect_uri": LOOPBACK}, "code_rejected"),
        ({"client_id": "website"}, "code_rejected"),
        ({"code": "c" * 43}, "code_rejected"),
    ],
    ids=["verifier", "redirect_uri", "client", "code"],
)
def test_a_code_is_valid_only_for_the_client_that_began_the_flow(
    sandboxed: SandboxedDeployment, native: NativeApplication, person: Person, changes: dict[str, str], reason: str
) -> None:
    begun = native.begin(PRIVATE_USE)
    redirect = person.open(begun.url).press("provider", "yahoo.com").allow().redirect
    code = parameters(redirect)["code"]
    refused(native.redeem(begun, **{"code": code} | changes), 400, reason)
    redeemed(native.redeem(begun, code), sandboxed.account)
    refused(native.redeem(begun, code), 400, "replayed")


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"code_challenge": ""}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"scope": "everything", "provider": "yahoo.com"}, "invalid_scope"),
        ({"provider": "nobody"}, "invalid_request"),
    ],
)
def test_an_error_of_a_request_is_sent_to_the_application(
    sandboxed: SandboxedDeployment, native: NativeApplication, person: Person, changes: dict[str, str], error: str
) -> None:
    """RFC 6749 section 4.1.2.1; a provider's scopes are checked when the browser is redirected to it."""
    begun = native.begin(PRIVATE_USE, **changes)
    person.open(begun.url)
    if person.left_for is None:
        person.press("provider", changes["provider"])
    assert person.redirect.startswith(PRIVATE_USE + "?")
    answer = parameters(person.redirect)
    assert (answer["error"], answer["state"]) == (error, begun.state)
    assert answer["iss"] == sandboxed.server.origin
    assert "code" not in answer


def test_the_callback_of_another_browser_is_refused(
    sandboxed: SandboxedDeployment, native: NativeApplication, person: Person
) -> None:
    """Another browser opens the callback of a user: without the cookie it fails, and the user's sign-in continues."""
    begun = native.begin(PRIVATE_USE)
    person.open(begun.url).press("provider", "yahoo.com")
    thief = Person(sandboxed.server.origin, sandboxed.sandbox.yahoo)
    assert person.page is not None
    thief.open(person.page.url).allow()
    assert thief.heading == "This sign-in has ended"
    redirect = person.allow().redirect
    redeemed(native.redeem(begun, parameters(redirect)["code"]), sandboxed.account)


def test_eight_flows_of_one_browser_do_not_meet(
    sandboxed: SandboxedDeployment, native: NativeApplication, person: Person
) -> None:
    """All flows are at the provider before the first one is finished."""
    begun = [native.begin(PRIVATE_USE) for _ in range(8)]
    waiting = [person.open(flow.url).press("provider", "yahoo.com").page for flow in begun]
    for flow, page in zip(begun, waiting, strict=True):
        person.page = page
        answer = parameters(person.allow().redirect)
        assert answer["state"] == flow.state
        redeemed(native.redeem(flow, answer["code"]), sandboxed.account)


@pytest.mark.parametrize(
    ("language", "lang"), [("ga, fa;q=0.8, en;q=0.5", "fa"), ("bn-IN", "bn"), ("ga", "en"), ("hi;q=0, en", "en")]
)
def test_a_page_has_the_language_of_the_browser(sandboxed: SandboxedDeployment, language: str, lang: str) -> None:
    person = Person(sandboxed.server.origin, language=language).open(sandboxed.server.origin + "/device")
    assert person.page is not None
    assert person.page.headers["Content-Language"] == lang
    assert f'<html lang="{lang}"' in person.page.text


# MARK: - RFC 9126


def test_a_pushed_request_ends_with_the_first_sign_in(
    sandboxed: SandboxedDeployment, metadata: AuthorizationServerMetadata, native: NativeApplication, person: Person
) -> None:
    begun = native.begin(PRIVATE_USE, provider="yahoo.com")
    pushed = post_form(
        sandboxed.server, urlsplit(metadata["pushed_authorization_request_endpoint"]).path, parameters(begun.url)
    )
    assert pushed.status == 201
    assert pushed.body.keys() == {"request_uri", "expires_in"}
    assert pushed["request_uri"].startswith("urn:ietf:params:oauth:request_uri:")
    assert pushed["expires_in"] == 90
    query = urlencode({"client_id": "my-app", "request_uri": pushed["request_uri"]})
    url = f"{metadata['authorization_endpoint']}?{query}"
    # A preview and a reload open the link as well.
    again = Person(sandboxed.server.origin, sandboxed.sandbox.yahoo).open(url)
    redirect = person.open(url).open(url).press("provider", "yahoo.com").allow().redirect
    assert parameters(redirect)["state"] == begun.state
    assert redeemed(native.redeem(begun, parameters(redirect)["code"]), sandboxed.account)["uid"] == ALICE
    assert again.press("provider", "yahoo.com").allow().heading == "This sign-in has ended"


def test_a_pushed_request_is_its_clients_own(
    sandboxed: SandboxedDeployment, native: NativeApplication, person: Person
) -> None:
    begun = native.begin(PRIVATE_USE)
    pushed = post_form(sandboxed.server, "/par", parameters(begun.url))
    query = urlencode({"client_id": "sandbox", "request_uri": pushed["request_uri"]})
    person.open(f"{sandboxed.server.origin}/authorize?{query}")
    assert person.heading == "This sign-in has ended"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"redirect_uri": "https://evil.example/callback"}, "redirect_uri_not_allowed"),
        ({"code_challenge_method": "plain"}, "pkce_required"),
        ({"request_uri": "urn:ietf:params:oauth:request_uri:x"}, "parameter_not_allowed"),
    ],
)
def test_an_error_of_a_pushed_request_is_returned_immediately(
    sandboxed: SandboxedDeployment, native: NativeApplication, changes: dict[str, str], reason: str
) -> None:
    refused(post_form(sandboxed.server, "/par", parameters(native.begin(PRIVATE_USE).url) | changes), 400, reason)


# MARK: - RFC 8693


@pytest.fixture
def subject(sandboxed: SandboxedDeployment) -> dict[str, str]:
    """An ID token of Yahoo for our client with a nonce of the server."""
    nonce, verifier = Application(sandboxed.server, "my-app").nonce("yahoo.com")
    issued = sandboxed.sandbox.issue(provider="yahoo.com", user="alice", nonce=nonce)
    sandboxed.server.secrets.add(issued["id_token"], verifier)
    return {
        "grant_type": TOKEN_EXCHANGE,
        "subject_token": issued["id_token"],
        "subject_token_type": ID_TOKEN,
        "subject_issuer": "yahoo.com",
        "nonce": verifier,
        "client_id": "my-app",
    }


def test_authlib_exchanges_a_token(
    sandboxed: SandboxedDeployment,
    metadata: AuthorizationServerMetadata,
    session: OAuth2Session,
    subject: dict[str, str],
) -> None:
    # Authlib adds the client_id itself.
    form = {name: value for name, value in subject.items() if name != "client_id"}
    token = session.fetch_token(metadata["token_endpoint"], **form, requested_token_type=JWT)
    # RFC 8693 section 2.2.1: the required members, and the token_type of a token that is not an access token.
    assert {"access_token", "issued_token_type", "token_type"} <= token.keys()
    assert token["issued_token_type"] == JWT
    assert token["token_type"] == "N_A"
    assert token["uid"] == verified(token["access_token"], sandboxed.account)["uid"] == ALICE
    assert token["audience_proof"] == "id_token_aud"
    again = post_form(sandboxed.server, "/token", subject)
    refused(again, 400, "replayed")
    # RFC 8693 section 2.2.2.
    assert again["error"] == "invalid_request"


def test_a_token_of_another_application_is_refused(sandboxed: SandboxedDeployment, subject: dict[str, str]) -> None:
    """The main attack that the server must prevent, here through RFC 8693."""
    nonce, verifier = Application(sandboxed.server, "my-app").nonce("yahoo.com")
    stolen = sandboxed.sandbox.issue(provider="yahoo.com", application="hostile", user="alice", nonce=nonce)
    answer = post_form(sandboxed.server, "/token", subject | {"subject_token": stolen["id_token"], "nonce": verifier})
    refused(answer, 400, "audience_mismatch")
    assert answer["error"] == "invalid_request"
    redeemed(post_form(sandboxed.server, "/token", subject), sandboxed.account, "N_A")


@pytest.mark.parametrize(
    ("changes", "error", "reason"),
    [
        ({"audience": "somebody"}, "invalid_target", "invalid_target"),
        ({"resource": "https://somebody.example"}, "invalid_target", "invalid_target"),
        ({"actor_token": "x", "actor_token_type": JWT}, "invalid_request", "parameter_not_allowed"),
        ({"subject_token_type": "urn:ietf:params:oauth:token-type:saml2"}, "invalid_request", "unknown_credential_type"),
        (
            {"subject_token_type": "urn:ietf:params:oauth:token-type:access_token"},
            "invalid_request",
            "audience_unverifiable",
        ),
        ({"grant_type": "password"}, "unsupported_grant_type", "unsupported_grant_type"),
        ({"client_id": "living-room-tv"}, "unauthorized_client", "unauthorized_client"),
    ],
)
def test_an_unsupported_exchange_is_refused_and_the_token_stays_usable(
    sandboxed: SandboxedDeployment, subject: dict[str, str], changes: dict[str, str], error: str, reason: str
) -> None:
    answer = post_form(sandboxed.server, "/token", subject | changes)
    refused(answer, 400, reason)
    assert answer["error"] == error
    redeemed(post_form(sandboxed.server, "/token", subject), sandboxed.account, "N_A")


# MARK: - RFC 8628


def test_the_response_of_a_device_authorization_is_that_of_the_rfc(sandboxed: SandboxedDeployment) -> None:
    begun = Television(sandboxed.server).begun
    assert begun.body.keys() == {
        "device_code",
        "user_code",
        "verification_uri",
        "verification_uri_complete",
        "expires_in",
        "interval",
    }
    assert begun["expires_in"] == 600
    assert begun["interval"] == 5
    assert re.fullmatch("[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}", begun["user_code"])
    assert begun["verification_uri"] == sandboxed.server.origin + "/device"


def test_authlib_polls_for_a_device_and_obeys_slow_down(
    sandboxed: SandboxedDeployment, metadata: AuthorizationServerMetadata, session: OAuth2Session, person: Person
) -> None:
    with requests.Session() as plain:
        plain.trust_env = False
        begun = plain.post(metadata["device_authorization_endpoint"], data={"client_id": "my-app"}, timeout=10).json()
    sandboxed.server.secrets.add(begun["device_code"])

    def poll() -> dict[str, Any]:
        return session.fetch_token(metadata["token_endpoint"], grant_type=DEVICE_CODE, device_code=begun["device_code"])

    with pytest.raises(OAuthError, match="authorization_pending"):
        poll()
    with pytest.raises(OAuthError, match="slow_down"):
        poll()
    slowed = time.monotonic()
    person.open(begun["verification_uri"]).enter_code(begun["user_code"].lower())
    assert person.heading == "Sign in to My App on your device?"
    person.press("provider", "yahoo.com").allow()
    assert person.heading == "Last step: sign in to My App?"
    # RFC 8628 section 3.5: the interval increases by five seconds for this and all further requests.
    time.sleep(max(0.0, slowed + begun["interval"] + 5 - time.monotonic()))
    with pytest.raises(OAuthError, match="authorization_pending"):
        poll()
    person.press("decision", "approve")
    assert person.heading == "Done. Return to your device."
    token = poll()
    assert token["uid"] == verified(token["access_token"], sandboxed.account)["uid"] == ALICE
    assert token["token_type"] == "Bearer"
    with pytest.raises(OAuthError, match="invalid_grant"):
        poll()


def test_an_interval_that_grew_is_held_to(sandboxed: SandboxedDeployment) -> None:
    """An interval of five seconds is now too short."""
    tv = Television(sandboxed.server)
    refused(tv.poll(), 400, "authorization_pending")
    refused(tv.poll(patient=False), 400, "slow_down")
    time.sleep(tv.begun["interval"] + 1)
    refused(tv.poll(patient=False), 400, "slow_down")


def test_oauthlibs_device_client_reads_every_response(
    sandboxed: SandboxedDeployment, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    tv = Television(sandboxed.server)
    client = DeviceClient("living-room-tv")

    def poll() -> Answer:
        body = client.prepare_request_body(tv.begun["device_code"], include_client_id=True)
        return post_form(sandboxed.server, "/token", dict(parse_qsl(body, strict_parsing=True)))

    with pytest.raises(CustomOAuth2Error, match="authorization_pending"):
        client.parse_request_body_response(json.dumps(poll().body))
    person.open(tv.begun["verification_uri_complete"]).press("", "").press("provider", "twitter.com").allow()
    person.press("decision", "approve")
    token = client.parse_request_body_response(json.dumps(poll().body))
    assert token["uid"] == verified(token["access_token"], sandboxed.account)["uid"] == "twitter.com:2244994945"


def test_a_form_of_one_browser_is_refused_in_another(sandboxed: SandboxedDeployment, person: Person) -> None:
    """RFC 8628 section 5.4: a form that an attacker has prepared cannot approve a code."""
    tv = Television(sandboxed.server)
    person.open(tv.verification_uri).enter_code(tv.user_code).press("provider", "yahoo.com").allow()
    approval = person.form.values["flow"]
    other = Person(sandboxed.server.origin, sandboxed.sandbox.yahoo)
    other.open(tv.verification_uri)
    other.post("/device", flow=approval, decision="approve")
    assert other.heading == "This page cannot be used any more"
    refused(tv.poll(), 400, "authorization_pending")
    person.press("decision", "deny")
    refused(tv.poll(patient=False), 400, "access_denied")


def test_guesses_of_user_codes_are_limited(binary: Path, tmp_path: Path, service_account: ServiceAccount) -> None:
    """RFC 8628 section 5.1; afterwards even the correct code is refused."""
    with sandboxed_deployment(binary, tmp_path, service_account, device_code_tries=2) as deployment:
        code = Television(deployment.server).user_code
        person = Person(deployment.server.origin).open(deployment.server.origin + "/device")
        # A text that is not a code reveals nothing, and is not counted.
        for guess, status in (("a word", 400), ("BCDF-BCDF", 400), ("BCDF-BCDG", 400), (code, 429)):
            person.enter_code(guess)
            assert person.page is not None
            assert person.page.status_code == status, guess
        assert "There were too many wrong codes." in person.page.text
        # RFC 6585 section 4.
        assert 0 < int(person.page.headers["Retry-After"]) <= 300


def test_after_a_reload_the_user_only_types_the_code_again(
    sandboxed: SandboxedDeployment, person: Person
) -> None:
    tv = Television(sandboxed.server)
    person.open(tv.verification_uri).enter_code(tv.user_code).press("provider", "yahoo.com").allow()
    assert person.page is not None
    person.open(person.page.url)
    person.open(tv.verification_uri).enter_code(tv.user_code).press("provider", "yahoo.com").allow("bjorn")
    person.press("decision", "approve")
    assert redeemed(tv.poll(), sandboxed.account)["uid"] == "yahoo.com:BJORNWJNWVNQD4GXZ5NGMZUST4"


def test_a_device_code_is_its_clients_own(sandboxed: SandboxedDeployment) -> None:
    tv = Television(sandboxed.server)
    tv.client_id = "my-app"
    refused(tv.poll(), 400, "code_rejected")


def test_a_client_without_the_grant_gets_the_reason(sandboxed: SandboxedDeployment) -> None:
    answer = post_form(sandboxed.server, "/device_authorization", {"client_id": "website"})
    refused(answer, 400, "unauthorized_client")


def test_an_unknown_device_code_is_refused(sandboxed: SandboxedDeployment) -> None:
    tv = Television(sandboxed.server)
    tv.begun.body["device_code"] = secrets.token_urlsafe(32)
    refused(tv.poll(), 400, "code_rejected")
