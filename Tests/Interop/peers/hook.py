"""A hook of the operator.

PyJWT's code: the verification of the question. Our code: the answers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import jwt

from peers.loopback import Loopback

TYPE = "token-exchange-hook+jwt"


class Hook(Loopback):
    """Verifies every question, records its event, and gives the answer of the test; 401 if it is not verified."""

    def __init__(self, public_pem: str, issuer: str) -> None:
        self.events: list[dict[str, Any]] = []
        self.identifiers: list[str] = []
        self.refusals: list[str] = []
        self.answer: dict[str, Any] = {}
        self._key = public_pem
        self._issuer = issuer
        super().__init__(self._gate)

    @property
    def url(self) -> str:
        return self.origin + "/gate"

    def _gate(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        arrival = self.arrivals()[-1]
        try:
            event = self._event(arrival.method, environ["CONTENT_TYPE"], arrival.body)
        except (jwt.InvalidTokenError, ValueError) as error:
            self.refusals.append(repr(error))
            start_response("401 Unauthorized", [("Content-Length", "0")])
            return []
        self.events.append(event)
        body = json.dumps(self.answer).encode()
        start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
        return [body]

    def _event(self, method: str, media_type: str, body: bytes) -> dict[str, Any]:
        if (method, media_type) != ("POST", "application/jwt"):
            raise ValueError(f"{method} of {media_type}")
        token = body.decode()
        claims = jwt.decode(
            token,
            self._key,
            algorithms=["RS256"],
            audience=self.url,
            issuer=self._issuer,
            subject=self._issuer,
            options={"require": ["exp", "iat", "jti", "iss", "sub", "aud"]},
        )
        if jwt.get_unverified_header(token)["typ"] != TYPE:
            raise ValueError("the type is not that of a question")
        if claims["exp"] - claims["iat"] != 60:
            raise ValueError("the lifetime is not 60 seconds")
        if claims["jti"] in self.identifiers:
            raise ValueError("the jti was used before")
        self.identifiers.append(claims["jti"])
        return claims["event"]
