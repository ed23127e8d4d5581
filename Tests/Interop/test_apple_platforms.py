"""The library TokenExchangeClient for iOS, macOS, tvOS and watchOS, type-checked on Linux.

It proves: names, types, isolation, access levels of imports, and that nothing is newer than the lowest version in Package.swift
without a check, for the standard library by its own interfaces, and for the frameworks as far as Tests/Checks/Apple/Stubs agrees
with Apple's documentation. It does not prove that the frameworks have these declarations, nor what they do when they run.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deployment.pages import ROOT, documented

sys.path.insert(0, str(ROOT / "Tests/Checks/Apple"))
import platforms  # noqa: E402

EXAMPLE = ROOT / "Sources/TokenExchangeClient/Examples/SignInWithFirebase.swift"
# The programs of the guide for Apple's platforms, each in a file of its own.
GUIDE = {
    "Application": f"""import FirebaseAuth
import Foundation
import TokenExchangeClient

struct Application {{
    let server: URL
    func system() -> TokenExchangeClient {{
        {documented("swift-system-browser")}
        return client
    }}
    func sandbox() {{
        {documented("swift-emulator")}
    }}
}}
""",
    "SignInButton": documented("swift-swiftui-browser"),
}


@pytest.fixture(scope="module", params=platforms.PLATFORMS.values(), ids=platforms.PLATFORMS)
def platform(request: pytest.FixtureRequest) -> Iterator[platforms.Platform]:
    assert platforms.prepare(request.param) == []
    yield request.param


@pytest.mark.parametrize("version", ["6", "5"])
def test_the_library_compiles_without_a_warning(platform: platforms.Platform, version: str) -> None:
    assert platforms.check(platform, platforms.sources(), platforms.settings(version)) == []


def test_only_the_default_window_is_not_for_extensions() -> None:
    platform = platforms.PLATFORMS["ios"]
    options = [*platforms.settings("6"), "-application-extension"]
    assert platforms.prepare(platform) == []
    assert platforms.check(platform, platforms.sources(), options) == []


@pytest.fixture(scope="module", params=("ios", "macos"))
def application(request: pytest.FixtureRequest) -> platforms.Platform:
    """A platform for which the library is built."""
    platform = platforms.PLATFORMS[request.param]
    assert platforms.prepare(platform) + platforms.library(platform) == []
    return platform


@pytest.mark.parametrize("version", ["6", "5"])
@pytest.mark.parametrize("main_actor", [False, True], ids=["nonisolated", "MainActor"])
def test_applications_compile_in_each_mode_of_an_xcode_project(
    application: platforms.Platform, tmp_path: Path, version: str, main_actor: bool
) -> None:
    files = [EXAMPLE]
    for name, text in GUIDE.items():
        files.append(tmp_path / f"{name}.swift")
        files[-1].write_text(text)
    options = platforms.settings(version, main_actor=main_actor, upcoming=False)
    assert platforms.check(application, map(str, files), options) == []


def test_an_application_has_a_type_of_the_same_name(tmp_path: Path) -> None:
    platform = platforms.PLATFORMS["ios"]
    assert platforms.prepare(platform) + platforms.library(platform) == []
    own, use = tmp_path / "Own.swift", tmp_path / "Use.swift"
    own.write_text("struct Account {}\n")
    use.write_text(
        "import TokenExchangeClient\n"
        "func uid(_ client: TokenExchangeClient) async throws -> String {\n"
        "    let account: TokenExchangeClient::Account = try await client.account()\n"
        "    return account.uid\n"
        "}\n"
    )
    options = platforms.settings("6", upcoming=False)
    assert platforms.check(platform, [str(own), str(use)], options) == []


@pytest.mark.parametrize(
    "code, expected",
    [
        ("Browser.system(redirectURI: 1)", "cannot convert value of type 'Int'"),
        # iOS 16 has it, and the library asks for iOS 15.
        ("ContinuousClock.now", "is only available in iOS 16.0 or newer"),
    ],
)
def test_a_wrong_type_and_a_newer_function_are_found(tmp_path: Path, code: str, expected: str) -> None:
    platform = platforms.PLATFORMS["ios"]
    assert platforms.prepare(platform) + platforms.library(platform) == []
    file = tmp_path / "Wrong.swift"
    file.write_text(f"import TokenExchangeClient\nfunc wrong() {{ _ = {code} }}\n")
    found = platforms.check(platform, [str(file)], platforms.settings("6", upcoming=False))
    assert expected in "\n".join(found)


def test_the_library_compiles_with_the_declarations_of_an_older_sdk() -> None:
    """There the protocol of the window does not belong to the main actor."""
    platform = platforms.PLATFORMS["ios"].named("ios-older-sdk")
    assert platforms.prepare(platform, older_sdk=True) == []
    assert platforms.check(platform, platforms.sources(), platforms.settings("6")) == []
