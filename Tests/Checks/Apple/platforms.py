"""Type-checks Swift for Apple's platforms on Linux, against declarations of Apple's frameworks that this project wrote itself.

The standard library is that of the toolchain: its textual interfaces name the versions of Apple's systems, and the compiler reads
them for another target. `Stubs` has the declarations of the frameworks that the library uses, with names, types, isolation and
versions as https://developer.apple.com/documentation states them. What is built is kept in `.build/apple`: the first time takes
about a minute of processor time for each platform.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
STUBS = Path(__file__).resolve().parent / "Stubs"
BUILT = ROOT / ".build/apple"
LIBRARY = ROOT / "Sources/TokenExchangeClient"
STANDARD = ("Swift", "_Concurrency", "_StringProcessing", "_RegexParser", "SwiftOnoneSupport", "_Builtin_float")
# In the order of their imports.
FRAMEWORKS = ["Foundation", "Darwin", "Dispatch", "CryptoKit", "UIKit", "AppKit", "AuthenticationServices", "Combine", "SwiftUI", "_AuthenticationServices_SwiftUI", "FirebaseCore", "FirebaseAuth", "FirebaseAppCheck"]
OVERLAY = "%YAML 1.2\n---\nversion: 1\nmodules:\n  - name: _AuthenticationServices_SwiftUI\n"


@dataclass(frozen=True)
class Platform:
    name: str
    # With the lowest version of the system that Package.swift names. Float80 of the interfaces exists only on x86_64.
    target: str

    @property
    def folder(self) -> Path:
        return BUILT / self.name

    def named(self, name: str) -> Platform:
        """The same platform with a folder of its own."""
        return Platform(name, self.target)

    @property
    def frameworks(self) -> list[str]:
        missing = "UIKit" if self.name == "macos" else "AppKit"
        return [name for name in FRAMEWORKS if name != missing]


PLATFORMS = {
    platform.name: platform
    for platform in (
        Platform("ios", "x86_64-apple-ios15.0-simulator"),
        Platform("macos", "x86_64-apple-macosx12.0"),
        Platform("tvos", "x86_64-apple-tvos15.0-simulator"),
        Platform("watchos", "x86_64-apple-watchos8.0-simulator"),
    )
}


def write(path: Path, text: str) -> None:
    """Writes a file that differs: the compiler keeps the module of one that does not."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def standard_library(platform: Platform) -> None:
    """Writes the interfaces of the standard library for a platform."""
    runtime = Path(json.loads(run("swift", "-print-target-info").stdout)["paths"]["runtimeResourcePath"])
    for folder in ("shims", "clang", "apinotes"):
        link = BUILT / "usr/lib/swift" / folder
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.is_symlink():
            link.symlink_to(runtime / folder)
    lowest = re.sub(r"osx?[0-9.]+", "os", platform.target)
    for name in STANDARD:
        text = next(runtime.glob(f"linux/{name}.swiftmodule/*-linux-gnu.swiftinterface")).read_text()
        text = re.sub(r"-target \S+", f"-target {platform.target}", text, count=1)
        # Functions with this attribute need a body, which a private one has not.
        text = re.sub(r"@backDeployed\([^)]*\)\s*", "", text)
        if name != "Swift":
            # The interfaces were written for Linux, where every version is recent.
            text = text.replace("swift-module-flags: ", "swift-module-flags: -disable-availability-checking ", 1)
        write(BUILT / "usr/lib/swift" / f"{name}.swiftmodule" / f"{lowest}.swiftinterface", text)


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def swiftc(platform: Platform, *arguments: str) -> list[str]:
    """Runs the compiler for a platform, and returns its errors and warnings."""
    outcome = run(
        *("swiftc", "-target", platform.target, "-sdk", str(BUILT), "-resource-dir", str(BUILT / "usr/lib/swift")),
        *("-module-cache-path", str(BUILT / "cache"), "-Xfrontend", "-disable-objc-interop", "-diagnostic-style", "llvm"),
        *("-Xfrontend", "-enable-cross-import-overlays"),
        *("-I", str(platform.folder), *arguments),
    )
    found = [line for line in outcome.stderr.splitlines() if re.search(r": (error|warning): ", line)]
    return found or ([outcome.stderr] if outcome.returncode != 0 else [])


def prepare(platform: Platform, *, older_sdk: bool = False) -> list[str]:
    """Builds the standard library and the frameworks for a platform, and returns errors and warnings."""
    standard_library(platform)
    write(platform.folder / "AuthenticationServices.swiftcrossimport/SwiftUI.swiftoverlay", OVERLAY)
    found = []
    for name in platform.frameworks:
        source = STUBS / f"{name}.swift"
        found += swiftc(
            platform,
            *("-emit-module", "-parse-as-library", "-module-name", name, "-swift-version", "6", "-o"),
            *(str(platform.folder / f"{name}.swiftmodule"), *(["-D", "OLDER_SDK"] if older_sdk else []), str(source)),
        )
    return found


def sources() -> list[str]:
    """The files of the library."""
    return sorted(str(path) for path in LIBRARY.rglob("*.swift") if "Examples" not in path.parts)


def settings(version: str, *, main_actor: bool = False, upcoming: bool = True) -> list[str]:
    """The settings of a target: those of Package.swift if `upcoming`."""
    features = ["ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault"] if upcoming else []
    return [
        *("-swift-version", version, "-warnings-as-errors"),
        *(word for feature in features for word in ("-enable-upcoming-feature", feature)),
        *(["-strict-memory-safety", "-package-name", "token_exchange"] if upcoming else []),
        *(["-default-isolation", "MainActor"] if main_actor else []),
    ]


def check(platform: Platform, files: Iterable[str], options: list[str]) -> list[str]:
    return swiftc(platform, "-typecheck", "-module-name", "Checked", *options, *files)


def library(platform: Platform) -> list[str]:
    """Builds the library for a platform, and returns errors and warnings."""
    module = str(platform.folder / "TokenExchangeClient.swiftmodule")
    return swiftc(
        platform,
        *("-emit-module", "-parse-as-library", "-module-name", "TokenExchangeClient", "-o", module),
        *(*settings("6"), *sources()),
    )
