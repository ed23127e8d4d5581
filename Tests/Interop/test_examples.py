"""The applications of `Sources/Clients/Examples`, each as it stands in its folder."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests
import yaml
from flask.testing import FlaskClient
from selenium.common.exceptions import NoAlertPresentException, NoSuchWindowException
from selenium.webdriver import Chrome
from werkzeug.test import TestResponse

from clients.program import Program, program
from clients.sign_in import ALICE, YAHOO, approve_device, follow
from conftest import PICTURES, Deploy
from deployment.account_application import AccountApplication
from deployment.firebase import PROJECT, Firebase
from deployment.pages import ROOT, examples
from deployment.sandbox import SandboxedDeployment, sandboxed_deployment
from deployment.service_account import ServiceAccount
from deployment.waiting import wait_until
from peers.authenticator import Authenticator
from peers.browser import parameters
from peers.chromium import Chromium, Visitor
from peers.loopback import Loopback
from peers.person import Person

EXAMPLES = ROOT / "Sources/Clients/Examples"
LIBRARY = ROOT / "Sources/Clients/JavaScript"
STUBS = Path(__file__).with_name("clients") / "examples"
X = "twitter.com"
# The tests of one server change accounts of different users, so that none depends on another.


def _environment(sandboxed: SandboxedDeployment) -> dict[str, str]:
    """The addresses of this sandbox, and no browser that a program could open."""
    return {
        "SERVER": sandboxed.server.origin,
        "GOOGLE": sandboxed.sandbox.google,
        "BROWSER": "true",
        "LANG": "C.UTF-8",
        "NO_PROXY": "*",
    }


@pytest.mark.parametrize("readme", sorted(EXAMPLES.glob("*/README.md")), ids=lambda readme: readme.parent.name)
def test_the_registration_of_each_readme_is_accepted(deploy: Deploy, readme: Path) -> None:
    deployment = deploy()
    settings = deployment.settings | {"firebase": deployment.settings["firebase"] | {"api_key": "key"}}
    found = [example for example in examples([readme]) if example.language == "yaml"]
    assert found or "../Unity/README.md" in readme.read_text()
    for example in found:
        settings["clients"] = yaml.safe_load(example.code)["clients"]
    deployment.configure(settings)
    outcome = deployment.run("config", "check")
    assert outcome.returncode == 0, outcome.stderr


def _installed(name: str, folder: Path) -> Path:
    """A copy of an example in JavaScript, as `npm install` leaves it."""
    manifest = json.loads((EXAMPLES / name / "package.json").read_text())
    target = manifest["dependencies"]["token-exchange-client"].removeprefix("file:")
    assert (EXAMPLES / name / target).resolve() == LIBRARY
    shutil.copytree(EXAMPLES / name, folder / name)
    (folder / name / "node_modules").mkdir()
    (folder / name / "node_modules/token-exchange-client").symlink_to(LIBRARY)
    return folder / name


def _go(sandboxed: SandboxedDeployment, url: str, provider: str, user: str, code: str | None = None) -> None:
    """The user signs in on the pages, with a code of the second factor if there is one, and returns to the application."""
    person = Person(sandboxed.server.origin, sandboxed.sandbox.yahoo, sandboxed.sandbox.x)
    person.open(url).press("provider", provider).allow(user)
    if code is not None:
        person.press("decision", "prove", code=code)
    sandboxed.server.secrets.add(person.redirect.partition("code=")[2].partition("&")[0])
    follow(person.redirect)


# MARK: - Command line


class CommandLine:
    """The program of the command line, with a home folder of its own."""

    def __init__(self, folder: Path, home: Path, sandboxed: SandboxedDeployment) -> None:
        self._folder, self._home, self._sandboxed = folder, home, sandboxed

    @property
    def session(self) -> Path:
        return self._home / ".local/state/command-line-example/session.json"

    @contextlib.contextmanager
    def running(self, *words: str) -> Iterator[Program]:
        environment = _environment(self._sandboxed) | {"HOME": str(self._home)}
        with program(["node", str(self._folder / "main.mjs"), *words], environment) as running:
            yield running
        if self.session.exists():
            session = json.loads(self.session.read_text())
            self._sandboxed.server.secrets.add(session["idToken"], session["refreshToken"])

    def run(self, *words: str) -> tuple[int, str]:
        with self.running(*words) as running:
            return running.end()

    def go(self, running: Program, provider: str, user: str, code: str | None = None) -> None:
        _go(self._sandboxed, running.line("Open ").removeprefix("Open "), provider, user, code)

    def sign_in(self, provider: str, user: str) -> None:
        with self.running("sign-in", provider) as running:
            self.go(running, provider, user)
            code, output = running.end()
        assert code == 0, output
        assert "Signed in as" in output


def _providers(output: str) -> list[str]:
    return sorted(output.strip().rpartition(": ")[2].split(", "))


@pytest.fixture
def command_line(tmp_path: Path, sandboxed: SandboxedDeployment) -> CommandLine:
    home = tmp_path / "home"
    home.mkdir()
    return CommandLine(_installed("CommandLine", tmp_path), home, sandboxed)


def test_the_command_line_keeps_its_session_in_a_file_of_its_user(command_line: CommandLine) -> None:
    assert command_line.run("whoami") == (1, "You are not signed in. Run: node main.mjs sign-in\n")
    command_line.sign_in(YAHOO, "alice")
    assert command_line.session.stat().st_mode & 0o777 == 0o600
    assert command_line.session.parent.stat().st_mode & 0o777 == 0o700
    assert command_line.run("whoami") == (0, f"{ALICE}: {YAHOO}\n")
    assert command_line.run("sign-out") == (0, "Signed out.\n")
    assert not command_line.session.exists()
    assert command_line.run()[0] == 64


def test_the_command_line_refreshes_its_session(command_line: CommandLine, members: AccountApplication) -> None:
    command_line.sign_in(YAHOO, "alice")
    former = json.loads(command_line.session.read_text())
    # The token is taken for expired, and is no token: only a fresh one answers.
    command_line.session.write_text(json.dumps(former | {"idToken": "expired", "expiresAt": 0}))
    assert command_line.run("whoami")[0] == 0
    fresh = json.loads(command_line.session.read_text())
    assert fresh["idToken"].startswith("eyJ") and fresh["expiresAt"] > 0
    assert command_line.session.stat().st_mode & 0o777 == 0o600
    command_line.session.write_text(json.dumps(former | {"refreshToken": "never-issued", "expiresAt": 0}))
    assert command_line.run("whoami") == (1, "The session has ended. Run: node main.mjs sign-in\n")
    assert not command_line.session.exists()


def test_the_command_line_links_and_asks_before_it_merges(
    command_line: CommandLine, members: AccountApplication
) -> None:
    bjorn = members.enter(X, "bjorn")
    command_line.sign_in(YAHOO, "carol")
    for answer, providers in (("no", [YAHOO]), ("yes", [X, YAHOO])):
        with command_line.running("link", X) as running:
            command_line.go(running, X, "bjorn")
            assert bjorn.uid in running.line("It belongs to")
            running.enter(answer)
            code, output = running.end()
        assert (code, "Nothing was changed." in output) == (0, answer == "no"), output
        assert _providers(command_line.run("whoami")[1]) == providers
    code, output = command_line.run("unlink", X)
    assert (code, _providers(output)) == (0, [YAHOO]), output


def test_the_command_line_adds_a_second_factor_and_then_links_with_it(command_line: CommandLine) -> None:
    command_line.sign_in(YAHOO, "dana")
    with command_line.running("second-factor") as running:
        authenticator = Authenticator(running.line("otpauth://").split()[1])
        running.line("Which code")
        running.enter(authenticator.next_code())
        code, output = running.end()
    assert code == 0, output
    assert len(output.partition("recovery codes: ")[2].split()) == 10
    # The session is from before the factor. A sign-in to another account changes nothing.
    with command_line.running("link", X) as running:
        running.line("Sign in again first.")
        command_line.go(running, YAHOO, "alice")
        assert running.end() == (1, "That was another account. Nothing was changed.\n")
    with command_line.running("link", X) as running:
        running.line("Sign in again first.")
        command_line.go(running, YAHOO, "dana", authenticator.next_code())
        command_line.go(running, X, "dana")
        code, output = running.end()
    assert (code, _providers(output)) == (0, [X, YAHOO]), output


# MARK: - Electron


class Window:
    """The page of the window, as far as the main process sees it."""

    def __init__(self, running: Program) -> None:
        self._running = running
        self.shown = self.event()

    def event(self) -> dict[str, Any]:
        return json.loads(self._running.line("{"))

    def begin(self, call: str, provider: str | None = None) -> None:
        self._running.enter(json.dumps({"call": call, "provider": provider}))

    def opened(self) -> str:
        return self.event()["open"]

    def choose(self, button: int) -> None:
        self._running.enter(json.dumps(button))

    def answer(self) -> dict[str, Any]:
        return self.event()["answer"]


@pytest.fixture
def window(tmp_path: Path, sandboxed: SandboxedDeployment) -> Iterator[Window]:
    folder = _installed("Electron", tmp_path)
    electron = folder / "node_modules/electron"
    electron.mkdir()
    shutil.copy(STUBS / "electron.mjs", electron / "index.mjs")
    (electron / "package.json").write_text('{"main": "index.mjs"}')
    with program(["node", str(folder / "main.mjs")], _environment(sandboxed)) as running:
        yield Window(running)


def test_the_window_of_electron_is_isolated(window: Window) -> None:
    preload = Path(window.shown.pop("preload"))
    assert preload.name == "preload.cjs" and preload.exists()
    assert window.shown == {
        "file": "index.html",
        "handlers": ["signIn", "link", "signOut"],
        "guards": {"open": "deny", "will-navigate": "prevented"},
        "contextIsolation": True,
        "nodeIntegration": False,
        "sandbox": True,
    }


def test_electron_signs_in_and_no_token_reaches_the_window(window: Window, sandboxed: SandboxedDeployment) -> None:
    window.begin("signIn", YAHOO)
    _go(sandboxed, window.opened(), YAHOO, "alice")
    assert window.answer() == {"user": {"uid": ALICE, "providers": [YAHOO]}}
    window.begin("signOut")
    assert window.answer() == {"user": None}
    window.begin("link", X)
    answer = window.answer()
    assert (answer["user"], answer["problem"]["reason"]) == (None, "token_unavailable")


def test_electron_ends_the_sign_in_of_a_closed_tab_at_the_next_one(
    window: Window, sandboxed: SandboxedDeployment
) -> None:
    window.begin("signIn", X)
    window.opened()
    window.begin("signIn", YAHOO)
    first, second = window.event(), window.event()
    # The end of the first sign-in and the address of the second one may come in either order.
    ended, opened = (first, second) if "answer" in first else (second, first)
    assert ended["answer"]["problem"]["reason"] == "cancelled"
    _go(sandboxed, opened["open"], YAHOO, "alice")
    assert window.answer() == {"user": {"uid": ALICE, "providers": [YAHOO]}}


def test_electron_links_and_asks_before_it_merges(
    window: Window, sandboxed: SandboxedDeployment, members: AccountApplication
) -> None:
    kobayashi = members.enter(X, "kobayashi")
    window.begin("signIn", YAHOO)
    _go(sandboxed, window.opened(), YAHOO, "frida")
    signed_in = window.answer()
    for button, providers in ((0, [YAHOO]), (1, [X, YAHOO])):
        window.begin("link", X)
        _go(sandboxed, window.opened(), X, "kobayashi")
        asked = window.event()
        assert kobayashi.uid in asked["ask"] and asked["buttons"][0] == "Cancel"
        window.choose(button)
        answer = window.answer()
        assert (answer["user"]["uid"], sorted(answer["user"]["providers"])) == (signed_in["user"]["uid"], providers)
        assert answer.keys() == {"user"}


def test_electron_proves_the_second_factor_on_the_page_of_the_server(
    window: Window, sandboxed: SandboxedDeployment, members: AccountApplication
) -> None:
    window.begin("signIn", YAHOO)
    _go(sandboxed, window.opened(), YAHOO, "mallory")
    signed_in = window.answer()
    enrolled = members.enroll(members.enter(YAHOO, "mallory"))
    # The session is from before the factor: the application signs in again, and the page asks for a code.
    window.begin("link", X)
    _go(sandboxed, window.opened(), YAHOO, "mallory", enrolled.authenticator.next_code())
    _go(sandboxed, window.opened(), X, "mallory")
    answer = window.answer()
    assert answer["user"]["uid"] == signed_in["user"]["uid"]
    assert sorted(answer["user"]["providers"]) == [X, YAHOO]


def test_electron_links_nothing_to_another_account(
    window: Window, sandboxed: SandboxedDeployment, members: AccountApplication
) -> None:
    window.begin("signIn", YAHOO)
    _go(sandboxed, window.opened(), YAHOO, "bjorn")
    window.answer()
    members.enroll(members.enter(YAHOO, "bjorn"))
    window.begin("link", X)
    _go(sandboxed, window.opened(), YAHOO, "alice")
    answer = window.answer()
    assert answer["user"] == {"uid": ALICE, "providers": [YAHOO]}
    assert answer["problem"] == {"message": "That was another account. Nothing was linked."}


def test_the_preload_script_of_electron_exposes_three_functions(tmp_path: Path) -> None:
    (tmp_path / "node_modules/electron").mkdir(parents=True)
    (tmp_path / "node_modules/electron/index.js").write_text(
        "exports.ipcRenderer = { invoke: (...words) => console.log(JSON.stringify(words)) };\n"
        "exports.contextBridge = { exposeInMainWorld(name, functions) {\n"
        "  for (const [call, work] of Object.entries(functions)) { console.log(name, call); work('p', 'more'); }\n"
        "} };\n"
    )
    shutil.copy(EXAMPLES / "Electron/preload.cjs", tmp_path)
    with program(["node", str(tmp_path / "preload.cjs")]) as running:
        code, output = running.end()
    assert (code, output.splitlines()) == (
        0,
        [
            *("account signIn", '["signIn","p"]'),
            *("account link", '["link","p"]'),
            *("account signOut", '["signOut"]'),
        ],
    )


ACCOUNT = """
window.account = {
  signIn: async (provider) => ({ user: { uid: "u", providers: [provider] } }),
  link: async (provider) => ({ user: { uid: "u", providers: ["yahoo.com"] }, problem: { message: "No." } }),
  signOut: async () => ({ user: null }),
};
"""


def test_the_page_of_electron_shows_the_account(visitor: Visitor) -> None:
    """The page in Chromium, with other functions in place of those of the preload script."""

    def respond(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        path = environ["PATH_INFO"].removeprefix("/")
        kind = {"index.html": "text/html", "page.js": "text/javascript"}.get(path)
        start_response("200 OK" if kind else "404 Not Found", [("Content-Type", f"{kind or 'text/plain'}; charset=utf-8")])
        return [(EXAMPLES / "Electron" / path).read_bytes() if kind else b""]

    def press(call: str, provider: str = "") -> str:
        selector = f'button[data-call="{call}"]' + (f'[data-provider="{provider}"]' if provider else "")
        visitor.find(selector).click()
        visitor.wait_until(lambda: visitor.find("#status").text != "Continue in your browser.")
        return visitor.find("#status").text

    def shown() -> list[str]:
        return [button.text for button in visitor.find_all("button") if button.is_displayed()]

    listener = Loopback(respond)
    try:
        visitor.open(f"{listener.origin}/index.html")
        visitor.run(ACCOUNT)
        assert shown() == ["Sign in with Yahoo", "Sign in with X"]
        assert press("signIn", YAHOO) == "Signed in as u (yahoo.com)."
        assert shown() == ["Link X", "Sign out"]
        assert press("link", X) == "Signed in as u (yahoo.com). No."
        assert press("signOut") == "Signed out."
        assert shown() == ["Sign in with Yahoo", "Sign in with X"]
    finally:
        listener.stop()


# MARK: - A web site

ORIGIN = "http://127.0.0.1:5001"


class Visit:
    """A user at the web site, with a browser that keeps its cookies."""

    def __init__(self, browser: FlaskClient, sandboxed: SandboxedDeployment) -> None:
        self._browser, self._sandboxed = browser, sandboxed

    def open(self, path: str) -> TestResponse:
        return self._browser.get(path, base_url=ORIGIN, follow_redirects=True)

    def press(self, path: str, origin: str = ORIGIN, **form: str) -> TestResponse:
        """Sends a form of the page."""
        return self._browser.post(path, base_url=ORIGIN, headers={"Origin": origin}, data=form)

    def to_server(self, response: TestResponse, provider: str, user: str, code: str | None = None) -> str:
        """Follows a redirect to the server, signs in there, and returns the path of the redirect back."""
        person = Person(self._sandboxed.server.origin, self._sandboxed.sandbox.yahoo, self._sandboxed.sandbox.x)
        person.open(response.location).press("provider", provider).allow(user)
        if code is not None:
            person.press("decision", "prove", code=code)
        self._sandboxed.server.secrets.add(person.redirect.partition("code=")[2].partition("&")[0])
        assert person.redirect.startswith(f"{ORIGIN}/callback?")
        return person.redirect.removeprefix(ORIGIN)

    def begin(self, provider: str, user: str, code: str | None = None) -> str:
        """Signs in at the server, and returns the path of the redirect."""
        begun = self._browser.get(f"/sign-in?provider={provider}", base_url=ORIGIN)
        return self.to_server(begun, provider, user, code)

    def sign_in(self, provider: str, user: str, code: str | None = None) -> TestResponse:
        return self.open(self.begin(provider, user, code))

    def link(self, provider: str, user: str) -> TestResponse:
        return self.open(self.to_server(self.press("/link", provider=provider), provider, user))

    def identities(self) -> list[str]:
        return sorted(re.findall(r"<li>([^<]+)</li>", self.open("/settings").text))

    @property
    def cookie(self) -> str:
        cookie = self._browser.get_cookie("session", "127.0.0.1")
        assert cookie is not None and cookie.http_only and cookie.same_site == "Lax"
        return cookie.value


@pytest.fixture
def visit(sandboxed: SandboxedDeployment, monkeypatch: pytest.MonkeyPatch) -> Visit:
    for name, value in {"SERVER": sandboxed.server.origin, "no_proxy": "*"}.items():
        monkeypatch.setenv(name, value)
    spec = importlib.util.spec_from_file_location("python_site", EXAMPLES / "PythonSite/app.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return Visit(module.app.test_client(), sandboxed)


def test_the_web_site_signs_in_and_out_and_keeps_tokens_from_the_browser(
    visit: Visit, sandboxed: SandboxedDeployment
) -> None:
    assert visit.open("/settings").status_code == 401
    page = visit.sign_in(YAHOO, "alice")
    assert f"Signed in as {ALICE}." in page.text
    assert visit.identities() == [YAHOO]
    assert "eyJhbGciOi" not in visit.cookie
    visit.press("/sign-out")
    assert "Signed in" not in visit.open("/").text
    assert visit.open("/settings").status_code == 401


@pytest.mark.parametrize(
    "change",
    [
        ("iss=", "iss=https%3A%2F%2Fhostile.example&was="),
        ("state=", "state=another&was="),
        ("code=", "error=access_denied&error_description=The+user+refused.&was="),
    ],
    ids=["iss", "state", "error"],
)
def test_the_web_site_refuses_a_redirect(visit: Visit, change: tuple[str, str]) -> None:
    path = visit.begin(YAHOO, "alice").replace(*change)
    page = visit.open(path)
    assert (page.status_code, "The user refused" in page.text) == (400, False)
    assert "Signed in" not in visit.open("/").text


def test_the_web_site_refuses_forms_of_other_sites(visit: Visit) -> None:
    visit.sign_in(YAHOO, "alice")
    for path in ("/link", "/merge", "/second-factor", "/second-factor/confirm", "/sign-out"):
        assert visit.press(path, "https://hostile.example").status_code == 403
    assert visit.identities() == [YAHOO]


def test_the_web_site_links_and_asks_before_it_merges(visit: Visit, members: AccountApplication) -> None:
    other = members.enter(X, "alice")
    visit.sign_in(YAHOO, "kobayashi")
    assert visit.press("/merge").status_code == 400
    page = visit.link(X, "alice")
    assert (page.status_code, f"the account {other.uid}." in page.text) == (409, True)
    assert visit.identities() == [YAHOO]
    assert visit.press("/merge").status_code == 302
    assert visit.identities() == [X, YAHOO]


def test_the_web_site_adds_a_second_factor_and_then_links_with_it(
    visit: Visit, sandboxed: SandboxedDeployment
) -> None:
    visit.sign_in(YAHOO, "erin")
    page = visit.press("/second-factor").text
    uri, factor = re.search(r'href="(otpauth:[^"]+)"', page), re.search(r'name="factor_id" value="([^"]+)"', page)
    assert uri is not None and factor is not None
    authenticator = Authenticator(uri[1].replace("&amp;", "&"))
    confirmed = visit.press("/second-factor/confirm", factor_id=factor[1], totp=authenticator.next_code())
    codes = re.findall(r"\b(?:[A-Z0-9]{4}-){3}[A-Z0-9]{4}\b", confirmed.text)
    assert len(codes) == 10
    sandboxed.server.secrets.add(*codes)
    refused = visit.press("/link", provider=X)
    assert (refused.status_code, "Sign in with Yahoo" in refused.text) == (400, True)
    visit.sign_in(YAHOO, "erin", authenticator.next_code())
    assert visit.link(X, "erin").status_code == 200
    assert visit.identities() == [X, YAHOO]


# MARK: - Chrome extension

MANIFEST = json.loads((EXAMPLES / "ChromeExtension/manifest.json").read_text())
# The hash of the key, in the letters from a to p.
EXTENSION = "".join(
    chr(ord("a") + int(digit, 16)) for digit in hashlib.sha256(base64.b64decode(MANIFEST["key"])).hexdigest()[:32]
)


def _registration() -> dict[str, Any]:
    """The client that the README of the extension shows."""
    (example,) = (found for found in examples([EXAMPLES / "ChromeExtension/README.md"]) if found.language == "yaml")
    return yaml.safe_load(example.code)["clients"]


def test_the_registration_of_the_extension_has_the_id_of_its_key() -> None:
    client = _registration()["my-extension"]
    assert client["redirect_uris"] == [f"https://{EXTENSION}.chromiumapp.org/callback"]
    assert client["origins"] == [f"chrome-extension://{EXTENSION}"]


@dataclass(frozen=True)
class Extended:
    """Chromium with the extension, at its page."""

    deployment: SandboxedDeployment
    members: AccountApplication
    driver: Chrome

    def press(self, call: str, provider: str = "") -> None:
        selector = f'button[data-call="{call}"]' + (f'[data-provider="{provider}"]' if provider else "")
        wait_until(lambda: self.driver.find_element("css selector", selector).is_enabled(), "the page is ready")
        self.driver.find_element("css selector", selector).click()

    def go(self, user: str, code: str | None = None) -> None:
        """The user signs in, in the window that the extension opened."""
        page = self.driver.current_window_handle
        wait_until(lambda: len(self.driver.window_handles) == 2, "the window of the sign-in opens")
        (window,) = set(self.driver.window_handles) - {page}
        self.driver.switch_to.window(window)
        # The window closes while the driver waits for the next page.
        with contextlib.suppress(NoSuchWindowException):
            if self._has('button[name="provider"]'):
                self.driver.find_element("css selector", 'form[action="/authorize"] button.primary').click()
            self._find(f'input[name="user"][value="{user}"]').click()
            self._find('button[name="decision"][value="allow"]').click()
        if code is not None:
            self._find("#code").send_keys(code)
            with contextlib.suppress(NoSuchWindowException):
                self._find('button[name="decision"][value="prove"]').click()
        wait_until(lambda: window not in self.driver.window_handles, "the window of the sign-in closes")
        self.driver.switch_to.window(page)

    def wait_for_form(self) -> None:
        """Waits for the page of the server that asks for a button, or for the consent page of a provider."""
        forms = 'button[name="provider"], input[name="user"]'
        wait_until(lambda: bool(self.driver.find_elements("css selector", forms)), "a page with a form")

    def _has(self, selector: str) -> bool:
        self.wait_for_form()
        return bool(self.driver.find_elements("css selector", selector))

    def _find(self, selector: str) -> Any:
        wait_until(lambda: bool(self.driver.find_elements("css selector", selector)), f"a page with {selector}")
        return self.driver.find_element("css selector", selector)

    def status(self, containing: str) -> str:
        line = self.driver.find_element("css selector", "#status")
        wait_until(lambda: containing in line.text, f"the page says {containing}")
        return line.text


@pytest.fixture(scope="module")
def extended(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Extended]:
    folder = tmp_path_factory.mktemp("extension")
    shutil.copytree(EXAMPLES / "ChromeExtension", folder, dirs_exist_ok=True)
    shutil.copy(LIBRARY / "token-exchange-client.js", folder)
    account = ServiceAccount(PROJECT)
    with contextlib.ExitStack() as stack:
        place = tmp_path_factory.mktemp("extended")
        deployment = stack.enter_context(sandboxed_deployment(binary, place, account, _registration()))
        script = (folder / "account.js").read_text()
        assert script.count("http://127.0.0.1:8080") == 1
        (folder / "account.js").write_text(script.replace("http://127.0.0.1:8080", deployment.server.origin))
        firebase = Firebase(deployment.sandbox)
        stack.callback(firebase.close)
        chromium = Chromium(tmp_path_factory.mktemp("profile"), PICTURES, extension=folder)
        stack.callback(chromium.stop)
        chromium.driver.get(f"chrome-extension://{EXTENSION}/account.html")
        yield Extended(deployment, AccountApplication(deployment.server, firebase, deployment.sandbox), chromium.driver)


def test_the_extension_signs_in_links_merges_and_signs_out(extended: Extended) -> None:
    bjorn = extended.members.enter(X, "bjorn")
    assert extended.status("Signed") == "Signed out."
    extended.press("signIn", YAHOO)
    extended.go("carol")
    signed_in = extended.status("Signed in as")
    assert signed_in.endswith(f"({YAHOO}).")
    for answer in ("dismiss", "accept"):
        extended.press("link", X)
        extended.go("bjorn")
        wait_until(lambda: _has_dialog(extended.driver), "the extension asks")
        dialog = extended.driver.switch_to.alert
        assert bjorn.uid in dialog.text
        dialog.dismiss() if answer == "dismiss" else dialog.accept()
        status = extended.status("Signed in as")
        assert (X in status) == (answer == "accept"), status
    assert YAHOO in status and status.split(" (")[0] == signed_in.split(" (")[0]
    extended.press("signOut")
    assert extended.status("Signed out") == "Signed out."
    assert extended.driver.execute_async_script("chrome.storage.session.get(null).then(arguments[0])") == {}


def test_the_extension_signs_in_again_with_the_second_factor(extended: Extended) -> None:
    extended.press("signIn", YAHOO)
    extended.go("dana")
    extended.status("Signed in as")
    authenticator = extended.members.enroll(extended.members.enter(YAHOO, "dana")).authenticator
    # The session is from before the factor.
    extended.press("link", X)
    extended.go("dana", authenticator.next_code())
    extended.go("dana")
    assert {X, YAHOO} <= set(extended.status(X).partition("(")[2].strip(").").split(", "))


def test_the_extension_learns_that_the_user_closed_the_window(extended: Extended) -> None:
    extended.press("signOut")
    extended.status("Signed out")
    extended.press("signIn", YAHOO)
    wait_until(lambda: len(extended.driver.window_handles) == 2, "the window of the sign-in opens")
    page = extended.driver.current_window_handle
    (window,) = set(extended.driver.window_handles) - {page}
    # Chrome does not tell the extension of a window that is closed before its first page.
    extended.driver.switch_to.window(window)
    extended.wait_for_form()
    extended.driver.switch_to.window(page)
    # WebDriver's own command waits until the page has answered, which it may not do if it is closed while it loads.
    extended.driver.execute_cdp_cmd("Target.closeTarget", {"targetId": window.removeprefix("CDwindow-")})
    assert extended.status("Signed out. ") == "Signed out. The user did not approve access."


def _has_dialog(driver: Chrome) -> bool:
    try:
        return bool(driver.switch_to.alert.text)
    except NoAlertPresentException:
        return False


# MARK: - Unity

needs_mono = pytest.mark.skipif(shutil.which("mcs") is None, reason="mcs is not installed; scripts/setup tests installs it")


@pytest.fixture(scope="module")
def game_server(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxedDeployment]:
    """A sandbox whose client has the grants that the README of the example shows."""
    (example,) = (found for found in examples([EXAMPLES / "Unity/README.md"]) if found.language == "yaml")
    account = ServiceAccount(PROJECT)
    clients = yaml.safe_load(example.code)["clients"]
    with sandboxed_deployment(binary, tmp_path_factory.mktemp("game"), account, clients) as deployment:
        yield deployment


@pytest.fixture(scope="module")
def unity(game_server: SandboxedDeployment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that Debian's compiler makes of the example and of what it uses of Unity."""
    folder = tmp_path_factory.mktemp("unity")
    code = (EXAMPLES / "Unity/SignIn.cs").read_text()
    assert code.count("http://127.0.0.1:8080") == 1
    (folder / "SignIn.cs").write_text(code.replace("http://127.0.0.1:8080", game_server.server.origin))
    # Unity leaves the warning 649 out, too: JSON assigns these fields.
    options = ["-warnaserror", "-nowarn:649", f"-out:{folder}/game.exe"]
    command = ["mcs", *options, str(folder / "SignIn.cs"), str(STUBS / "UnityEngine.cs")]
    compiled = subprocess.run(command, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stdout + compiled.stderr
    return folder / "game.exe"


class Game:
    """A game with the example, whose buttons are pressed by their texts."""

    def __init__(self, running: Program, deployment: SandboxedDeployment) -> None:
        self._running, self._deployment = running, deployment

    def press(self, button: str) -> None:
        self._running.enter(button)

    def label(self, containing: str) -> str:
        return self._running.line(f"Label {containing}").removeprefix("Label ")

    def opened(self) -> str:
        return self._running.line("Open http").removeprefix("Open ")

    def go(self, provider: str, user: str, code: str | None = None) -> None:
        self.go_on(self.opened(), provider, user, code)

    def go_on(self, url: str, provider: str, user: str, code: str | None = None) -> None:
        _go(self._deployment, url, provider, user, code)


@pytest.fixture
def game(unity: Path, game_server: SandboxedDeployment) -> Iterator[Game]:
    with program(["mono", str(unity)]) as running:
        yield Game(running, game_server)


@pytest.fixture
def game_members(game_server: SandboxedDeployment) -> Iterator[AccountApplication]:
    firebase = Firebase(game_server.sandbox)
    yield AccountApplication(game_server.server, firebase, game_server.sandbox)
    firebase.close()


@needs_mono
def test_a_game_in_unity_signs_in_links_merges_and_signs_out(game: Game, game_members: AccountApplication) -> None:
    bjorn = game_members.enter(X, "bjorn")
    assert game.label("") == "Signed out."
    game.press("Sign in with Yahoo")
    game.go(YAHOO, "carol")
    signed_in = game.label("Signed in as")
    for button in ("Cancel", "Move it here, and delete that account"):
        game.press("Link X")
        game.go(X, "bjorn")
        assert game.label("It belongs to") == f"It belongs to the account {bjorn.uid}."
        game.press(button)
        assert game.label("Signed in as") == signed_in
    assert game_members.account(bjorn.session.id_token)["reason"] == "account_gone"
    game.press("Sign out")
    assert game.label("") == "Signed out."


@needs_mono
def test_a_game_in_unity_proves_the_second_factor_on_the_page_of_the_server(
    game: Game, game_members: AccountApplication
) -> None:
    game.press("Sign in with Yahoo")
    game.go(YAHOO, "dana")
    game.label("Signed in as")
    authenticator = game_members.enroll(game_members.enter(YAHOO, "dana")).authenticator
    game.press("Link X")
    game.label("Sign in again, and then link.")
    game.press("Sign in with Yahoo")
    game.go(YAHOO, "dana", authenticator.next_code())
    signed_in = game.label("Signed in as")
    game.press("Link X")
    game.go(X, "dana")
    assert game.label("Signed in as") == signed_in


@needs_mono
def test_a_game_in_unity_signs_in_with_a_code(game: Game, game_server: SandboxedDeployment) -> None:
    game.press("Sign in on another device")
    _, url, _, _, code = game.label("Open").split()
    approve_device(Person(game_server.server.origin, game_server.sandbox.yahoo), url, code)
    assert game.label("Signed in as") == f"Signed in as {ALICE}."


@needs_mono
def test_a_game_in_unity_ignores_a_redirect_of_another_flow(game: Game) -> None:
    game.press("Sign in with Yahoo")
    url = game.opened()
    callback = parameters(url)["redirect_uri"]
    with requests.Session() as session:
        session.trust_env = False
        for path in ("?code=c&state=another", "/other"):
            assert session.get(callback + path, timeout=10).status_code == 404
    game.go_on(url, YAHOO, "alice")
    assert game.label("Signed in as") == f"Signed in as {ALICE}."


# MARK: - Godot


@pytest.mark.parametrize("command", [["gdparse"], ["gdlint"], ["gdformat", "--check"]], ids=lambda words: words[0])
def test_the_script_for_godot_is_one_of_godot_4(command: list[str], tmp_path: Path) -> None:
    """gdtoolkit knows the grammar, and not the classes of Godot."""
    tool = str(ROOT / ".venv/bin" / command[0])
    script = EXAMPLES / "Godot/sign_in.gd"
    checked = subprocess.run([tool, *command[1:], str(script)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_a_script_of_godot_3_is_refused(tmp_path: Path) -> None:
    """Control: `yield` and `export var` are no words of Godot 4."""
    script = tmp_path / "old.gd"
    script.write_text("extends Node\nexport var port = 80\n")
    checked = subprocess.run([str(ROOT / ".venv/bin/gdparse"), str(script)], capture_output=True, check=False)
    assert checked.returncode != 0
