"""An application with user accounts: it signs users in to Firebase and calls `/v1/account/*` for them."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from deployment.application import Answer, Application
from deployment.expectations import signed_in
from deployment.firebase import Firebase, Session
from deployment.native_application import post_form
from deployment.process import Deployment
from deployment.sandbox import Sandbox
from peers import tokens
from peers.authenticator import Authenticator
from peers.browser import parameters
from peers.person import Person

REDIRECT_URIS = {"yahoo.com": "com.example.app:/yahoo", "twitter.com": "com.example.app:/x"}


@dataclass(frozen=True)
class Entered:
    """A finished sign-in: the server's answer, and the session at Firebase."""

    body: dict[str, Any]
    session: Session

    @property
    def uid(self) -> str:
        return self.session.uid


@dataclass(frozen=True)
class Enrolled:
    """A user whose account has a second factor."""

    entered: Entered
    factor_id: str
    authenticator: Authenticator
    recovery_codes: list[str]

    @property
    def bearer(self) -> str:
        """The session from before the factor was added."""
        return self.entered.session.id_token


class AccountApplication(Application):
    """One of the clients that the sandbox configures."""

    def __init__(
        self, deployment: Deployment, firebase: Firebase, sandbox: Sandbox, client_id: str = "my-app"
    ) -> None:
        super().__init__(deployment, client_id)
        self.firebase = firebase
        self.sandbox = sandbox

    def prove(self, provider: str, user: str = "alice", bearer: str | None = None, **members: Any) -> dict[str, Any]:
        """The user consents at the provider. Returns the resulting credential."""
        body = {"client_id": self.client_id, "provider": provider, "redirect_uri": REDIRECT_URIS[provider]} | members
        begun = self.post("/v1/signin", body, **_bearer(bearer))
        assert begun.status == 200, begun
        person = Person(self.deployment.origin, self.sandbox.yahoo, self.sandbox.x)
        person.open(begun["authorization_url"])
        if "intent" in members:
            # The page that the server shows before the redirect to the provider.
            person.press("provider", provider)
        redirect = person.allow(user).redirect
        return {"type": "callback", "session": begun["session"], "callback_url": redirect}

    def token_of(self, provider: str, user: str = "alice") -> dict[str, Any]:
        """A sign-in without a browser, with tokens that the application's library got."""
        nonce, verifier = self.nonce(provider)
        if provider == "yahoo.com":
            issued = self.sandbox.issue(provider=provider, user=user, nonce=nonce, max_age=0)
            return {"type": "id_token", "id_token": issued["id_token"], "nonce": verifier}
        issued = self.sandbox.issue(provider=provider, protocol="oauth1", user=user)
        pair = {name: issued[name] for name in ("oauth_token", "oauth_token_secret")}
        return {"type": "oauth1_token", "nonce": verifier} | pair

    def try_to_enter(self, provider: str, user: str = "alice") -> Answer:
        return self.exchange(provider, self.token_of(provider, user))

    def enter(self, provider: str, user: str = "alice") -> Entered:
        return self.entered(self.try_to_enter(provider, user))

    def entered(self, answer: Answer) -> Entered:
        body = signed_in(answer)
        session = self.firebase.sign_in(body["custom_token"])
        self.deployment.secrets.add(session.id_token, session.refresh_token)
        assert session.uid == body["uid"]
        return Entered(body, session)

    def go_through_browser(
        self, provider: str, user: str, bearer: str | None = None, **further: str
    ) -> dict[str, str]:
        """Runs a pushed flow (RFC 9126), with a bearer token if it has an intent. Returns the handoff."""
        person, finish = self.begin_in_browser(provider, user, bearer, **further)
        return finish(person.redirect)

    def begin_in_browser(
        self, provider: str, user: str, bearer: str | None = None, **further: str
    ) -> tuple[Person, Callable[[str], dict[str, str]]]:
        """Runs a pushed flow up to the first provider's response.

        Returns the browser, and a function that makes the handoff from the redirect to the application.
        """
        verifier, redirect_uri = secrets.token_urlsafe(48), "http://127.0.0.1/callback"
        request = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": redirect_uri,
            "code_challenge": tokens.sha256(verifier),
            "code_challenge_method": "S256",
            "provider": provider,
        } | further
        pushed = post_form(self.deployment, "/par", request, **_bearer(bearer))
        assert pushed.status == 201, pushed
        query = urlencode({"client_id": self.client_id, "request_uri": pushed["request_uri"]})
        person = Person(self.deployment.origin, self.sandbox.yahoo, self.sandbox.x)
        person.open(f"{self.deployment.origin}/authorize?{query}").press("provider", provider).allow(user)

        def finish(redirect: str) -> dict[str, str]:
            code = parameters(redirect)["code"]
            self.deployment.secrets.add(code, verifier)
            return {"type": "handoff", "code": code, "redirect_uri": redirect_uri, "code_verifier": verifier}

        return person, finish

    def anonymous(self) -> Entered:
        return self.entered(self.post("/v1/anonymous", {"client_id": self.client_id}))

    # MARK: - Calls with a bearer

    def account(self, bearer: str) -> Answer:
        return self.send("GET", "/v1/account", **_bearer(bearer))

    def delete(self, bearer: str) -> Answer:
        return self.send("DELETE", "/v1/account", **_bearer(bearer))

    def link(self, bearer: str, provider: str | None, credential: dict[str, Any]) -> Answer:
        """Links a credential. `provider` is None for a handoff, which contains its provider."""
        body = self.exchange_body(provider, credential) if provider else {"credential": credential}
        return self.post("/v1/account/link", {"client_id": self.client_id} | body, **_bearer(bearer))

    def reauthenticate(self, bearer: str, provider: str, credential: dict[str, Any]) -> Answer:
        return self.post("/v1/account/reauthenticate", self.exchange_body(provider, credential), **_bearer(bearer))

    def unlink(self, bearer: str, provider: str) -> Answer:
        return self.post("/v1/account/unlink", {"provider": provider}, **_bearer(bearer))

    def merge(self, bearer: str, **proof: str) -> Answer:
        return self.post("/v1/account/merge", {"client_id": self.client_id} | proof, **_bearer(bearer))

    def sign_out(self, bearer: str, **token: str) -> Answer:
        """Signs out of Firebase, and of a provider if its token is given."""
        return self.post("/v1/account/signout", {"client_id": self.client_id} | token, **_bearer(bearer))

    def refresh(self, bearer: str, provider: str, refresh_token: str) -> Answer:
        """Asks for fresh tokens of a provider."""
        body = {"client_id": self.client_id, "provider": provider, "refresh_token": refresh_token}
        answer = self.post("/v1/provider-token", body, **_bearer(bearer))
        if answer.status == 200:
            self.deployment.secrets.add(*(answer["oauth"].get(name) for name in ("access_token", "refresh_token")))
        return answer

    # MARK: - Second factors

    def begin_factor(self, bearer: str, **members: str) -> Answer:
        body = {"client_id": self.client_id, "type": "totp"} | members
        return self.post("/v1/account/factors", body, **_bearer(bearer))

    def confirm_factor(self, bearer: str, factor_id: str, code: str) -> Answer:
        body = {"client_id": self.client_id, "factor_id": factor_id, "totp": code}
        return self.post("/v1/account/factors/confirm", body, **_bearer(bearer))

    def remove_factor(self, bearer: str, factor_id: str, **code: str) -> Answer:
        body = {"client_id": self.client_id, "factor_id": factor_id} | code
        return self.post("/v1/account/factors/remove", body, **_bearer(bearer))

    def factors(self, bearer: str) -> dict[str, Any]:
        answer = self.send("GET", "/v1/account/factors", **_bearer(bearer))
        assert answer.status == 200, answer
        return answer.body

    def prove_factor(self, handle: str, **code: str) -> Answer:
        """The second half of a sign-in."""
        credential = {"type": "second_factor", "pending_credential": handle} | code
        return self.post("/v1/exchange", {"client_id": self.client_id, "credential": credential})

    def enroll(self, entered: Entered) -> Enrolled:
        """Adds an authenticator application to the account of a user who has just signed in."""
        bearer = entered.session.id_token
        begun = self.begin_factor(bearer, name="Phone")
        assert begun.status == 200, begun
        authenticator = Authenticator(begun["otpauth_uri"])
        confirmed = self.confirm_factor(bearer, begun["factor_id"], authenticator.next_code())
        assert confirmed.status == 200, confirmed
        codes = confirmed["recovery_codes"]
        self.deployment.secrets.add(*codes)
        assert len(set(codes)) == 10
        return Enrolled(entered, begun["factor_id"], authenticator, codes)


def pending(conflict: Answer) -> dict[str, str]:
    """The credential in the answer of a conflict."""
    return {"type": "pending", "pending_credential": conflict["pending_credential"]}


def identities(answer: Answer) -> dict[str, str]:
    """The identities of an account by provider."""
    assert answer.status == 200, answer
    account = answer.body.get("account", answer.body)
    assert account.keys() == {"uid", "anonymous", "created_at", "identities"}
    return {
        identity["provider"]: identity["provider_uid"]
        for identity in account["identities"]
        if identity["managed_by"] == "us"
    }


def _bearer(token: str | None) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}
