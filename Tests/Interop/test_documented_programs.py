"""The programs and commands of the guide for application developers, each as it stands on its page."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from flask import Flask

from clients.program import Program, program
from clients.sign_in import ALICE, LOOPBACK, YAHOO, allowed, expect_alice, follow
from deployment.expectations import verified
from deployment.firestore import Firestore, absence
from deployment.pages import ROOT, documented
from deployment.process import free_port
from deployment.sandbox import SandboxedDeployment, sandboxed_deployment
from deployment.service_account import ServiceAccount
from deployment.waiting import DEADLINE, wait_until
from peers import faults
from peers.browser import parameters
from peers.chromium import Visitor
from peers.loopback import Loopback
from peers.person import Person

LIBRARY = ROOT / "Sources/Clients/JavaScript"
GO_CACHE = ROOT / "var/interop/go-cache"
SIGNED_IN = re.compile(r"Signed in as (\S+)\. Custom token: (\S+)")

# The programs by page and language. A test of test_documentation.py searches this file for these calls.
REDIRECTS = {
    "javascript": lambda: documented("start"),
    "python": lambda: documented("redirect-python"),
    "go": lambda: documented("redirect-go"),
    "java": lambda: documented("redirect-java"),
    "gdscript": lambda: documented("redirect-gdscript"),
}
DEVICES = {
    "shell": lambda: documented("device-shell"),
    "python": lambda: documented("device-python"),
    "javascript": lambda: documented("device-javascript"),
    "go": lambda: documented("device-go"),
    "java": lambda: documented("device-java"),
    "gdscript": lambda: documented("device-gdscript"),
}


def _environment(folder: Path, sandboxed: SandboxedDeployment) -> dict[str, str]:
    """The addresses that the programs read, and no browser that they could open."""
    return {
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "BROWSER": "true",
        "SERVER": sandboxed.server.origin,
        "CONTROL": sandboxed.sandbox.control,
        "GOOGLE": sandboxed.sandbox.google,
        "OAUTHLIB_INSECURE_TRANSPORT": "1",
        "NO_PROXY": "*",
    }


def _built(language: str, code: str, folder: Path) -> list[str]:
    """Writes a program to a file, compiles it if that saves time, and returns the command that runs it."""
    match language:
        case "shell":
            return ["bash", "-c", code]
        case "python":
            (folder / "program.py").write_text(code)
            return [str(ROOT / ".venv/bin/python"), str(folder / "program.py")]
        case "javascript":
            (folder / "program.mjs").write_text(code)
            (folder / "node_modules").mkdir()
            (folder / "node_modules/token-exchange-client").symlink_to(LIBRARY)
            return ["node", str(folder / "program.mjs")]
        case "gdscript":
            (folder / "program.gd").write_text(code)
            # Godot writes its log into the folder in which it starts.
            return ["bash", "-c", f"cd '{folder}' && exec godot3-server --script program.gd"]
        case "go":
            (folder / "program.go").write_text(code)
            GO_CACHE.mkdir(parents=True, exist_ok=True)
            environment = {"HOME": str(folder), "GOCACHE": str(GO_CACHE), "GO111MODULE": "off", "GOTOOLCHAIN": "local"}
            _compile(["go", "build", "-o", str(folder / "program"), str(folder / "program.go")], environment)
            return [str(folder / "program")]
        case "java":
            name = re.search(r"public class (\w+)", code)
            assert name is not None
            (folder / f"{name[1]}.java").write_text(code)
            _compile(["javac", "-d", str(folder), str(folder / f"{name[1]}.java")], {})
            return ["java", "-cp", str(folder), name[1]]
    raise AssertionError(language)


def _compile(command: list[str], environment: dict[str, str]) -> None:
    environment = {"PATH": os.environ["PATH"], "CGO_ENABLED": "0"} | environment
    built = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr


@pytest.fixture(scope="module")
def redirecting(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[str]]:
    """Returns the command of the program with a redirect in a language, which is built once."""
    commands: dict[str, list[str]] = {}

    def command(language: str) -> list[str]:
        if language not in commands:
            commands[language] = _built(language, REDIRECTS[language](), tmp_path_factory.mktemp(language))
        return commands[language]

    return command


def _expect_signed_in(output: str, sandboxed: SandboxedDeployment) -> None:
    said = SIGNED_IN.search(output)
    assert said is not None, output
    sandboxed.server.secrets.add(said[2])
    assert verified(said[2], sandboxed.account)["uid"] == said[1] == ALICE


def _address(client: Program) -> str:
    return client.line(containing="Open ").removeprefix("Open ")


# MARK: - A redirect to loopback


@pytest.mark.parametrize("language", REDIRECTS)
def test_a_program_ignores_a_redirect_with_another_state_and_signs_in(
    sandboxed: SandboxedDeployment,
    person: Person,
    redirecting: Callable[[str], list[str]],
    tmp_path: Path,
    language: str,
) -> None:
    with program(redirecting(language), _environment(tmp_path, sandboxed)) as client:
        address = _address(client)
        stray = httpx.get(parameters(address)["redirect_uri"] + "?code=unused&state=another", trust_env=False)
        assert stray.status_code == 404
        assert "close this window" in follow(allowed(person, address))
        code, output = client.end()
    assert code == 0, output
    _expect_signed_in(output, sandboxed)
    if language == "javascript":
        session = re.search(r"Firebase ID token: (\S+)", output)
        assert session is not None, output


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"iss": "https://hostile.example"}, "another server"),
        ({"error": "access_denied", "error_description": "The user refused."}, "The user refused."),
        ({"code": "never-issued"}, "code"),
    ],
    ids=["iss", "error", "code"],
)
@pytest.mark.parametrize("language", REDIRECTS)
def test_a_program_refuses_a_redirect_and_says_why(
    sandboxed: SandboxedDeployment,
    redirecting: Callable[[str], list[str]],
    tmp_path: Path,
    language: str,
    changes: dict[str, str],
    message: str,
) -> None:
    with program(redirecting(language), _environment(tmp_path, sandboxed)) as client:
        request = parameters(_address(client))
        answer = {"code": "unused", "state": request["state"], "iss": sandboxed.server.origin} | changes
        follow(request["redirect_uri"] + "?" + "&".join(f"{name}={value}" for name, value in answer.items()))
        code, output = client.end()
    assert code == 1
    assert message in output
    assert "Signed in" not in output


def test_requests_oauthlib_signs_in_with_the_address_of_the_redirect(
    sandboxed: SandboxedDeployment, person: Person, tmp_path: Path
) -> None:
    command = _built("python", documented("requests-oauthlib"), tmp_path)
    with program(command, _environment(tmp_path, sandboxed)) as client:
        client.enter(allowed(person, _address(client)))
        code, output = client.end()
    assert code == 0, output
    _expect_signed_in(output, sandboxed)


# MARK: - A code on a screen


@pytest.fixture
def devices(
    sandboxed: SandboxedDeployment, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[tuple[str, str], Program]]:
    """All programs poll at the same time, one of each language for each decision."""
    with contextlib.ExitStack() as stack:
        running = {}
        for language, code in DEVICES.items():
            folder = tmp_path_factory.mktemp(f"device-{language}")
            command = _built(language, code(), folder)
            for decision in ("approve", "deny"):
                running[language, decision] = stack.enter_context(program(command, _environment(folder, sandboxed)))
        yield running


def test_each_program_signs_a_device_in_or_reports_the_refusal(
    sandboxed: SandboxedDeployment, devices: dict[tuple[str, str], Program]
) -> None:
    for (_, decision), device in devices.items():
        shown = re.search(r"Open (\S+) and enter ([B-Z]{4}-[B-Z]{4})", device.line(containing="Open "))
        assert shown is not None
        person = Person(sandboxed.server.origin, sandboxed.sandbox.yahoo)
        person.open(shown[1]).enter_code(shown[2]).press("provider", YAHOO).allow().press("decision", decision)
    for (language, decision), device in devices.items():
        code, output = device.end()
        if decision == "approve":
            assert code == 0, f"{language}: {output}"
            _expect_signed_in(output, sandboxed)
        else:
            assert code == 1, f"{language}: {output}"
            assert "denied" in output, f"{language}: {output}"


@pytest.mark.parametrize("language", DEVICES)
def test_a_device_asks_again_after_a_connection_that_failed(tmp_path: Path, language: str) -> None:
    grant = {
        "device_code": "d", "user_code": "BCDF-GHJK", "verification_uri": "https://auth.example.com/device",
        "verification_uri_complete": "https://auth.example.com/device?user_code=BCDF-GHJK", "expires_in": 600, "interval": 0,
    }  # fmt: skip
    refusal = faults.content('{"error":"access_denied","error_description":"The user denied it."}', status=400)
    peer = Loopback()
    polls = iter([faults.hang_up, refusal])
    with (
        contextlib.ExitStack() as stack,
        peer.answering("/device_authorization", faults.content(json.dumps(grant, separators=(",", ":")))),
        peer.answering("/token", lambda environ, respond: next(polls)(environ, respond)),
    ):
        stack.callback(peer.stop)
        environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "SERVER": peer.origin, "NO_PROXY": "*"}
        with program(_built(language, DEVICES[language](), tmp_path), environment) as device:
            code, output = device.end()
    assert [len(peer.arrivals("/token")), code] == [2, 1], output
    assert "denied" in output


# MARK: - JSON calls


def _shell(code: str, folder: Path, sandboxed: SandboxedDeployment) -> list[dict[str, Any]]:
    """Runs commands and returns the JSON objects that they print."""
    with program(["bash", "-euo", "pipefail", "-c", code], _environment(folder, sandboxed)) as shell:
        exit_code, output = shell.end()
    assert exit_code == 0, output
    return _objects(output)


def _objects(output: str) -> list[dict[str, Any]]:
    found, rest = [], output.strip()
    while rest:
        value, end = json.JSONDecoder().raw_decode(rest)
        found.append(value)
        rest = rest[end:].strip()
    return found


def test_an_id_token_is_exchanged(sandboxed: SandboxedDeployment, tmp_path: Path) -> None:
    (answer,) = _shell(documented("exchange-an-ID-token"), tmp_path, sandboxed)
    sandboxed.server.secrets.add(answer["custom_token"])
    assert verified(answer["custom_token"], sandboxed.account)["uid"] == ALICE
    assert answer["audience_proof"] == "id_token_aud"


def test_a_code_is_exchanged_once(sandboxed: SandboxedDeployment, tmp_path: Path) -> None:
    first, second = _shell(documented("exchange-a-code"), tmp_path, sandboxed)
    sandboxed.server.secrets.add(first["custom_token"])
    assert first["uid"] == ALICE
    assert second["reason"] == "replayed"


def test_a_session_without_the_sdk_is_refreshed_at_google(sandboxed: SandboxedDeployment, tmp_path: Path) -> None:
    (answer,) = _shell(documented("refresh"), tmp_path, sandboxed)
    assert answer["user_id"].startswith("anonymous:")
    assert answer["id_token"].startswith("eyJ")


# MARK: - The first page


@pytest.fixture
def offset() -> int:
    """A number that, added to the ports of `scripts/run`, gives free ones."""
    for _ in range(100):
        offset = free_port() - 9090
        ports = [8080, 8081, 8082, 8083, 8084, 8085, 8086, 9090]
        with contextlib.suppress(OSError, OverflowError), contextlib.ExitStack() as stack:
            for port in ports:
                stack.enter_context(socket.create_server(("127.0.0.1", port + offset)))
            return offset
    raise AssertionError("no free ports")


def test_who_follows_the_first_page_is_signed_in(binary: Path, tmp_path: Path, offset: int) -> None:
    """The commands of the page, in a folder with the scripts. A program replaces the compiler: the build exists."""
    (tmp_path / "scripts").symlink_to(ROOT / "scripts")
    tools = tmp_path / "tools"
    tools.mkdir()
    swift = tools / "swift"
    swift.write_text(f'#!/bin/sh\ncase "$*" in *--show-bin-path*) echo "{binary.parent}" ;; esac\n')
    swift.chmod(0o755)
    environment = {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "PORT_OFFSET": str(offset),
        "SERVER": f"http://127.0.0.1:{8080 + offset}",
        "GOOGLE": f"http://127.0.0.1:{8084 + offset}",
    }
    (tmp_path / "sign-in.mjs").write_text(documented("start"))
    in_folder = f"cd '{tmp_path}' && exec "
    with program(["bash", "-c", in_folder + documented("start-the-server")], environment) as server:
        server.line(containing="Ctrl-C stops everything.")
        try:
            with program(["bash", "-c", in_folder + documented("start-the-program")], environment) as client:
                stand_ins = [f"http://127.0.0.1:{port + offset}" for port in (8081, 8082)]
                follow(allowed(Person(environment["SERVER"], *stand_ins), _address(client)))
                code, output = client.end()
            assert code == 0, output
            assert ALICE in output
            assert "Firebase ID token: eyJ" in output
        finally:
            server.interrupt()
            server.end()


@pytest.mark.parametrize(
    "store", ["sqlite", pytest.param("firestore", marks=pytest.mark.skipif(absence() is not None, reason=str(absence())))]
)
def test_the_sandbox_without_a_compiler_prints_commands_that_work(
    binary: Path, tmp_path: Path, offset: int, store: str
) -> None:
    """The script as `config/container/compose.yaml` starts it in a container."""
    (tmp_path / "scripts").symlink_to(ROOT / "scripts")
    compose = yaml.safe_load((ROOT / "config/container/compose.yaml").read_text())
    address = compose["services"]["sandbox"]["environment"]["LISTEN_ADDRESS"]
    environment = {"PORT_OFFSET": str(offset), "LISTEN_ADDRESS": address}
    with contextlib.ExitStack() as stack:
        if store == "firestore":
            emulator = Firestore()
            stack.callback(emulator.close)
            environment["FIRESTORE_EMULATOR"] = emulator.host
        command = [str(tmp_path / "scripts/run"), "--binaries", str(binary.parent)]
        server = stack.enter_context(program(command, environment))
        lines = iter(server.line, "Ctrl-C stops everything.")
        printed = [line for line in lines if line.startswith(("request=", "| jq", "curl "))]
        shell = stack.enter_context(program(["bash", "-euo", "pipefail", "-c", "\n".join(printed)]))
        code, output = shell.end()
        assert code == 0, output
        first, second = _objects(output)
        assert (first["uid"], second["reason"]) == (ALICE, "replayed")
        settings = yaml.safe_load((tmp_path / "var/sandbox/token-exchange.yaml").read_text())
        assert settings["store"].startswith(f"{store}://")
        assert settings["server"]["listen"] == f"{address}:{8080 + offset}"
        server.interrupt()
        server.end()


# MARK: - Web server


def test_the_web_server_signs_in(
    sandboxed: SandboxedDeployment, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVER", sandboxed.server.origin)
    monkeypatch.setenv("SESSION_KEY", "of-the-test")
    monkeypatch.setenv("no_proxy", "*")
    names: dict[str, Any] = {"__name__": "documented"}
    exec(compile(documented("web-server"), "WebServer.md", "exec"), names)  # noqa: S102
    application: Flask = names["application"]
    browser, website = application.test_client(), LOOPBACK.removesuffix("/callback")
    error = f"error=access_denied&error_description=Text+of+a+page&iss={sandboxed.server.origin}"
    refusal = browser.get(f"/callback?{error}", base_url=website)
    assert (refusal.status_code, refusal.text) == (400, "The sign-in was not finished.")
    url = browser.get("/login", base_url=website).location
    path = allowed(person, url).removeprefix(website)
    hostile = path.replace("iss=", "iss=https%3A%2F%2Fhostile.example&was=")
    assert browser.get(hostile, base_url=website).status_code == 400
    answer = browser.get(path, base_url=website).json
    assert answer is not None
    expect_alice({"access_token": answer["custom_token"], "uid": answer["uid"], "token_type": "Bearer"}, sandboxed)


# MARK: - Chromium


PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Application</title>
<link rel="icon" href="data:,"></head><body><h1 id="application">An application</h1>
<button id="sign-in" type="button">Sign in</button>
<script type="importmap">{"imports": {"token-exchange-client": "./token-exchange-client.js"}}</script><script type="module">
import { signIn } from "./page.js";
document.getElementById("sign-in").addEventListener("click", () => {
  signIn().then(result => { window.outcome = result }, error => { window.outcome = error.message });
});
</script></body></html>"""


class Site:
    """The page of the documentation at its own origin."""

    def __init__(self) -> None:
        self.server = ""
        self.listener = Loopback(self._respond)

    def _respond(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        scripts = {
            "/page.js": documented("pop-up-window").replace("https://auth.example.com", self.server),
            "/token-exchange-client.js": (LIBRARY / "token-exchange-client.js").read_text(),
        }
        script = scripts.get(environ["PATH_INFO"])
        kind = "text/javascript" if script else "text/html"
        start_response("200 OK", [("Content-Type", f"{kind}; charset=utf-8")])
        return [(script or PAGE).encode()]


@pytest.fixture(scope="module")
def web(
    binary: Path, tmp_path_factory: pytest.TempPathFactory, service_account: ServiceAccount
) -> Iterator[tuple[SandboxedDeployment, Site]]:
    """A server with the client of the page."""
    site = Site()
    origin = site.listener.origin
    clients = {"web-page": {"redirect_uris": [f"{origin}/callback"], "origins": [origin]}}
    with sandboxed_deployment(binary, tmp_path_factory.mktemp("web"), service_account, clients) as deployment:
        site.server = deployment.server.origin
        yield deployment, site
    site.listener.stop()


def _expect_alice(outcome: Any, deployment: SandboxedDeployment) -> None:
    """Expects the result of the library."""
    assert isinstance(outcome, dict), outcome
    expect_alice({"access_token": outcome["customToken"], "uid": outcome["uid"], "token_type": "Bearer"}, deployment)


def _sign_in_by_pop_up(visitor: Visitor, site: Site) -> str:
    """Opens the pop-up window, switches to it, and returns the page that opened it."""
    visitor.open(f"{site.listener.origin}/")
    visitor.see("application")
    page, before = visitor.tab, visitor.windows()
    visitor.find("#sign-in").click()
    visitor.wait_until(lambda: len(visitor.windows() - before) == 1)
    (window,) = visitor.windows() - before
    visitor.go_to_tab(window)
    visitor.see("sign in")
    return page


def test_a_page_signs_in_with_a_pop_up_window(web: tuple[SandboxedDeployment, Site], visitor: Visitor) -> None:
    deployment, site = web
    page = _sign_in_by_pop_up(visitor, site)
    visitor.choose_provider(YAHOO)
    visitor.allow("alice")
    visitor.go_to_tab(page)
    visitor.wait_until(lambda: visitor.run("return window.outcome ?? null") is not None)
    outcome = visitor.run("return window.outcome")
    _expect_alice(outcome, deployment)


def test_a_page_learns_that_the_user_closed_the_pop_up_window(
    web: tuple[SandboxedDeployment, Site], visitor: Visitor
) -> None:
    page = _sign_in_by_pop_up(visitor, web[1])
    visitor.run("window.close()")
    visitor.go_to_tab(page)
    visitor.wait_until(lambda: visitor.run("return window.outcome ?? null") is not None)
    assert visitor.run("return window.outcome").startswith("The user closed the pop-up window, or a page with Cross-Origin")


# MARK: - Java's client


def test_a_connection_ends_after_an_offer_to_upgrade(sandboxed: SandboxedDeployment) -> None:
    """Java's HTTP client offers h2c in its first request, and would wait for ever for the response to its second one."""
    port = int(sandboxed.server.origin.rsplit(":", 1)[1])
    lines = [
        "GET /openapi.json HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        "Connection: Upgrade, HTTP2-Settings",
        "Upgrade: h2c",
        "HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA",
    ]
    with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        with connection.makefile("rb") as response:
            status, header = response.readline(), iter(response.readline, b"\r\n")
            assert status.startswith(b"HTTP/1.1 200 ")
            assert b"connection: close" in [line.strip().lower() for line in header]
