"""`token-exchange-lab sandbox` as a process, and a deployment that is configured against it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import requests
import yaml

from deployment.process import Deployment
from deployment.service_account import ServiceAccount
from deployment.waiting import DEADLINE, wait_until


class Sandbox:
    """The stand-ins of the providers on ports of their own."""

    def __init__(
        self, binary: Path, folder: Path, server: str, admin: str, documentation: Path | None = None
    ) -> None:
        self._log_path = folder / "sandbox.log"
        self._configuration = folder / "token-exchange.yaml"
        ports = {"server": urlsplit(server).port, "admin": urlsplit(admin).port}
        ports |= dict.fromkeys(("yahoo", "x", "providers", "google", "hostile", "control"), 0)
        with self._log_path.open("wb") as log:
            self._process = subprocess.Popen(
                [str(binary.with_name("token-exchange-lab")), "sandbox", "--write-config", str(folder)]
                + [text for name, port in ports.items() for text in (f"--{name}-port", str(port))]
                + (["--documentation", str(documentation)] if documentation else []),
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
        self._control = self._origins()["control"]
        self._session = requests.Session()
        self._session.trust_env = False

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
    def providers(self) -> str:
        """The origin of all stand-ins beside Yahoo's and X's, each of which is below its id."""
        return self._origins()["providers"]

    @property
    def control(self) -> str:
        return self._control

    @property
    def google(self) -> str:
        return self._origins()["google"]

    @property
    def configuration(self) -> Path:
        """The file that the sandbox wrote for the server."""
        return self._configuration

    @property
    def settings(self) -> dict[str, Any]:
        """The configuration that the sandbox wrote for the server, with the secrets in place of the files that it names.

        A key stays in its file.
        """
        text = re.sub(
            r'"file:([^"]+)(?<!\.p8)"', lambda match: json.dumps(Path(match[1]).read_text()), self._configuration.read_text()
        )
        return yaml.safe_load(text)

    def issue(self, **order: Any) -> dict[str, Any]:
        """Issues tokens and codes without a browser."""
        return self.order("POST", "/issue", **order)

    def order(self, method: str, path: str, **order: Any) -> Any:
        """Sends a command to the control port. Returns None if the answer has no body."""
        response = self._session.request(method, self._control + path, json=order or None, timeout=10)
        assert response.status_code in (200, 204), response.text
        return response.json() if response.content else None

    def redirect_to(self, origin: str) -> None:
        """Registers the callbacks of a server other than the one that the sandbox configured."""
        own = {"yahoo.com": "com.example.app:/yahoo", "twitter.com": "com.example.app:/x"}
        for provider in self.order("GET", "/applications")["ours"]:
            uris = [own.get(provider, f"com.example.app:/{provider}"), f"{origin}/callback/{provider}"]
            self.order("PUT", "/applications", provider=provider, redirect_uris=uris)

    def stop(self) -> None:
        self._session.close()
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
    """A server and its stand-ins."""

    server: Deployment
    sandbox: Sandbox
    account: ServiceAccount


# A name that cannot be broken into lines, and a redirect URI that only its owner can claim.
LONG_NAME = "Donaudampfschifffahrtsgesellschaftskapitänskajütenverwaltung"
FURTHER_CLIENTS = {
    "website": {"name": "Example Website", "redirect_uris": ["https://app.example/callback"]},
    "oidc-agent": {
        "name": "oidc-agent",
        "redirect_uris": ["edu.kit.data.oidc-agent:/redirect"],
        "grants": ["authorization_code", "device_code"],
    },
    "long-name": {"name": LONG_NAME, "redirect_uris": ["http://127.0.0.1/callback"]},
}


@contextlib.contextmanager
def sandboxed_deployment(
    binary: Path,
    folder: Path,
    account: ServiceAccount,
    clients: dict[str, Any] | None = None,
    *,
    one_account_per_email: bool = False,
    documentation: Path | None = None,
    **limits: Any,
) -> Iterator[SandboxedDeployment]:
    """The deployment of `scripts/run`, with additional clients for the tests."""
    server = Deployment(binary, folder, {})
    place = folder / "sandbox"
    place.mkdir()
    # The sandbox creates a key only if there is none.
    account.write(place)
    sandbox = Sandbox(binary, place, server.origin, server.admin_origin, documentation)
    try:
        settings = sandbox.settings
        settings["clients"] |= FURTHER_CLIENTS | (clients or {})
        settings["limits"] |= {"start_per_address": "off", "page_per_address": "off", "device_code_tries": 100} | limits
        settings["logging"] = {"level": "debug"}
        # Usually the same user has accounts at all providers; test_accounts.py tests the effect of equal addresses.
        settings["accounts"] = {"one_account_per_email": one_account_per_email}
        server.configure(settings)
        for provider in settings["providers"].values():
            secret = provider.get("client_secret")
            if isinstance(secret, dict):
                secret = Path(secret["apple"]["key"].removeprefix("file:")).read_text()
            server.secrets.add(secret)
            server.secrets.add(*(provider[key].get("client_secret") for key in ("oauth2",) if key in provider))
        server.start()
        try:
            yield SandboxedDeployment(server, sandbox, account)
        finally:
            server.close()
    finally:
        sandbox.stop()
