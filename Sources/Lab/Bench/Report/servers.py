"""The measured servers, the provider, PostgreSQL, and the emulator of Firestore."""

from __future__ import annotations

import http.client
import json
import os
import secrets
import base64
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from machine import ON_DISK, ROOT, free_port, on_cores, resident, stop, takes_connections, wait_until

sys.path.append(str(ROOT / "Tests/Interop"))
from deployment.firestore import Firestore, Relay, absence  # noqa: E402, F401
from deployment.postgres import Postgres as PostgresCluster  # noqa: E402

AUDIENCE = "bench-audience"


class Provider:
    """The stand-in for a provider, and the credentials that all parts of a run share."""

    def __init__(self, lab: Path, folder: Path) -> None:
        self.folder = folder / "credentials"
        self.folder.mkdir()
        subprocess.run([lab, "bench", "credentials", self.folder], check=True)
        self.port = free_port()
        self.issuer = f"http://127.0.0.1:{self.port}"
        self._process = subprocess.Popen([lab, "bench", "provider", "--credentials", self.folder, "--port", str(self.port)])
        wait_until(lambda: takes_connections(self.port), "the provider listens")

    def close(self) -> None:
        stop(self._process)


class Server:
    """A running server. `name` is its name in the table and in the pictures."""

    name = ""
    port = 0
    process: subprocess.Popen[bytes]
    #: The processes of the database, if it has its own.
    database: list[int] = []
    #: The number of cores that the server and its load may use; 0 is all.
    cores = 0

    @property
    def pid(self) -> int:
        return self.process.pid

    def memory(self) -> float:
        """Resident memory of the first process in MB."""
        return resident(self.pid)

    def close(self) -> None:
        stop(self.process)


class Ours(Server):
    """token-exchange, by default on SQLite. If the load is its `proxy`, one address may have all connections."""

    def __init__(
        self, binary: Path, folder: Path, provider: Provider, postgres: Postgres | None = None, proxy: bool = False
    ) -> None:
        self.name = "ours, PostgreSQL" if postgres else "ours, SQLite"
        self._binary = binary
        self.folder = Path(tempfile.mkdtemp(dir=folder, prefix="ours-"))
        self.postgres = postgres
        self.uri = postgres.database() if postgres else f"sqlite://{self.folder}/bench.db"
        self.database = [postgres.pid] if postgres else []
        self.port, self._admin = free_port(), free_port()
        secret = self.folder / "client-secret"
        secret.write_text("the-secret-of-the-bench")
        secret.chmod(0o600)
        #: Variables of the process, beside those of this one.
        self.environment: dict[str, str] = {}
        self._config = self.folder / "bench.yaml"
        self._config.write_text(self._configuration(provider, proxy))
        self._config.chmod(0o600)

    def _configuration(self, provider: Provider, proxy: bool) -> str:
        keys = [base64.urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip("=") for _ in range(2)]
        return f"""
server:
  listen: "127.0.0.1:{self.port}"
  admin_listen: "127.0.0.1:{self._admin}"
  public_url: "http://127.0.0.1:{self.port}"
  drain_delay: 0s
  max_in_flight: 20000
  trusted_proxies: {["127.0.0.1/32"] if proxy else []}
firebase: {{service_account: {provider.folder}/service-account.json}}
store: "{self.uri}"
seal_keys: ["{keys[0]}"]
store_keys: ["{keys[1]}"]
clients:
  bench:
    name: Bench
    redirect_uris: ["https://app.example.com/callback"]
    provider_redirect_uris: ["https://app.example.com/callback"]
providers:
  bench:
    client_id: {AUDIENCE}
    client_secret: file:{self.folder}/client-secret
    pkce: off
    accept: [id_token, authorization_code]
    nonce: client
    max_age: 1h
    timeout: 60s
    max_calls: 4096
    endpoints:
      issuer: {provider.issuer}
      authorization: {provider.issuer}/authorize
      token: {provider.issuer}/token
      jwks: {provider.issuer}/keys
limits: {{exchange_per_address: off, start_per_address: off, page_per_address: off, provider_failures: off}}
logging: {{level: error}}
audit: {{output: false}}
"""

    def start(self) -> float:
        """Returns the seconds until it was ready."""
        began = time.monotonic()
        self.process = subprocess.Popen(
            [*on_cores(self.cores), self._binary, "serve", "--config", self._config],
            env={**os.environ, **self.environment},
            stdin=subprocess.DEVNULL,
            stdout=(self.folder / "log").open("ab"),
            stderr=subprocess.STDOUT,
        )
        wait_until(self._is_ready, f"the server is ready; see {self.folder}/log", pause=0.001)
        return time.monotonic() - began

    def _is_ready(self) -> bool:
        if self.process.poll() is not None:
            raise RuntimeError(f"the server has ended: {(self.folder / 'log').read_text()}")
        connection = http.client.HTTPConnection("127.0.0.1", self._admin, timeout=2)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def store_questions(self) -> tuple[float, float]:
        """The number of store operations since the start, and the seconds that requests waited for them."""
        # The figures in /metrics are up to one second old.
        time.sleep(1.1)
        connection = http.client.HTTPConnection("127.0.0.1", self._admin, timeout=10)
        connection.request("GET", "/metrics")
        lines = connection.getresponse().read().decode().splitlines()
        connection.close()
        names = ("token_exchange_store_seconds_count", "token_exchange_store_seconds_sum")
        asked, waited = (
            sum(float(line.split()[-1]) for line in lines if line.startswith(name)) for name in names
        )
        return asked, waited

    def table_bytes(self) -> int:
        """The bytes of the spent credentials and their indexes at PostgreSQL."""
        return int(self.sql("SELECT pg_total_relation_size('spent')"))

    def sql(self, *statements: str) -> str:
        """Runs statements in the server's store, and returns the first value of the last one."""
        if self.postgres:
            return self.postgres.value(self.uri, *statements)
        row = None
        with sqlite3.connect(self.folder / "bench.db", timeout=60) as database:
            for statement in statements:
                row = database.execute(statement).fetchone()
        database.close()
        return str(row[0]) if row else ""

    def fill(self, rows: int, expires: int) -> None:
        """Inserts spent credentials into the store, which expire within one minute from `expires` on.

        They are inserted in the order of their digests, since filling an index in random order takes many times as
        long.
        """
        if self.postgres:
            self.sql(
                "INSERT INTO spent (kind, digest, expires_at) SELECT 'id_token', d, "
                f"{expires} + get_byte(d, 0) % 60 FROM (SELECT sha256(int8send(n)) AS d FROM generate_series(1, {rows}) n) x "
                "ORDER BY d",
                "ANALYZE spent",
                "CHECKPOINT",
            )
        else:
            self.sql(
                "PRAGMA cache_size = -1000000",
                f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows}) "
                "INSERT INTO spent (kind, digest, expires_at) "
                f"SELECT 'id_token', d, {expires} + i % 60 FROM (SELECT i, randomblob(32) AS d FROM n) ORDER BY d",
            )

    def expired(self, before: int) -> int:
        """The number of spent credentials that expired before that time."""
        return int(self.sql(f"SELECT count(*) FROM spent WHERE expires_at < {before}"))


class OursOnFirestore(Ours):
    """token-exchange at Google's emulator of Firestore, behind a relay. The emulator counts as its database."""

    def __init__(self, binary: Path, folder: Path, provider: Provider, emulator: Firestore, relay: Relay) -> None:
        super().__init__(binary, folder, provider)
        self.name = "ours, Firestore"
        self.database = [emulator.pid]
        store = f'store: "{emulator.database()}"\nstore_emulator_host: "{relay.host}"'
        self._config.write_text(self._config.read_text().replace(f'store: "{self.uri}"', store))


class OursWithSigner(Ours):
    """token-exchange with `signer: process`. The processor time of the signer counts as that of a database."""

    def __init__(self, binary: Path, folder: Path, provider: Provider) -> None:
        super().__init__(binary, folder, provider)
        self.name = "ours, signer"
        account = provider.folder / "service-account.json"
        socket = self.folder / "socket"
        signer = self.folder / "signer.yaml"
        signer.touch(mode=0o600)
        signer.write_text(
            f"{{socket: {socket}, service_account: {account}, allowed_users: [{os.getuid()}], rate: 1000000/s}}"
        )
        firebase = f"{{signer: process, signer_socket: {socket}, project_id: {json.loads(account.read_text())['project_id']}}}"
        self._config.write_text(
            self._config.read_text().replace(f"{{service_account: {account}}}", firebase)
        )
        self.folder.chmod(0o700)
        self._signer = subprocess.Popen(
            [binary, "signer", "--config", signer],
            stdin=subprocess.DEVNULL,
            stdout=(self.folder / "signer-log").open("ab"),
            stderr=subprocess.STDOUT,
        )
        self.database = [self._signer.pid]
        wait_until(socket.exists, f"the signer listens; see {self.folder}/signer-log")

    def close(self) -> None:
        super().close()
        stop(self._signer)


class Peer(Server):
    """A program of Tests/Peers. If it is `durable`, a use is on the disk before the response is sent."""

    TITLES = {"node": "Node", "go": "Go", "python": "Python"}

    def __init__(self, kind: str, durable: bool, folder: Path, provider: Provider) -> None:
        self.kind = kind
        self.durable = durable
        self.name = f"{self.TITLES[kind]}, {'log' if durable else 'no log'}"
        self.port = free_port()
        place = Path(tempfile.mkdtemp(dir=folder, prefix=f"{kind}-"))
        environment = {
            "PORT": str(self.port),
            "JWKS_FILE": str(provider.folder / "jwks.json"),
            "ISSUER": provider.issuer,
            "AUDIENCE": AUDIENCE,
            "SERVICE_ACCOUNT": str(provider.folder / "service-account.json"),
            "DURABLE": "log" if durable else "none",
            "LOG": str(place / "spent"),
            "WORKERS": str(os.cpu_count()),
        }
        self.process = subprocess.Popen(
            [ROOT / "Tests/Peers" / kind / "run"],
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=(place / "output").open("ab"),
            stderr=subprocess.STDOUT,
        )
        wait_until(lambda: takes_connections(self.port), f"{self.name} listens; see {place}/output")


class Postgres(PostgresCluster):
    """The cluster of the tests, on a disk and with PostgreSQL's own settings for durability."""

    def __init__(self) -> None:
        # Some statements fill millions of rows, so there is no timeout.
        super().__init__(
            parent=ON_DISK, settings=["max_connections=200", "shared_buffers=512MB", "max_wal_size=8GB"], timeout=None
        )
        self.start()

    def value(self, uri: str, *statements: str) -> str:
        """Runs the statements, each in a transaction of its own, and returns the last row."""
        return (self.query(uri, *statements) or [""])[-1]

    def bytes_written(self) -> int:
        """Bytes of the write-ahead log since the cluster was created."""
        return int(self.value(self.uri("postgres"), "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')"))
