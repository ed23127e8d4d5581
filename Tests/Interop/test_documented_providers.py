"""The configurations of the guide's page about providers, at stand-ins with the peculiarities of those providers.

The documented configuration is used as it is: only hosts are replaced, and the variables that it names are set. The
provider is Authlib's, with the paths of the documented provider.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jwt
import pytest
import requests
import yaml
from joserfc.jwk import ECKey

from conftest import Deploy
from deployment.application import Answer, Application
from deployment.configuration import CALLBACK
from deployment.expectations import refused, signed_in
from deployment.pages import examples
from deployment.waiting import DEADLINE
from peers import browser, tokens
from peers.openid_provider import Client, OpenIDProvider, Quirks

SECRET = "s3cret+of/the=provider"
OPENID = frozenset({"openid"})
TENANT = "/11111111-2222-3333-4444-555555555555"
LINE = {
    "authorize": "/oauth2/v2.1/authorize",
    "token": "/oauth2/v2.1/token",
    "userinfo": "/oauth2/v2.1/userinfo",
    "keys": "/oauth2/v2.1/certs",
}
QUIRKS = {
    "example": Quirks(),
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
    "discord": Quirks(
        paths={
            "authorize": "/api/oauth2/authorize",
            "token": "/api/oauth2/token",
            "userinfo": "/api/oauth2/userinfo",
            "keys": "/api/oauth2/keys",
        },
        scopes=OPENID | {"identify", "email"},
        returns_issuer=False,
        userinfo={"sub": None, "id": "80351110224678912"},
    ),
    "microsoft": Quirks(
        issuer_path=f"{TENANT}/v2.0",
        paths={
            "authorize": f"{TENANT}/oauth2/v2.0/authorize",
            "token": f"{TENANT}/oauth2/v2.0/token",
            "userinfo": "/oidc/userinfo",
            "keys": f"{TENANT}/discovery/v2.0/keys",
        },
        elsewhere=frozenset({"userinfo"}),
        scopes=OPENID | {"profile", "email", "offline_access"},
        returns_issuer=False,
        id_token={
            "name": "Person",
            "preferred_username": "person@contoso.example",
            "email": "person@contoso.example",
            "tid": TENANT[1:],
            "ver": "2.0",
        },
        token_response={"ext_expires_in": 3599},
    ),
    "apple": Quirks(
        paths={"authorize": "/auth/authorize", "token": "/auth/token", "keys": "/auth/keys"},
        unannounced=frozenset({"userinfo", "introspect"}),
        authentication="client_secret_post",
        scopes=OPENID | {"email"},
        returns_issuer=False,
        id_token={"nonce_supported": True},
    ),
    "line": Quirks(
        paths=LINE,
        elsewhere=frozenset({"token", "userinfo", "keys"}),
        authentication="client_secret_post",
        returns_issuer=False,
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
        token_response={"scope": ["openid"]},
    ),
}
# The second hosts in the configurations.
ELSEWHERE = {"https://kapi.kakao.com", "https://api.line.me"}


def _configuration(provider: str) -> dict[str, Any]:
    """The section of one provider on the page."""
    sections = [
        yaml.safe_load(example.code)["providers"]
        for example in examples()
        if example.page.stem == "Providers" and example.kind == "configuration"
    ]
    found = [section[provider] for section in sections if provider in section]
    assert len(found) == 1
    return found[0]


@dataclass(frozen=True)
class Documented:
    """A server with the documented configuration, and the stand-in of the provider."""

    provider: str
    peer: OpenIDProvider
    client: Client
    app: Application

    def begun(self, subject: str = "erin") -> tuple[Answer, str]:
        answer = self.app.sign_in(self.provider, CALLBACK, parameters={"login_hint": subject})
        assert answer.status == 200, answer
        return answer, browser.callback(answer["authorization_url"])

    def finished(self, subject: str = "erin") -> Answer:
        """A whole flow with a code."""
        answer, redirect = self.begun(subject)
        credential = {"type": "callback", "session": answer["session"], "callback_url": redirect}
        return self.app.exchange(self.provider, credential)

    def posted(self, algorithm: str = "RS256", **members: Any) -> Answer:
        """A sign-in with an ID token that the provider's own library obtained."""
        nonce, verifier = self.app.nonce(self.provider)
        claims = self.peer.claims(self.client.client_id, nonce=nonce) | members
        token = tokens.signed(claims, self.peer.key(algorithm), algorithm)
        return self.app.exchange(self.provider, {"type": "id_token", "id_token": token, "nonce": verifier})


Configure = Callable[..., Documented]


@pytest.fixture
def configured(deploy: Deploy) -> Iterator[Configure]:
    """Starts a server with the documented configuration. `members` change it."""
    peers: list[OpenIDProvider] = []

    def start(
        provider: str,
        quirks: Quirks | None = None,
        algorithm: str = "RS256",
        secret: str = SECRET,
        until: str = "/readyz",
        **members: Any,
    ) -> Documented:
        peer = OpenIDProvider(quirks or QUIRKS[provider])
        peers.append(peer)
        client = peer.register(secrets.token_hex(8), secret, [CALLBACK], algorithm)
        documented_section = _configuration(provider) | members
        if isinstance(documented_section["client_secret"], dict) and "client_secret" not in members:
            documented_section |= {"client_secret": "env:SECRET", "token_endpoint_auth": "client_secret_post"}
        text = yaml.safe_dump(documented_section)
        for host in set(re.findall(r"https://[^/\s]+", text)):
            origin = peer.elsewhere.origin if host in ELSEWHERE and peer.elsewhere else peer.origin
            text = text.replace(host, origin)
        section = yaml.safe_load(text)
        environment = {section["client_id"].removeprefix("env:"): client.client_id}
        if isinstance(section["client_secret"], str):
            environment[section["client_secret"].removeprefix("env:")] = secret
        deployment = deploy(providers={provider: section}, environment=environment)
        deployment.secrets.add(secret)
        return Documented(provider, peer, client, Application(deployment.start(until)))

    yield start
    for peer in peers:
        peer.stop()


# MARK: - Providers that fit


@pytest.mark.parametrize(
    ("provider", "profile"),
    [
        ("example", {"name": "Person erin", "email": "erin@people.example", "email_verified": True}),
        ("kakao", {"email": "erin@people.example", "email_verified": True}),
        ("discord", {}),
        (
            "microsoft",
            {"name": "Person", "screen_name": "person@contoso.example", "email_verified": False},
        ),
    ],
)
def test_the_documented_configuration_signs_in(configured: Configure, provider: str, profile: dict[str, Any]) -> None:
    signing_in = configured(provider)
    body = signed_in(signing_in.finished())
    assert (body["uid"], body["audience_proof"]) == (f"{provider}:erin", "authorization_code")
    assert body["profile"].items() >= profile.items()
    assert bool(body["profile"]) == bool(profile)
    # Without the documented setting, userinfo at another host is never called.
    others = signing_in.peer.elsewhere.arrivals() if signing_in.peer.elsewhere else []
    assert {arrival.path for arrival in others} == ({"/v1/oidc/userinfo"} if provider == "kakao" else set())


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
    documented_secret = _configuration("apple")["client_secret"]["apple"]
    file = folder / Path(documented_secret["key"]).name
    return {"client_secret": {"apple": documented_secret | {"key": f"file:{file}"}}}


def test_the_documented_secret_signs_in_at_apple(configured: Configure, apple_key: ECKey, tmp_path: Path) -> None:
    signing_in = configured("apple", **_apple_secret(tmp_path))
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
    assert signed_in(signing_in.finished())["profile"] == {}
    assert len(posted) == 1


def test_a_secret_of_another_team_is_refused_by_apple(configured: Configure, apple_key: ECKey, tmp_path: Path) -> None:
    signing_in = configured("apple", **_apple_secret(tmp_path))
    signing_in.client.verify_secret = lambda secret: tokens.payload(secret)["iss"] == "OTHERTEAM1"
    refused(signing_in.finished(), 502, "provider_refuses_us")
    assert "Services ID and not the App ID" in signing_in.app.deployment.log


def test_a_secret_that_an_operator_signed_is_accepted_with_a_warning(configured: Configure, apple_key: ECKey) -> None:
    claims = {"iss": "TEAM123456", "sub": "com.example.web", "aud": "https://appleid.apple.com", "exp": 1_900_000_000}
    secret = tokens.signed(claims, apple_key, "ES256")
    change = {"client_secret": "env:APPLE_SECRET", "token_endpoint_auth": "client_secret_post"}
    signing_in = configured("apple", secret=secret, **change)
    assert signed_in(signing_in.finished())["profile"] == {}
    check = signing_in.app.deployment.run("config", "check")
    assert "is a JWT that is valid until 2030-03-17" in check.stdout


def test_an_id_token_of_an_apple_device_signs_in(configured: Configure) -> None:
    signing_in = configured("apple")
    raw = secrets.token_urlsafe(24)
    claims = signing_in.peer.claims(
        "com.example.app",
        nonce=hashlib.sha256(raw.encode()).hexdigest(),
        email="erin@people.example",
        email_verified="true",
    )
    token = tokens.signed(claims, signing_in.peer.rsa_key, "RS256")
    answer = signing_in.app.exchange("apple", {"type": "id_token", "id_token": token, "nonce": raw})
    profile = signed_in(answer)["profile"]
    assert profile == {"email": "erin@people.example", "email_verified": False}


def test_an_id_token_of_the_line_sdk_signs_in(configured: Configure) -> None:
    signing_in = configured("line")
    answer = signing_in.posted("ES256", amr=["linesso"], name="Person", picture="https://people.example/picture.png")
    assert signed_in(answer)["profile"]["name"] == "Person"


def test_an_id_token_that_an_application_obtained_at_twitch_signs_in(configured: Configure) -> None:
    signing_in = configured("twitch")
    answer = signing_in.posted(azp=signing_in.client.client_id, preferred_username="Person")
    assert signed_in(answer)["profile"] == {"screen_name": "Person"}


# MARK: - Providers that do not fit


def test_a_web_login_of_line_is_refused_by_its_algorithm(configured: Configure) -> None:
    signing_in = configured("line", algorithm="HS256", accept=["authorization_code"])
    refused(signing_in.finished(), 400, "algorithm_not_allowed")


def test_a_token_response_of_twitch_whose_scope_is_a_list_signs_in(configured: Configure) -> None:
    signing_in = configured("twitch", accept=["authorization_code"])
    signed_in(signing_in.finished())


def test_an_id_token_of_linkedin_has_no_nonce(configured: Configure) -> None:
    signing_in = configured("example", Quirks(returns_nonce=False, returns_issuer=False))
    refused(signing_in.finished(), 400, "nonce_mismatch")


def test_the_issuer_of_all_tenants_of_microsoft_is_a_pattern(configured: Configure) -> None:
    quirks = Quirks(
        issuer_path="/common/v2.0", announced_issuer="https://login.microsoftonline.com/{tenantid}/v2.0"
    )
    # The server starts, and is not ready while no provider has usable metadata.
    issuer = "https://login.microsoftonline.com/common/v2.0"
    signing_in = configured("microsoft", quirks, until="/healthz", issuer=issuer)
    answer = signing_in.app.sign_in("microsoft", CALLBACK)
    refused(answer, 502, "provider_response_invalid", "same")


def test_userinfo_of_discord_is_left_out_because_it_lacks_the_subject(configured: Configure) -> None:
    endpoints = _configuration("discord")["endpoints"] | {"userinfo": "https://discord.com/api/oauth2/userinfo"}
    signing_in = configured("discord", endpoints=endpoints)
    assert "name" not in signed_in(signing_in.finished())["profile"]


def test_a_callback_by_post_is_no_callback(configured: Configure) -> None:
    """A form without `response_mode: form_post`."""
    origin = configured("kakao").app.deployment.origin
    response = requests.post(f"{origin}/callback/kakao", data={"code": "c", "state": "s"}, timeout=DEADLINE)
    assert response.status_code == 405
