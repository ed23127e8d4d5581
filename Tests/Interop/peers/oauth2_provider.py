"""A provider of OAuth 2.0 without OpenID Connect, with the paths, demands and answers that a provider documents.

All of it is our code, because these providers follow no standard beyond RFC 6749 and 7636: what they document is data
(`Facts`). The person consents without a page.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote_plus, urlencode

from flask import Flask, jsonify, redirect, request

from peers.loopback import Loopback


@dataclass
class Registration:
    client_id: str
    client_secret: str
    redirect_uris: list[str]


@dataclass(frozen=True)
class Introspection:
    """An endpoint that names the application of a token."""

    method: str
    path: str
    # Reads the token of the request, or returns None if this server did not authenticate as the provider demands.
    token: Callable[[Registration], str | None]
    # The answer to `asker` about a token of `owner`, and its status.
    answer: Callable[[Registration, Registration], tuple[Any, int]]


@dataclass(frozen=True)
class Facts:
    """What a provider documents."""

    authorize: str
    token: str
    user: str
    person: dict[str, Any]
    scopes: str | None
    # Whether the secret is in the body; otherwise it is in the header (RFC 6749 section 2.3.1).
    posts_secret: bool = True
    # Whether a request without PKCE is refused; otherwise one with PKCE is.
    pkce: bool = True
    # The whole query of the request to the user endpoint.
    query: dict[str, str] = field(default_factory=dict)
    # Members of the token response.
    tokens: dict[str, Any] = field(default_factory=dict)
    # The answer to a wrong code, and its status.
    wrong_code: tuple[dict[str, Any], int] = ({"error": "invalid_grant"}, 400)
    emails: tuple[str, list[dict[str, Any]]] | None = None
    introspection: Introspection | None = None
    returns_issuer: bool = False


class OAuth2Provider(Loopback):
    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.registrations: dict[str, Registration] = {}
        # The parameters of the authorization request of each code.
        self.codes: dict[str, dict[str, str]] = {}
        # The registration of each access token.
        self.tokens: dict[str, Registration] = {}
        flask = Flask("oauth2_provider")
        super().__init__(flask)
        _route(flask, self)

    def register(self, redirect_uris: list[str]) -> Registration:
        registration = Registration(secrets.token_hex(8), "s3cret+of/the=provider", redirect_uris)
        self.registrations[registration.client_id] = registration
        return registration

    def issue(self, registration: Registration) -> str:
        """Issues an access token to an application of its own."""
        token = secrets.token_urlsafe(24)
        self.tokens[token] = registration
        return token


def _basic() -> tuple[str, str] | None:
    scheme, _, value = request.headers.get("Authorization", "").partition(" ")
    if scheme != "Basic":
        return None
    client_id, _, secret = base64.b64decode(value).decode().partition(":")
    return unquote_plus(client_id), unquote_plus(secret)


def _bearer() -> str | None:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token if scheme == "Bearer" else None


def _route(flask: Flask, peer: OAuth2Provider) -> None:
    facts = peer.facts

    @flask.get(facts.authorize)
    def authorize() -> Any:
        asked = request.args.to_dict()
        registration = peer.registrations[asked["client_id"]]
        assert asked["redirect_uri"] in registration.redirect_uris
        assert (asked["response_type"], asked.get("scope")) == ("code", facts.scopes)
        assert asked["state"] and "nonce" not in asked
        assert asked.get("code_challenge_method") == ("S256" if facts.pkce else None)
        code = secrets.token_urlsafe(16)
        peer.codes[code] = asked
        answer = {"code": code, "state": asked["state"]} | ({"iss": peer.origin} if facts.returns_issuer else {})
        return redirect(f"{asked['redirect_uri']}?{urlencode(answer)}")

    @flask.post(facts.token)
    def token() -> Any:
        form = request.form
        posted = (form.get("client_id"), form.get("client_secret")) if "client_secret" in form else None
        client_id, secret = (posted if facts.posts_secret else _basic()) or (None, None)
        registration = peer.registrations.get(client_id or "")
        if registration is None or registration.client_secret != secret or (posted and _basic()):
            return jsonify(error="invalid_client"), 401
        asked = peer.codes.pop(form.get("code", ""), None)
        if asked is None or asked["client_id"] != client_id or asked["redirect_uri"] != form["redirect_uri"]:
            answer, status = facts.wrong_code
            return jsonify(answer), status
        assert form["grant_type"] == "authorization_code"
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        assert challenge == asked["code_challenge"] if facts.pkce else "code_verifier" not in form
        return jsonify({"access_token": peer.issue(registration), "token_type": "bearer"} | facts.tokens)

    def of_bearer(answer: Any) -> Any:
        return jsonify(answer) if _bearer() in peer.tokens else (jsonify(message="Unauthorized"), 401)

    @flask.get(facts.user)
    def user() -> Any:
        assert request.args.to_dict() == facts.query
        return of_bearer(facts.person)

    if facts.emails is not None:
        path, addresses = facts.emails
        flask.add_url_rule(path, "emails", lambda: of_bearer(addresses))

    if facts.introspection is not None:
        introspection = facts.introspection

        def introspect(client_id: str | None = None) -> Any:
            for asker in peer.registrations.values():
                token = introspection.token(asker)
                if token is not None and client_id in (None, asker.client_id):
                    owner = peer.tokens.get(token)
                    answer, status = introspection.answer(asker, owner) if owner else ({"error": "unknown"}, 400)
                    return jsonify(answer), status
            return jsonify(error="invalid_client"), 401

        flask.add_url_rule(introspection.path, "introspect", introspect, methods=[introspection.method])


# MARK: - Providers


def _github_token(asker: Registration) -> str | None:
    return request.get_json()["access_token"] if _basic() == (asker.client_id, asker.client_secret) else None


def _github_answer(asker: Registration, owner: Registration) -> tuple[Any, int]:
    if owner is not asker:
        return {"message": "Not Found"}, 404
    return {"app": {"client_id": owner.client_id}, "user": {"login": "octocat", "id": 583231}}, 200


def _facebook_token(asker: Registration) -> str | None:
    is_asker = request.args["access_token"] == f"{asker.client_id}|{asker.client_secret}"
    return request.args["input_token"] if is_asker else None


def _facebook_answer(asker: Registration, owner: Registration) -> tuple[Any, int]:
    return {"data": {"app_id": owner.client_id, "is_valid": True, "user_id": "10223456789012345"}}, 200


def _linkedin_token(asker: Registration) -> str | None:
    form = request.form
    is_asker = (form["client_id"], form["client_secret"]) == (asker.client_id, asker.client_secret)
    return form["token"] if is_asker else None


def _linkedin_answer(asker: Registration, owner: Registration) -> tuple[Any, int]:
    if owner is not asker:
        return {"active": False}, 200
    return {"active": True, "client_id": owner.client_id, "status": "active", "expires_at": 4102444800}, 200


PROVIDERS = {
    "github.com": Facts(
        authorize="/login/oauth/authorize",
        token="/login/oauth/access_token",
        user="/user",
        person={
            "login": "octocat",
            "id": 583231,
            "avatar_url": "https://people.example/picture.png",
            "name": "The Octocat",
            "email": "public@people.example",
        },
        scopes="user:email",
        wrong_code=({"error": "bad_verification_code", "error_description": "The code is incorrect."}, 200),
        emails=(
            "/user/emails",
            [
                {"email": "other@people.example", "primary": False, "verified": True},
                {"email": "octocat@people.example", "primary": True, "verified": True, "visibility": "private"},
            ],
        ),
        introspection=Introspection("POST", "/applications/<client_id>/token", _github_token, _github_answer),
    ),
    "facebook.com": Facts(
        authorize="/v25.0/dialog/oauth",
        token="/v25.0/oauth/access_token",
        user="/v25.0/me",
        query={"fields": "id,name,first_name,last_name,email,picture.width(256).height(256)"},
        person={
            "id": "10223456789012345",
            "name": "Ann Example",
            "email": "ann@people.example",
            "picture": {"data": {"is_silhouette": False, "url": "https://people.example/picture.png"}},
        },
        scopes="public_profile email",
        wrong_code=({"error": {"message": "This code has been used.", "type": "OAuthException", "code": 100}}, 400),
        introspection=Introspection("GET", "/v25.0/debug_token", _facebook_token, _facebook_answer),
    ),
    "line": Facts(
        authorize="/oauth2/v2.1/authorize",
        token="/oauth2/v2.1/token",
        user="/oauth2/v2.1/userinfo",
        person={"sub": "U1234567890abcdef", "name": "Ann", "picture": "https://people.example/picture.png"},
        scopes="openid profile",
        # It is signed with HS256, and must not be read.
        tokens={"id_token": "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl", "expires_in": 2592000},
        introspection=Introspection(
            "GET",
            "/oauth2/v2.1/verify",
            lambda asker: request.args["access_token"],
            lambda asker, owner: ({"scope": "profile", "client_id": owner.client_id, "expires_in": 2591659}, 200),
        ),
    ),
    "linkedin": Facts(
        authorize="/oauth/v2/authorization",
        token="/oauth/v2/accessToken",
        user="/v2/userinfo",
        person={
            "sub": "782bbtaQ",
            "name": "Ann Example",
            "locale": {"country": "US", "language": "en"},
            "email": "ann@people.example",
            "email_verified": True,
        },
        scopes="openid profile email",
        pkce=False,
        # It has no nonce, and must not be read.
        tokens={"id_token": "eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.e30.c2lnbmF0dXJl", "scope": "email,openid,profile"},
        introspection=Introspection("POST", "/oauth/v2/introspectToken", _linkedin_token, _linkedin_answer),
    ),
    "discord": Facts(
        authorize="/oauth2/authorize",
        token="/api/v10/oauth2/token",
        user="/api/v10/users/@me",
        person={
            "id": "80351110224678912",
            "username": "nelly",
            "global_name": "Nelly",
            "avatar": "8342729096ea3675",
            "verified": True,
            "email": "nelly@people.example",
        },
        scopes="identify email",
        posts_secret=False,
        introspection=Introspection(
            "GET",
            "/api/v10/oauth2/@me",
            lambda asker: _bearer(),
            lambda asker, owner: ({"application": {"id": owner.client_id}, "user": {"id": "80351110224678912"}}, 200),
        ),
        returns_issuer=True,
    ),
    "spotify": Facts(
        authorize="/authorize",
        token="/api/token",
        user="/v1/me",
        person={
            "account_id": "aB3dE5fG7h",
            "id": "smedjan",
            "display_name": "Ann",
            "email": "ann@people.example",
            "images": [{"url": "https://people.example/picture.png", "height": 300, "width": 300}],
        },
        scopes="user-read-email",
        posts_secret=False,
    ),
    "naver": Facts(
        authorize="/oauth2.0/authorize",
        token="/oauth2.0/token",
        user="/v1/nid/me",
        person={
            "resultcode": "00",
            "message": "success",
            "response": {"id": "32742776", "nickname": "Ann", "name": "Ann Example", "email": "ann@people.example"},
        },
        scopes=None,
        pkce=False,
        tokens={"expires_in": "3600"},
        wrong_code=({"error": "invalid_grant", "error_description": "no valid data in session"}, 200),
    ),
    "strava": Facts(
        authorize="/oauth/authorize",
        token="/oauth/token",
        user="/api/v3/athlete",
        person={
            "id": 134815,
            "username": "marianne_t",
            "firstname": "Marianne",
            "lastname": "T.",
            "profile": "https://people.example/picture.png",
        },
        scopes="read",
        tokens={"athlete": {"id": 134815}, "expires_at": 4102444800},
    ),
    "zoom": Facts(
        authorize="/oauth/authorize",
        token="/oauth/token",
        user="/v2/users/me",
        person={
            "id": "zJKyaiAyTNC-MWjiWC18KQ",
            "display_name": "Jill Chill",
            "email": "jill@people.example",
            "verified": 1,
            "language": "en-US",
        },
        scopes=None,
        posts_secret=False,
    ),
}
