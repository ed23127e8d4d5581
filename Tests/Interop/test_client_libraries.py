"""OAuth client libraries that sign in with their own defaults, as their documentation shows them."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

import pytest
import requests
from google_auth_oauthlib.flow import Flow
from httpx_oauth.oauth2 import OAuth2
from requests_oauth2client import OAuth2Client

from clients.sign_in import LOOPBACK, YAHOO, allowed, expect_alice
from deployment.sandbox import SandboxedDeployment
from peers import tokens
from peers.browser import parameters
from peers.person import Person


@pytest.fixture(autouse=True)
def insecure_transport(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allows http on loopback, which oauthlib refuses otherwise."""
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    # The libraries follow the proxy settings of the machine.
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


def test_google_auth_oauthlib_signs_in(sandboxed: SandboxedDeployment, person: Person) -> None:
    """It always sends HTTP Basic, and its configuration requires a secret, which is empty here."""
    origin = sandboxed.server.origin
    registration = {
        "client_id": "my-app",
        "client_secret": "",
        "auth_uri": f"{origin}/authorize",
        "token_uri": f"{origin}/token",
    }
    flow = Flow.from_client_config(
        {"installed": registration}, scopes=None, redirect_uri=LOOPBACK, autogenerate_code_verifier=True
    )
    url, _ = flow.authorization_url(provider=YAHOO, access_type="offline")
    token = flow.fetch_token(authorization_response=allowed(person, url))
    expect_alice(token, sandboxed)
    assert flow.credentials.token == token["access_token"]


def test_requests_oauth2client_signs_in_from_openid_discovery(sandboxed: SandboxedDeployment, person: Person) -> None:
    """It knows the endpoints only from the discovery document, and asks for offline_access."""
    origin = sandboxed.server.origin
    session = requests.Session()
    session.trust_env = False
    document = session.get(f"{origin}/.well-known/openid-configuration", timeout=10).json()
    client = OAuth2Client.from_discovery_document(
        document,
        issuer=origin,
        client_id="my-app",
        redirect_uri=LOOPBACK,
        session=session,
        testing=True,
    )
    request = client.authorization_request(scope="openid offline_access", provider=YAHOO)
    response = request.validate_callback(allowed(person, str(request)))
    token = client.authorization_code(response, validate=False)
    expect_alice(token.as_dict() | {"token_type": token.token_type}, sandboxed)


def test_requests_oauth2client_signs_a_device_in(sandboxed: SandboxedDeployment, person: Person) -> None:
    origin = sandboxed.server.origin
    session = requests.Session()
    session.trust_env = False
    client = OAuth2Client(
        f"{origin}/token",
        device_authorization_endpoint=f"{origin}/device_authorization",
        client_id="living-room-tv",
        session=session,
        testing=True,
    )
    begun = client.authorize_device()
    person.open(str(begun.verification_uri_complete)).press("", "").press("provider", YAHOO).allow()
    person.press("decision", "approve")
    token = client.device_code(begun)
    expect_alice(token.as_dict() | {"token_type": token.token_type}, sandboxed)


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
def test_httpx_oauth_signs_in(sandboxed: SandboxedDeployment, person: Person, method: str) -> None:
    """It requires a secret too. An empty one is no secret in the form either."""
    origin = sandboxed.server.origin
    client = OAuth2(
        "my-app", "", f"{origin}/authorize", f"{origin}/token", token_endpoint_auth_method=method  # type: ignore[arg-type]
    )
    verifier = secrets.token_urlsafe(48)

    async def sign_in() -> dict[str, Any]:
        url = await client.get_authorization_url(
            LOOPBACK,
            code_challenge=tokens.sha256(verifier),
            code_challenge_method="S256",
            extras_params={"provider": YAHOO},
        )
        code = parameters(allowed(person, url))["code"]
        return dict(await client.get_access_token(code, LOOPBACK, code_verifier=verifier))

    expect_alice(asyncio.run(sign_in()), sandboxed)
