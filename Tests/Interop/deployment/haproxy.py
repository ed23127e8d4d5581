"""HAProxy in front of servers, as a process of the tests."""

from __future__ import annotations

import csv
import io
import socket
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from deployment.process import Deployment, free_port
from deployment.waiting import DEADLINE, wait_until

BALANCER = """\
global
    stats socket {folder}/stats mode 600
defaults
    mode http
    timeout connect 5s
    timeout client 60s
    timeout server 60s
frontend public
    bind 127.0.0.1:{port}
    default_backend servers
backend servers
    option httpchk GET /readyz
    default-server check inter 200ms fall 2 rise 2
{servers}
"""


# The checks go to the public listener, with a header too.
FORWARDER = """\
global
    stats socket {folder}/stats mode 600
defaults
    mode tcp
    timeout connect 5s
    timeout client 60s
    timeout server 60s
frontend public
    bind 127.0.0.1:{port}
    default_backend servers
backend servers
    server server-0 {server} {header} check inter 200ms fall 2 rise 2
"""


class _HAProxy:
    def __init__(self, configuration: str, **values: object) -> None:
        # A Unix socket needs a short path.
        self._folder = tempfile.TemporaryDirectory(prefix="haproxy-")
        self.port = free_port()
        path = Path(self._folder.name) / "haproxy.cfg"
        path.write_text(configuration.format(folder=self._folder.name, port=self.port, **values))
        self._process = subprocess.Popen(
            ["haproxy", "-db", "-f", str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait_until((Path(self._folder.name) / "stats").exists, "HAProxy starts")

    def status(self, number: int) -> str:
        """The state of a server, such as `UP` or `DOWN`."""
        with socket.socket(socket.AF_UNIX) as control:
            control.settimeout(DEADLINE)
            control.connect(f"{self._folder.name}/stats")
            control.sendall(b"show stat\n")
            text = b""
            while part := control.recv(65536):
                text += part
        rows = csv.DictReader(io.StringIO(text.decode().removeprefix("# ")))
        return next(row["status"] for row in rows if row["svname"] == f"server-{number}")

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(timeout=DEADLINE)
        self._folder.cleanup()


class HAProxy(_HAProxy):
    """Sends requests to the servers whose `/readyz` returns 200, in turn."""

    def __init__(self, servers: Sequence[Deployment]) -> None:
        lines = [
            f"    server server-{number} {_address(server.origin)} port {_address(server.admin_origin).split(':')[1]}"
            for number, server in enumerate(servers)
        ]
        super().__init__(BALANCER, servers="\n".join(lines))
        self.origin = f"http://127.0.0.1:{self.port}"


class Forwarder(_HAProxy):
    """Forwards connections to one server, and names their clients in headers of the PROXY protocol.

    `header` is the setting that makes HAProxy send them, such as `send-proxy-v2`.
    """

    def __init__(self, server: Deployment, header: str) -> None:
        port = server.origin.rsplit(":", 1)[1]
        super().__init__(FORWARDER, server=f"127.0.0.1:{port}", header=header)


def _address(origin: str) -> str:
    return origin.removeprefix("http://")
