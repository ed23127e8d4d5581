"""An OAuth 1.0a server that imitates X.

oauthlib's code: parsing of requests, signature base strings, HMAC-SHA1, mandatory parameters, timestamps, the order of
the checks, generation of tokens and verifiers. Our code: the consumers and users, consent without a page, X's paths,
and X's JSON.
"""

from __future__ import annotations

import secrets
import string
import threading
from dataclasses import dataclass, field
from typing import Any

from flask import Flask, Response, jsonify, redirect, request
from oauthlib.oauth1 import (
    AccessTokenEndpoint,
    AuthorizationEndpoint,
    RequestTokenEndpoint,
    RequestValidator,
    ResourceEndpoint,
)

from peers.loopback import Loopback


@dataclass
class Consumer:
    key: str
    secret: str
    callbacks: list[str]


@dataclass(frozen=True)
class Person:
    """A user. The id is greater than 2^53, like real ones."""

    user_id: str
    screen_name: str

    @property
    def email(self) -> str:
        return f"{self.screen_name}@people.example"


@dataclass
class RequestToken:
    secret: str
    consumer: str
    callback: str
    verifier: str | None = None
    person: Person | None = None


@dataclass
class AccessToken:
    token: str
    secret: str
    consumer: str
    person: Person


@dataclass
class Records:
    consumers: dict[str, Consumer] = field(default_factory=dict)
    request_tokens: dict[str, RequestToken] = field(default_factory=dict)
    access_tokens: dict[str, AccessToken] = field(default_factory=dict)
    nonces: set[tuple[str, str, str]] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)


class _Validator(RequestValidator):
    """The data that oauthlib asks for, in memory."""

    # X accepts only this. Nonces may contain base64url characters, in any length: RFC 5849 sets no limit.
    allowed_signature_methods = ("HMAC-SHA1",)
    safe_characters = frozenset(string.ascii_letters + string.digits + "-_")
    nonce_length = (8, 64)
    enforce_ssl = False
    realms: tuple[str, ...] = ()
    dummy_client = "dummy-consumer-key-----"
    dummy_request_token = "dummy-request-token----"
    dummy_access_token = "dummy-access-token-----"

    def __init__(self, records: Records) -> None:
        super().__init__()
        self._records = records

    def validate_client_key(self, client_key: str, request: Any) -> bool:
        return client_key in self._records.consumers

    def get_client_secret(self, client_key: str, request: Any) -> str:
        consumer = self._records.consumers.get(client_key)
        return consumer.secret if consumer else "dummy"

    def validate_timestamp_and_nonce(
        self,
        client_key: str,
        timestamp: str,
        nonce: str,
        request: Any,
        request_token: str | None = None,
        access_token: str | None = None,
    ) -> bool:
        with self._records.lock:
            used = (client_key, timestamp, nonce)
            if used in self._records.nonces:
                return False
            self._records.nonces.add(used)
            return True

    def validate_redirect_uri(self, client_key: str, redirect_uri: str, request: Any) -> bool:
        consumer = self._records.consumers.get(client_key)
        return consumer is not None and redirect_uri in consumer.callbacks

    def get_default_realms(self, client_key: str, request: Any) -> list[str]:
        return []

    def validate_requested_realms(self, client_key: str, realms: list[str], request: Any) -> bool:
        return True

    def validate_realms(
        self, client_key: str, token: str, request: Any, uri: str | None = None, realms: Any = None
    ) -> bool:
        return True

    def get_realms(self, token: str, request: Any) -> list[str]:
        return []

    def save_request_token(self, token: dict[str, str], request: Any) -> None:
        self._records.request_tokens[token["oauth_token"]] = RequestToken(
            token["oauth_token_secret"], request.client_key, request.redirect_uri
        )

    def verify_request_token(self, token: str, request: Any) -> bool:
        return token in self._records.request_tokens

    def get_redirect_uri(self, token: str, request: Any) -> str:
        return self._records.request_tokens[token].callback

    def save_verifier(self, token: str, verifier: dict[str, str], request: Any) -> None:
        self._records.request_tokens[token].verifier = verifier["oauth_verifier"]

    def validate_request_token(self, client_key: str, token: str, request: Any) -> bool:
        known = self._records.request_tokens.get(token)
        return known is not None and known.consumer == client_key

    def get_request_token_secret(self, client_key: str, token: str, request: Any) -> str:
        known = self._records.request_tokens.get(token)
        return known.secret if known else "dummy"

    def validate_verifier(self, client_key: str, token: str, verifier: str, request: Any) -> bool:
        known = self._records.request_tokens.get(token)
        return known is not None and known.verifier is not None and secrets.compare_digest(known.verifier, verifier)

    def save_access_token(self, token: dict[str, str], request: Any) -> None:
        person = self._records.request_tokens[request.resource_owner_key].person
        assert person is not None
        # The user is known only now, and X names the user in the answer, which oauthlib creates from this dictionary.
        token.pop("oauth_authorized_realms")
        token |= {"user_id": person.user_id, "screen_name": person.screen_name}
        self._records.access_tokens[token["oauth_token"]] = AccessToken(
            token["oauth_token"], token["oauth_token_secret"], request.client_key, person
        )

    def invalidate_request_token(self, client_key: str, request_token: str, request: Any) -> None:
        del self._records.request_tokens[request_token]

    def validate_access_token(self, client_key: str, token: str, request: Any) -> bool:
        known = self._records.access_tokens.get(token)
        return known is not None and known.consumer == client_key

    def get_access_token_secret(self, client_key: str, token: str, request: Any) -> str:
        known = self._records.access_tokens.get(token)
        return known.secret if known else "dummy"


class OAuth1Server(Loopback):
    """The OAuth 1.0a server."""

    REQUEST_TOKEN = "/oauth/request_token"
    ACCESS_TOKEN = "/oauth/access_token"
    VERIFY_CREDENTIALS = "/1.1/account/verify_credentials.json"
    USERS_ME = "/2/users/me"

    def __init__(self) -> None:
        self.records = Records()
        flask = Flask("oauth1_server")
        super().__init__(flask)
        _route(flask, self.records)

    def register(self, callbacks: list[str]) -> Consumer:
        consumer = Consumer(secrets.token_hex(12), secrets.token_hex(24), callbacks)
        self.records.consumers[consumer.key] = consumer
        return consumer

    def issue(self, consumer: Consumer, person: Person) -> AccessToken:
        """Issues token credentials as if the user had signed in to that consumer."""
        token = AccessToken(secrets.token_hex(12), secrets.token_hex(20), consumer.key, person)
        self.records.access_tokens[token.token] = token
        return token


def person() -> Person:
    return Person(str(10**18 + secrets.randbelow(10**17)), f"person_{secrets.token_hex(4)}")


def _route(flask: Flask, records: Records) -> None:
    validator = _Validator(records)
    request_tokens = RequestTokenEndpoint(validator)
    authorizations = AuthorizationEndpoint(validator)
    access_tokens = AccessTokenEndpoint(validator)
    resources = ResourceEndpoint(validator)

    def arrived() -> dict[str, Any]:
        return {
            "uri": request.url,
            "http_method": request.method,
            "body": request.get_data(as_text=True),
            "headers": dict(request.headers),
        }

    def answered(header: dict[str, str], body: str | None, status: int) -> Response:
        # X sends its forms as text/html.
        return Response(body, status, content_type="text/html; charset=utf-8")

    @flask.post(OAuth1Server.REQUEST_TOKEN)
    def request_token() -> Response:
        return answered(*request_tokens.create_request_token_response(**arrived()))

    @flask.get("/oauth/authenticate")
    def authenticate() -> Any:
        # X preselects the user by `screen_name`.
        name = request.args.get("screen_name")
        made = person()
        token = request.args["oauth_token"]
        records.request_tokens[token].person = Person(made.user_id, name) if name else made
        header, _, _ = authorizations.create_authorization_response(f"{request.base_url}?oauth_token={token}")
        return redirect(header["Location"])

    @flask.post(OAuth1Server.ACCESS_TOKEN)
    def access_token() -> Response:
        return answered(*access_tokens.create_access_token_response(**arrived()))

    def signed_in() -> Person | None:
        valid, signed = resources.validate_protected_resource_request(**arrived())
        return records.access_tokens[signed.resource_owner_key].person if valid else None

    def refused() -> tuple[Response, int]:
        return jsonify({"errors": [{"code": 32, "message": "Could not authenticate you."}]}), 401

    @flask.get(OAuth1Server.VERIFY_CREDENTIALS)
    def verify_credentials() -> Any:
        who = signed_in()
        if who is None:
            return refused()
        answer = {
            "id": int(who.user_id),
            "id_str": who.user_id,
            "name": f"Person {who.screen_name}",
            "screen_name": who.screen_name,
            "profile_image_url_https": "https://people.example/picture.png",
        }
        if request.args.get("include_email") == "true":
            answer["email"] = who.email
        return jsonify(answer)

    @flask.get(OAuth1Server.USERS_ME)
    def users_me() -> Any:
        who = signed_in()
        if who is None:
            return refused()
        return jsonify({"data": {"id": who.user_id, "name": f"Person {who.screen_name}", "username": who.screen_name}})
