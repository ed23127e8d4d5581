"""Failures that a server survives, and how its operator sees and ends them."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conftest import Deploy, Peers, Secure, tls_connection
from deployment.application import Application
from deployment.expectations import signed_in
from deployment.process import Deployment
from deployment.service_account import ServiceAccount
from deployment.waiting import wait_until
from peers import browser, tokens
from peers.authority import Authority

NOT_RELOADED = "configuration not reloaded"
KEYS = [".seal-key", ".store-key"]


def _every_second(deployment: Deployment) -> Deployment:
    deployment.settings["server"]["reload_interval"] = "1s"
    deployment.configure(deployment.settings)
    return deployment.start()


def _warnings(deployment: Deployment) -> list[str]:
    """The warnings of a server that is ready."""
    assert deployment.admin("/readyz") == 200
    return json.loads(deployment.admin_text("/readyz")).get("warnings", [])


def _warned(deployment: Deployment, *warnings: str) -> None:
    """Waits for these warnings, which are computed once a second."""
    wait_until(lambda: _warnings(deployment) == list(warnings), f"the warnings {warnings}")


def _value(deployment: Deployment, name: str) -> float:
    lines = deployment.admin_text("/metrics").splitlines()
    (line,) = [line for line in lines if line.startswith(name + " ")]
    return float(line.rpartition(" ")[2])


def _measured(deployment: Deployment, name: str, value: float) -> None:
    """Waits for the value of a metric, which is read once a second."""
    wait_until(lambda: _value(deployment, name) == value, f"{name} {value}")


def _problems(deployment: Deployment) -> list[str]:
    lines = [json.loads(line) for line in deployment.log.rpartition("\n")[0].splitlines()]
    return [line["problem"] for line in lines if line.get("message", "").startswith(NOT_RELOADED)]


def _signing_key(deployment: Deployment, peers: Peers) -> str:
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
    return tokens.header(signed_in(Application(deployment).exchange("op", grant.credential))["custom_token"])["kid"]


def test_a_file_that_is_corrected_as_the_log_asked_is_read_again(deploy: Deploy, peers: Peers) -> None:
    """A change of its mode changes neither content nor time. Until then, readiness and metrics tell of it."""
    deployment = _every_second(deploy())
    path = deployment.folder / "service-account-0.json"
    assert (_warnings(deployment), _value(deployment, "token_exchange_configuration_not_reloaded")) == ([], 0)
    new = ServiceAccount()
    path.chmod(0o644)
    new.write(deployment.folder, path.name).chmod(0o644)
    wait_until(lambda: _problems(deployment) != [], "the file is refused")
    assert f"chmod 600 {path}" in _problems(deployment)[0]
    _warned(deployment, "configuration_not_reloaded")
    _measured(deployment, "token_exchange_configuration_not_reloaded", 1)
    path.chmod(0o600)
    wait_until(lambda: _signing_key(deployment, peers) == new.key_id, "the file is used")
    _warned(deployment)
    _measured(deployment, "token_exchange_configuration_not_reloaded", 0)
    assert len(_problems(deployment)) == 1


def test_each_problem_of_a_reload_is_logged_once(deploy: Deploy) -> None:
    """A second file is wrong, then the first one is corrected: each change of the problem is a line."""
    deployment = _every_second(deploy())
    secret = deployment.folder / "secret"
    secret.write_text("one")
    secret.chmod(0o644)
    good = json.loads(json.dumps(deployment.settings))
    deployment.settings["providers"]["op"]["client_secret"] = f"file:{secret}"
    deployment.configure(deployment.settings)
    wait_until(lambda: len(_problems(deployment)) == 1, "the mode is refused")
    secret.unlink()
    wait_until(lambda: len(_problems(deployment)) == 2, "the absence is refused")
    secret.write_text("two")
    secret.chmod(0o644)
    wait_until(lambda: len(_problems(deployment)) == 3, "the mode is refused again")
    deployment.configure(good)
    _warned(deployment)
    assert len(_problems(deployment)) == 3


def test_a_renewed_certificate_is_used_when_its_key_is_closed(
    secure: Secure, authority: Authority, root: Path
) -> None:
    first, second = authority.issue(days=10), authority.issue()
    deployment = _every_second(secure(first))
    assert _warnings(deployment) == ["certificate_expires"]
    ends = _value(deployment, "token_exchange_certificate_expires_timestamp_seconds")
    (deployment.folder / "privkey.pem").chmod(0o644)
    second.write(deployment.folder)
    wait_until(lambda: _problems(deployment) != [], "the key is refused")
    _warned(deployment, "certificate_expires", "configuration_not_reloaded")
    with tls_connection(deployment, root) as connection:
        assert int(connection.getpeercert()["serialNumber"], 16) == first.serial_number
    (deployment.folder / "privkey.pem").chmod(0o600)
    _warned(deployment)
    with tls_connection(deployment, root) as connection:
        assert int(connection.getpeercert()["serialNumber"], 16) == second.serial_number
    name = "token_exchange_certificate_expires_timestamp_seconds"
    wait_until(lambda: _value(deployment, name) > ends + 70 * 86400, "the metric is that of the new certificate")


# MARK: - Key files


def _refused(deployment: Deployment, command: str) -> str:
    ran = deployment.run(command)
    assert (ran.returncode, ran.stdout) == (78, ""), ran.stdout + ran.stderr
    return ran.stderr


@pytest.mark.parametrize("suffix", KEYS)
def test_a_lost_key_file_is_reported_and_never_replaced(deploy: Deploy, suffix: str) -> None:
    deployment = deploy().start()
    key = Path(f"{deployment.database}{suffix}")
    content = key.read_bytes()
    assert (_warnings(deployment), _value(deployment, "token_exchange_key_files_lost")) == ([], 0)
    key.unlink()
    _warned(deployment, "key_files_lost")
    _measured(deployment, "token_exchange_key_files_lost", 1)
    # A reload makes no key either.
    deployment.reload()
    wait_until(lambda: _problems(deployment) != [], "the reload fails")
    assert deployment.terminate() == 0
    for command in ("serve", "migrate"):
        said = _refused(deployment, command)
        assert f"its key file {key} is missing: correct the path in store, if it is the database of another" in said
        assert ("second factors are then lost" in said) == (suffix == ".store-key")
    report = json.loads(deployment.run("doctor", "--format", "json").stdout)
    (finding,) = [finding for finding in report["findings"] if finding["id"] == "key_file"]
    assert finding["severity"] == "error" and str(key) in finding["text"], finding
    for arguments in (["accounts", "list"], ["backup", str(deployment.folder / "copy")]):
        assert deployment.run(*arguments).returncode == 0
    assert not key.exists()
    assert len(list(deployment.folder.glob("token-exchange.db*-key*"))) == 1
    key.write_bytes(content)
    key.chmod(0o600)
    assert _warnings(deployment.start()) == []


def test_doctor_finds_a_lock_that_another_program_holds(deploy: Deploy) -> None:
    """Reading the store succeeds meanwhile, because a server has it open."""
    deployment = deploy().start()
    with contextlib.closing(sqlite3.connect(deployment.database, isolation_level=None)) as shell:
        shell.execute("BEGIN IMMEDIATE")
        report = json.loads(deployment.run("doctor", "--format", "json").stdout)
    (finding,) = [finding for finding in report["findings"] if finding["id"] == "store.open"]
    assert finding["severity"] == "error" and "store.unavailable.busy" in finding["text"], finding


def test_a_database_that_was_emptied_is_reported(deploy: Deploy) -> None:
    """Two servers that start at once may find it empty as well, so that it is no refusal."""
    told = "the database is an empty file, and its tables are made"
    deployment = deploy().start()
    assert deployment.terminate() == 0
    assert told not in deployment.log
    deployment.database.write_bytes(b"")
    assert deployment.start().log.count(told) == 1


@pytest.mark.parametrize("suffix", KEYS)
def test_a_key_file_of_another_length_is_named_with_its_length(deploy: Deploy, suffix: str) -> None:
    deployment = deploy().start()
    assert deployment.terminate() == 0
    key = Path(f"{deployment.database}{suffix}")
    key.write_text(key.read_bytes().hex())
    said = _refused(deployment, "serve")
    assert f"its key file {key} has 64 bytes, and must have exactly 32, not their text in another encoding" in said
    assert "restore the file from your copy of the keys. If there is none, write a new key as" in said


@pytest.mark.parametrize(
    "make", [lambda key: key.write_bytes(bytes(32)), lambda key: key.chmod(0o644)], ids=["replaced", "exposed"]
)
def test_a_key_file_that_the_next_start_does_not_use_is_reported(
    deploy: Deploy, make: Callable[[Path], None]
) -> None:
    deployment = deploy().start()
    make(Path(f"{deployment.database}.store-key"))
    _warned(deployment, "key_files_lost")


def test_restore_makes_no_keys(deploy: Deploy) -> None:
    deployment = deploy().start()
    backup = deployment.folder / "backup"
    assert deployment.run("backup", str(backup)).returncode == 0
    assert deployment.terminate() == 0
    for path in deployment.folder.glob("token-exchange.db*"):
        path.unlink()
    restored = deployment.run("restore", str(backup))
    assert restored.returncode == 0
    assert "serve does not start without them" in restored.stdout
    assert "is missing" in _refused(deployment, "serve")


def test_migrate_makes_the_keys_of_a_new_database(deploy: Deploy) -> None:
    deployment = deploy()
    assert deployment.run("migrate").returncode == 0
    keys = [Path(f"{deployment.database}{suffix}") for suffix in KEYS]
    made = [key.read_bytes() for key in keys]
    assert [len(content) for content in made] == [32, 32] and made[0] != made[1]
    deployment.start()
    assert [key.read_bytes() for key in keys] == made


def test_keys_are_on_the_disk_before_the_database_exists(deploy: Deploy) -> None:
    """The order of the system calls: each key is synchronized, named and its folder synchronized, then the file is made."""
    deployment = deploy()
    trace = deployment.folder / "trace"
    wrapper = deployment.folder / "traced"
    calls = "trace=fsync,link,linkat,openat"
    wrapper.write_text(f'#!/bin/sh\nexec strace -f -y -e {calls} -o "{trace}" "{deployment.binary}" "$@"\n')
    wrapper.chmod(0o700)
    deployment.binary = wrapper
    assert deployment.run("migrate").returncode == 0
    lines = trace.read_text().splitlines()

    def first(*parts: str) -> int:
        return next(index for index, line in enumerate(lines) if all(part in line for part in parts))

    database = first(f'"{deployment.database}"', "O_CREAT")
    for suffix in KEYS:
        key = f"{deployment.database}{suffix}"
        named = first("link", f'"{key}"')
        assert first("fsync", f"<{key}.") < named < database
        assert any("fsync" in line and f"<{deployment.folder}>" in line for line in lines[named:database])


def test_servers_that_start_at_once_share_the_keys_of_a_new_database(deploy: Deploy) -> None:
    """Each of them may find the keys of the other before there is a database."""
    first = deploy()
    others = [deploy() for _ in range(3)]
    for other in others:
        other.configure(other.settings | {"store": f"sqlite://{first.database}"})
    for deployment in (first, *others):
        deployment.start(until="/healthz")
    for deployment in (first, *others):
        wait_until(lambda deployment=deployment: deployment.admin("/readyz") == 200, "the server is ready")
        assert "seals with a key that other servers" not in deployment.log


# MARK: - Clocks


@contextlib.contextmanager
def _set_clock(deployment: Deployment) -> Iterator[Callable[[str], None]]:
    """Gives a deployment a wall clock that can be set, while its monotonic clock stays right."""
    offset = deployment.folder / "clock"
    # Without the shared memory of the command, its library would change the environment, through which the runtime of
    # Swift finds the arguments.
    with subprocess.Popen(
        ["faketime", "-f", "+0s", "sh", "-c", 'echo "$LD_PRELOAD|$FAKETIME_SHARED"; cat'],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as holder:
        assert holder.stdin is not None and holder.stdout is not None
        library, shared = holder.stdout.readline().strip().split("|")
        deployment.environment |= {
            "LD_PRELOAD": library,
            "FAKETIME_SHARED": shared,
            "FAKETIME_TIMESTAMP_FILE": str(offset),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }
        yield lambda text: _replace(offset, text)
        holder.stdin.close()


def _replace(path: Path, text: str) -> None:
    new = path.with_suffix(".new")
    new.write_text(text + "\n")
    new.rename(path)


def test_a_clock_that_jumps_years_ahead_for_a_moment_stops_nothing(deploy: Deploy, peers: Peers) -> None:
    """Recorded and deleted times do not follow the jump, and the credential that is posted afterwards is accepted."""
    deployment = deploy()
    with _set_clock(deployment) as show:
        show("+0s")
        deployment.start()
        watched = "token_exchange_watched_until_timestamp_seconds"
        wait_until(lambda: _value(deployment, watched) > 0, "the store is watched")
        began = _value(deployment, watched)
        show("+5000d")
        wait_until(lambda: "the clock jumped ahead" in deployment.log, "the jump is seen")
        wait_until(lambda: deployment.admin("/readyz") == 503, "the server is not ready")
        assert "clock_behind" in deployment.admin_text("/readyz")
        show("+0s")
        wait_until(lambda: deployment.admin("/readyz") == 200, "the server is ready")
        assert began <= _value(deployment, watched) < began + 86400
        assert _signing_key(deployment, peers)
        assert deployment.terminate() == 0
        assert _warnings(deployment.start()) == []
        assert _signing_key(deployment, peers)
        assert deployment.terminate() == 0
