"""`token-exchange init` at a terminal, and a sign-in with the configuration that it writes."""

from __future__ import annotations

import os
import pty
import select
import stat
import subprocess
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from clients.sign_in import YAHOO
from deployment.expectations import verified
from deployment.firebase import PROJECT
from deployment.native_application import NativeApplication
from deployment.pages import documented
from deployment.process import Deployment
from deployment.sandbox import Sandbox
from deployment.service_account import ServiceAccount
from deployment.waiting import DEADLINE
from peers.person import Person


class Dialog:
    """A command at a terminal of its own, and everything that the terminal shows."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self._terminal, theirs = pty.openpty()
        self._process = subprocess.Popen(
            command, env=environment, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
        )
        os.close(theirs)
        self.shown = ""
        self._read = 0

    def answer(self, text: str, to: str) -> None:
        """Types a line when the terminal has shown a text after the last answer."""
        self.expect(to)
        os.write(self._terminal, text.encode() + b"\n")

    def end(self) -> int:
        self.expect("")
        return self._process.wait(timeout=DEADLINE)

    def interrupt(self, after: str) -> tuple[int, bool]:
        """Presses Control-C. Returns the exit code, and whether the terminal shows what is typed after it."""
        self.expect(after)
        os.write(self._terminal, b"\x03")
        code = self._process.wait(timeout=DEADLINE)
        return code, bool(termios.tcgetattr(self._terminal)[3] & termios.ECHO)

    def close(self) -> None:
        self._process.kill()
        self._process.wait(timeout=DEADLINE)
        os.close(self._terminal)

    def expect(self, text: str) -> None:
        """Reads until the terminal shows a text, or to the end of the program if it is empty."""
        end = time.monotonic() + DEADLINE
        while not text or text not in self.shown[self._read :]:
            assert time.monotonic() < end and select.select([self._terminal], [], [], DEADLINE)[0], self.shown
            try:
                found = os.read(self._terminal, 4096)
            except OSError:
                # The program has closed the terminal.
                found = b""
            if not found:
                assert not text, f"the program ended without {text!r}: {self.shown}"
                return
            self.shown += found.decode()
        self._read = self.shown.index(text, self._read) + len(text)


@pytest.fixture
def account() -> ServiceAccount:
    return ServiceAccount(PROJECT)


@pytest.fixture
def place(binary: Path, tmp_path: Path, account: ServiceAccount) -> Iterator[Deployment]:
    """A folder with a service account that other users can read, as a browser downloads it."""
    account.write(tmp_path).chmod(0o644)
    deployment = Deployment(binary, tmp_path, {})
    yield deployment
    deployment.close()


@pytest.fixture
def dialog(place: Deployment) -> Iterator[Dialog]:
    """The command of the guide, which replaces the configuration of the deployment."""
    sudo, _, *words = documented("init").replace("/etc/token-exchange", str(place.folder)).split()
    assert sudo == "sudo"
    running = Dialog([str(place.binary), *words], place.environment)
    yield running
    running.close()


def test_the_answers_make_a_server_that_signs_users_in(
    place: Deployment, dialog: Dialog, sandbox: Sandbox, account: ServiceAccount
) -> None:
    registration = sandbox.settings["providers"][YAHOO]
    secret = registration["client_secret"]
    place.secrets.add(secret)
    dialog.answer("", to="https://auth.example.com): ")
    dialog.answer("http://auth.example.com", to="write an answer")
    dialog.answer(place.origin, to="http:// is only for loopback")
    dialog.answer("yahoo", to="(such as yahoo.com twitter.com): ")
    dialog.answer(YAHOO, to="there is no template yahoo")
    dialog.answer(registration["client_id"], to="(as the provider shows it): ")
    dialog.answer(secret, to="or env:NAME")
    dialog.answer("", to="write the absolute path of a file, or env:NAME")
    dialog.answer("changeme", to="which the terminal does not show: ")
    dialog.answer("", to="is a placeholder, or cannot be told from one: write the real secret")
    dialog.answer(secret, to="which the terminal does not show: ")
    dialog.answer("my-app:/oauth", to="[http://127.0.0.1/callback]: ")
    dialog.answer("", to="has a scheme without a dot")
    dialog.answer(f"{place.folder}/service-account.json", to="(such as /etc/token-exchange/service-account.json): ")
    dialog.expect("run chmod 600")
    (place.folder / "service-account.json").chmod(0o600)
    dialog.answer(f"{place.folder}/service-account.json", to=": ")
    assert dialog.end() == 0, dialog.shown
    # The terminal shows the secret only where it was typed as an answer that is not hidden.
    assert dialog.shown.count(secret) == 1, dialog.shown
    assert f"Firebase project: {PROJECT}" in dialog.shown
    assert f"token-exchange serve --config {place.configuration}" in dialog.shown
    for name in ("token-exchange.yaml", "yahoo.com-client-secret", "seal-key", "store-key"):
        assert stat.S_IMODE((place.folder / name).stat().st_mode) == 0o600, name
    assert (place.folder / "yahoo.com-client-secret").read_text() == secret + "\n"

    settings = yaml.safe_load(place.configuration.read_text())
    assert settings["server"] == {"public_url": place.origin, "listen": place.origin.removeprefix("http://")}
    # The stand-ins in place of Yahoo and Google, and a port for each process of the tests.
    settings["server"] |= {"admin_listen": place.admin_origin.removeprefix("http://"), "drain_delay": "0s"}
    settings["firebase"]["endpoints"] = sandbox.settings["firebase"]["endpoints"]
    settings["providers"][YAHOO]["endpoints"] = registration["endpoints"]
    place.configure(settings)
    sandbox.redirect_to(place.origin)
    place.start()
    application = NativeApplication(place)
    try:
        begun = application.begin()
        person = Person(place.origin, sandbox.yahoo)
        redirect = person.open(begun.url).press("provider", YAHOO).allow().redirect
        assert redirect.startswith(begun.redirect_uri)
        token = application.redeem(begun, dict(pair.split("=", 1) for pair in redirect.split("?")[1].split("&"))["code"])
    finally:
        application.stop()
    assert token.status == 200, token
    assert verified(token["access_token"], account)["uid"].startswith(f"{YAHOO}:")


def test_an_interrupted_dialog_writes_nothing_and_leaves_a_terminal_that_shows_what_is_typed(
    place: Deployment, dialog: Dialog
) -> None:
    before = place.configuration.read_text()
    dialog.answer(place.origin, to=": ")
    dialog.answer(YAHOO, to="twitter.com): ")
    dialog.answer("our-id", to="/callback/yahoo.com")
    dialog.answer("", to="or env:NAME")
    code, shows = dialog.interrupt(after="which the terminal does not show: ")
    assert (code, shows) == (-2, True)
    assert place.configuration.read_text() == before
    assert not (place.folder / "yahoo.com-client-secret").exists()
