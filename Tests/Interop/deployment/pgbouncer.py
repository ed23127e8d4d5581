"""PgBouncer in front of PostgreSQL, which pools transactions, from Debian's package."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from deployment.process import free_port
from deployment.waiting import DEADLINE, wait_until

PROGRAM = "/usr/sbin/pgbouncer"
CONFIGURATION = """\
[databases]
{database} = host={host} port={server_port} dbname={database} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {size}
server_login_retry = 1
server_fast_close = 1
"""


class PgBouncer:
    """Shares a few sessions of PostgreSQL among more connections: each transaction runs in any of them."""

    def __init__(self, database: str, host: str, port: int = 5432, size: int = 3) -> None:
        """`host` is an address, or the folder of a Unix socket."""
        self._folder = Path(tempfile.mkdtemp(prefix="pgbouncer-"))
        self._database, self._size, self._port = database, size, free_port()
        self.uri = f"postgresql://postgres@127.0.0.1:{self._port}/{database}"
        self._write(host, port)
        drop = ["--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                ["/usr/bin/setpriv", *drop, "--pdeathsig=KILL", PROGRAM, str(self._configuration)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        wait_until(lambda: self._runs("SELECT 1"), f"PgBouncer reaches the database; see {self._folder}/log")

    @property
    def _configuration(self) -> Path:
        return self._folder / "pgbouncer.ini"

    def _write(self, host: str, port: int) -> None:
        self._configuration.write_text(
            CONFIGURATION.format(
                database=self._database, host=host, server_port=port, port=self._port, size=self._size
            )
        )
        if os.geteuid() == 0:
            for path in (self._folder, self._configuration):
                shutil.chown(path, "postgres", "postgres")

    def move(self, host: str, port: int = 5432) -> None:
        """Uses another server for all later transactions. The connections of clients stay open."""
        self._write(host, port)
        self._process.send_signal(signal.SIGHUP)

    def _runs(self, statement: str) -> bool:
        words = ["psql", "-X", "-q", "-d", self.uri, "-c", statement]
        return subprocess.run(words, capture_output=True, timeout=DEADLINE, check=False).returncode == 0

    def close(self) -> None:
        self._process.kill()
        self._process.wait(timeout=DEADLINE)
        shutil.rmtree(self._folder)
