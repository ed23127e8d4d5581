"""`token-exchange sandbox` as a process, and a deployment that is configured against it."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import requests
import yaml

from deployment.process import DEADLINE, Deployment, wait_until
from deployment.service_account import ServiceAccount


class Sandbox:
    """The stand-ins for Yahoo and X on ports of their own."""

    def __init__(self, binary: Path, folder: Path, server: str, admin: str) -> None:
        self._log_path = folder / "sandbox.log"
        self._configuration = folder / "token-exchange.yaml"
        ports = {"server": urlsplit(server).port, "admin": urlsplit(admin).port, "yahoo": 0, "x": 0, "control": 0}
        with self._log_path.open("wb") as log:
            self._process = subprocess.Popen(
                [str(binary), "sandbox", "--write-config", str(folder)]
                + [text for name, port in ports.items() for text in (f"--{name}-port", str(port))],
                env={"PATH": os.environ["PATH"], "HOME": str(folder)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        try:
            wait_until(lambda: "control" in self._origins(), "the stand-ins listen")
        except AssertionError:
            self._process.kill()
            self._process.wait(timeout=DEADLINE)
            raise

    def _origins(self) -> dict[str, str]:
        log = self._log_path.read_text()
        assert self._process.poll() is None, f"the sandbox left:\n{log}"
        return {words[0].lower(): words[1] for line in log.splitlines() if len(words := line.split()) >= 2}

    @property
    def yahoo(self) -> str:
        return self._origins()["yahoo"]

    @property
    def x(self) -> str:
        return self._origins()["x"]

    @property
    def settings(self) -> dict[str, Any]:
        """The configuration that it wrote for the server."""
        return yaml.safe_load(self._configuration.read_text())

    def issue(self, **order: Any) -> dict[str, Any]:
        """Tokens and codes without a browser."""
        with requests.Session() as session:
            session.trust_env = False
            response = session.post(self._origins()["control"] + "/issue", json=order, timeout=10)
        assert response.status_code == 200, response.text
        return response.json()

    def stop(self) -> None:
        self._process.terminate()
        try:
            code = self._process.wait(timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(timeout=DEADLINE)
            raise
        assert code == 0, self._log_path.read_text()


@dataclass(frozen=True)
class SandboxedDeployment:
    """A server, and the stand-ins for Yahoo and X that it asks."""

    server: Deployment
    sandbox: Sandbox
    account: ServiceAccount


# A name without a place to break it, and a redirect URI that only its owner can claim.
LONG_NAME = "Donaudampfschifffahrtsgesellschaftskapitänskajütenverwaltung"
FURTHER_CLIENTS = {
    "website": {"name": "Example Website", "redirect_uris": ["https://app.example/callback"]},
    "long-name": {"name": LONG_NAME, "redirect_uris": ["http://127.0.0.1/callback"]},
}


@contextlib.contextmanager
def sandboxed_deployment(
    binary: Path, folder: Path, account: ServiceAccount, **limits: Any
) -> Iterator[SandboxedDeployment]:
    """What `scripts/run` starts, with clients of the tests' own beside those of the sandbox."""
    server = Deployment(binary, folder, {})
    place = folder / "sandbox"
    place.mkdir()
    # The sandbox makes a key only where there is none.
    account.write(place)
    sandbox = Sandbox(binary, place, server.origin, server.admin_origin)
    try:
        settings = sandbox.settings
        settings["clients"] |= FURTHER_CLIENTS
        settings["limits"] |= {"start_per_address": "off", "device_code_tries": 100} | limits
        settings["logging"] = {"level": "debug"}
        server.configure(settings)
        for provider in settings["providers"].values():
            server.secrets.add(provider.get("client_secret"))
            server.secrets.add(*(provider[key].get("client_secret") for key in ("oauth2",) if key in provider))
        server.start()
        try:
            yield SandboxedDeployment(server, sandbox, account)
        finally:
            server.close()
    finally:
        sandbox.stop()
