"""Public clients of the authorization server: a native application, and a device without a browser."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import requests

from deployment.application import Answer
from deployment.process import Deployment
from deployment.waiting import wait_until
from peers import tokens
from peers.browser import parameters
from peers.loopback import Arrival, Loopback

BACK = b"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Application</title>
<link rel="icon" href="data:,"></head><body><h1 id="application">Back in the application</h1></body></html>"""


def _application(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    start_response("200 OK", [("Content-Type", "text/html; charset=utf-8")])
    return [BACK]


def post_form(deployment: Deployment, path: str, form: dict[str, str], **header: str) -> Answer:
    with requests.Session() as session:
        session.trust_env = False
        response = session.post(deployment.origin + path, data=form, headers=header, timeout=30)
    answer = Answer(response.status_code, {k.lower(): v for k, v in response.headers.items()}, response.json())
    for body in (form, answer.body):
        deployment.secrets.add(*(value for name, value in body.items() if name in _SECRETS))
    given = answer.body.get("oauth", {})
    deployment.secrets.add(*(given[name] for name in given if name != "scope" and isinstance(given[name], str)))
    return answer


_SECRETS = {
    "access_token",
    "code",
    "code_verifier",
    "device_code",
    "user_code",
    "subject_token",
    "nonce",
    "request_uri",
}


@dataclass(frozen=True)
class Begun:
    """A flow that an application has started."""

    url: str
    redirect_uri: str
    state: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    code_verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))


class NativeApplication:
    """RFC 8252: it opens a browser and receives the redirect at a free loopback port."""

    def __init__(self, deployment: Deployment, client_id: str = "my-app") -> None:
        self.deployment = deployment
        self.client_id = client_id
        self._listener = Loopback(_application)
        self.redirect_uri = f"{self._listener.origin}/callback"

    def stop(self) -> None:
        self._listener.stop()

    def begin(self, redirect_uri: str | None = None, **changes: str) -> Begun:
        begun = Begun("", redirect_uri or self.redirect_uri)
        self.deployment.secrets.add(begun.code_verifier, begun.state)
        request = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": begun.redirect_uri,
            "state": begun.state,
            "code_challenge": tokens.sha256(begun.code_verifier),
            "code_challenge_method": "S256",
        } | changes
        url = f"{self.deployment.origin}/authorize?{urlencode(request)}"
        return Begun(url, begun.redirect_uri, begun.state, begun.code_verifier)

    def push(self, bearer: str, intent: str, **changes: str) -> Begun:
        """A pushed authorization request (RFC 9126) for the account of a bearer token."""
        begun = self.begin(intent=intent, **changes)
        request = parameters(begun.url)
        pushed = post_form(self.deployment, "/par", request, Authorization=f"Bearer {bearer}")
        assert pushed.status == 201, pushed
        query = urlencode({"client_id": self.client_id, "request_uri": pushed["request_uri"]})
        url = f"{self.deployment.origin}/authorize?{query}"
        return Begun(url, begun.redirect_uri, begun.state, begun.code_verifier)

    @property
    def arrivals(self) -> list[Arrival]:
        """Every request that arrived at the redirect URI, in order."""
        return self._listener.arrivals("/callback")

    @property
    def answers(self) -> list[dict[str, str]]:
        """The parameters of every redirect that arrived, in order."""
        return [parameters("?" + arrival.query) for arrival in self.arrivals]

    def answer_to(self, begun: Begun) -> dict[str, str]:
        """The parameters of the only redirect with the state of this flow. It also checks `iss` (RFC 9207)."""

        def mine() -> list[dict[str, str]]:
            return [answer for answer in self.answers if answer.get("state") == begun.state]

        wait_until(lambda: bool(mine()), "the browser comes back to the application")
        (answer,) = mine()
        self.deployment.secrets.add(answer.get("code"))
        assert answer["iss"] == self.deployment.origin
        return answer

    def redeem(self, begun: Begun, code: str, **changes: str) -> Answer:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": begun.redirect_uri,
            "client_id": self.client_id,
            "code_verifier": begun.code_verifier,
        }
        return post_form(self.deployment, "/token", form | changes)


class Television:
    """RFC 8628: it shows a code and polls with the interval that the server sets."""

    def __init__(self, deployment: Deployment, client_id: str = "living-room-tv", **parameters: str) -> None:
        self.deployment = deployment
        self.client_id = client_id
        self.begun = post_form(deployment, "/device_authorization", {"client_id": client_id} | parameters)
        assert self.begun.status == 200, self.begun
        self._interval: int = self.begun["interval"]
        self._next_poll = 0.0

    @property
    def user_code(self) -> str:
        return self.begun["user_code"]

    @property
    def verification_uri(self) -> str:
        return self.begun["verification_uri"]

    def poll(self, *, patient: bool = True) -> Answer:
        """Polls once; a patient device first waits for the interval of RFC 8628 section 3.5."""
        if patient:
            time.sleep(max(0.0, self._next_poll - time.monotonic()))
        answer = post_form(
            self.deployment,
            "/token",
            {
                "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
                "device_code": self.begun["device_code"],
                "client_id": self.client_id,
            },
        )
        if answer.body.get("error") == "slow_down":
            self._interval += 5
        self._next_poll = time.monotonic() + self._interval
        return answer
