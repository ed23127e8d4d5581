"""What a user does during the sign-in of a client library, and what the library must receive."""

from __future__ import annotations

from typing import Any

import requests

from deployment.expectations import verified
from deployment.sandbox import SandboxedDeployment
from peers.person import Person

ALICE = "yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4"
LOOPBACK = "http://127.0.0.1:49152/callback"
YAHOO = "yahoo.com"


def allowed(person: Person, url: str) -> str:
    """Signs in at Yahoo and returns the redirect to the application."""
    return person.open(url).press("provider", YAHOO).allow().redirect


def approve_device(person: Person, url: str, code: str) -> None:
    """Enters the code of a device and signs in at Yahoo."""
    person.open(url).enter_code(code).press("provider", YAHOO).allow().press("decision", "approve")


def follow(redirect: str) -> str:
    """Sends the redirect to a listener on loopback, as the browser does, and returns its page."""
    with requests.Session() as session:
        session.trust_env = False
        response = session.get(redirect, timeout=10)
    assert response.status_code == 200, response.text
    return response.text


def expect_alice(token: dict[str, Any], sandboxed: SandboxedDeployment) -> None:
    sandboxed.server.secrets.add(token["access_token"])
    assert token["uid"] == verified(token["access_token"], sandboxed.account)["uid"] == ALICE
    assert token["token_type"] == "Bearer"
