"""The actions of a user's browser and of a native application. It is our own code, except Authlib's OAuth 2.0 client."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import requests
from authlib.integrations.requests_client import OAuth2Session

from peers.openid_provider import Client, OpenIDProvider


def callback(authorization_url: str) -> str:
    """Gives the user's consent and returns the redirect of the provider without following it."""
    session = requests.Session()
    session.trust_env = False
    response = session.get(authorization_url, allow_redirects=False, timeout=10)
    assert response.is_redirect, f"{response.status_code}: {response.text}"
    return response.headers["Location"]


def parameters(url: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


@dataclass
class Grant:
    """The code that an application gets from the redirect."""

    code: str
    redirect_uri: str
    code_verifier: str
    nonce: str

    @property
    def credential(self) -> dict[str, str]:
        return {
            "type": "authorization_code",
            "code": self.code,
            "redirect_uri": self.redirect_uri,
            "code_verifier": self.code_verifier,
            "nonce": self.nonce,
        }


def obtain_code(
    provider: OpenIDProvider, client: Client, nonce: str | None = None, subject: str | None = None
) -> tuple[Grant, OAuth2Session, str]:
    """Authlib's client starts a flow with PKCE and receives the redirect. It does not redeem the code."""
    session = OAuth2Session(
        client.client_id,
        client.client_secret,
        scope="openid profile email",
        redirect_uri=client.redirect_uris[0],
        code_challenge_method="S256",
        token_endpoint_auth_method="none" if client.client_secret is None else "client_secret_basic",
    )
    session.trust_env = False
    verifier = secrets.token_urlsafe(48)
    nonce = nonce or secrets.token_urlsafe(24)
    url, _ = session.create_authorization_url(
        provider.origin + "/authorize",
        code_verifier=verifier,
        nonce=nonce,
        login_hint=subject or secrets.token_hex(8),
    )
    redirect = callback(url)
    return Grant(parameters(redirect)["code"], client.redirect_uris[0], verifier, nonce), session, redirect


def obtain_tokens(
    provider: OpenIDProvider, client: Client, nonce: str | None = None, subject: str | None = None
) -> dict[str, Any]:
    """Authlib's client runs the complete flow and returns `id_token`, `access_token`, ..."""
    grant, session, redirect = obtain_code(provider, client, nonce, subject)
    return session.fetch_token(
        provider.origin + "/token", authorization_response=redirect, code_verifier=grant.code_verifier
    )
