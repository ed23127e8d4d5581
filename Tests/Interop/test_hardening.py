"""Protections of the operating system: the server's memory, files and code."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Deploy, Peers
from deployment.configuration import settings
from deployment.process import Deployment
from deployment.service_account import ServiceAccount

ROOT = Path(__file__).parent.parent.parent
# root can read everything, so tests that run as root start the server as the user nobody.
USER = os.getuid() or 65534


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that ``USER`` can reach: pytest creates its folders without access for others."""
    path = Path(tempfile.mkdtemp(prefix="token-exchange-"))
    yield path
    shutil.rmtree(path)


def _owner_of_memory(process: subprocess.Popen[bytes]) -> int:
    """The owner of the process's files in /proc. It is root if the process is not dumpable (proc(5))."""
    return Path(f"/proc/{process.pid}/environ").stat().st_uid


def test_processes_of_the_same_user_cannot_read_the_memory(
    binary: Path, folder: Path, service_account: ServiceAccount, peers: Peers
) -> None:
    account = service_account.write(folder, "service-account.json")
    deployment = Deployment(binary, folder, settings([account], {"op": peers.providers["op"]}), peers.environment)
    identity = {} if os.getuid() else {"user": USER, "group": USER, "extra_groups": []}
    for path in [folder, *folder.iterdir()]:
        os.chown(path, USER, -1)
    with subprocess.Popen(["sleep", "60"], **identity) as other:
        try:
            assert _owner_of_memory(other) == USER
            deployment.start(user=USER)
            assert _owner_of_memory(deployment.process) == 0
            limits = Path(f"/proc/{deployment.process.pid}/limits").read_text()
            assert "Max core file size 0 0 bytes" in " ".join(limits.split())
        finally:
            other.kill()
            deployment.close()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")
@pytest.mark.parametrize("name", ["token-exchange.yaml", "service-account-0.json", "token-exchange.db", "seal-key"])
def test_a_file_of_another_user_is_refused_unless_the_risk_is_named(deploy: Deploy, name: str) -> None:
    deployment = deploy()
    assert deployment.run("migrate").returncode == 0
    file = deployment.folder / name.replace("seal-key", "token-exchange.db.seal-key")
    if name == "seal-key":
        file.write_bytes(os.urandom(32))
        file.chmod(0o600)
    os.chown(file, USER, -1)
    refused = deployment.run("serve")
    assert refused.returncode == 78
    assert f"{file} belongs to another user than root" in refused.stderr
    assert "run this program as the owner of the file, or start with" in refused.stderr
    assert "--allow-insecure-permissions" in refused.stderr
    deployment.start(options=["--allow-insecure-permissions"])
    assert "belongs to another user" in deployment.log


@pytest.mark.parametrize("command", [["serve"], ["accounts", "list"], ["migrate"]])
@pytest.mark.parametrize("suffix", ["", "-wal"])
def test_no_command_opens_a_database_that_others_can_write(deploy: Deploy, command: list[str], suffix: str) -> None:
    deployment = deploy()
    assert deployment.run("migrate").returncode == 0
    file = Path(f"{deployment.folder}/token-exchange.db{suffix}")
    file.touch()
    file.chmod(0o620)
    refused = deployment.run(*command)
    assert refused.returncode == 78
    assert f"the file {file} can be written by its group: run chmod 600 {file}" in refused.stderr
    if command != ["serve"]:
        allowed = deployment.run(*command, "--allow-insecure-permissions")
        assert allowed.returncode == 0
        assert f"warning: the file {file} can be written by its group" in allowed.stderr


def test_a_folder_that_others_can_write_is_named_at_the_start(deploy: Deploy) -> None:
    deployment = deploy()
    deployment.folder.chmod(0o777)
    deployment.start()
    said = (
        f"other users could replace a file in the folder {deployment.folder}, which can be written by its group and by "
        f"all other users: run chmod go-w {deployment.folder}"
    )
    named = [line for line in deployment.log.splitlines() if said in line]
    # One message for the configuration and the files that it names, and one for the store.
    assert len(named) == 2


def test_the_linker_left_nothing_writable(binary: Path) -> None:
    subprocess.run([ROOT / "scripts/hardened", binary], check=True)
    # A debug build loads the compiler's libraries, which a release must not.
    refused = subprocess.run(
        [ROOT / "scripts/hardened", "--release", binary], capture_output=True, text=True, check=False
    )
    assert refused.returncode == 1
    assert "RUNPATH" in refused.stderr
    # A file that is not a binary is refused.
    text = subprocess.run([ROOT / "scripts/hardened", __file__], capture_output=True, text=True, check=False)
    assert "not a 64-bit little-endian ELF file" in text.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="statfs(2)")
def test_a_database_on_a_file_system_that_is_not_known_to_be_local_is_refused(deploy: Deploy) -> None:
    """/proc replaces a network file system, which tests cannot mount."""
    deployment = deploy(store="sqlite:///proc/self/token-exchange.db")
    refused = deployment.run("serve")
    assert refused.returncode == 78
    assert "0x9fa0" in refused.stderr
    assert "--allow-network-filesystem" in refused.stderr
    # Then it fails for the next reason: no file can be created there.
    allowed = deployment.run("serve", "--allow-network-filesystem")
    assert allowed.returncode == 1
    assert "store.unavailable.cannot_open" in allowed.stderr
