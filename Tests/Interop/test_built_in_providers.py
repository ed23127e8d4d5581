"""Every provider of the guide at its stand-in in the sandbox, with the configuration of the guide.

The stand-ins answer what the providers document, with their peculiarities. `test_documented_providers.py` signs in at
peers that other projects wrote, by the same configurations.
"""

from __future__ import annotations

import secrets
import subprocess
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
import yaml

from conftest import Settle
from deployment.application import Answer, Application
from deployment.expectations import redeemed, refused, signed_in
from deployment.firebase import Firebase
from deployment.native_application import NativeApplication, Television, post_form
from deployment.pages import GUIDE, examples
from deployment.sandbox import SandboxedDeployment
from deployment.waiting import DEADLINE
from peers import tokens
from peers.browser import parameters
from peers.operator import Operator
from peers.person import Person

TENANT = "11111111-2222-3333-4444-555555555555"
LETTERS, DIGITS = "ALICEWJNWVNQD4GXZ5NGMZUST4", "244994945"
NAME = {"name": "Alice Example"}
NAMES = NAME | {"given_name": "Alice", "family_name": "Example"}
EMAIL = {"email": "alice@example.com", "email_verified": True}
UNVERIFIED = EMAIL | {"email_verified": False}
PICTURE = {"picture": "https://people.example/alice.png"}
SCREEN_NAME = {"screen_name": "alice_example"}

# The subject of Alice, and her profile.
ALICE: dict[str, tuple[str, dict[str, Any]]] = {
    "google.com": (DIGITS, NAMES | EMAIL | PICTURE),
    "apple.com": (f"001667.{LETTERS}.0433", EMAIL),
    "microsoft.com": (
        f"{TENANT}:00000000-0000-0000-0000-000{DIGITS}",
        NAME | UNVERIFIED | {"screen_name": "alice_example@contoso.example"},
    ),
    "github.com": (DIGITS, NAME | EMAIL | PICTURE | SCREEN_NAME),
    "facebook.com": (f"10{DIGITS}", NAMES | UNVERIFIED | PICTURE),
    "line": (f"U{LETTERS}", NAME | PICTURE),
    "linkedin": (LETTERS, NAMES | EMAIL | PICTURE),
    "discord": (DIGITS, EMAIL | SCREEN_NAME | {"name": "Alice", "locale": "en-US"}),
    "spotify": (LETTERS, NAME | UNVERIFIED | PICTURE),
    "naver": (LETTERS, NAME | UNVERIFIED | PICTURE | SCREEN_NAME),
    "kakao": (DIGITS, NAME | UNVERIFIED | PICTURE),
    "slack": (f"T0R7GR:U{DIGITS}", NAMES | UNVERIFIED | PICTURE | {"locale": "en-US"}),
    "strava": (DIGITS, PICTURE | SCREEN_NAME | {"given_name": "Alice", "family_name": "Example"}),
    "zoom": (LETTERS, NAME | UNVERIFIED | PICTURE | {"locale": "en-US"}),
    "twitch": (DIGITS, EMAIL | PICTURE | SCREEN_NAME | {"name": "alice_example"}),
}
OPENID = ["google.com", "apple.com", "microsoft.com", "kakao", "slack", "twitch"]
PROVIDERS = pytest.mark.parametrize("provider", ALICE)


@pytest.fixture
def person(sandboxed: SandboxedDeployment) -> Person:
    return Person(sandboxed.server.origin, sandboxed.sandbox.providers)


@pytest.fixture
def app(sandboxed: SandboxedDeployment) -> Application:
    return Application(sandboxed.server, "my-app")


def _redirect(provider: str) -> str:
    return f"com.example.app:/{provider}"


def _allow(person: Person, user: str = "alice") -> Person:
    """Consents, and sends the form with which Apple answers."""
    person.allow(user)
    if person.page is not None and person.heading == "Back to the application":
        person.press("", "")
    return person


def _is_alice(body: dict[str, Any], provider: str) -> None:
    subject, profile = ALICE[provider]
    assert (body["provider"], body["provider_uid"]) == (provider, subject)
    # Apple sends the name once, for a new account.
    got = {name: value for name, value in body["profile"].items() if provider != "apple.com" or "name" not in name}
    assert got == profile


# MARK: - The configuration


URLS = {"issuer", "endpoints", "emails", "introspection"}


@PROVIDERS
def test_the_sandbox_configures_what_the_guide_shows(sandboxed: SandboxedDeployment, provider: str) -> None:
    """Only URLs and credentials differ, so that the other tests here hold the guide to the truth."""
    # Providers.md repeats the beginning of some sections of Templates.md.
    sections = [
        yaml.safe_load(example.code)["providers"]
        for example in examples([GUIDE / "Templates.md", GUIDE / "Providers.md"])
        if example.kind == "configuration"
    ]
    documented = next(section[provider] for section in sections if provider in section)
    configured = sandboxed.sandbox.settings["providers"][provider]
    assert configured.keys() - URLS == documented.keys() - URLS
    for name in documented.keys() - URLS - {"client_id", "client_secret"}:
        assert configured[name] == documented[name], name
    assert type(configured["client_secret"]) is type(documented["client_secret"])


def test_every_template_has_a_stand_in(sandboxed: SandboxedDeployment) -> None:
    command = [str(sandboxed.server.binary), "providers", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE, check=True).stdout
    templates = {line.split()[0] for line in listed.splitlines() if line.startswith(tuple(ALICE))}
    assert templates == ALICE.keys() - {"strava", "zoom"}
    stand_ins = sandboxed.sandbox.order("GET", "/applications")["ours"].keys()
    assert stand_ins == ALICE.keys() | {"yahoo.com", "twitter.com"}


# MARK: - Flows


@PROVIDERS
def test_a_person_signs_in_with_a_browser(
    sandboxed: SandboxedDeployment, native: NativeApplication, person: Person, provider: str
) -> None:
    last = sandboxed.sandbox.order("GET", "/requests")["last"]
    begun = native.begin()
    _allow(person.open(begun.url).press("provider", provider))
    answer = parameters(person.redirect)
    sandboxed.server.secrets.add(answer["code"])
    body = redeemed(native.redeem(begun, answer["code"]), sandboxed.account)
    _is_alice(body, provider)
    assert body["audience_proof"] == "authorization_code"
    refused(native.redeem(begun, answer["code"]), 400, "replayed")
    # Apple has no user endpoint, and that of Microsoft is at another host than the issuer.
    counts = sandboxed.sandbox.order("GET", f"/requests?since={last}")["counts"]
    assert counts.get("providers.user", 0) == (0 if provider in ("apple.com", "microsoft.com") else 1)


def test_apple_sends_the_name_once_for_a_new_account(
    sandboxed: SandboxedDeployment, native: NativeApplication, person: Person
) -> None:
    for name in ("Mallory Example", None):
        begun = native.begin(provider="apple.com")
        _allow(person.open(begun.url).press("provider", "apple.com"), "mallory")
        answer = parameters(person.redirect)
        sandboxed.server.secrets.add(answer["code"])
        body = redeemed(native.redeem(begun, answer["code"]), sandboxed.account)
        assert body["profile"].get("name") == name


@PROVIDERS
def test_a_person_who_refuses_comes_back_to_the_application(
    native: NativeApplication, person: Person, provider: str
) -> None:
    begun = native.begin(provider=provider)
    person.open(begun.url).press("provider", provider).press("decision", "deny")
    if person.page is not None:
        person.press("", "")
    answer = parameters(person.redirect)
    assert (answer["error"], answer["state"]) == ("access_denied", begun.state)


@PROVIDERS
def test_a_device_signs_in(sandboxed: SandboxedDeployment, person: Person, provider: str) -> None:
    tv = Television(sandboxed.server, provider=provider)
    person.open(tv.verification_uri).enter_code(tv.user_code)
    _allow(person.press("provider", provider)).press("decision", "approve")
    assert person.heading == "Done. Return to your device."
    _is_alice(redeemed(tv.poll(), sandboxed.account), provider)


@PROVIDERS
def test_a_pushed_request_signs_in(
    sandboxed: SandboxedDeployment, native: NativeApplication, person: Person, provider: str
) -> None:
    begun = native.begin(provider=provider)
    pushed = post_form(sandboxed.server, "/par", parameters(begun.url))
    query = urlencode({"client_id": native.client_id, "request_uri": pushed["request_uri"]})
    _allow(person.open(f"{sandboxed.server.origin}/authorize?{query}").press("provider", provider))
    answer = parameters(person.redirect)
    assert answer["state"] == begun.state
    sandboxed.server.secrets.add(answer["code"])
    _is_alice(redeemed(native.redeem(begun, answer["code"]), sandboxed.account), provider)


def _enter(app: Application, person: Person, provider: str) -> dict[str, Any]:
    """A whole flow of an application that receives the response of the provider itself."""
    answer = app.sign_in(provider, _redirect(provider))
    assert answer.status == 200, answer
    person.open(answer["authorization_url"]).allow()
    # The application receives Apple's form, and posts it as a query.
    callback = f"{_redirect(provider)}?{urlencode(person.form.values)}" if person.page is not None else person.redirect
    app.deployment.secrets.add(dict(parse_qsl(urlsplit(callback).query))["code"])
    credential = {"type": "callback", "session": answer["session"], "callback_url": callback}
    return signed_in(app.exchange(provider, credential))


@PROVIDERS
def test_an_application_with_its_own_redirect_signs_in(app: Application, person: Person, provider: str) -> None:
    body = _enter(app, person, provider)
    _is_alice(body, provider)
    assert body["audience_proof"] == "authorization_code"


def test_a_user_who_signed_up_with_the_sdk_keeps_the_uid(settle: Settle, firebase: Firebase) -> None:
    """And the other way round: Firebase finds a user who signed up here by the same identity."""
    people = settle(firebase={"directory": "firebase"})
    person = Person(people.deployment.origin, people.sandbox.providers)
    for provider in ("google.com", "apple.com", "microsoft.com", "github.com", "facebook.com"):
        # Firebase stores the object id of Microsoft, without the tenant.
        native = ALICE[provider][0].rpartition(":")[2]
        firebase.change("signed-up-on-a-phone", link={"providerId": provider, "rawId": native})
        known = _enter(people, person, provider)
        assert (known["uid"], known["is_new_user"]) == ("signed-up-on-a-phone", False)
        assert firebase.providers(known["uid"]) == {provider: native}
        people.sandbox.order("DELETE", "/google/users")
        new = _enter(people, person, provider)
        assert new["is_new_user"] and firebase.providers(new["uid"]) == {provider: native}
        people.sandbox.order("DELETE", "/google/users")


# MARK: - Credentials that an application obtained itself


def _issued(sandboxed: SandboxedDeployment, provider: str, **order: str) -> dict[str, Any]:
    issued = sandboxed.sandbox.issue(provider=provider, redirect_uri=_redirect(provider), **order)
    sandboxed.server.secrets.add(*(issued.get(name) for name in ("access_token", "refresh_token", "id_token", "code")))
    return issued


def _posted(sandboxed: SandboxedDeployment, app: Application, kind: str, provider: str, **order: str) -> Answer:
    """Posts an ID token or an access token with a nonce of the server."""
    nonce, verifier = app.nonce(provider)
    issued = _issued(sandboxed, provider, nonce=nonce, **order)
    return app.exchange(provider, {"type": kind, kind: issued[kind], "nonce": verifier})


@pytest.mark.parametrize("provider", OPENID)
def test_a_posted_id_token_signs_in_if_it_is_ours(
    sandboxed: SandboxedDeployment, app: Application, provider: str
) -> None:
    body = signed_in(_posted(sandboxed, app, "id_token", provider))
    assert (body["provider_uid"], body["audience_proof"]) == (ALICE[provider][0], "id_token_aud")
    refused(_posted(sandboxed, app, "id_token", provider, application="hostile"), 400, "audience_mismatch")


@pytest.mark.parametrize(
    ("provider", "reason"),
    [
        ("github.com", "token_rejected"),
        ("facebook.com", "audience_mismatch"),
        ("line", "audience_mismatch"),
        ("linkedin", "token_rejected"),
        ("discord", "audience_mismatch"),
        ("twitch", "audience_mismatch"),
    ],
)
def test_a_posted_access_token_signs_in_if_it_is_ours(
    sandboxed: SandboxedDeployment, app: Application, provider: str, reason: str
) -> None:
    body = signed_in(_posted(sandboxed, app, "access_token", provider))
    assert (body["provider_uid"], body["audience_proof"]) == (ALICE[provider][0], "introspection")
    last = sandboxed.sandbox.order("GET", "/requests")["last"]
    refused(_posted(sandboxed, app, "access_token", provider, application="hostile"), 400, reason)
    assert "providers.user" not in sandboxed.sandbox.order("GET", f"/requests?since={last}")["counts"]


@PROVIDERS
def test_a_posted_code_signs_in_only_where_something_binds_it(
    sandboxed: SandboxedDeployment, app: Application, provider: str
) -> None:
    """PKCE, or the nonce of an ID token."""
    accepted = provider not in ("linkedin", "naver", "strava")
    nonce, verifier = secrets.token_urlsafe(24), secrets.token_urlsafe(48)
    has_proof_key = provider not in ("slack", "twitch", "linkedin", "naver", "strava")
    order = {"code_challenge": tokens.sha256(verifier)} if has_proof_key else {}
    issued = _issued(sandboxed, provider, nonce=nonce, **order)
    credential = {"type": "authorization_code", "code": issued["code"], "redirect_uri": _redirect(provider)}
    proofs = {"nonce": nonce} if provider in OPENID else {}
    proofs |= {"code_verifier": verifier} if has_proof_key else {}
    answer = app.exchange(provider, credential | proofs)
    if accepted:
        assert signed_in(answer)["provider_uid"] == ALICE[provider][0]
    else:
        refused(answer, 400, "unsupported_credential")


def test_a_posted_access_token_is_refused_if_nothing_names_its_application(
    sandboxed: SandboxedDeployment, app: Application
) -> None:
    refused(_posted(sandboxed, app, "access_token", "spotify"), 400, "audience_unverifiable")


@pytest.mark.parametrize("provider", ALICE)
def test_a_wrong_code_is_told_from_a_wrong_registration(app: Application, provider: str) -> None:
    answer = app.sign_in(provider, _redirect(provider))
    state = parameters(answer["authorization_url"])["state"]
    issuer = {"iss": answer["authorization_url"].split("/oauth2")[0]} if provider == "discord" else {}
    callback = f"{_redirect(provider)}?{urlencode({'code': 'made-up-code', 'state': state} | issuer)}"
    credential = {"type": "callback", "session": answer["session"], "callback_url": callback}
    refused(app.exchange(provider, credential), 400, "code_rejected")


# MARK: - doctor


@PROVIDERS
def test_the_doctor_walks_a_sign_in(sandboxed: SandboxedDeployment, person: Person, provider: str) -> None:
    operator = Operator(sandboxed.server, provider)
    url = operator.url()
    person.open(url).allow()
    if person.heading == "Back to the application":
        person.press("", "")
    assert person.page is not None
    operator.enter(person.page.url)
    walked = operator.report()
    assert {name for name, severity in walked.problems.items() if severity == "error"} == set()
    assert sandboxed.server.secrets.found_in(walked.output) == []
