"""An OpenID Provider.

Authlib's code: authorization codes, PKCE, client authentication, ID tokens with `at_hash`, bearer checks, userinfo,
introspection, `iss` in the redirect. Our code: the clients and users, consent without a page, the two documents
(metadata, keys), for which Authlib has no endpoint, and the quirks of known providers.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

# Without it Authlib refuses http even on loopback.
os.environ.setdefault("AUTHLIB_INSECURE_TRANSPORT", "1")

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector
from authlib.oauth2.rfc6749 import AuthorizationCodeMixin, ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc6750 import BearerTokenValidator
from authlib.oauth2.rfc7523 import JWTBearerClientAssertion
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc7662 import IntrospectionEndpoint
from authlib.oauth2.rfc9207 import IssuerParameter
from authlib.oidc.core import OpenIDCode as AuthlibOpenIDCode
from authlib.oidc.core import UserInfo, UserInfoEndpoint
from flask import Flask, Response, jsonify, request
from joserfc.jwk import ECKey, Key, KeySet, OctKey, RSAKey

from peers.loopback import Loopback


@dataclass(frozen=True)
class Quirks:
    """What a provider does in its own way. By default it does nothing so."""

    issuer_path: str = ""
    # What the metadata name as the issuer; None for the issuer of the ID tokens.
    announced_issuer: str | None = None
    paths: dict[str, str] = field(default_factory=dict)
    # Endpoints at another host than the issuer.
    elsewhere: frozenset[str] = frozenset()
    # Endpoints that the metadata do not name.
    unannounced: frozenset[str] = frozenset()
    authentication: str = "client_secret_basic"
    # Whether the audience of a client's assertion must be the issuer, and not the token endpoint.
    only_issuer_as_audience: bool = False
    # The only scopes that may be requested; None for any.
    scopes: frozenset[str] | None = None
    returns_nonce: bool = True
    returns_issuer: bool = True
    # Members that replace those of the ID token, of userinfo and of the token response; None removes one.
    id_token: dict[str, Any] = field(default_factory=dict)
    userinfo: dict[str, Any] = field(default_factory=dict)
    token_response: dict[str, Any] = field(default_factory=dict)

    def path(self, endpoint: str) -> str:
        return self.paths.get(endpoint, f"/{endpoint}")


def _replaced(members: dict[str, Any], by: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in (members | by).items() if value is not None}


@dataclass
class Client(ClientMixin):
    """A registration. One without a secret and a key is public."""

    client_id: str
    client_secret: str | None
    redirect_uris: list[str]
    id_token_signed_response_alg: str = "RS256"
    client_metadata: dict[str, Any] = field(default_factory=dict)
    authentication: str = "client_secret_basic"
    # Verifies a secret that is not always the same.
    verify_secret: Callable[[str], bool] | None = None
    # The key of `private_key_jwt`.
    public_key: Key | None = None

    def get_client_id(self) -> str:
        return self.client_id

    def get_default_redirect_uri(self) -> str | None:
        return None

    def get_allowed_scope(self, scope: str | None) -> str:
        return scope or ""

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return redirect_uri in self.redirect_uris

    def check_client_secret(self, client_secret: str) -> bool:
        return self.verify_secret(client_secret) if self.verify_secret else self.client_secret == client_secret

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        if self.public_key is not None:
            return method == _ClientAssertion.CLIENT_AUTH_METHOD
        return method == ("none" if self.client_secret is None else self.authentication)

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

    def __init__(self, quirks: Quirks | None = None) -> None:
        self.quirks = quirks or Quirks()
        self.clients: dict[str, Client] = {}
        self.codes: dict[str, Code] = {}
        self.tokens: dict[str, Token] = {}
        # The `jti` of every assertion of a client.
        self.assertions: set[str] = set()
        self.rsa_key: RSAKey
        self.ec_key: ECKey
        self.rotate_keys()
        flask = Flask("openid_provider")
        if self.quirks.scopes is not None:
            flask.config["OAUTH2_SCOPES_SUPPORTED"] = sorted(self.quirks.scopes)
        super().__init__(flask)
        # The same application at another port, which is another host for a client.
        self.elsewhere = Loopback(flask) if self.quirks.elsewhere else None
        _route(flask, self)

    def stop(self) -> None:
        super().stop()
        if self.elsewhere:
            self.elsewhere.stop()

    @property
    def issuer(self) -> str:
        return self.origin + self.quirks.issuer_path

    def endpoint(self, name: str) -> str:
        host = self.elsewhere if self.elsewhere and name in self.quirks.elsewhere else self
        return host.origin + self.quirks.path(name)

    def rotate_keys(self) -> None:
        """Replaces the keys; the old ones are no longer published."""
        self.rsa_key = RSAKey.generate_key(2048, {"use": "sig", "alg": "RS256", "kid": secrets.token_hex(4)})
        self.ec_key = ECKey.generate_key("P-256", {"use": "sig", "alg": "ES256", "kid": secrets.token_hex(4)})

    def register(
        self, client_id: str, client_secret: str | None, redirect_uris: list[str], algorithm: str = "RS256"
    ) -> Client:
        client = Client(
            client_id, client_secret, redirect_uris, algorithm, authentication=self.quirks.authentication
        )
        self.clients[client_id] = client
        return client

    def key(self, algorithm: str) -> Key:
        return self.rsa_key if algorithm == "RS256" else self.ec_key

    def published_keys(self) -> dict[str, Any]:
        return dict(KeySet([self.rsa_key, self.ec_key]).as_dict(private=False))

    def metadata(self) -> dict[str, Any]:
        endpoints = {
            "authorization_endpoint": "authorize",
            "token_endpoint": "token",
            "userinfo_endpoint": "userinfo",
            "jwks_uri": "keys",
            "introspection_endpoint": "introspect",
        }
        announced = {
            member: self.endpoint(name) for member, name in endpoints.items() if name not in self.quirks.unannounced
        }
        return announced | {
            "issuer": self.quirks.announced_issuer or self.issuer,
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256", "ES256"],
            "authorization_response_iss_parameter_supported": self.quirks.returns_issuer,
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


class _ClientAssertion(JWTBearerClientAssertion):
    """`private_key_jwt`: Authlib checks signature, issuer, subject, audience and expiry."""

    def __init__(self, peer: OpenIDProvider) -> None:
        super().__init__(leeway=0)
        self.peer = peer

    def get_audiences(self) -> list[str]:
        return [self.peer.issuer if self.peer.quirks.only_issuer_as_audience else self.peer.endpoint("token")]

    def validate_jti(self, claims: Any, jti: str) -> bool:
        known = jti in self.peer.assertions
        self.peer.assertions.add(jti)
        return not known

    def resolve_client_public_key(self, client: Client) -> Key:
        assert client.public_key is not None
        return client.public_key


class _AuthorizationCodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ("client_secret_basic", "client_secret_post", "client_assertion_jwt", "none")
    peer: OpenIDProvider

    def save_authorization_code(self, code: str, request: Any) -> None:
        data = request.payload.data
        self.peer.codes[code] = Code(
            code=code,
            client_id=request.client.client_id,
            redirect_uri=request.payload.redirect_uri,
            scope=request.scope,
            person=request.user,
            nonce=data.get("nonce") if self.peer.quirks.returns_nonce else None,
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
        if client.id_token_signed_response_alg == "HS256":
            return OctKey.import_key(client.client_secret or "")
        return self.peer.key(client.id_token_signed_response_alg)

    def get_client_algorithm(self, client: Client) -> str:
        return client.id_token_signed_response_alg

    def get_client_claims(self, client: Client) -> dict[str, Any]:
        return {"iss": self.peer.issuer, "aud": client.client_id}

    def get_encode_header(self, client: Client) -> dict[str, Any]:
        algorithm = client.id_token_signed_response_alg
        # A signature with the client's secret has no key id.
        return {"alg": algorithm} | ({} if algorithm == "HS256" else {"kid": self.peer.key(algorithm).kid})

    def generate_user_info(self, user: Person, scope: str) -> UserInfo:
        # The other claims are at the userinfo endpoint (OpenID Connect Core section 5.4).
        return UserInfo({"sub": user.sub} | self.peer.quirks.id_token)

    def process_token(self, grant: Any, response: Any) -> dict[str, Any]:
        token = super().process_token(grant, response)
        token.update(self.peer.quirks.token_response)
        return token


class _BearerTokenValidator(BearerTokenValidator):
    peer: OpenIDProvider

    def authenticate_token(self, token_string: str) -> Token | None:
        return self.peer.tokens.get(token_string)


class _UserInfoEndpoint(UserInfoEndpoint):
    peer: OpenIDProvider

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
        allowed = info.filter(scope) if self.peer.quirks.scopes is None else info
        return UserInfo(_replaced(allowed, self.peer.quirks.userinfo))


class _IntrospectionEndpoint(IntrospectionEndpoint):
    CLIENT_AUTH_METHODS = ("client_secret_basic", "client_assertion_jwt")
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
    server.register_client_auth_method(_ClientAssertion.CLIENT_AUTH_METHOD, _ClientAssertion(peer))
    server.register_grant(_of(_AuthorizationCodeGrant, peer), [_OpenIDCode(peer), CodeChallenge(required=True)])
    server.register_endpoint(_of(_IntrospectionEndpoint, peer))
    if peer.quirks.returns_issuer:
        server.register_extension(_of(_IssuerParameter, peer)())
    protector = ResourceProtector()
    protector.register_token_validator(_of(_BearerTokenValidator, peer)())
    server.register_endpoint(_of(_UserInfoEndpoint, peer)(resource_protector=protector))
    paths = peer.quirks.path

    @flask.get(paths("authorize"))
    def authorize() -> Response:
        person = Person(request.args["login_hint"])
        grant = server.get_consent_grant(end_user=person)
        if request.args.get("prompt") == "none":
            return server.create_authorization_response(grant=grant, grant_user=None)
        return server.create_authorization_response(grant=grant, grant_user=person)

    @flask.post(paths("token"))
    def token() -> Response:
        return server.create_token_response()

    @flask.get(paths("userinfo"))
    def userinfo() -> Response:
        return server.create_endpoint_response("userinfo")

    @flask.post(paths("introspect"))
    def introspect() -> Response:
        return server.create_endpoint_response("introspection")

    @flask.get(paths("keys"))
    def keys() -> Response:
        return jsonify(peer.published_keys())

    @flask.get(f"{peer.quirks.issuer_path}/.well-known/openid-configuration")
    def metadata() -> Response:
        return jsonify(peer.metadata())
