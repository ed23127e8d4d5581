"""`token-exchange serve` as a process."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import sqlite3
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import requests
import yaml

from deployment.description import Received, deviations, undescribed
from deployment.firestore import contents
from deployment.secrets import Secrets
from deployment.waiting import DEADLINE, wait_until


_given: set[int] = set()


def free_port() -> int:
    """Returns a free port that it has not returned before.

    It is below the system's ephemeral ports, one of which might be taken by a connection meanwhile. Each process of
    pytest-xdist has ports of its own, because two processes could choose the same port before either uses it.
    """
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    while True:
        port = random.randrange(min(10000, lowest - 1000) + worker, lowest, workers)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            if port not in _given:
                _given.add(port)
                return port


class Deployment:
    """A folder with configuration, keys and database, and at most one process that uses it."""

    def __init__(
        self, binary: Path, folder: Path, settings: dict[str, Any], environment: dict[str, str] | None = None
    ) -> None:
        self.binary = binary
        self.folder = folder
        self.secrets = Secrets()
        # What applications received, which is compared with the description at the end.
        self.received: list[Received] = []
        self.origin = f"http://127.0.0.1:{free_port()}"
        self.admin_origin = f"http://127.0.0.1:{free_port()}"
        # The process does not inherit the environment of the tests.
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(folder)} | (environment or {})
        self.settings = settings
        self.settings.setdefault("server", {})
        self.settings["server"] |= {
            "listen": self.origin.removeprefix("http://"),
            "admin_listen": self.admin_origin.removeprefix("http://"),
            "public_url": self.origin,
        }
        self.settings.setdefault("store", f"sqlite://{folder}/token-exchange.db")
        self._log_path = folder / "log"
        self._process: subprocess.Popen[bytes] | None = None
        self.configure(self.settings)

    @property
    def configuration(self) -> Path:
        return self.folder / "token-exchange.yaml"

    def configure(self, settings: dict[str, Any]) -> None:
        """Writes the configuration file, which a running process reads again at SIGHUP.

        The store also gets the audit trail, so that `close` searches it.
        """
        self.settings = {"audit": {"store": True}} | settings
        self.configuration.touch(mode=0o600)
        self.configuration.write_text(yaml.safe_dump(self.settings, sort_keys=False))

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs a subcommand other than serve with this configuration."""
        return subprocess.run(
            [str(self.binary), *arguments, "--config", str(self.configuration)],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            check=False,
        )

    def start(
        self, until: str = "/readyz", user: int | None = None, options: Sequence[str] = ()
    ) -> Deployment:
        """Starts the server, by default as the current user."""
        identity = {} if user is None else {"user": user, "group": user, "extra_groups": []}
        with self._log_path.open("ab") as log:
            self._process = subprocess.Popen(
                [str(self.binary), "serve", "--config", str(self.configuration), *options],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                **identity,
            )
        wait_until(lambda: self.admin(until) == 200, f"GET {until} of\n{self.log}")
        return self

    def admin(self, path: str) -> int | None:
        """The status of an admin path; None if the server does not listen, or not answer in time."""
        assert self._process is None or self._process.poll() is None, f"the server left:\n{self.log}"
        try:
            with requests.Session() as session:
                session.trust_env = False
                return session.get(self.admin_origin + path, timeout=10).status_code
        except (requests.ConnectionError, requests.Timeout):
            return None

    def admin_text(self, path: str) -> str:
        with requests.Session() as session:
            session.trust_env = False
            return session.get(self.admin_origin + path, timeout=10).text

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self._process is not None, "the server was not started"
        return self._process

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def log(self) -> str:
        """Standard output and standard error since the first start."""
        return self._log_path.read_text(errors="replace") if self._log_path.exists() else ""

    def reload(self) -> None:
        self.process.send_signal(signal.SIGHUP)

    @property
    def database(self) -> Path:
        """The file of an SQLite store."""
        scheme, _, place = str(self.settings.get("store")).partition("://")
        return Path(place) if scheme == "sqlite" else self.folder / "token-exchange.db"

    def stored(self) -> str:
        """Everything in the store: the SQLite file with its log, what `pg_dump` prints, or all documents of the emulator.

        Octets that are not UTF-8 are replaced. A text that continues on another page of the file is not found whole.
        """
        scheme, _, place = str(self.settings.get("store")).partition("://")
        if scheme == "sqlite":
            files = [Path(place + suffix) for suffix in ("", "-wal", ".watch")]
            return "".join(file.read_text(errors="replace") for file in files if file.is_file())
        if scheme == "firestore":
            # Without the emulator no command of the tests opens the store.
            emulator = self.settings.get("store_emulator_host")
            return contents(str(emulator), f"{scheme}://{place}") if emulator else ""
        words = ["pg_dump", "--data-only", "--inserts", f"{scheme}://{place}"]
        dump = subprocess.run(words, capture_output=True, text=True, timeout=DEADLINE, check=False)
        # Some tests stop their PostgreSQL before the deployment ends, name one that does not exist, or a role without rights.
        causes = ("connection to server", "could not translate host name", "permission denied")
        assert dump.returncode == 0 or any(cause in dump.stderr for cause in causes), dump.stderr
        return dump.stdout

    def change(self, statement: str, *values: object) -> None:
        """Changes the SQLite database while the server runs."""
        with contextlib.closing(sqlite3.connect(self.database, timeout=DEADLINE)) as store:
            store.execute(statement, values)
            store.commit()

    def watch_since(self, seconds: int) -> None:
        """Makes the store appear to have been created `seconds` earlier."""
        self.change("UPDATE unwatched SET until = until - ?", seconds)

    def terminate(self) -> int:
        """Sends SIGTERM and returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=DEADLINE)
        self._process = None
        return code

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self.process.wait(timeout=DEADLINE)
        self._process = None

    def _undescribed(self) -> list[Any]:
        """The refusals that the server counted and its description lacks, and the answers that do not follow it.

        The list is empty if the server does not answer any more.
        """
        with requests.Session() as session:
            session.trust_env = False
            try:
                metrics = session.get(self.admin_origin + "/metrics", timeout=10)
                document = session.get(self.origin + "/openapi.json", timeout=10)
            except requests.RequestException:
                return []
        if (metrics.status_code, document.status_code) != (200, 200):
            return []
        return [*undescribed(metrics.text, document.json()), *deviations(self.received, document.json())]

    def close(self) -> None:
        """Stops the process and searches its log, its metrics and its store for all secrets (R-12, LG-01, KY-05)."""
        missing = self._undescribed() if self.is_running else []
        exposed: list[str] = []
        if self.is_running:
            # A server that does not answer any more shows nothing.
            with contextlib.suppress(requests.RequestException):
                exposed = self.secrets.found_in(self.admin_text("/metrics"))
        if self._process is not None:
            try:
                code = self.terminate()
            except subprocess.TimeoutExpired:
                self.kill()
                raise
            assert code == 0, f"exit code {code} after SIGTERM:\n{self.log}"
        kept = self.secrets.found_in_store(self.stored())
        assert not kept, f"KY-05: the store holds {kept}"
        found = self.secrets.found_in(self.log)
        assert not found, f"LG-01: the log holds {found}"
        assert not exposed, f"LG-01: the metrics hold {exposed}"
        assert not missing, f"GET /openapi.json lacks {missing}"
