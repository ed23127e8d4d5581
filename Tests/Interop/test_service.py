"""The server under a service manager: systemd's protocol, its sandbox, and the health check of a container."""

from __future__ import annotations

import re
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest

from conftest import Deploy
from deployment.waiting import DEADLINE, wait_until

CONFIG = Path(__file__).parents[2] / "config"
UNITS = pytest.mark.parametrize(
    "unit",
    [CONFIG / "packaging" / "token-exchange.service", CONFIG / "packaging" / "token-exchange-signer.service"],
    ids=lambda unit: unit.name,
)


def test_the_manager_is_told_each_state(deploy: Deploy) -> None:
    """sd_notify(3): ready when both listeners accept, reloading and ready again, alive, and stopping."""
    deployment = deploy()
    with (
        # The path of a socket has at most 107 octets (unix(7)).
        tempfile.TemporaryDirectory(dir="/tmp") as folder,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager,
    ):
        manager.bind(f"{folder}/notify")
        manager.settimeout(DEADLINE)
        deployment.environment |= {"NOTIFY_SOCKET": f"{folder}/notify", "WATCHDOG_USEC": "400000"}
        deployment.start()

        def next_state() -> str:
            while (message := manager.recv(1024).decode()) == "WATCHDOG=1":
                pass
            return message

        assert next_state() == "READY=1"
        deployment.reload()
        assert re.fullmatch(r"RELOADING=1\nMONOTONIC_USEC=[0-9]+", next_state())
        assert next_state() == "READY=1"
        assert manager.recv(1024) == b"WATCHDOG=1"
        assert deployment.terminate() == 0
        assert next_state() == "STOPPING=1"


@UNITS
def test_the_sandbox_of_the_unit_leaves_little_exposed(unit: Path) -> None:
    """Below 2.0 on the scale of systemd from 0 to 10."""
    ran = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--threshold=20", "--no-pager", str(unit)],
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


@UNITS
def test_systemd_understands_every_line_of_the_unit(unit: Path, tmp_path: Path) -> None:
    copy = tmp_path / unit.name
    # The program and the user exist only where the unit is installed.
    copy.write_text(unit.read_text().replace("/usr/bin/token-exchange", "/bin/true"))
    ran = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(copy)],
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    lines = [line for line in ran.stderr.splitlines() if unit.name in line]
    assert lines == [], lines


def test_the_health_check_follows_the_server(deploy: Deploy) -> None:
    deployment = deploy()
    down = deployment.run("health")
    assert (down.returncode, down.stdout) == (1, "")
    address = deployment.admin_origin.removeprefix("http://")
    assert down.stderr.startswith(f"token-exchange: no answer at {address}: ")
    deployment.start()
    ready = deployment.run("health")
    assert (ready.returncode, ready.stdout, ready.stderr) == (0, "ready\n", "")
    # The server has judged its files at its start, perhaps with --allow-insecure-permissions.
    deployment.configuration.chmod(0o644)
    assert deployment.run("health").stdout == "ready\n"
    # Without its file the store records nothing, so that no sign-in can succeed.
    deployment.database.rename(deployment.folder / "elsewhere")

    def answer() -> str:
        return deployment.run("health").stderr

    wait_until(lambda: answer() == "token-exchange: not ready: store\n", "the lost database")
    (deployment.folder / "elsewhere").rename(deployment.database)
    deployment.kill()
