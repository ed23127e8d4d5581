"""Three PostgreSQL servers under Patroni, HAProxy in front of the primary, and PgBouncer in front of HAProxy.

All programs are Debian's packages, in a folder of their own. One etcd elects the primary, because the tests are about the
failures of PostgreSQL and not of etcd. As root each server has a network namespace of its own; otherwise all are on loopback.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import yaml
from network import PREFIX, Network

from deployment.pgbouncer import PgBouncer
from deployment.postgres import PACKAGES
from deployment.process import free_port
from deployment.waiting import DEADLINE, wait_until

DATABASE = "tokens"
PROXY = """\
defaults
    mode tcp
    timeout connect 2s
    timeout client 1h
    timeout server 1h
listen primary
    bind 127.0.0.1:{port}
    option httpchk GET /primary
    http-check expect status 200
    default-server check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
{servers}
"""


class Node:
    """Patroni with the PostgreSQL that it starts and stops."""

    def __init__(self, cluster: Cluster, number: int, etcd: str) -> None:
        self.name = f"node-{number}"
        self._number = number
        self.address = cluster.network.address_of(number) if cluster.network else "127.0.0.1"
        self.port, self.control = free_port(), free_port()
        self._cluster = cluster
        folder = cluster.folder / self.name
        folder.mkdir(mode=0o700)
        cluster.own(folder)
        self._configuration = folder / "patroni.yaml"
        self._log = folder / "log"
        self._configuration.write_text(yaml.safe_dump(self._settings(folder, etcd)))
        cluster.own(self._configuration)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def origin(self) -> str:
        """The address of Patroni's interface."""
        return f"http://{self.address}:{self.control}"

    def _settings(self, folder: Path, etcd: str) -> dict[str, Any]:
        versions = [int(path.name) for path in PACKAGES.iterdir() if path.name.isdecimal()]
        networks = ["127.0.0.1/32", f"{PREFIX}.0/24"]
        trust = [f"host {database} all {network} trust" for database in ("all", "replication") for network in networks]
        return {
            "scope": "tokens",
            "name": self.name,
            "restapi": {
                "listen": f"{self.address}:{self.control}",
                "connect_address": f"{self.address}:{self.control}",
            },
            # With etcd's third API, Patroni 3.0 may see an old version of its own keys after a pause, and then never
            # confirms a synchronous standby.
            "etcd": {"host": etcd},
            "bootstrap": {
                # What is answered must be on all servers that run, so that each can become the primary. The times are the
                # shortest that Patroni accepts.
                "dcs": {
                    "ttl": 20,
                    "loop_wait": 1,
                    "retry_timeout": 3,
                    "synchronous_mode": True,
                    "synchronous_mode_strict": True,
                    "synchronous_node_count": 2,
                    "postgresql": {"use_pg_rewind": True, "parameters": {"wal_log_hints": "on"}},
                },
                "initdb": [{"encoding": "UTF8"}, {"locale": "C"}, {"auth": "trust"}],
            },
            "postgresql": {
                "listen": f"{self.address}:{self.port}",
                "connect_address": f"{self.address}:{self.port}",
                "data_dir": str(folder / "data"),
                "bin_dir": str(PACKAGES / str(max(versions)) / "bin"),
                "pgpass": str(folder / "pgpass"),
                "pg_hba": ["local all all trust", *trust],
                "authentication": {
                    "superuser": {"username": "postgres", "password": "unused"},
                    "replication": {"username": "replicator", "password": "unused"},
                },
                "parameters": {"unix_socket_directories": str(folder), "shared_buffers": "32MB"},
            },
        }

    def start(self) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [*self._place, *self._cluster.privileges, "patroni", str(self._configuration)],
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def _place(self) -> list[str]:
        return self._cluster.network.words(self._number) if self._cluster.network else []

    def cut(self) -> None:
        """Cuts the server off from all other machines."""
        assert self._cluster.network is not None
        self._cluster.network.cut(self._number)

    def mend(self) -> None:
        assert self._cluster.network is not None
        self._cluster.network.mend(self._number)

    @property
    def role(self) -> str:
        """`primary`, `replica`, or another word of Patroni; empty if it does not answer."""
        try:
            with urllib.request.urlopen(f"{self.origin}/patroni", timeout=2) as answer:
                state = json.load(answer)
        except urllib.error.HTTPError as error:
            state = json.load(error)
        except OSError:
            return ""
        return state.get("role", "") if state.get("state") == "running" else ""

    def processes(self) -> list[int]:
        """Patroni, PostgreSQL, and the processes of PostgreSQL."""
        pids = [self._process.pid] if self._process else []
        with contextlib.suppress(FileNotFoundError, IndexError):
            pids.append(int((self._configuration.parent / "data/postmaster.pid").read_text().split()[0]))
        for parent in list(pids):
            with contextlib.suppress(FileNotFoundError):
                children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
                pids += [int(child) for child in children]
        return list(dict.fromkeys(pids))

    def signal(self, number: signal.Signals) -> None:
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def kill(self) -> None:
        """Ends all processes at once, as a loss of power would."""
        self.signal(signal.SIGKILL)
        if self._process:
            self._process.wait(timeout=DEADLINE)
            self._process = None


class Cluster:
    """The cluster, which `primary` describes and `uri` reaches."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="patroni-"))
        self.own(self.folder)
        self._others: list[subprocess.Popen[bytes]] = []
        self._pool: PgBouncer | None = None
        self.network = Network(3) if os.geteuid() == 0 else None
        etcd, peer = f"{self.network.address if self.network else '127.0.0.1'}:{free_port()}", free_port()
        client = f"http://{etcd}"
        words = ["--enable-v2", "--data-dir", str(self.folder / "etcd"), "--listen-client-urls", client]
        words += ["--advertise-client-urls", client, "--listen-peer-urls", f"http://127.0.0.1:{peer}"]
        self._start("etcd", *words)
        self.nodes = [Node(self, number, etcd) for number in range(3)]
        self._proxy = free_port()

    def own(self, path: Path) -> None:
        if os.geteuid() == 0:
            shutil.chown(path, "postgres", "postgres")

    @property
    def privileges(self) -> list[str]:
        """The words before a command that must not run as root."""
        drop = ["--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
        return ["/usr/bin/setpriv", *drop, "--pdeathsig=KILL"]

    def _start(self, *words: str) -> None:
        with (self.folder / f"{Path(words[0]).name}.log").open("ab") as log:
            process = subprocess.Popen([*self.privileges, *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self._others.append(process)

    def start(self) -> Cluster:
        for node in self.nodes:
            node.start()
        self.wait_until_whole()
        lines = [
            f"    server {node.name} {node.address}:{node.port} port {node.control}" for node in self.nodes
        ]
        proxy = self.folder / "haproxy.cfg"
        proxy.write_text(PROXY.format(port=self._proxy, servers="\n".join(lines)))
        self._start("haproxy", "-db", "-f", str(proxy))
        maintenance = self.uri().replace(f"/{DATABASE}", "/postgres")
        wait_until(lambda: self._runs(maintenance, f"CREATE DATABASE {DATABASE}"), "the database exists")
        # HAProxy regards every server as up before its first checks, and takes them in turn. The statement fails on a
        # standby.
        probe = "SELECT txid_current()"
        wait_until(lambda: all(self._runs(self.uri(), probe) for _ in range(6)), "only the primary is in use")
        self._pool = PgBouncer(DATABASE, "127.0.0.1", self._proxy)
        return self

    def _runs(self, uri: str, statement: str) -> bool:
        words = ["psql", "-X", "-q", "-d", uri, "-c", statement]
        return subprocess.run(words, capture_output=True, timeout=DEADLINE, check=False).returncode == 0

    def uri(self) -> str:
        """The connection URI of the primary, by HAProxy."""
        return f"postgresql://postgres@127.0.0.1:{self._proxy}/{DATABASE}"

    @property
    def pooled(self) -> str:
        """The connection URI of PgBouncer in front of HAProxy."""
        assert self._pool is not None
        return self._pool.uri

    @property
    def primary(self) -> Node | None:
        """The only node that calls itself the primary; None if there is none or more than one."""
        found = [node for node in self.nodes if node.role in ("primary", "master")]
        return found[0] if len(found) == 1 else None

    def wait_until_whole(self) -> None:
        """Waits for a primary with two synchronous standbys."""

        def is_whole() -> bool:
            primary = self.primary
            if primary is None or [node.role for node in self.nodes].count("replica") != 2:
                return False
            with urllib.request.urlopen(f"{primary.origin}/cluster", timeout=2) as answer:
                return [member["role"] for member in json.load(answer)["members"]].count("sync_standby") == 2

        wait_until(is_whole, f"the cluster is whole; see {self.folder}", 180)

    def switch_over(self, to: Node | None = None) -> None:
        """Has Patroni make another server, or a certain one, the primary, in order."""
        primary = self.primary
        assert primary is not None
        candidate = {"candidate": to.name} if to else {}
        request = urllib.request.Request(
            f"{primary.origin}/switchover",
            data=json.dumps({"leader": primary.name} | candidate).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=DEADLINE):
            pass

    def close(self) -> None:
        for node in self.nodes:
            node.kill()
        if self._pool:
            self._pool.close()
        for process in self._others:
            process.kill()
            process.wait(timeout=DEADLINE)
        if self.network:
            self.network.close()
        shutil.rmtree(self.folder)
