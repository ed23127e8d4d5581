"""The commands of README.md, and those of the guide for operators."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

from deployment.pages import ROOT, documented
from deployment.sandbox import SandboxedDeployment
from deployment.waiting import DEADLINE

COMPOSE = ROOT / "config/container/compose.yaml"


def _shell(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", program],
        env={"PATH": os.environ["PATH"]} | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )


def test_the_script_can_be_run() -> None:
    (words,) = (line.split() for line in documented("the script").splitlines())
    assert os.access(ROOT / words[0], os.X_OK)


def test_the_command_of_the_container_is_that_of_its_file() -> None:
    """`scripts/container-check` runs the file."""
    command = documented("the container").strip()
    assert documented("start-the-container").strip() == command
    assert f"#   {command}" in COMPOSE.read_text().splitlines()
    words = command.split()
    assert ROOT / words[words.index("-f") + 1] == COMPOSE


def test_one_call_exchanges_a_code_for_a_custom_token(sandboxed: SandboxedDeployment) -> None:
    outcome = _shell(
        documented("one call"), CONTROL=sandboxed.sandbox.control, SERVER=sandboxed.server.origin
    )
    assert outcome.returncode == 0, outcome.stderr
    response = json.loads(outcome.stdout)
    sandboxed.server.secrets.add(response["custom_token"])
    assert response["uid"].startswith("yahoo.com:"), response
    assert response["audience_proof"] == "authorization_code"


def test_the_benchmark_explains_itself() -> None:
    outcome = _shell(f"cd {ROOT}; {documented('benchmark')}")
    assert outcome.returncode == 0, outcome.stderr
    assert "exchange" in outcome.stdout and "refusals" in outcome.stdout


def test_the_commands_after_the_installation_exist(sandboxed: SandboxedDeployment) -> None:
    """`scripts/package --check` installs the package in a Debian system of its own."""
    for line in documented("install").splitlines():
        words = line.removeprefix("sudo ").removeprefix("-u token-exchange ").split()
        if words[0] == "systemctl":
            assert (ROOT / f"config/packaging/{words[-1]}.service").exists()
        else:
            help_text = _shell(f"{sandboxed.server.binary} {words[1]} --help")
            assert help_text.returncode == 0, help_text.stderr


def test_the_backup_of_the_guide_is_made(sandboxed: SandboxedDeployment, tmp_path: Path) -> None:
    folder, command = documented("backup").splitlines()
    assert folder == "sudo install -d -o token-exchange -m 700 /var/backups/token-exchange"
    words = command.removeprefix("sudo -u token-exchange ").split(maxsplit=2)
    assert words[:2] == ["token-exchange", "backup"]
    name = _shell(f"echo {words[2]}").stdout.strip()
    assert re.fullmatch(r"/var/backups/token-exchange/\d{4}-\d\d-\d\d\.backup", name)
    file = tmp_path / Path(name).name
    outcome = sandboxed.server.run("backup", str(file))
    assert outcome.returncode == 0, outcome.stderr
    assert file.stat().st_size > 0
