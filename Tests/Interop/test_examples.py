"""The applications of `Sources/Clients/Examples`, each as it stands in its folder."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clients.program import Program, program
from clients.sign_in import ALICE, YAHOO, follow
from deployment.account_application import AccountApplication
from deployment.pages import ROOT
from deployment.sandbox import SandboxedDeployment
from peers.authenticator import Authenticator
from peers.person import Person

EXAMPLES = ROOT / "Sources/Clients/Examples"
LIBRARY = ROOT / "Sources/Clients/JavaScript"
STUBS = Path(__file__).with_name("clients") / "examples"
X = "twitter.com"


def _environment(sandboxed: SandboxedDeployment) -> dict[str, str]:
    """The addresses of this sandbox, and no browser that a program could open."""
    return {
        "SERVER": sandboxed.server.origin,
        "GOOGLE": sandboxed.sandbox.google,
        "BROWSER": "true",
        "LANG": "C.UTF-8",
        "NO_PROXY": "*",
    }


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
    command_line.sign_in(YAHOO, "erin")
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
    # The session is from before the factor: the program signs in again, and the page asks for a code.
    with command_line.running("link", X) as running:
        command_line.go(running, X, "dana")
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


def test_electron_links_and_asks_before_it_merges(
    window: Window, sandboxed: SandboxedDeployment, members: AccountApplication
) -> None:
    bjorn = members.enter(X, "bjorn")
    window.begin("signIn", YAHOO)
    _go(sandboxed, window.opened(), YAHOO, "carol")
    signed_in = window.answer()
    for button, providers in ((0, [YAHOO]), (1, [X, YAHOO])):
        window.begin("link", X)
        _go(sandboxed, window.opened(), X, "bjorn")
        asked = window.event()
        assert bjorn.uid in asked["ask"] and asked["buttons"][0] == "Cancel"
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
    _go(sandboxed, window.opened(), X, "mallory")
    _go(sandboxed, window.opened(), YAHOO, "mallory", enrolled.authenticator.next_code())
    _go(sandboxed, window.opened(), X, "mallory")
    answer = window.answer()
    assert answer["user"]["uid"] == signed_in["user"]["uid"]
    assert sorted(answer["user"]["providers"]) == [X, YAHOO]
