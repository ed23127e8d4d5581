"""A PostgreSQL of the tests' own, made of Debian's packages, in a folder of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from deployment.process import DEADLINE, wait_until

PACKAGES = Path("/usr/lib/postgresql")


class Postgres:
    """A cluster, reached by a socket in its folder; it survives what a loss of power survives."""

    def __init__(self) -> None:
        versions = sorted((int(path.name) for path in PACKAGES.iterdir()), reverse=True)
        self._programs = PACKAGES / str(versions[0]) / "bin"
        # Not in a folder that is ours alone: the server refuses root, and another user has to get there.
        self._folder = Path(tempfile.mkdtemp(prefix="token-exchange-postgres-"))
        if os.geteuid() == 0:
            shutil.chown(self._folder, "postgres", "postgres")
        self._databases = 0
        self._process: subprocess.Popen[bytes] | None = None
        words = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync"]
        self._run("initdb", f"--pgdata={self._folder}/data", *words)

    @property
    def _privileges(self) -> list[str]:
        drop = ["--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
        # prctl(2): a fast shutdown when we end without having said so.
        return ["/usr/bin/setpriv", *drop, "--pdeathsig=INT"]

    def _run(self, program: str, *words: str) -> str:
        result = subprocess.run(
            [*self._privileges, str(self._programs / program), *words],
            cwd="/",
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            check=False,
        )
        assert result.returncode == 0, result.stderr
        return result.stdout

    def start(self) -> Postgres:
        settings = [
            "listen_addresses=",
            f"unix_socket_directories={self._folder}",
            "fsync=on",
            "max_connections=200",
            "shared_buffers=32MB",
        ]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*self._privileges, str(self._programs / "postgres"), "-D", str(self._folder / "data")]
                + [word for setting in settings for word in ("-c", setting)],
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        wait_until(self._takes_connections, f"PostgreSQL runs: {self._folder}/log")
        return self

    def _takes_connections(self) -> bool:
        words = [str(self._programs / "pg_isready"), "-q", "-h", str(self._folder)]
        return subprocess.run(words, timeout=DEADLINE, check=False).returncode == 0

    def stop_at_once(self) -> None:
        """An immediate shutdown: nothing is written any more, and the next start recovers."""
        assert self._process is not None
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(timeout=DEADLINE)
        self._process = None

    def close(self) -> None:
        if self._process is not None:
            self.stop_at_once()
        shutil.rmtree(self._folder)

    def database(self) -> str:
        """The URI of a new one."""
        self._databases += 1
        name = f"tokens{self._databases}"
        self._run("createdb", "-h", str(self._folder), "-U", "postgres", name)
        return f"postgresql://postgres@/{name}?host={self._folder}"

    def query(self, uri: str, sql: str) -> list[str]:
        """The rows, columns parted by `|`."""
        return self._run("psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-d", uri, "-c", sql).splitlines()

