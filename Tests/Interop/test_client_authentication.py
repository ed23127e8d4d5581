"""`private_key_jwt`: Authlib's server, which verifies with joserfc, accepts and refuses our assertions.

`cryptography` verifies each signature again. Apple's secret is in test_documented_providers.py.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from joserfc.jwk import ECKey, Key, RSAKey

from conftest import Deploy
from deployment.application import Answer, Application
from deployment.configuration import CALLBACK
from deployment.expectations import refused, signed_in
from deployment.waiting import DEADLINE, wait_until
from peers import browser, tokens
from peers.loopback import Arrival
from peers.openid_provider import Client, OpenIDProvider, Quirks

KEY_ID = "key-of-the-client"


def _key(algorithm: str) -> Key:
    return ECKey.generate_key("P-256") if algorithm == "ES256" else RSAKey.generate_key(2048)


def _public(key: Key) -> Key:
    """The registered half. joserfc needs the same `kid` as in the header."""
    return type(key).import_key(key.as_dict(private=False) | {"kid": KEY_ID})


@dataclass(frozen=True)
class Signed:
    """A server that authenticates by assertions, and its provider."""

    peer: OpenIDProvider
    client: Client
    app: Application

    def sign_in(self) -> Answer:
        answer = self.app.sign_in("op", CALLBACK, parameters={"login_hint": "erin"})
        redirect = browser.callback(answer["authorization_url"])
        self.app.deployment.secrets.add(browser.parameters(redirect)["code"])
        credential = {"type": "callback", "session": answer["session"], "callback_url": redirect}
        outcome = self.app.exchange("op", credential)
        self.assertions()
        return outcome

    def assertions(self, path: str = "/token") -> list[Arrival]:
        """The requests with an assertion, which must not be logged or stored."""
        arrivals = self.peer.arrivals(path)
        self.app.deployment.secrets.add(*(arrival.form["client_assertion"] for arrival in arrivals))
        return arrivals

    def reload(self) -> None:
        deployment, text = self.app.deployment, "configuration reloaded"
        before = deployment.log.count(text)
        deployment.reload()
        wait_until(lambda: deployment.log.count(text) > before, "the reload")

    def doctor(self) -> dict[str, Any]:
        ran = self.app.deployment.run("doctor", "--format", "json")
        self.assertions()
        assert self.app.deployment.secrets.found_in(ran.stdout + ran.stderr) == []
        (finding,) = [each for each in json.loads(ran.stdout)["findings"] if each["id"] == "provider.client"]
        return finding


Sign = Callable[..., Signed]


@pytest.fixture
def signing(deploy: Deploy, tmp_path: Path) -> Iterator[Sign]:
    """Starts a server with a key; the provider knows `registered`, or the same one."""
    peers: list[OpenIDProvider] = []

    def start(
        key: Key, registered: Key | None = None, quirks: Quirks | None = None, introspects: bool = False
    ) -> Signed:
        peer = OpenIDProvider(quirks)
        peers.append(peer)
        client = peer.register("server-client", None, [CALLBACK])
        client.public_key = _public(registered or key)
        file = tmp_path / f"{secrets.token_hex(4)}.pem"
        file.touch(mode=0o600)
        file.write_bytes(key.as_pem(private=True))
        section: dict[str, Any] = {
            "issuer": peer.issuer,
            "client_id": client.client_id,
            "token_endpoint_auth": "private_key_jwt",
            "client_key": {"key": f"file:{file}", "key_id": KEY_ID},
        }
        if introspects:
            section["accept"] = ["authorization_code", "access_token"]
            section["endpoints"] = {"introspection": peer.endpoint("introspect")}
        deployment = deploy(providers={"op": section})
        deployment.secrets.add(*file.read_text().splitlines()[1:-1])
        return Signed(peer, client, Application(deployment.start()))

    yield start
    for peer in peers:
        peer.stop()


@pytest.mark.parametrize("algorithm", ["ES256", "RS256"])
def test_codes_are_redeemed_with_an_assertion_for_each(signing: Sign, algorithm: str) -> None:
    key = _key(algorithm)
    signed = signing(key)
    for _ in range(2):
        assert signed_in(signed.sign_in())["uid"] == "op:erin"
    forms = [arrival.form for arrival in signed.assertions()]
    claims = [tokens.payload(form["client_assertion"]) for form in forms]
    assert len(forms) == 2 and claims[0]["jti"] != claims[1]["jti"]
    for form, claim in zip(forms, claims, strict=True):
        assertion = form["client_assertion"]
        assert form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        assert "client_secret" not in form
        assert tokens.header(assertion) == {"alg": algorithm, "typ": "JWT", "kid": KEY_ID}
        assert claim == {
            "iss": "server-client",
            "sub": "server-client",
            "aud": signed.peer.endpoint("token"),
            "iat": claim["iat"],
            "exp": claim["iat"] + 60,
            "jti": claim["jti"],
        }
        if isinstance(key, ECKey):
            assert tokens.verifies(assertion, key)
        elif isinstance(key, RSAKey):
            text, _, signature = assertion.rpartition(".")
            key.public_key.verify(tokens.decode(signature), text.encode(), padding.PKCS1v15(), hashes.SHA256())
    assert all("Authorization" not in arrival.header for arrival in signed.assertions())


def test_introspection_is_authenticated_with_an_assertion_for_the_token_endpoint(signing: Sign) -> None:
    signed = signing(_key("ES256"), introspects=True)
    signed_in(signed.sign_in())
    (access_token,) = signed.peer.tokens
    signed.app.deployment.secrets.add(access_token)
    _, verifier = signed.app.nonce("op")
    credential = {"type": "access_token", "access_token": access_token, "nonce": verifier}
    assert signed_in(signed.app.exchange("op", credential))["audience_proof"] == "introspection"
    (arrival,) = signed.assertions("/introspect")
    assert tokens.payload(arrival.form["client_assertion"])["aud"] == signed.peer.endpoint("token")


def test_an_assertion_that_a_thief_sends_again_is_refused(signing: Sign) -> None:
    signed = signing(_key("ES256"))
    signed_in(signed.sign_in())
    form = signed.assertions()[-1].form
    response = requests.post(signed.peer.endpoint("token"), data=form, timeout=DEADLINE)
    assert (response.status_code, response.json()["error"]) == (400, "invalid_client")
    assert response.json()["error_description"] == "JWT ID is used before."


def test_a_provider_that_expects_its_issuer_needs_the_audience(signing: Sign) -> None:
    quirks = Quirks(only_issuer_as_audience=True)
    signed = signing(_key("ES256"), quirks=quirks)
    refused(signed.sign_in(), 502, "provider_refuses_us")
    finding = signed.doctor()
    assert finding["severity"] == "error"
    assert finding["text"].startswith("The provider refuses the registration: client_assertion.")
    assert "client_key.audience" in finding["remedy"]
    settings = signed.app.deployment.settings
    settings["providers"]["op"]["client_key"]["audience"] = signed.peer.issuer
    signed.app.deployment.configure(settings)
    signed.reload()
    signed_in(signed.sign_in())
    assert signed.doctor()["severity"] == "ok"


def test_a_key_that_the_provider_does_not_know_is_named(signing: Sign) -> None:
    signed = signing(_key("ES256"), registered=_key("ES256"))
    refused(signed.sign_in(), 502, "provider_refuses_us")
    # The line may follow the response.
    wait_until(lambda: "client_key.key_id" in signed.app.deployment.log, "the log has the advice")
    assert "client_key.key_id" in signed.doctor()["remedy"]


def test_a_replaced_key_is_used_after_a_reload(signing: Sign) -> None:
    signed = signing(_key("ES256"))
    signed_in(signed.sign_in())
    other = _key("RS256")
    file = Path(signed.app.deployment.settings["providers"]["op"]["client_key"]["key"].removeprefix("file:"))
    file.write_bytes(other.as_pem(private=True))
    signed.client.public_key = _public(other)
    signed.reload()
    signed_in(signed.sign_in())
    assert tokens.header(signed.assertions()[-1].form["client_assertion"])["alg"] == "RS256"
