"""Go's OAuth libraries, from Debian's packages, in programs that are built without a network."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from clients.program import program
from clients.sign_in import allowed, approve_device, expect_alice, follow
from deployment.expectations import verified
from deployment.sandbox import SandboxedDeployment
from peers.person import Person

CLIENTS = Path(__file__).with_name("clients")
CACHE = Path(__file__).parents[2] / "var" / "interop" / "go-cache"
# Debian's packages are in this folder in the form of a GOPATH, and have no modules.
LIBRARIES = Path("/usr/share/gocode")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the programs. `scripts/setup tests` installs the compiler and the libraries."""
    folder = tmp_path_factory.mktemp("go")
    CACHE.mkdir(parents=True, exist_ok=True)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GOCACHE": str(CACHE),
        "GOPATH": str(LIBRARIES),
        "GO111MODULE": "off",
        "GOPROXY": "off",
        "GOTOOLCHAIN": "local",
        "CGO_ENABLED": "0",
    }
    for name in ("x_oauth2", "cli_oauth"):
        command = ["go", "build", "-o", str(folder / name), "."]
        source = CLIENTS / name
        built = subprocess.run(command, cwd=source, env=environment, capture_output=True, check=False)
        assert built.returncode == 0, built.stderr.decode()
    return folder


@pytest.mark.parametrize("style", [[], ["-form"]], ids=["found_out", "form"])
def test_x_oauth2_signs_in(sandboxed: SandboxedDeployment, person: Person, built: Path, style: list[str]) -> None:
    """By default the library tries HTTP Basic first, and the form only if Basic is refused."""
    arguments = ["-server", sandboxed.server.origin, "-client", "my-app", *style]
    with program([str(built / "x_oauth2"), *arguments]) as client:
        follow(allowed(person, client.line()))
        code, output = client.end()
    assert code == 0, output
    token = json.loads(output)
    expect_alice(token, sandboxed)
    assert token["is_valid"] is True
    assert token["requests"] == 1


def test_x_oauth2_reports_a_refusal(sandboxed: SandboxedDeployment, person: Person, built: Path) -> None:
    arguments = ["-server", sandboxed.server.origin, "-client", "my-app"]
    with program([str(built / "x_oauth2"), *arguments]) as client:
        redirect = person.open(client.line()).press("provider", "yahoo.com").press("decision", "deny").redirect
        follow(redirect)
        code, output = client.end()
    assert code == 1
    assert output.endswith("the redirect has the error access_denied\n")


def test_cli_oauth_signs_a_device_in(sandboxed: SandboxedDeployment, person: Person, built: Path) -> None:
    """It sends an empty scope, and reads numbers of the JSON as text."""
    arguments = ["-server", sandboxed.server.origin, "-client", "living-room-tv"]
    with program([str(built / "cli_oauth"), *arguments]) as client:
        approve_device(person, *client.line().split())
        client.enter()
        code, output = client.end()
    assert code == 0, output
    token = json.loads(output)
    # The library returns the members of RFC 6749 only. The custom token names the user.
    expect_alice(token | {"uid": verified(token["access_token"], sandboxed.account)["uid"]}, sandboxed)
