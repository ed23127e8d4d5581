"""The configurations of the guide's pages about providers, at stand-ins with the peculiarities of those providers.

The documented configuration is used as it is: the variables that it names are set, and the hosts of its URLs and of
those of the template are replaced. OpenID Providers are Authlib's, with the paths of the documented provider.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jwt
import pytest
import requests
import yaml
from joserfc.jwk import ECKey

from conftest import Deploy, Settle
from deployment.application import Answer, Application
from deployment.configuration import CALLBACK
from deployment.expectations import refused, signed_in
from deployment.firebase import Firebase
from deployment.pages import examples
from deployment.waiting import DEADLINE
from peers import browser, oauth2_provider, tokens
from peers.oauth2_provider import OAuth2Provider, Registration
from peers.openid_provider import Client, OpenIDProvider, Quirks

SECRET = "s3cret+of/the=provider"
OPENID = frozenset({"openid"})
TENANT, PERSON = "11111111-2222-3333-4444-555555555555", "22222222-3333-4444-5555-666666666666"
MICROSOFT = {
    "name": "Person",
    "preferred_username": "person@contoso.example",
    "email": "person@contoso.example",
    "tid": TENANT,
    "oid": PERSON,
    "iss": f"{{origin}}/{TENANT}/v2.0",
    "ver": "2.0",
}


def _microsoft(tenant: str, issuer: str) -> Quirks:
    return Quirks(
        issuer_path=f"/{tenant}/v2.0",
        announced_issuer=issuer,
        paths={
            "authorize": f"/{tenant}/oauth2/v2.0/authorize",
            "token": f"/{tenant}/oauth2/v2.0/token",
            "userinfo": "/oidc/userinfo",
            "keys": f"/{tenant}/discovery/v2.0/keys",
        },
        elsewhere=frozenset({"userinfo"}),
        authentication="client_secret_post",
        scopes=OPENID | {"profile", "email", "offline_access"},
        returns_issuer=False,
        id_token=MICROSOFT,
        token_response={"ext_expires_in": 3599},
    )


ONE_TENANT = _microsoft(TENANT, f"{{origin}}/{TENANT}/v2.0")
QUIRKS = {
    "example": Quirks(),
    "google.com": Quirks(
        paths={
            "authorize": "/o/oauth2/v2/auth",
            "token": "/token",
            "userinfo": "/v1/userinfo",
            "keys": "/oauth2/v3/certs",
        },
        scopes=OPENID | {"profile", "email"},
        returns_issuer=False,
    ),
    "kakao": Quirks(
        paths={
            "authorize": "/oauth/authorize",
            "token": "/oauth/token",
            "userinfo": "/v1/oidc/userinfo",
            "keys": "/.well-known/jwks.json",
        },
        elsewhere=frozenset({"userinfo"}),
        authentication="client_secret_post",
        scopes=OPENID | {"profile_nickname", "profile_image", "account_email"},
        returns_issuer=False,
        id_token={"nickname": "Person"},
        userinfo={"nickname": "Person", "name": None, "given_name": None, "family_name": None, "locale": None},
    ),
    "microsoft.com": _microsoft("common", "{origin}/{tenantid}/v2.0"),
    "apple.com": Quirks(
        paths={"authorize": "/auth/authorize", "token": "/auth/token", "keys": "/auth/keys"},
        unannounced=frozenset({"userinfo", "introspect"}),
        authentication="client_secret_post",
        scopes=OPENID | {"email", "name"},
        returns_issuer=False,
        id_token={"nonce_supported": True, "email": "erin@people.example", "email_verified": "true"},
    ),
    "line-sdk": Quirks(
        paths={
            "authorize": "/oauth2/v2.1/authorize",
            "token": "/oauth2/v2.1/token",
            "userinfo": "/oauth2/v2.1/userinfo",
            "keys": "/oauth2/v2.1/certs",
        },
        elsewhere=frozenset({"token", "userinfo", "keys"}),
        authentication="client_secret_post",
        returns_issuer=False,
    ),
    "slack": Quirks(
        paths={
            "authorize": "/openid/connect/authorize",
            "token": "/api/openid.connect.token",
            "userinfo": "/api/openid.connect.userInfo",
            "keys": "/openid/connect/keys",
        },
        authentication="client_secret_post",
        scopes=OPENID | {"profile", "email"},
        returns_issuer=False,
        id_token={"https://slack.com/team_id": "T0R7GR"},
        token_response={"ok": True},
        userinfo={"ok": True, "https://slack.com/team_id": "T0R7GR"},
    ),
    "twitch": Quirks(
        issuer_path="/oauth2",
        paths={
            "authorize": "/oauth2/authorize",
            "token": "/oauth2/token",
            "userinfo": "/oauth2/userinfo",
            "keys": "/oauth2/keys",
        },
        authentication="client_secret_post",
        scopes=OPENID | {"user:read:email"},
        returns_issuer=False,
        id_token={"preferred_username": "Person"},
        token_response={"scope": ["openid"]},
    ),
}
# The second hosts in the configurations.
ELSEWHERE = {"https://kapi.kakao.com", "https://api.line.me"}


def _configuration(provider: str, number: int = 0) -> dict[str, Any]:
    """One of the sections of a provider on the pages, in their order."""
    sections = [
        yaml.safe_load(example.code)["providers"]
        for example in examples()
        if example.page.stem in ("Providers", "Templates") and example.kind == "configuration"
    ]
    return [section[provider] for section in sections if provider in section][number]


def _template(binary: Path, provider: str) -> dict[str, Any]:
    """The URLs of a template, as a section of the configuration; nothing if the provider has none."""
    shown = subprocess.run(
        [str(binary), "providers", "show", provider], capture_output=True, text=True, timeout=DEADLINE, check=False
    )
    section: dict[str, Any] = {}
    for name, value in re.findall(r"^    ([\w.]+): (.*https://.*)$", shown.stdout, re.MULTILINE):
        place, _, key = name.rpartition(".")
        if key == "picture_url":
            continue
        urls = yaml.safe_load(value)
        urls = [url for url in urls if url.startswith("https://")] if isinstance(urls, list) else urls
        (section.setdefault(place, {}) if place else section)[key] = urls
    return section


def _moved(section: dict[str, Any], origin: str, elsewhere: str | None = None) -> dict[str, Any]:
    """The section with other hosts."""
    text = yaml.safe_dump(section, width=1000)
    for host in set(re.findall(r"https://[^/\s?]+", text)):
        text = text.replace(host, elsewhere if host in ELSEWHERE and elsewhere else origin)
    return yaml.safe_load(text)


@dataclass(frozen=True)
class Documented:
    """A server with the documented configuration, and the stand-in of the provider."""

    provider: str
    peer: OpenIDProvider
    client: Client
    app: Application

    def begun(self, subject: str = "erin") -> tuple[Answer, str]:
        answer = self.app.sign_in(self.provider, CALLBACK)
        assert answer.status == 200, answer
        return answer, browser.callback(f"{answer['authorization_url']}&login_hint={subject}")

    def finished(self, subject: str = "erin", further: str = "") -> Answer:
        """A whole flow with a code. The provider adds `further` to the response."""
        answer, redirect = self.begun(subject)
        credential = {"type": "callback", "session": answer["session"], "callback_url": redirect + further}
        return self.app.exchange(self.provider, credential)

    def posted(self, algorithm: str = "RS256", **members: Any) -> Answer:
        """A sign-in with an ID token that the provider's own library obtained."""
        nonce, verifier = self.app.nonce(self.provider)
        claims = self.peer.claims(self.client.client_id, nonce=nonce) | members
        token = tokens.signed(claims, self.peer.key(algorithm), algorithm)
        return self.app.exchange(self.provider, {"type": "id_token", "id_token": token, "nonce": verifier})


Configure = Callable[..., Documented]


@pytest.fixture
def configured(deploy: Deploy, binary: Path) -> Iterator[Configure]:
    """Starts a server with the documented configuration. `members` change it."""
    peers: list[OpenIDProvider] = []

    def start(
        provider: str,
        quirks: Quirks | None = None,
        number: int = 0,
        secret: str = SECRET,
        until: str = "/readyz",
        **members: Any,
    ) -> Documented:
        peer = OpenIDProvider(quirks or QUIRKS[provider])
        peers.append(peer)
        client = peer.register(secrets.token_hex(8), secret, [CALLBACK])
        template, section = _template(binary, provider), _configuration(provider, number) | members
        if isinstance(section["client_secret"], dict) and "client_secret" not in members:
            section |= {"client_secret": "env:SECRET"}
        for place in template.keys() & section.keys():
            section[place] = (template[place] | section[place]) if isinstance(section[place], dict) else section[place]
        section = _moved(template | section, peer.origin, peer.elsewhere.origin if peer.elsewhere else None)
        environment = {section["client_id"].removeprefix("env:"): client.client_id}
        if isinstance(section["client_secret"], str):
            environment[section["client_secret"].removeprefix("env:")] = secret
        deployment = deploy(providers={provider: section}, environment=environment)
        deployment.secrets.add(secret)
        return Documented(provider, peer, client, Application(deployment.start(until)))

    yield start
    for peer in peers:
        peer.stop()


# MARK: - OpenID Providers

ERIN = {"email": "erin@people.example", "email_verified": True}


@pytest.mark.parametrize(
    ("provider", "subject", "profile"),
    [
        ("example", "erin", ERIN | {"name": "Person erin"}),
        ("google.com", "erin", ERIN | {"name": "Person erin"}),
        ("kakao", "erin", {"name": "Person", "email": "erin@people.example", "email_verified": False}),
        ("microsoft.com", f"{TENANT}:{PERSON}", {"name": "Person", "email_verified": False}),
        ("apple.com", "erin", ERIN),
        ("slack", "T0R7GR:erin", {"name": "Person erin", "email_verified": False}),
        ("twitch", "erin", ERIN | {"name": "Person", "screen_name": "Person"}),
    ],
)
def test_the_documented_configuration_signs_in(
    configured: Configure, provider: str, subject: str, profile: dict[str, Any]
) -> None:
    signing_in = configured(provider)
    body = signed_in(signing_in.finished())
    assert (body["provider_uid"], body["audience_proof"]) == (subject, "authorization_code")
    assert body["profile"].items() >= profile.items()
    # Without the template, or the documented setting, userinfo at another host is never called.
    others = signing_in.peer.elsewhere.arrivals() if signing_in.peer.elsewhere else []
    assert {arrival.path for arrival in others} == ({"/v1/oidc/userinfo"} if provider == "kakao" else set())


def test_one_tenant_of_microsoft_signs_in_with_the_same_subject(configured: Configure) -> None:
    signing_in = configured("microsoft.com", ONE_TENANT, number=1)
    assert signed_in(signing_in.finished())["provider_uid"] == f"{TENANT}:{PERSON}"


def test_another_tenant_of_microsoft_is_refused(configured: Configure) -> None:
    signing_in = configured("microsoft.com", tenants=["9188040d-6c67-4c5b-b112-36a304b66dad"])
    refused(signing_in.finished(), 400, "issuer_mismatch")


def test_the_name_in_the_form_of_apple_is_that_of_a_new_account(configured: Configure) -> None:
    signing_in = configured("apple.com")
    user = {"name": {"firstName": "Erin", "lastName": "Example"}, "email": "mallory@people.example"}
    further = "&user=" + quote(json.dumps(user))
    first = signed_in(signing_in.finished(further=further))
    assert first["profile"].items() >= (ERIN | {"name": "Erin Example"}).items()
    assert "name" not in signed_in(signing_in.finished(further=further))["profile"]


@pytest.fixture
def apple_key(tmp_path: Path) -> ECKey:
    """The key of Sign in with Apple, in a file as Apple names it."""
    key = ECKey.generate_key("P-256", {"kid": "ABC123DEFG"})
    file = tmp_path / "AuthKey_ABC123DEFG.p8"
    file.touch(mode=0o600)
    file.write_bytes(key.as_pem(private=True))
    return key


def _apple_secret(folder: Path) -> dict[str, Any]:
    """The documented secret, with a file that exists."""
    documented_secret = _configuration("apple.com")["client_secret"]["apple"]
    file = folder / Path(documented_secret["key"]).name
    return {"client_secret": {"apple": documented_secret | {"key": f"file:{file}"}}}


def test_the_documented_secret_signs_in_at_apple(configured: Configure, apple_key: ECKey, tmp_path: Path) -> None:
    signing_in = configured("apple.com", **_apple_secret(tmp_path))
    posted: list[str] = []

    def verified(secret: str) -> bool:
        signing_in.app.deployment.secrets.add(secret)
        posted.append(secret)
        assert jwt.get_unverified_header(secret) == {"alg": "ES256", "kid": "ABC123DEFG", "typ": "JWT"}
        options: Any = {"require": ["iss", "sub", "aud", "iat", "exp"]}
        public = apple_key.as_pem(private=False)
        claims = jwt.decode(secret, public, ["ES256"], options, audience="https://appleid.apple.com")
        # Apple: not more than six months.
        assert 0 < claims["exp"] - claims["iat"] <= 15_777_000
        return (claims["iss"], claims["sub"]) == ("TEAM123456", signing_in.client.client_id)

    signing_in.client.verify_secret = verified
    signed_in(signing_in.finished())
    assert len(posted) == 1


def test_a_secret_of_another_team_is_refused_by_apple(configured: Configure, apple_key: ECKey, tmp_path: Path) -> None:
    signing_in = configured("apple.com", **_apple_secret(tmp_path))
    signing_in.client.verify_secret = lambda secret: tokens.payload(secret)["iss"] == "OTHERTEAM1"
    refused(signing_in.finished(), 502, "provider_refuses_us")
    assert "Services ID and not the App ID" in signing_in.app.deployment.log


def test_a_secret_that_an_operator_signed_is_accepted_with_a_warning(configured: Configure, apple_key: ECKey) -> None:
    claims = {"iss": "TEAM123456", "sub": "com.example.web", "aud": "https://appleid.apple.com", "exp": 1_900_000_000}
    secret = tokens.signed(claims, apple_key, "ES256")
    signing_in = configured("apple.com", secret=secret, client_secret="env:APPLE_SECRET")
    signed_in(signing_in.finished())
    check = signing_in.app.deployment.run("config", "check")
    assert "is a JWT that is valid until 2030-03-17" in check.stdout


def test_an_id_token_of_an_apple_device_signs_in(configured: Configure) -> None:
    signing_in = configured("apple.com", number=1)
    raw = secrets.token_urlsafe(24)
    claims = signing_in.peer.claims(
        "com.example.app",
        nonce=hashlib.sha256(raw.encode()).hexdigest(),
        email="erin@people.example",
        email_verified="true",
    )
    token = tokens.signed(claims, signing_in.peer.rsa_key, "RS256")
    answer = signing_in.app.exchange("apple.com", {"type": "id_token", "id_token": token, "nonce": raw})
    assert signed_in(answer)["profile"] == ERIN


def test_an_id_token_of_the_line_sdk_signs_in(configured: Configure) -> None:
    signing_in = configured("line-sdk")
    answer = signing_in.posted("ES256", amr=["linesso"], name="Person", picture="https://people.example/picture.png")
    assert signed_in(answer)["profile"]["name"] == "Person"


def test_an_id_token_that_an_application_obtained_at_twitch_signs_in(configured: Configure) -> None:
    signing_in = configured("twitch")
    answer = signing_in.posted(azp=signing_in.client.client_id, preferred_username="Person")
    assert signed_in(answer)["profile"] == {"name": "Person", "screen_name": "Person"}


def test_an_id_token_without_the_nonce_is_refused(configured: Configure) -> None:
    signing_in = configured("example", Quirks(returns_nonce=False, returns_issuer=False))
    refused(signing_in.finished(), 400, "nonce_mismatch")


def test_a_callback_by_post_is_no_callback(configured: Configure) -> None:
    """A form without `response_mode: form_post`."""
    origin = configured("kakao").app.deployment.origin
    response = requests.post(f"{origin}/callback/kakao", data={"code": "c", "state": "s"}, timeout=DEADLINE)
    assert response.status_code == 405


# MARK: - Providers of OAuth 2.0


@dataclass(frozen=True)
class Connected:
    """A server with the documented configuration, and the stand-in of a provider without OpenID Connect."""

    provider: str
    peer: OAuth2Provider
    registration: Registration
    app: Application

    def finished(self, code: str | None = None) -> Answer:
        """A whole flow, with another code than that of the provider."""
        answer = self.app.sign_in(self.provider, CALLBACK)
        assert answer.status == 200, answer
        redirect = browser.callback(answer["authorization_url"])
        if code is not None:
            redirect = redirect.replace(browser.parameters(redirect)["code"], code)
        return self.app.exchange(
            self.provider, {"type": "callback", "session": answer["session"], "callback_url": redirect}
        )

    def posted(self, registration: Registration) -> Answer:
        """A sign-in with an access token that the application of a registration obtained."""
        _, verifier = self.app.nonce(self.provider)
        token = self.peer.issue(registration)
        return self.app.exchange(self.provider, {"type": "access_token", "access_token": token, "nonce": verifier})


Connect = Callable[..., Connected]


@pytest.fixture
def connected(deploy: Deploy, binary: Path) -> Iterator[Connect]:
    peers: list[OAuth2Provider] = []

    def start(provider: str, number: int = 0) -> Connected:
        peer = OAuth2Provider(oauth2_provider.PROVIDERS[provider])
        peers.append(peer)
        registration = peer.register([CALLBACK])
        section = _moved(_template(binary, provider) | _configuration(provider, number), peer.origin)
        environment = {
            section["client_id"].removeprefix("env:"): registration.client_id,
            section["client_secret"].removeprefix("env:"): registration.client_secret,
        }
        deployment = deploy(providers={provider: section}, environment=environment)
        deployment.secrets.add(registration.client_secret)
        return Connected(provider, peer, registration, Application(deployment.start()))

    yield start
    for peer in peers:
        peer.stop()


PICTURE = {"picture": "https://people.example/picture.png"}
UNVERIFIED = {"email": "ann@people.example", "email_verified": False}


@pytest.mark.parametrize(
    ("provider", "subject", "profile"),
    [
        (
            "github.com",
            "583231",
            PICTURE
            | {"name": "The Octocat", "screen_name": "octocat"}
            | {"email": "octocat@people.example", "email_verified": True},
        ),
        ("facebook.com", "10223456789012345", PICTURE | UNVERIFIED | {"name": "Ann Example"}),
        ("line", "U1234567890abcdef", PICTURE | {"name": "Ann"}),
        ("linkedin", "782bbtaQ", {"name": "Ann Example", "email": "ann@people.example", "email_verified": True}),
        (
            "discord",
            "80351110224678912",
            {"picture": "https://cdn.discordapp.com/avatars/80351110224678912/8342729096ea3675.png"}
            | {"name": "Nelly", "screen_name": "nelly", "email": "nelly@people.example", "email_verified": True},
        ),
        ("spotify", "aB3dE5fG7h", PICTURE | UNVERIFIED | {"name": "Ann"}),
        ("naver", "32742776", UNVERIFIED | {"name": "Ann Example", "screen_name": "Ann"}),
        (
            "strava",
            "134815",
            PICTURE | {"given_name": "Marianne", "family_name": "T.", "screen_name": "marianne_t"},
        ),
        (
            "zoom",
            "zJKyaiAyTNC-MWjiWC18KQ",
            {"name": "Jill Chill", "email": "jill@people.example", "email_verified": False, "locale": "en-US"},
        ),
    ],
)
def test_the_documented_configuration_signs_in_without_openid_connect(
    connected: Connect, provider: str, subject: str, profile: dict[str, Any]
) -> None:
    body = signed_in(connected(provider).finished())
    assert (body["uid"], body["audience_proof"]) == (f"{provider}:{subject}", "authorization_code")
    assert body["profile"] == profile


@pytest.mark.parametrize("provider", ["github.com", "facebook.com", "line", "discord", "naver"])
def test_a_wrong_code_is_told_from_a_wrong_registration(connected: Connect, provider: str) -> None:
    refused(connected(provider).finished(code="made-up-code"), 400, "code_rejected")


@pytest.mark.parametrize(
    ("provider", "reason"),
    [
        ("github.com", "token_rejected"),
        ("facebook.com", "audience_mismatch"),
        ("line", "audience_mismatch"),
        ("linkedin", "token_rejected"),
        ("discord", "audience_mismatch"),
    ],
)
def test_a_posted_access_token_signs_in_if_it_is_ours(connected: Connect, provider: str, reason: str) -> None:
    signing_in = connected(provider, number=-1)
    body = signed_in(signing_in.posted(signing_in.registration))
    assert body["audience_proof"] == "introspection"
    user = signing_in.peer.facts.user
    before = len(signing_in.peer.arrivals(user))
    refused(signing_in.posted(signing_in.peer.register(["https://stranger.example/callback"])), 400, reason)
    assert len(signing_in.peer.arrivals(user)) == before


# MARK: - Users of Firebase's SDK


@pytest.mark.parametrize(
    ("provider", "native"),
    [
        ("google.com", "erin"),
        ("apple.com", "erin"),
        # Firebase stores the object id, without the tenant.
        ("microsoft.com", PERSON),
        ("github.com", "583231"),
        ("facebook.com", "10223456789012345"),
    ],
)
def test_a_user_who_signed_up_with_the_sdk_keeps_the_uid(
    settle: Settle, firebase: Firebase, binary: Path, provider: str, native: str
) -> None:
    peer: OpenIDProvider | OAuth2Provider
    if provider in QUIRKS:
        peer = OpenIDProvider(QUIRKS[provider])
        client_id, secret = secrets.token_hex(8), SECRET
        peer.register(client_id, secret, [CALLBACK])
    else:
        peer = OAuth2Provider(oauth2_provider.PROVIDERS[provider])
        registration = peer.register([CALLBACK])
        client_id, secret = registration.client_id, registration.client_secret
    try:
        section = _moved(_template(binary, provider) | _configuration(provider), peer.origin)
        registered = {"client_id": client_id, "client_secret": secret}
        client = {"provider_redirect_uris": [CALLBACK], "providers": [provider]}
        app = settle(
            "native",
            firebase={"directory": "firebase"},
            providers={provider: section | registered},
            clients={"native": client},
        )

        def entered() -> dict[str, Any]:
            answer = app.sign_in(provider, CALLBACK)
            assert answer.status == 200, answer
            callback = browser.callback(f"{answer['authorization_url']}&login_hint=erin")
            credential = {"type": "callback", "session": answer["session"], "callback_url": callback}
            return signed_in(app.exchange(provider, credential))

        firebase.change("signed-up-on-a-phone", link={"providerId": provider, "rawId": native})
        known = entered()
        assert (known["uid"], known["is_new_user"]) == ("signed-up-on-a-phone", False)
        assert firebase.providers(known["uid"]) == {provider: native}
        # And the other way round: Firebase finds a user who signed up here by the same identity.
        app.sandbox.order("DELETE", "/google/users")
        new = entered()
        assert new["is_new_user"] and firebase.providers(new["uid"]) == {provider: native}
    finally:
        peer.stop()
