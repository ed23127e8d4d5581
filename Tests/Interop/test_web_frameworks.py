"""Flask-Dance and social-auth-core, with which web applications sign users in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from flask_dance.consumer import OAuth2ConsumerBlueprint, oauth_authorized, oauth_error
from social_core.backends.oauth import BaseOAuth2PKCE
from social_core.storage import NonceMixin, BaseStorage
from social_core.strategy import BaseStrategy

from clients.sign_in import LOOPBACK, allowed, expect_alice
from deployment.sandbox import SandboxedDeployment
from peers.browser import parameters
from peers.person import Person

WEBSITE = LOOPBACK.removesuffix("/callback")


@pytest.fixture(autouse=True)
def insecure_transport(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allows http on loopback, which oauthlib refuses otherwise."""
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
    monkeypatch.setenv("no_proxy", "*")


# MARK: - Flask-Dance


class FlaskWebsite:
    """A website with the blueprint of Flask-Dance's documentation. It keeps what the library's signals send."""

    def __init__(self, server: str) -> None:
        self.tokens: list[dict[str, Any]] = []
        self.errors: list[str] = []
        blueprint = OAuth2ConsumerBlueprint(
            "server",
            __name__,
            client_id="my-app",
            authorization_url=f"{server}/authorize",
            token_url=f"{server}/token",
            login_url="/login",
            authorized_url="/callback",
            use_pkce=True,
        )
        application = Flask(__name__)
        application.secret_key = "of the test"
        application.register_blueprint(blueprint)
        self._listeners = [
            oauth_authorized.connect_via(blueprint)(lambda _, token: self.tokens.append(token)),
            oauth_error.connect_via(blueprint)(lambda _, error, **more: self.errors.append(error)),
        ]
        self._browser = application.test_client()

    def login(self) -> str:
        return self._browser.get("/login", base_url=WEBSITE).location

    def callback(self, redirect: str) -> int:
        return self._browser.get(redirect.removeprefix(WEBSITE), base_url=WEBSITE).status_code


def test_flask_dance_signs_in(sandboxed: SandboxedDeployment, person: Person) -> None:
    """It sends the client_id as the user name of Basic."""
    website = FlaskWebsite(sandboxed.server.origin)
    assert website.callback(allowed(person, website.login())) == 302
    (token,) = website.tokens
    expect_alice(token, sandboxed)


def test_flask_dance_reports_a_refusal(sandboxed: SandboxedDeployment, person: Person) -> None:
    website = FlaskWebsite(sandboxed.server.origin)
    person.open(website.login()).press("provider", "yahoo.com").press("decision", "deny")
    assert website.callback(person.redirect) == 302
    assert (website.tokens, website.errors) == ([], ["access_denied"])


# MARK: - social-auth-core


class Nonces(NonceMixin):
    """The values of `state` that are in use."""

    used: set[tuple[str, int, str]] = set()

    @classmethod
    def use(cls, server_url: str, timestamp: int, salt: str) -> bool:
        cls.used.add((server_url, timestamp, salt))
        return True

    @classmethod
    def consume(cls, server_url: str, timestamp: int, salt: str) -> bool:
        found = (server_url, timestamp, salt) in cls.used
        cls.used.discard((server_url, timestamp, salt))
        return found


class Storage(BaseStorage):
    nonce = Nonces


class Strategy(BaseStrategy):
    """What social-auth-app-django and -flask provide: settings, and the session of a browser."""

    def __init__(self, settings: dict[str, Any]) -> None:
        super().__init__(Storage)
        self._settings = settings
        self._session: dict[str, Any] = {}

    def get_setting(self, name: str) -> Any:
        return self._settings[name]

    def request_data(self, merge: bool = True) -> dict[str, Any]:
        return {}

    def session_get(self, name: str, default: Any = None) -> Any:
        return self._session.get(name, default)

    def session_set(self, name: str, value: Any) -> None:
        self._session[name] = value

    def session_pop(self, name: str) -> Any:
        return self._session.pop(name, None)

    def build_absolute_uri(self, path: str | None = None) -> str:
        return path or WEBSITE

    def authenticate(self, backend: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Returns the token response, which the applications' strategies would hand to their models of users."""
        return kwargs["response"]


class Server(BaseOAuth2PKCE):
    name = "token-exchange"
    ID_KEY = "uid"
    REDIRECT_STATE = False


class WithRedirectState(Server):
    """The default of the library."""

    REDIRECT_STATE = True


@pytest.fixture
def strategy(sandboxed: SandboxedDeployment) -> Iterator[Strategy]:
    origin = sandboxed.server.origin
    yield Strategy(
        {
            "SOCIAL_AUTH_TOKEN_EXCHANGE_KEY": "my-app",
            "SOCIAL_AUTH_TOKEN_EXCHANGE_AUTHORIZATION_URL": f"{origin}/authorize",
            "SOCIAL_AUTH_TOKEN_EXCHANGE_ACCESS_TOKEN_URL": f"{origin}/token",
        }
    )
    Nonces.used.clear()


def test_social_auth_core_signs_in(sandboxed: SandboxedDeployment, person: Person, strategy: Strategy) -> None:
    backend = Server(strategy, LOOPBACK)
    backend.data = parameters(allowed(person, backend.auth_url()))
    token = backend.auth_complete()
    expect_alice(token, sandboxed)
    assert backend.get_user_id({}, token) == token["uid"]


def test_social_auth_core_must_not_change_the_redirect_uri(person: Person, strategy: Strategy) -> None:
    """By default it adds a parameter to the redirect URI. Redirect URIs are compared exactly (RFC 9700 section 2.1)."""
    url = WithRedirectState(strategy, LOOPBACK).auth_url()
    assert "redirect_state" in parameters(url)["redirect_uri"]
    assert person.open(url).heading == "This sign-in cannot continue"
