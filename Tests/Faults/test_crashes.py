"""The server is killed at random points of its work, with `kill -9` (R-13)."""

from __future__ import annotations

import json
import random
import time

from conftest import Deploy, Peers
from deployment.load import Load
from deployment.process import Deployment
from deployment.waiting import wait_until

ROUNDS = 100


def _uids(deployment: Deployment) -> dict[str, str]:
    """The account of each subject of `op-ec`."""
    exported = deployment.run("accounts", "export")
    assert exported.returncode == 0, exported.stderr
    return {
        identity["provider_uid"]: account["uid"]
        for account in map(json.loads, exported.stdout.splitlines())
        for identity in account["identities"]
    }


def test_a_hundred_crashes_lose_no_account_and_accept_no_credential_twice(deploy: Deploy, peers: Peers) -> None:
    """After each crash, what was answered is stored, and everything that was sent is refused."""
    deployment = deploy(peers.providers).start()
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    pauses = random.Random(seed)
    answered: dict[str, str] = {}
    for _ in range(ROUNDS):
        load = Load(deployment.origin, peers.openid, peers.ours_with_ec).start()
        try:
            wait_until(lambda load=load: load.count("200") >= 4, "sign-ins succeed")
            # Not a wait for an event: the point of the crash must be any point of the work.
            time.sleep(pauses.uniform(0, 0.05))
            deployment.kill()
        finally:
            load.end()
        deployment.start()
        for attempt in load.attempts:
            if attempt.status == 200:
                assert attempt.answer is not None
                answered[attempt.subject] = attempt.answer["uid"]
            assert load.send(attempt).outcome in ("400 replayed", "400 issued_unwatched")
    stored = _uids(deployment)
    assert {subject: stored.get(subject) for subject in answered} == answered
