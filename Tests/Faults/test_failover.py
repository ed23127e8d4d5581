"""Failover of PostgreSQL under Patroni, while users sign in (R-11).

Two servers stand behind HAProxy; the second one reaches the database through PgBouncer, which pools sessions.
"""

from __future__ import annotations

import collections
import os
import random
import signal
import time
from collections.abc import Callable, Iterator

import pytest
from cluster import Cluster

from conftest import Deploy, Peers
from deployment.configuration import postgres_store
from deployment.haproxy import HAProxy
from deployment.load import Attempt, Load
from deployment.process import Deployment
from deployment.waiting import wait_until

ROUNDS = int(os.environ.get("FAILOVERS", "20"))
# Patroni elects a new primary when the lease of the old one has expired after 20 seconds.
DEADLINE = 180.0


def _nothing() -> None:
    pass


def _kill(cluster: Cluster) -> Callable[[], None]:
    """Ends the primary at once. Returns what starts it again."""
    primary = cluster.primary
    assert primary is not None
    primary.kill()
    return primary.start


def _pause(cluster: Cluster) -> Callable[[], None]:
    """Stops the primary in the middle of its work. It continues later, and does not know that it was replaced."""
    primary = cluster.primary
    assert primary is not None
    primary.signal(signal.SIGSTOP)
    return lambda: primary.signal(signal.SIGCONT)


def _switch_over(cluster: Cluster) -> Callable[[], None]:
    cluster.switch_over()
    return _nothing


FAILURES = {"killed": _kill, "paused": _pause, "switched over": _switch_over}


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    made = Cluster()
    try:
        yield made.start()
    finally:
        made.close()


@pytest.fixture
def servers(deploy: Deploy, peers: Peers, cluster: Cluster) -> list[Deployment]:
    keys = postgres_store("")["environment"]
    return [
        deploy(peers.providers, **postgres_store(cluster.uri(pooled)) | {"environment": keys}).start()
        for pooled in (False, True)
    ]


def _accepted(load: Load) -> list[Attempt]:
    return [attempt for attempt in list(load.attempts) if attempt.status == 200]


def test_nothing_is_accepted_twice_and_nothing_answered_is_lost(
    cluster: Cluster, servers: list[Deployment], peers: Peers, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every credential that was accepted is refused afterwards, and every account that was answered exists."""
    balancer = HAProxy(servers)
    load = Load(balancer.origin, peers.openid, peers.ours_with_ec).start()
    try:
        for number in range(ROUNDS):
            kind = list(FAILURES)[number % len(FAILURES)]
            seconds = _fail_over(cluster, servers, load, kind)
            with capsys.disabled():
                print(f"\nround {number + 1}, {kind}: {seconds:.1f} s without a sign-in", end="", flush=True)
            _replay(load, random.sample(_accepted(load), 20))
    finally:
        load.end()
        balancer.close()
    with capsys.disabled():
        print("\n", collections.Counter(attempt.outcome for attempt in load.attempts))
    accepted = _accepted(load)
    load = Load(servers[0].origin, peers.openid, peers.ours_with_ec)
    _replay(load, accepted)
    for attempt in random.sample(accepted, min(len(accepted), 300)):
        assert attempt.answer is not None
        again = load.send(load.attempt(attempt.subject))
        assert again.answer is not None, again
        assert (again.status, again.answer["uid"]) == (200, attempt.answer["uid"]), again


def _fail_over(cluster: Cluster, servers: list[Deployment], load: Load, kind: str) -> float:
    """Replaces the primary. Returns the seconds in which no sign-in succeeded."""
    count = load.count("200")
    wait_until(lambda: load.count("200") > count + 20, "sign-ins succeed", DEADLINE)
    before = cluster.primary
    began = time.monotonic()
    heal = FAILURES[kind](cluster)
    wait_until(lambda: cluster.primary not in (None, before), "another server is the primary", DEADLINE)
    count = load.count("200")
    wait_until(lambda: load.count("200") > count, "sign-ins succeed again", DEADLINE)
    seconds = time.monotonic() - began
    heal()
    cluster.wait_until_whole()
    for server in servers:
        wait_until(lambda server=server: server.admin("/readyz") == 200, "the server is ready", DEADLINE)
    return seconds


def _replay(load: Load, attempts: list[Attempt]) -> None:
    """Sends credentials that were accepted before, and expects that each is refused for this reason."""
    for attempt in attempts:
        again = load.send(Attempt(attempt.subject, attempt.body))
        assert again.outcome in ("400 replayed", "400 issued_unwatched"), again.outcome
