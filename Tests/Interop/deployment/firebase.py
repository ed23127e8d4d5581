"""Google's stand-in in the sandbox, used through Google's own libraries, as applications and administrators do.

Google's code: firebase-admin for users, google-auth for ID tokens and their certificates. Our code: the calls of an
application without an SDK, as Identity Toolkit documents them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

import firebase_admin
import requests
from firebase_admin import auth
from google.auth.transport.requests import Request
from google.oauth2 import id_token

from deployment.sandbox import Sandbox

PROJECT = "sandbox"
API_KEY = "sandbox-api-key"
CERTIFICATES = "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"


@dataclass(frozen=True)
class Session:
    """A user who is signed in to Firebase."""

    id_token: str
    refresh_token: str
    claims: dict[str, Any]

    @property
    def uid(self) -> str:
        return self.claims["sub"]


class Firebase:
    """The stand-in, for applications and for administrators."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._http = requests.Session()
        self._http.trust_env = False
        # firebase-admin reads the variable when a client is created.
        with mock.patch.dict(os.environ, FIREBASE_AUTH_EMULATOR_HOST=sandbox.google.removeprefix("http://")):
            self.app = firebase_admin.initialize_app(None, {"projectId": PROJECT}, name=sandbox.google)
            self.admin = auth.Client(self.app)

    def close(self) -> None:
        firebase_admin.delete_app(self.app)
        self._http.close()

    def sign_in(self, custom_token: str) -> Session:
        """`signInWithCustomToken` of the SDKs."""
        return self._session(self._ask("accounts:signInWithCustomToken", token=custom_token, returnSecureToken=True))

    def try_to_sign_in(self, custom_token: str) -> str:
        """The error of Google if the custom token is refused."""
        response = self._post("accounts:signInWithCustomToken", token=custom_token, returnSecureToken=True)
        assert response.status_code == 400, response.text
        return response.json()["error"]["message"]

    def sign_up(self, email: str, password: str) -> Session:
        """`createUserWithEmailAndPassword` of the SDKs."""
        return self._session(self._ask("accounts:signUp", email=email, password=password, returnSecureToken=True))

    def add_password(self, session: Session, email: str, password: str) -> None:
        """`linkWithCredential` of the SDKs, which does not involve the server."""
        self._ask("accounts:signUp", idToken=session.id_token, email=email, password=password)

    def refresh(self, refresh_token: str) -> requests.Response:
        return self._http.post(
            f"{self._sandbox.google}/v1/token",
            params={"key": API_KEY},
            data={"grant_type": "refresh_token", "refresh_token": refresh_token},
            timeout=10,
        )

    def verified(self, token: str) -> dict[str, Any]:
        """The claims of an ID token, verified by google-auth."""
        request = Request(self._http)
        claims = id_token.verify_token(token, request, PROJECT, certs_url=self._sandbox.google + CERTIFICATES)
        assert claims["iss"] == f"https://securetoken.google.com/{PROJECT}"
        return claims

    def certificates(self, account: str) -> dict[str, str]:
        """The certificates of the keys that Google manages for a service account."""
        return self._http.get(f"{self._sandbox.google}/robot/v1/metadata/x509/{account}", timeout=10).json()

    def providers(self, uid: str) -> dict[str, str]:
        """The identities of a user in firebase-admin, by provider."""
        return {info.provider_id: info.uid for info in self.admin.get_user(uid).provider_data}

    def has(self, uid: str) -> bool:
        try:
            self.admin.get_user(uid)
        except auth.UserNotFoundError:
            return False
        return True

    def change(self, uid: str, **members: Any) -> None:
        """Changes a user in ways that firebase-admin does not support."""
        self._sandbox.order("PUT", "/google/users", uid=uid, **members)

    def bearer(self, uid: str, **members: Any) -> str:
        """Creates an ID token of a user, and the user if there is none: a stranger may not change an account."""
        self.change(uid)
        return self.token_for(uid, **members)

    def token_for(self, uid: str, **members: Any) -> str:
        """Creates an ID token for any uid, also of a user that does not exist."""
        return self._sandbox.order("POST", "/google/id-token", uid=uid, **members)["id_token"]

    def old_bearer(self, uid: str, seconds: int) -> str:
        """Creates an ID token of a session that began `seconds` ago and was not ended."""
        self.change(uid, valid_since=int(time.time()) - seconds)
        return self.token_for(uid, authenticated_seconds_ago=seconds)

    def app_check_token(self, app_id: str, **members: Any) -> str:
        return self._sandbox.order("POST", "/google/app-check-token", app_id=app_id, **members)["app_check_token"]

    def clear(self) -> None:
        """Removes all users."""
        self._sandbox.order("DELETE", "/google")

    @contextmanager
    def earlier(self, seconds: int) -> Iterator[None]:
        """Within the block the clocks of Google, Yahoo and X are earlier."""
        self._sandbox.order("POST", "/clock", offset_seconds=-seconds)
        try:
            yield
        finally:
            self._sandbox.order("POST", "/clock", offset_seconds=0)

    def _session(self, body: dict[str, Any]) -> Session:
        return Session(body["idToken"], body["refreshToken"], self.verified(body["idToken"]))

    def _ask(self, method: str, **members: Any) -> dict[str, Any]:
        response = self._post(method, **members)
        assert response.status_code == 200, response.text
        return response.json()

    def _post(self, method: str, **members: Any) -> requests.Response:
        return self._http.post(
            f"{self._sandbox.google}/v1/{method}", params={"key": API_KEY}, json=members, timeout=10
        )
