"""The configurations of the guide's pages about OpenID Providers, at Authlib's provider with the documented paths.

The documented configuration is used as it is: the variables that it names are set, and the hosts of its URLs and of
those of the template are replaced. `test_built_in_providers.py` signs in at the stand-ins of all providers.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import subprocess
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
from deployment.waiting import DEADLINE, wait_until
from peers import browser, tokens
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
}
# The second hosts in the configurations.
ELSEWHERE = {"https://api.line.me"}


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

    def finished(self) -> Answer:
        """A whole flow with a code."""
        answer = self.app.sign_in(self.provider, CALLBACK)
        assert answer.status == 200, answer
        redirect = browser.callback(f"{answer['authorization_url']}&login_hint=erin")
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


def test_the_documented_configuration_signs_in(configured: Configure) -> None:
    body = signed_in(configured("example").finished())
    assert (body["provider_uid"], body["audience_proof"]) == ("erin", "authorization_code")
    assert body["profile"].items() >= (ERIN | {"name": "Person erin"}).items()


def test_one_tenant_of_microsoft_signs_in_with_the_same_subject(configured: Configure) -> None:
    signing_in = configured("microsoft.com", ONE_TENANT, number=1)
    assert signed_in(signing_in.finished())["provider_uid"] == f"{TENANT}:{PERSON}"


def test_another_tenant_of_microsoft_is_refused(configured: Configure) -> None:
    signing_in = configured("microsoft.com", tenants=["9188040d-6c67-4c5b-b112-36a304b66dad"])
    refused(signing_in.finished(), 400, "issuer_mismatch")


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
    log = "the log has the advice"
    wait_until(lambda: "Services ID and not the App ID" in signing_in.app.deployment.log, log)


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


def test_an_id_token_without_the_nonce_is_refused(configured: Configure) -> None:
    signing_in = configured("example", Quirks(returns_nonce=False, returns_issuer=False))
    refused(signing_in.finished(), 400, "nonce_mismatch")


def test_a_callback_by_post_is_no_callback(configured: Configure) -> None:
    """A form without `response_mode: form_post`."""
    origin = configured("example").app.deployment.origin
    response = requests.post(f"{origin}/callback/example", data={"code": "c", "state": "s"}, timeout=DEADLINE)
    assert response.status_code == 405
