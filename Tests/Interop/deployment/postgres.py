"""A PostgreSQL server for tests and for the benchmark, started from Debian's packages in a folder of its own.

scripts/bench runs with the system's Python, so this module uses only the standard library.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from deployment.waiting import DEADLINE, wait_until

PACKAGES = Path("/usr/lib/postgresql")


class Postgres:
    """A database cluster, reached through a Unix socket in its folder. Its data survives `stop_at_once`."""

    def __init__(
        self,
        parent: str | None = None,
        settings: Sequence[str] = ("fsync=on", "max_connections=200", "shared_buffers=32MB"),
        timeout: float | None = DEADLINE,
        primary: Postgres | None = None,
        port: int | None = None,
    ) -> None:
        """Creates the cluster without starting it.

        - `parent`: the folder in which the cluster's folder is created; None for the system's temporary folder.
        - `settings`: server settings, each as `name=value`.
        - `timeout`: the longest time that one command or query may take, in seconds; None for no limit.
        - `primary`: a running server, of which this one is a standby; None for a new cluster.
        - `port`: a port of 127.0.0.1 on which the server listens as well; None for the Unix socket only.
        """
        versions = [int(path.name) for path in PACKAGES.iterdir() if path.name.isdecimal()]
        self._programs = PACKAGES / str(max(versions)) / "bin"
        self._timeout = timeout
        # The server refuses to run as root, and the user postgres must be able to reach the folder. So it cannot be
        # inside
        # a folder that only this user may enter.
        self._folder = Path(tempfile.mkdtemp(dir=parent, prefix="token-exchange-postgres-"))
        if os.geteuid() == 0:
            shutil.chown(self._folder, "postgres", "postgres")
        self._port = port or 5432
        addresses = "127.0.0.1" if port else ""
        self._settings = [f"listen_addresses={addresses}", f"port={self._port}"]
        self._settings += [f"unix_socket_directories={self._folder}", *settings]
        self._databases = 0
        self._process: subprocess.Popen[bytes] | None = None
        data = f"--pgdata={self._folder}/data"
        if primary:
            words = ["--username=postgres", "--write-recovery-conf", "--checkpoint=fast", "--no-sync"]
            self._run("pg_basebackup", data, f"--host={primary.folder}", *words)
        else:
            words = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync"]
            self._run("initdb", data, *words)

    @property
    def folder(self) -> Path:
        """The folder of the Unix socket, which is the host of a connection."""
        return self._folder

    def promote(self) -> None:
        """Makes a standby a primary, on a timeline of its own."""
        self._run("pg_ctl", "promote", f"--pgdata={self._folder}/data", "--wait")

    @property
    def pid(self) -> int:
        """The process ID of the running server."""
        assert self._process is not None, "PostgreSQL was not started"
        return self._process.pid

    @property
    def _privileges(self) -> list[str]:
        drop = ["--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
        # prctl(2), PR_SET_PDEATHSIG: a fast shutdown if this process ends without stopping the server.
        return ["/usr/bin/setpriv", *drop, "--pdeathsig=INT"]

    def _run(self, program: str, *words: str) -> str:
        result = subprocess.run(
            [*self._privileges, str(self._programs / program), *words],
            cwd="/",
            capture_output=True,
            text=True,
            timeout=self._timeout,
            check=False,
        )
        if result.returncode != 0:
            raise RuntimeError(f"{program}: {result.stderr}")
        return result.stdout

    def start(self) -> Postgres:
        """Starts the server and waits until it accepts connections."""
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*self._privileges, str(self._programs / "postgres"), "-D", str(self._folder / "data")]
                + [word for setting in self._settings for word in ("-c", setting)],
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        wait_until(self._takes_connections, f"PostgreSQL accepts connections; see {self._folder}/log")
        return self

    def _takes_connections(self) -> bool:
        words = [str(self._programs / "pg_isready"), "-q", "-h", str(self._folder), "-p", str(self._port)]
        return subprocess.run(words, timeout=DEADLINE, check=False).returncode == 0

    def stop_at_once(self) -> None:
        """Performs an immediate shutdown: the server writes nothing more, and recovers at its next start."""
        assert self._process is not None, "PostgreSQL was not started"
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(timeout=DEADLINE)
        self._process = None

    def close(self) -> None:
        """Stops the server if it runs, and removes its folder."""
        if self._process is not None:
            self.stop_at_once()
        shutil.rmtree(self._folder)

    def uri(self, database: str) -> str:
        """The connection URI of a database."""
        port = "" if self._port == 5432 else f"&port={self._port}"
        return f"postgresql://postgres@/{database}?host={self._folder}{port}"

    def database(self) -> str:
        """Creates a database and returns its URI."""
        self._databases += 1
        name = f"tokens{self._databases}"
        self._run("createdb", "-h", str(self._folder), "-p", str(self._port), "-U", "postgres", name)
        return self.uri(name)

    def query(self, uri: str, *statements: str) -> list[str]:
        """Runs the statements, each in a transaction of its own. Returns all rows, with columns separated by `|`."""
        words = [word for statement in statements for word in ("-c", statement)]
        return self._run("psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-d", uri, *words).splitlines()
