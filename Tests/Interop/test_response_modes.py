"""The response modes form_post and web_message, in Chromium: the application gets the response, and no other page does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import requests

from conftest import Launch, Settle
from deployment.expectations import redeemed
from deployment.native_application import Begun, NativeApplication
from deployment.sandbox import Sandbox, SandboxedDeployment
from deployment.waiting import wait_until
from peers.chromium import Visitor
from peers.loopback import Loopback

OPENER = b"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Application</title>
<link rel="icon" href="data:,"></head><body><h1 id="application">An application</h1>
<button id="open" type="button">Sign in</button><script>
window.received = [];
addEventListener("message", event => received.push({origin: event.origin, data: event.data}));
document.getElementById("open").addEventListener("click", () => {
  window.popup = open(decodeURIComponent(location.hash.slice(1)), "signin", "popup,width=480,height=640");
});
</script></body></html>"""


def _opener(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    start_response("200 OK", [("Content-Type", "text/html; charset=utf-8")])
    return [OPENER]


@pytest.fixture
def site() -> Iterator[Loopback]:
    """The web application, at its registered origin."""
    listener = Loopback(_opener)
    yield listener
    listener.stop()


@pytest.fixture
def web(settle: Settle, site: Loopback) -> Iterator[NativeApplication]:
    """The server's client of that web application."""
    client = {
        "name": "Pop-up",
        "redirect_uris": [f"{site.origin}/callback"],
        "origins": [site.origin],
        "grants": ["authorization_code"],
    }
    application = NativeApplication(settle(clients={"pop-up": client}).deployment, "pop-up")
    application.redirect_uri = f"{site.origin}/callback"
    yield application
    application.stop()


# MARK: - form_post


def _posted(native: NativeApplication, begun: Begun) -> tuple[dict[str, str], dict[str, str]]:
    """The parameters and the header of the only request at the redirect URI."""
    wait_until(lambda: bool(native.arrivals), "the browser comes back to the application")
    (arrival,) = native.arrivals
    assert (arrival.method, arrival.query) == ("POST", "")
    assert arrival.form["state"] == begun.state
    assert arrival.form["iss"] == native.deployment.origin
    native.deployment.secrets.add(arrival.form.get("code"))
    return arrival.form, arrival.header


def test_a_response_is_posted_as_a_form(
    sandboxed: SandboxedDeployment, native: NativeApplication, visitor: Visitor
) -> None:
    begun = native.begin(response_mode="form_post")
    visitor.open(begun.url)
    visitor.see("sign in")
    visitor.choose_provider("yahoo.com")
    visitor.allow("alice")
    visitor.see("application")
    form, header = _posted(native, begun)
    assert form.keys() == {"code", "state", "iss"}
    assert header["Origin"] == "null"
    assert "Referer" not in header
    redeemed(native.redeem(begun, form["code"]), sandboxed.account)


def test_an_error_is_posted_as_a_form(native: NativeApplication, visitor: Visitor) -> None:
    begun = native.begin(response_mode="form_post")
    visitor.open(begun.url)
    visitor.see("sign in")
    visitor.press("provider", "")
    visitor.see("application")
    form, _ = _posted(native, begun)
    assert form["error"] == "access_denied"
    assert "code" not in form


def test_without_scripts_the_user_presses_the_button(
    sandboxed: SandboxedDeployment, native: NativeApplication, launch: Launch
) -> None:
    begun = native.begin(response_mode="form_post")
    with launch(scripts=False).visitor("form post without scripts") as visitor:
        visitor.open(begun.url)
        visitor.see("sign in")
        visitor.choose_provider("yahoo.com")
        visitor.allow("alice")
        visitor.see("form post")
        visitor.take_picture("form post")
        assert not native.arrivals, "the form is submitted before the button is pressed"
        visitor.find("form#response button").click()
        visitor.see("application")
    form, _ = _posted(native, begun)
    redeemed(native.redeem(begun, form["code"]), sandboxed.account)


class _PostingProvider:
    """Yahoo's stand-in behind a page of another site, `localhost`, that posts the response to the redirect URI."""

    def __init__(self, yahoo: str) -> None:
        self._yahoo = yahoo
        self.modes: list[str | None] = []
        self.listener = Loopback(self._page)
        self.url = f"http://localhost:{self.listener.port}/authorize"

    def _page(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        asked = dict(parse_qsl(environ["QUERY_STRING"]))
        self.modes.append(asked.get("response_mode"))
        decided = requests.post(
            f"{self._yahoo}/oauth2/request_auth/decision",
            data=asked | {"user": "alice", "decision": "allow"},
            allow_redirects=False,
            timeout=10,
        )
        response = parse_qsl(urlsplit(decided.headers["Location"]).query)
        fields = [*response, ("user", '{"name": {"firstName": "Alice"}}')]
        inputs = "".join(f'<input type="hidden" name="{name}" value="{escape(value)}">' for name, value in fields)
        start_response("200 OK", [("Content-Type", "text/html; charset=utf-8")])
        return [
            f"""<!doctype html><title>Provider</title><link rel="icon" href="data:,">
            <form method="post" action="{escape(asked["redirect_uri"])}">{inputs}</form>
            <script>document.forms[0].submit()</script>""".encode()
        ]


def test_the_form_of_a_provider_of_another_site_continues_the_sign_in(
    settle: Settle, sandbox: Sandbox, visitor: Visitor
) -> None:
    """The browser sends the cookie of the flow only with the redirect that follows its form."""
    provider = _PostingProvider(sandbox.yahoo)
    settings = sandbox.settings["providers"]["yahoo.com"]
    endpoints = settings["endpoints"] | {"authorization": provider.url}
    people = settle(providers={"yahoo.com": settings | {"endpoints": endpoints, "response_mode": "form_post"}})
    native = NativeApplication(people.deployment)
    try:
        begun = native.begin()
        visitor.open(begun.url)
        visitor.see("sign in")
        visitor.choose_provider("yahoo.com")
        visitor.see("application")
        answer = native.answer_to(begun)
        assert answer.keys() == {"code", "state", "iss"}
        assert provider.modes == ["form_post"]
        assert native.redeem(begun, answer["code"]).status == 200
    finally:
        native.stop()
        provider.listener.stop()


# MARK: - web_message


def _sign_in_by_pop_up(visitor: Visitor, origin: str, url: str) -> None:
    """A page of the origin opens a window, in which the user signs in, and which closes itself."""
    visitor.open(f"{origin}/#{url}")
    visitor.see("application")
    page, before = visitor.tab, visitor.windows()
    visitor.find("#open").click()
    visitor.wait_until(lambda: len(visitor.windows() - before) == 1)
    (window,) = visitor.windows() - before
    visitor.go_to_tab(window)
    visitor.see("sign in")
    visitor.choose_provider("yahoo.com")
    visitor.see("consent")
    visitor.find('input[name="user"][value="alice"]').click()
    visitor.press("decision", "allow")
    visitor.go_to_tab(page)
    visitor.wait_until(lambda: visitor.run("return window.popup.closed"))


def test_a_response_is_posted_to_the_window_that_opened_the_sign_in(
    web: NativeApplication, site: Loopback, visitor: Visitor
) -> None:
    begun = web.begin(response_mode="web_message")
    _sign_in_by_pop_up(visitor, site.origin, begun.url)
    visitor.wait_until(lambda: len(visitor.run("return window.received")) == 1)
    (message,) = visitor.run("return window.received")
    assert message["origin"] == web.deployment.origin
    assert message["data"].keys() == {"type", "response"}
    assert message["data"]["type"] == "authorization_response"
    response = message["data"]["response"]
    web.deployment.secrets.add(response["code"])
    assert response.keys() == {"code", "state", "iss"}
    assert (response["state"], response["iss"]) == (begun.state, web.deployment.origin)
    assert not site.arrivals("/callback"), "the response is also in a URL"
    assert web.redeem(begun, response["code"]).status == 200
    visitor.check_console()


def test_a_conflict_that_no_page_can_settle_is_posted_with_a_code(
    settle: Settle, site: Loopback, visitor: Visitor
) -> None:
    """The account is at Yahoo, and the application may use only X: the user continues in the application."""
    client = {
        "name": "Pop-up",
        "redirect_uris": [f"{site.origin}/callback"],
        "origins": [site.origin],
        "grants": ["authorization_code"],
        "providers": ["twitter.com"],
    }
    people = settle(clients={"pop-up": client})
    people.enter("yahoo.com")
    web = NativeApplication(people.deployment, "pop-up")
    web.redirect_uri = f"{site.origin}/callback"
    begun = web.begin(response_mode="web_message")
    visitor.open(f"{site.origin}/#{begun.url}")
    visitor.see("application")
    page, before = visitor.tab, visitor.windows()
    visitor.find("#open").click()
    visitor.wait_until(lambda: len(visitor.windows() - before) == 1)
    visitor.go_to_tab((visitor.windows() - before).pop())
    visitor.see("sign in")
    visitor.choose_provider("twitter.com")
    visitor.see("consent")
    visitor.find('input[name="user"][value="alice"]').click()
    visitor.press("decision", "allow")
    visitor.wait_until(lambda: "already have an account" in visitor.title)
    assert "with Yahoo before" in visitor.find("main").text
    assert visitor.find('button[name="decision"]').text == "Continue in Pop-up"
    visitor.press("decision", "continue")
    visitor.go_to_tab(page)
    visitor.wait_until(lambda: len(visitor.run("return window.received")) == 1)
    (message,) = visitor.run("return window.received")
    response = message["data"]["response"]
    assert response.keys() == {"error", "error_description", "code", "state", "iss"}
    assert response["error"] == "account_exists_with_different_credential"
    answer = web.redeem(begun, response["code"])
    assert (answer.status, answer["reason"]) == (400, "account_exists_with_different_credential")
    assert (answer["email"], answer["providers"]) == ("alice@example.com", ["yahoo.com"])
    assert len(answer["pending_credential"]) == 43
    web.stop()


def test_a_page_of_another_origin_gets_no_message(web: NativeApplication, visitor: Visitor) -> None:
    hostile = Loopback(_opener)
    try:
        begun = web.begin(response_mode="web_message")
        _sign_in_by_pop_up(visitor, hostile.origin, begun.url)
        assert visitor.run("return window.received") == []
        visitor.wait_until(lambda: any("target origin" in message for message in visitor.console()))
    finally:
        hostile.stop()


def test_without_an_opener_the_page_says_what_to_do(web: NativeApplication, visitor: Visitor) -> None:
    begun = web.begin(response_mode="web_message")
    visitor.open(begun.url)
    visitor.see("sign in")
    visitor.choose_provider("yahoo.com")
    visitor.allow("alice")
    visitor.see("web message")
    visitor.take_picture("web message")
    assert "start the sign-in again" in visitor.find("#undelivered").text
    assert not visitor.find("#delivered").is_displayed()


# MARK: - The home page of the sandbox


def _start(visitor: Visitor, home: str, scenario: str) -> None:
    visitor.open(home)
    visitor.press("scenario", scenario)


def _see_token(visitor: Visitor) -> None:
    visitor.wait_until(lambda: visitor.title.startswith("Sign in with Yahoo") and "/runs/" in visitor.url)
    visitor.wait_until(lambda: visitor.find("#head").text.startswith("A custom token for"))


def test_the_home_page_shows_form_post(sandboxed: SandboxedDeployment, visitor: Visitor) -> None:
    _start(visitor, sandboxed.sandbox.control, "browser-form-post")
    visitor.see("sign in")
    visitor.choose_provider("yahoo.com")
    visitor.allow("alice")
    _see_token(visitor)
    visitor.check_console()


def test_the_home_page_shows_web_message(sandboxed: SandboxedDeployment, visitor: Visitor) -> None:
    _start(visitor, sandboxed.sandbox.control, "browser-pop-up")
    visitor.wait_until(lambda: bool(visitor.find_all("#open")))
    page, before = visitor.tab, visitor.windows()
    visitor.find("#open").click()
    visitor.wait_until(lambda: len(visitor.windows() - before) == 1)
    (window,) = visitor.windows() - before
    visitor.go_to_tab(window)
    visitor.see("sign in")
    visitor.choose_provider("yahoo.com")
    visitor.allow("alice")
    visitor.go_to_tab(page)
    _see_token(visitor)
    visitor.wait_until(lambda: visitor.windows() == before)
    visitor.check_console()
