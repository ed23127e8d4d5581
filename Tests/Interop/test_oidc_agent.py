"""oidc-agent, from Debian: a device signs in. It stores no account, because this server issues no refresh token."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from clients.program import Program, program
from clients.sign_in import allowed, approve_device, expect_alice
from deployment.expectations import verified
from deployment.sandbox import SandboxedDeployment
from deployment.waiting import DEADLINE, wait_until
from peers.person import Person


class Agent:
    """`oidc-agent` with a home folder of its own. `oidc-gen` sends it what to do."""

    def __init__(self, folder: Path) -> None:
        socket = folder / "socket"
        self._environment = {"HOME": str(folder), "TMPDIR": str(folder), "OIDC_SOCK": str(socket)}
        command = ["oidc-agent", "--console", "--no-autoload", f"--socket-path={socket}"]
        self._agent = Program(command, self._environment, deadline=4 * DEADLINE)
        try:
            wait_until(lambda: _listens(socket), "oidc-agent listens")
        except AssertionError:
            self._agent.close()
            raise

    def generate(self, issuer: str, *arguments: str) -> AbstractContextManager[Program]:
        """Starts `oidc-gen`. It knows only the issuer, and finds the rest in the discovery document."""
        fixed = ["--manual", f"--issuer={issuer}", "--client-id=oidc-agent", "--client-secret=", "--scope=openid"]
        headless = ["--prompt=none", "--confirm-default", "--no-url-call"]
        return program(["oidc-gen", *fixed, *headless, *arguments, "account"], self._environment)

    def exchange(self, redirect: str) -> subprocess.CompletedProcess[str]:
        """Hands it a redirect, as the desktop does that opens a URI of its private-use scheme."""
        return subprocess.run(
            ["oidc-gen", f"--codeExchange={redirect}"],
            env={"PATH": os.environ["PATH"]} | self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            check=False,
        )

    def close(self) -> None:
        self._agent.close()


def _listens(socket: Path) -> bool:
    """Whether connections to the socket are accepted, which its file does not say: the file exists before (unix(7))."""
    accepts_connections = "00010000"
    rows = [row.split() for row in Path("/proc/net/unix").read_text(encoding="utf-8").splitlines()]
    return any(row[3] == accepts_connections and row[-1] == str(socket) for row in rows)


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    agent = Agent(tmp_path_factory.mktemp("oidc-agent"))
    yield agent
    agent.close()


def test_oidc_agent_signs_a_device_in(sandboxed: SandboxedDeployment, person: Person, agent: Agent) -> None:
    """Without `scopes_supported` in the discovery document it would not even start."""
    with agent.generate(sandboxed.server.origin, "--only-at", "--flow=device") as generation:
        url = generation.line("http")
        code = re.search(r"[B-Z]{4}-[B-Z]{4}", generation.line("code: "))
        assert code is not None
        approve_device(person, url, code[0])
        token = generation.line("eyJ")
        assert generation.end()[0] == 0
    uid = verified(token, sandboxed.account)["uid"]
    expect_alice({"access_token": token, "token_type": "Bearer", "uid": uid}, sandboxed)


def test_oidc_agent_stores_no_account_without_a_refresh_token(
    sandboxed: SandboxedDeployment, person: Person, agent: Agent
) -> None:
    """The code flow with PKCE succeeds up to the token response."""
    redirect_uri = "edu.kit.data.oidc-agent:/redirect"
    arguments = ["--flow=code", f"--redirect-uri={redirect_uri}", "--no-webserver", "--no-save"]
    with agent.generate(sandboxed.server.origin, *arguments) as generation:
        redirect = allowed(person, generation.line("/authorize?"))
        assert redirect.startswith(redirect_uri + "?code=")
        answer = agent.exchange(redirect)
    assert (answer.returncode, answer.stdout, answer.stderr) == (1, "", "Error: Could not get a refresh token\n")
