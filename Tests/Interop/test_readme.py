"""The programs and commands in README.md."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Settle
from deployment.expectations import verified
from deployment.sandbox import Sandbox, SandboxedDeployment
from deployment.waiting import DEADLINE
from peers.person import Person

README = Path(__file__).parents[2] / "README.md"


def block_after(comment: str) -> str:
    """Returns the fenced block after an HTML comment of README.md."""
    found = re.search(rf"<!-- {re.escape(comment)} -->\s*```sh\n(.*?)```", README.read_text(), re.DOTALL)
    assert found is not None, f"README.md has no block after <!-- {comment} -->"
    return found[1]


class Shell:
    """Runs a program of README.md and ends it after a deadline."""

    def __init__(self, program: str, **environment: str) -> None:
        self._process = subprocess.Popen(
            ["bash", "-c", program],
            env={"PATH": os.environ["PATH"]} | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._alarm = threading.Timer(DEADLINE, self._process.kill)
        self._alarm.start()

    def line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def end(self) -> tuple[int, str, str]:
        output, errors = self._process.communicate()
        self._alarm.cancel()
        return self._process.returncode, output, errors

    def kill(self) -> None:
        self._process.kill()
        self.end()


@pytest.fixture
def televisions(sandboxed: SandboxedDeployment) -> Iterator[list[Shell]]:
    """Two programs poll at the same time."""
    program = block_after("device grant")
    running = [Shell(program, SERVER=sandboxed.server.origin, CLIENT="living-room-tv") for _ in range(2)]
    yield running
    for shell in running:
        shell.kill()


def test_the_device_grant_of_the_readme_signs_in_or_reports_the_refusal(
    sandboxed: SandboxedDeployment, televisions: list[Shell]
) -> None:
    for shell, decision in zip(televisions, ("approve", "deny"), strict=True):
        shown = re.search(r"(http://\S+).* ([B-Z]{4}-[B-Z]{4})$", shell.line().strip())
        assert shown is not None
        person = Person(sandboxed.server.origin, sandboxed.sandbox.yahoo)
        person.open(shown[1]).enter_code(shown[2]).press("provider", "yahoo.com").allow().press("decision", decision)
    code, output, errors = televisions[0].end()
    assert (code, errors) == (0, "")
    said = re.fullmatch(r"Signed in as (\S+)\. Custom token: (eyJ\S+)\n", output)
    assert said is not None, output
    sandboxed.server.secrets.add(said[2])
    assert verified(said[2], sandboxed.account)["uid"] == said[1] == "yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4"
    code, output, errors = televisions[1].end()
    assert (code, output) == (1, "")
    assert errors.strip()


def test_the_accounts_of_the_readme_make_an_anonymous_one_permanent(settle: Settle, sandbox: Sandbox) -> None:
    deployment = settle().deployment
    shell = Shell(
        block_after("accounts"), SERVER=deployment.origin, CONTROL=sandbox.control, GOOGLE=sandbox.google
    )
    code, output, errors = shell.end()
    assert (code, errors) == (0, "")
    assert "account" in output, output
    account = json.loads(output)["account"]
    assert account["uid"].startswith("anonymous:")
    assert not account["anonymous"]
    assert [identity["provider"] for identity in account["identities"]] == ["yahoo.com"]
