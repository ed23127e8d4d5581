"""An operator who walks a sign-in with `token-exchange doctor --sign-in`, and copies addresses from a browser."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass

from deployment.process import Deployment
from deployment.waiting import DEADLINE


@dataclass(frozen=True)
class Walked:
    """What the command reported."""

    code: int
    findings: dict[str, dict[str, str]]
    output: str

    @property
    def problems(self) -> dict[str, str]:
        """The severity of each finding that is neither ok nor info, by id."""
        return {
            name: finding["severity"]
            for name, finding in self.findings.items()
            if finding["severity"] not in ("ok", "info")
        }


class Operator:
    """The command, between its start and its report."""

    def __init__(self, server: Deployment, provider: str, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [str(server.binary), "doctor", "--sign-in", provider, "--format", "json", *arguments]
            + ["--config", str(server.configuration)],
            env=server.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._messages = ""

    def url(self) -> str:
        """Reads up to the next authorization URL."""
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._messages += line
            if line.startswith("http"):
                return line.strip()
        raise AssertionError(f"no URL, but {self._messages}")

    def enter(self, address: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(address + "\n")
        self._process.stdin.flush()

    def report(self) -> Walked:
        """Waits for the end, without further input."""
        stdout, stderr = self._process.communicate(timeout=DEADLINE)
        report = json.loads(stdout)
        for finding in report["findings"]:
            if finding["severity"] in ("warning", "error"):
                assert finding["remedy"], finding
        found = {finding["id"]: finding for finding in report["findings"]}
        assert len(found) == len(report["findings"]), "one finding for each id"
        return Walked(self._process.returncode, found, stdout + self._messages + stderr)
