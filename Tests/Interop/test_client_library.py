"""The library TokenExchangeClient in programs of their own: its example, whose QR code another program reads, and a package
that depends on it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from clients.program import Program, program
from clients.sign_in import ALICE, allowed, approve_device, follow
from deployment.expectations import verified
from deployment.pages import ROOT, documented
from deployment.sandbox import SandboxedDeployment
from deployment.waiting import wait_until
from peers.person import Person

ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
# The halves of a character that are light: the upper and the lower one.
HALVES = {"█": (1, 1), "▀": (1, 0), "▄": (0, 1), " ": (0, 0)}


@contextmanager
def example(binary: Path, *arguments: str, path: str = "") -> Iterator[Program]:
    """Runs the example, which SwiftPM builds beside the server."""
    search = f"{path}:{os.environ['PATH']}" if path else os.environ["PATH"]
    with program([str(binary.parent / "terminal-sign-in"), *arguments], {"PATH": search}) as running:
        yield running


def scanned(drawing: list[str], folder: Path) -> str:
    """Reads a QR code of half blocks with zbarimg, as the camera of a phone does."""
    rows = [[HALVES[character] for character in ESCAPES.sub("", line)] for line in drawing]
    dots = [[1 - half[side] for half in row for _ in range(8)] for row in rows for side in (0, 1) for _ in range(8)]
    picture = folder / "code.pbm"
    text = "\n".join(" ".join(map(str, row)) for row in dots)
    picture.write_text(f"P1\n{len(dots[0])} {len(dots)}\n{text}\n")
    command = ["zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", str(picture)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def expect_signed_in(line: str, sandboxed: SandboxedDeployment) -> None:
    said = re.fullmatch(r"Signed in as (\S+)\. Custom token: (eyJ\S+)", line)
    assert said is not None, line
    sandboxed.server.secrets.add(said[2])
    assert verified(said[2], sandboxed.account)["uid"] == said[1] == ALICE


def test_a_terminal_shows_a_qr_code_and_signs_in(
    binary: Path, sandboxed: SandboxedDeployment, person: Person, tmp_path: Path
) -> None:
    with example(binary, sandboxed.server.origin, "living-room-tv") as running:
        shown = re.fullmatch(r"Open (\S+) and enter ([B-Z]{4}-[B-Z]{4})", running.line("Open"))
        assert shown is not None
        running.line("scan this code")
        drawing = []
        while line := running.line():
            drawing.append(line)
        url = scanned(drawing, tmp_path)
        assert url == f"{shown[1]}?user_code={shown[2]}"
        approve_device(person, shown[1], shown[2])
        expect_signed_in(running.line("Signed in"), sandboxed)
        assert running.end()[0] == 0


def test_a_device_is_told_that_the_user_refused(
    binary: Path, sandboxed: SandboxedDeployment, person: Person
) -> None:
    with example(binary, sandboxed.server.origin, "living-room-tv") as running:
        shown = re.fullmatch(r"Open (\S+) and enter (\S+)", running.line("Open"))
        assert shown is not None
        person.open(shown[1]).enter_code(shown[2]).press("decision", "deny")
        assert running.line("Not signed in: ")
        assert running.end()[0] == 1


@pytest.fixture
def desktop(tmp_path: Path) -> Iterator[Path]:
    """A folder with an `xdg-open` that writes down the URL, and runs until the browser is closed, as it may."""
    opener = tmp_path / "xdg-open"
    opener.write_text(f"""#!/bin/sh
printf %s "$1" > {tmp_path}/draft && mv {tmp_path}/draft {tmp_path}/url
while [ ! -e {tmp_path}/closed ]; do sleep 0.1; done
""")
    opener.chmod(0o755)
    yield tmp_path
    (tmp_path / "closed").touch()


def test_a_desktop_opens_the_browser_and_receives_the_redirect(
    binary: Path, sandboxed: SandboxedDeployment, person: Person, desktop: Path
) -> None:
    with example(binary, sandboxed.server.origin, "my-app", "yahoo.com", path=str(desktop)) as running:
        opened = desktop / "url"
        wait_until(opened.exists, "the program opens the browser")
        redirect = allowed(person, opened.read_text())
        sandboxed.server.secrets.add(redirect.partition("code=")[2].partition("&")[0])
        assert "You can close this window" in follow(redirect)
        expect_signed_in(running.line("Signed in"), sandboxed)
        assert running.end()[0] == 0


def test_a_computer_without_a_desktop_is_told_so(binary: Path, sandboxed: SandboxedDeployment, desktop: Path) -> None:
    (desktop / "xdg-open").write_text("#!/bin/sh\nexit 3\n")
    with example(binary, sandboxed.server.origin, "my-app", "yahoo.com", path=str(desktop)) as running:
        assert running.line("Not signed in: No browser could be opened.")
        assert running.end()[0] == 1


# The lines of the page for a dependency that is a folder.
FOLDER, PRODUCT = documented("swift-manifest").splitlines()
# The client without the variable, as an application has it.
WITHOUT_VARIABLE = {name: value for name, value in os.environ.items() if name != "TOKEN_EXCHANGE_TARGETS"}
MANIFEST = """// swift-tools-version: 6.2
import PackageDescription
let package = Package(
    name: "application", platforms: [.macOS(.v12)],
    dependencies: [{dependency}],
    targets: [
        .executableTarget(
            name: "Application", dependencies: [{product}],
            path: ".", sources: ["main.swift", "Guide.swift"], swiftSettings: [.swiftLanguageMode(.v5)])
    ])
"""
APPLICATION = """import Foundation
import TokenExchangeClient

let client = TokenExchangeClient(server: URL(string: CommandLine.arguments[1])!, clientID: "my-app")
do {
    print(try await client.signInAnonymously().uid)
    _ = try await client.account()
} catch {
    print(error.reason == .tokenUnavailable ? error.code : error.message)
}
"""
# The programs of the guide, which are only compiled here; the tests of the library run the same calls.
GUIDE = f"""import Foundation
import TokenExchangeClient

func show(_ code: String, _ url: URL, qrCode: URL) {{}}
func finish(_ customToken: String) async throws {{}}
func enter(_ tokens: FirebaseTokens) async throws {{}}
func confirmed(_ question: String) async -> Bool {{ false }}
func signInAsBefore(_ email: String?, withPassword: Bool) async throws {{}}

func signIn() async throws {{
{documented("swift-sign-in")}
    _ = try result.tokens.customToken
{documented("swift-device")}
{documented("swift-conflict")}
}}

func signInToAnOlderAccount(_ client: TokenExchangeClient) async throws {{
{documented("swift-existing-account")}
}}
"""


@pytest.mark.parametrize("named", [True, False], ids=["with the name of the page", "with the name of the folder"])
def test_an_application_in_swift_5_mode_fetches_no_other_package(
    sandboxed: SandboxedDeployment, tmp_path: Path, named: bool
) -> None:
    """The folder has another name than the package. SwiftPM then knows the package by the last component of the path."""
    library = tmp_path / "vendored-sign-in"
    library.mkdir()
    for name in ("Package.swift", "Sources"):
        (library / name).symlink_to(ROOT / name)
    dependency = FOLDER.replace("../token-exchange", str(library))
    if not named:
        dependency = dependency.replace('name: "token-exchange", ', "")
    product = PRODUCT if named else PRODUCT.replace('"token-exchange"', f'"{library.name}"')
    application, cache = tmp_path / "application", tmp_path / "cache"
    application.mkdir()
    (application / "Package.swift").write_text(MANIFEST.format(dependency=dependency, product=product))
    (application / "main.swift").write_text(APPLICATION)
    (application / "Guide.swift").write_text(GUIDE)
    built = subprocess.run(
        ["swift", "build", "--quiet", "--package-path", str(application), "--cache-path", str(cache)],
        env=WITHOUT_VARIABLE,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (built.returncode, built.stdout) == (0, ""), built.stdout + built.stderr
    assert not (application / "Package.resolved").exists()
    assert not list(application.glob(".build/checkouts/*")) and not list(cache.glob("repositories/*"))
    with program([str(application / ".build/debug/Application"), sandboxed.server.origin]) as running:
        assert running.line().startswith("anonymous:")
        assert running.line() == "auth/null-user"
        assert running.end()[0] == 0


def test_a_clone_without_the_variable_is_the_library_and_its_example(tmp_path: Path) -> None:
    """The server has the variable. A trait would leave targets that do not compile without their packages."""
    shown = subprocess.run(
        ["swift", "package", "--scratch-path", str(tmp_path), "dump-package"],
        cwd=ROOT,
        env=WITHOUT_VARIABLE,
        capture_output=True,
        text=True,
        check=True,
    )
    package = json.loads(shown.stdout)
    assert package["dependencies"] == []
    assert {target["name"] for target in package["targets"]} == {"TokenExchangeClient", "terminal-sign-in"}
    lowest = {platform["platformName"]: platform["version"] for platform in package["platforms"]}
    assert lowest == {"ios": "15.0", "macos": "12.0", "tvos": "15.0", "watchos": "8.0", "visionos": "1.0"}
