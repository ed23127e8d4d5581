"""A machine without memory or threads for the server (R-16)."""

from __future__ import annotations

import json
import resource
from pathlib import Path

from cgroup import group

from conftest import Deploy, Peers
from deployment.load import Load
from deployment.process import Deployment
from deployment.waiting import wait_until


def _check(deployment: Deployment, load: Load) -> None:
    """What was answered is stored, and what was accepted is refused."""
    exported = deployment.run("accounts", "export")
    assert exported.returncode == 0, exported.stderr
    stored = {
        identity["provider_uid"]: account["uid"]
        for account in map(json.loads, exported.stdout.splitlines())
        for identity in account["identities"]
    }
    accepted = [attempt for attempt in load.attempts if attempt.status == 200]
    for attempt in accepted:
        assert stored.get(attempt.subject) == (attempt.answer or {})["uid"], attempt
        assert load.send(attempt).outcome in ("400 replayed", "400 issued_unwatched")
    wait_until(lambda: load.send(load.attempt()).outcome == "200", "sign-ins succeed")


def test_a_server_that_the_kernel_kills_for_its_memory_loses_nothing(deploy: Deploy, peers: Peers) -> None:
    """The limit shrinks under load until the kernel ends the process."""
    deployment = deploy(peers.providers).start()
    load = Load(deployment.origin, peers.openid, peers.ours_with_ec, threads=8)
    with group("memory") as limited:
        limited.add(deployment.process.pid)
        load.start()
        try:
            wait_until(lambda: load.count("200") > 20, "sign-ins succeed")

            def is_killed() -> bool:
                limited.limit_memory(max(limited.memory - (1 << 20), 1 << 20))
                return not deployment.is_running

            wait_until(is_killed, "the kernel ends the process", 90)
        finally:
            load.end()
        assert deployment.process.returncode == -9, deployment.log
        deployment.kill()
    assert {attempt.outcome for attempt in load.attempts} <= {"200", "0", "503 store_unavailable"}
    deployment.start()
    _check(deployment, load)


def test_a_server_that_gets_no_more_memory_from_the_system_loses_nothing(deploy: Deploy, peers: Peers) -> None:
    """It answers with 503 or ends; both are allowed, and nothing that was answered is lost."""
    deployment = deploy(peers.providers).start()
    pid = deployment.process.pid
    load = Load(deployment.origin, peers.openid, peers.ours_with_ec, threads=8).start()
    try:
        wait_until(lambda: load.count("200") > 20, "sign-ins succeed")
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[0])
        resource.prlimit(pid, resource.RLIMIT_AS, (pages * resource.getpagesize(), resource.RLIM_INFINITY))
        count = len(load.attempts)
        wait_until(lambda: len(load.attempts) > count + 400, "requests are made", 90)
    finally:
        load.end()
    if deployment.is_running:
        resource.prlimit(pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    else:
        deployment.kill()
        deployment.start()
    _check(deployment, load)


def test_a_server_that_gets_no_more_threads_continues(deploy: Deploy, peers: Peers) -> None:
    """Its threads exist since its start: no sign-in needs a new one."""
    deployment = deploy(peers.providers).start()
    load = Load(deployment.origin, peers.openid, peers.ours_with_ec, threads=8)
    with group("pids") as limited:
        limited.add(deployment.process.pid)
        load.start()
        try:
            wait_until(lambda: load.count("200") > 20, "sign-ins succeed")
            limited.limit_threads(limited.threads)
            count = load.count("200")
            wait_until(lambda: load.count("200") > count + 200, "sign-ins succeed")
        finally:
            load.end()
            limited.limit_threads(None)
        assert {attempt.outcome for attempt in load.attempts} == {"200"}
        _check(deployment, load)
        assert deployment.terminate() == 0
