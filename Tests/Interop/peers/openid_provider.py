"""An OpenID Provider.

Authlib's code: authorization codes, PKCE, client authentication, ID tokens with `at_hash`, bearer checks, userinfo,
introspection, `iss` in the redirect. Our code: the clients and users, consent without a page, and the two documents
(metadata, keys), for which Authlib has no endpoint.
"""

from __future__ import annotations

import os
import secrets
import time
from dataclasses import dataclass, field
from typing import Any

# Without it Authlib refuses http even on loopback.
os.environ.setdefault("AUTHLIB_INSECURE_TRANSPORT", "1")

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector
from authlib.oauth2.rfc6749 import AuthorizationCodeMixin, ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc6750 import BearerTokenValidator
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc7662 import IntrospectionEndpoint
from authlib.oauth2.rfc9207 import IssuerParameter
from authlib.oidc.core import OpenIDCode as AuthlibOpenIDCode
from authlib.oidc.core import UserInfo, UserInfoEndpoint
from flask import Flask, Response, jsonify, request
from joserfc.jwk import ECKey, Key, KeySet, RSAKey

from peers.loopback import Loopback


@dataclass
class Client(ClientMixin):
    """A registration. One without a secret is public."""

    client_id: str
    client_secret: str | None
    redirect_uris: list[str]
    id_token_signed_response_alg: str = "RS256"
    client_metadata: dict[str, Any] = field(default_factory=dict)

    def get_client_id(self) -> str:
        return self.client_id

    def get_default_redirect_uri(self) -> str | None:
        return None

    def get_allowed_scope(self, scope: str | None) -> str:
        return scope or ""

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return redirect_uri in self.redirect_uris

    def check_client_secret(self, client_secret: str) -> bool:
        return self.client_secret == client_secret

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method == ("none" if self.client_secret is None else "client_secret_basic")

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type == "authorization_code"


@dataclass
class Person:
    """The user that `login_hint` names. The first part of the address is the subject."""

    sub: str

    @property
    def email(self) -> str:
        return f"{self.sub}@people.example"


@dataclass
class Code(AuthorizationCodeMixin):
    code: str
    client_id: str
    redirect_uri: str
    scope: str
    person: Person
    nonce: str | None
    code_challenge: str | None
    code_challenge_method: str | None
    auth_time: int = field(default_factory=lambda: int(time.time()))

    def get_redirect_uri(self) -> str:
        return self.redirect_uri

    def get_scope(self) -> str:
        return self.scope

    def get_nonce(self) -> str | None:
        return self.nonce

    def get_auth_time(self) -> int:
        return self.auth_time

    def get_acr(self) -> None:
        return None

    def get_amr(self) -> None:
        return None


@dataclass
class Token(TokenMixin):
    access_token: str
    client: Client
    person: Person
    scope: str
    expires_in: int
    issued_at: int = field(default_factory=lambda: int(time.time()))

    def check_client(self, client: Client) -> bool:
        return self.client is client

    def get_scope(self) -> str:
        return self.scope

    def get_expires_in(self) -> int:
        return self.expires_in

    def is_expired(self) -> bool:
        return time.time() > self.issued_at + self.expires_in

    def is_revoked(self) -> bool:
        return False

    def get_user(self) -> Person:
        return self.person

    def get_client(self) -> Client:
        return self.client


class OpenIDProvider(Loopback):
    """The provider, with an RSA key and a P-256 key."""

    def __init__(self) -> None:
        self.clients: dict[str, Client] = {}
        self.codes: dict[str, Code] = {}
        self.tokens: dict[str, Token] = {}
        self.rsa_key: RSAKey
        self.ec_key: ECKey
        self.rotate_keys()
        flask = Flask("openid_provider")
        super().__init__(flask)
        _route(flask, self)

    @property
    def issuer(self) -> str:
        return self.origin

    def rotate_keys(self) -> None:
        """Replaces the keys; the old ones are no longer published."""
        self.rsa_key = RSAKey.generate_key(2048, {"use": "sig", "alg": "RS256", "kid": secrets.token_hex(4)})
        self.ec_key = ECKey.generate_key("P-256", {"use": "sig", "alg": "ES256", "kid": secrets.token_hex(4)})

    def register(
        self, client_id: str, client_secret: str | None, redirect_uris: list[str], algorithm: str = "RS256"
    ) -> Client:
        client = Client(client_id, client_secret, redirect_uris, algorithm)
        self.clients[client_id] = client
        return client

    def key(self, algorithm: str) -> Key:
        return self.rsa_key if algorithm == "RS256" else self.ec_key

    def published_keys(self) -> dict[str, Any]:
        return dict(KeySet([self.rsa_key, self.ec_key]).as_dict(private=False))

    def metadata(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": self.origin + "/authorize",
            "token_endpoint": self.origin + "/token",
            "userinfo_endpoint": self.origin + "/userinfo",
            "jwks_uri": self.origin + "/keys",
            "introspection_endpoint": self.origin + "/introspect",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256", "ES256"],
            "authorization_response_iss_parameter_supported": True,
        }

    def claims(self, client_id: str, **members: Any) -> dict[str, Any]:
        """The payload of an ID token that is correct except for its nonce, for tests that change one claim."""
        now = int(time.time())
        return {
            "iss": self.issuer,
            "aud": client_id,
            "sub": secrets.token_hex(8),
            "iat": now,
            "exp": now + 600,
            "auth_time": now,
        } | members


class _AuthorizationCodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ("client_secret_basic", "none")
    peer: OpenIDProvider

    def save_authorization_code(self, code: str, request: Any) -> None:
        data = request.payload.data
        self.peer.codes[code] = Code(
            code=code,
            client_id=request.client.client_id,
            redirect_uri=request.payload.redirect_uri,
            scope=request.scope,
            person=request.user,
            nonce=data.get("nonce"),
            code_challenge=data.get("code_challenge"),
            code_challenge_method=data.get("code_challenge_method"),
        )

    def query_authorization_code(self, code: str, client: Client) -> Code | None:
        item = self.peer.codes.get(code)
        return item if item is not None and item.client_id == client.client_id else None

    def delete_authorization_code(self, authorization_code: Code) -> None:
        del self.peer.codes[authorization_code.code]

    def authenticate_user(self, authorization_code: Code) -> Person:
        return authorization_code.person


class _OpenIDCode(AuthlibOpenIDCode):
    def __init__(self, peer: OpenIDProvider) -> None:
        super().__init__(require_nonce=True)
        self.peer = peer

    def exists_nonce(self, nonce: str, request: Any) -> bool:
        return any(code.nonce == nonce for code in self.peer.codes.values())

    def resolve_client_private_key(self, client: Client) -> Key:
        return self.peer.key(client.id_token_signed_response_alg)

    def get_client_algorithm(self, client: Client) -> str:
        return client.id_token_signed_response_alg

    def get_client_claims(self, client: Client) -> dict[str, Any]:
        return {"iss": self.peer.issuer, "aud": client.client_id}

    def get_encode_header(self, client: Client) -> dict[str, Any]:
        algorithm = client.id_token_signed_response_alg
        return {"alg": algorithm, "kid": self.peer.key(algorithm).kid}

    def generate_user_info(self, user: Person, scope: str) -> UserInfo:
        # The other claims are at the userinfo endpoint (OpenID Connect Core section 5.4).
        return UserInfo(sub=user.sub)


class _BearerTokenValidator(BearerTokenValidator):
    peer: OpenIDProvider

    def authenticate_token(self, token_string: str) -> Token | None:
        return self.peer.tokens.get(token_string)


class _UserInfoEndpoint(UserInfoEndpoint):
    def generate_user_info(self, user: Person, scope: str) -> UserInfo:
        info = UserInfo(
            sub=user.sub,
            name=f"Person {user.sub}",
            given_name="Person",
            family_name=user.sub,
            picture="https://people.example/picture.png",
            locale="de",
            email=user.email,
            email_verified=True,
        )
        return info.filter(scope)


class _IntrospectionEndpoint(IntrospectionEndpoint):
    CLIENT_AUTH_METHODS = ("client_secret_basic",)
    peer: OpenIDProvider

    def check_permission(self, token: Token, client: Client, request: Any) -> bool:
        # The provider introspects every token for every registered client, so only client_id in the answer names the
        # owner.
        return True

    def query_token(self, token_string: str, token_type_hint: str | None) -> Token | None:
        return self.peer.tokens.get(token_string)

    def introspect_token(self, token: Token) -> dict[str, Any]:
        return {
            "active": True,
            "client_id": token.client.client_id,
            "token_type": "Bearer",
            "scope": token.scope,
            "sub": token.person.sub,
            "iss": self.peer.issuer,
            "iat": token.issued_at,
            "exp": token.issued_at + token.expires_in,
        }


class _IssuerParameter(IssuerParameter):
    peer: OpenIDProvider

    def get_issuer(self) -> str:
        return self.peer.issuer


def _of(kind: type, peer: OpenIDProvider) -> type:
    """Authlib creates its grants and endpoints itself; this attaches the provider to them."""
    return type(kind.__name__, (kind,), {"peer": peer})


def _route(flask: Flask, peer: OpenIDProvider) -> None:
    def save_token(token: dict[str, Any], request: Any) -> None:
        peer.tokens[token["access_token"]] = Token(
            token["access_token"], request.client, request.user, token.get("scope", ""), token["expires_in"]
        )

    server = AuthorizationServer(
        flask, query_client=lambda client_id: peer.clients.get(client_id), save_token=save_token
    )
    server.register_grant(_of(_AuthorizationCodeGrant, peer), [_OpenIDCode(peer), CodeChallenge(required=True)])
    server.register_endpoint(_of(_IntrospectionEndpoint, peer))
    server.register_extension(_of(_IssuerParameter, peer)())
    protector = ResourceProtector()
    protector.register_token_validator(_of(_BearerTokenValidator, peer)())
    server.register_endpoint(_UserInfoEndpoint(resource_protector=protector))

    @flask.get("/authorize")
    def authorize() -> Response:
        person = Person(request.args["login_hint"])
        grant = server.get_consent_grant(end_user=person)
        if request.args.get("prompt") == "none":
            return server.create_authorization_response(grant=grant, grant_user=None)
        return server.create_authorization_response(grant=grant, grant_user=person)

    @flask.post("/token")
    def token() -> Response:
        return server.create_token_response()

    @flask.get("/userinfo")
    def userinfo() -> Response:
        return server.create_endpoint_response("userinfo")

    @flask.post("/introspect")
    def introspect() -> Response:
        return server.create_endpoint_response("introspection")

    @flask.get("/keys")
    def keys() -> Response:
        return jsonify(peer.published_keys())

    @flask.get("/.well-known/openid-configuration")
    def metadata() -> Response:
        return jsonify(peer.metadata())
