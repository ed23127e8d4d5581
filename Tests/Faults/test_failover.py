"""Failover of PostgreSQL under Patroni, while users sign in and link (R-11).

Two servers stand behind HAProxy; the second one reaches the database through PgBouncer, which pools transactions.
"""

from __future__ import annotations

import collections
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cluster import Cluster, Node

from conftest import Peers
from deployment.configuration import openid
from deployment.fleet import Fleet, fleet_of
from deployment.haproxy import HAProxy
from deployment.load import Attempt, Links, Load
from deployment.process import Deployment
from deployment.waiting import wait_until

ROUNDS = int(os.environ.get("FAILOVERS", "20"))
# Patroni elects a new primary when the lease of the old one has expired after 20 seconds.
DEADLINE = 180.0

Heal = Callable[[], None]


def _nothing() -> None:
    pass


def _kill(cluster: Cluster, primary: Node, former: Node | None) -> Heal:
    """Ends the primary at once. Returns what starts it again."""
    primary.kill()
    return primary.start


def _pause(cluster: Cluster, primary: Node, former: Node | None) -> Heal:
    """Stops the primary in the middle of its work. It continues later, and does not know that it was replaced."""
    primary.signal(signal.SIGSTOP)
    return lambda: primary.signal(signal.SIGCONT)


def _cut_off(cluster: Cluster, primary: Node, former: Node | None) -> Heal:
    """Drops all packets from and to the primary, which runs on."""
    primary.cut()
    return primary.mend


def _promote_back(cluster: Cluster, primary: Node, former: Node | None) -> Heal:
    """Makes the server the primary that was it before the last failure."""
    cluster.switch_over(former)
    return _nothing


FAILURES = {"killed": _kill, "paused": _pause, "cut off": _cut_off, "promoted back": _promote_back}
if os.geteuid() != 0:
    # Only root may make network namespaces.
    del FAILURES["cut off"]


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    made = Cluster()
    try:
        yield made.start()
    finally:
        made.close()


@pytest.fixture
def fleet(binary: Path, tmp_path: Path, peers: Peers, cluster: Cluster) -> Iterator[Fleet]:
    provider = openid(peers.openid, peers.ours_with_ec, nonce="client") | {
        "client_secret": peers.ours_with_ec.client_secret
    }
    pooled = {"store": cluster.pooled, "store_pooling": "transaction"}
    sections = {"providers": {"op-ec": provider}, "logging": {"level": "warning"}}
    with fleet_of(binary, tmp_path, cluster.uri(), 2, own=[{}, pooled], **sections) as fleet:
        yield fleet


class Traffic:
    """Sign-ins and links by way of the balancer."""

    def __init__(self, origin: str, fleet: Fleet, peers: Peers) -> None:
        client = (peers.openid, peers.ours_with_ec, "my-app")
        self.signing_in = Load(origin, *client, threads=3)
        self.linking = Links(origin, *client, bearer=fleet.firebase.bearer)
        self._replayed: dict[Load, int] = {self.signing_in: 0, self.linking: 0}

    def start(self) -> Traffic:
        self.signing_in.start()
        self.linking.start()
        return self

    def end(self) -> None:
        self.signing_in.end()
        self.linking.end()

    @property
    def attempts(self) -> list[Attempt]:
        return [*self.signing_in.attempts, *self.linking.attempts]

    @property
    def accepted(self) -> list[Attempt]:
        return [attempt for attempt in self.attempts if attempt.status == 200]

    def replay(self) -> None:
        """Replays everything that was accepted since the last call, before it is too old to be accepted at all."""
        for load, begin in self._replayed.items():
            attempts = load.attempts[begin:]
            self._replayed[load] = begin + len(attempts)
            _replay(load, [attempt for attempt in attempts if attempt.status == 200])

    def wait_until_both_succeed(self, more: int = 1) -> None:
        counts = [(load, load.count("200") + more) for load in (self.signing_in, self.linking)]
        wait_until(lambda: all(load.count("200") >= count for load, count in counts), "both succeed", DEADLINE)


def test_nothing_is_accepted_twice_and_nothing_answered_is_lost(
    cluster: Cluster, fleet: Fleet, peers: Peers, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every credential that was accepted is refused afterwards, and every account and link that was answered exists."""
    balancer = HAProxy(fleet.servers)
    traffic = Traffic(balancer.origin, fleet, peers).start()
    seconds: dict[str, list[float]] = {}
    former: Node | None = None
    try:
        for number in range(ROUNDS):
            kind = list(FAILURES)[number % len(FAILURES)]
            before = cluster.primary
            outage, refused = _fail_over(cluster, fleet.servers, traffic, kind, former)
            former = before
            seconds.setdefault(kind, []).append(outage)
            with capsys.disabled():
                text = f"{outage:.1f} s without success, {len(refused)} times 503 within {_span(refused):.1f} s"
                print(f"\nround {number + 1}, {kind}: {text}", end="", flush=True)
            traffic.replay()
        traffic.end()
        traffic.replay()
    finally:
        traffic.end()
        balancer.close()
    accepted = traffic.accepted
    with capsys.disabled():
        for kind, outages in seconds.items():
            print(f"\n{kind}: {min(outages):.1f} to {max(outages):.1f} s without success, {len(outages)} times", end="")
        for load in (traffic.signing_in, traffic.linking):
            print("\n", collections.Counter(attempt.outcome for attempt in load.attempts), flush=True)
    holders = _holders(fleet.servers[0])
    lost = [attempt for attempt in accepted if holders.get(attempt.subject) != _account(attempt)]
    assert not lost, f"{len(lost)} of {len(accepted)}: {lost[:3]}"


def _fail_over(
    cluster: Cluster, servers: list[Deployment], traffic: Traffic, kind: str, former: Node | None
) -> tuple[float, list[Attempt]]:
    """Replaces the primary. Returns the seconds in which not both a sign-in and a link succeeded, and the 503 in them."""
    traffic.wait_until_both_succeed(20)
    before = cluster.primary
    assert before is not None
    began = time.monotonic()
    heal = FAILURES[kind](cluster, before, former)
    wait_until(lambda: cluster.primary not in (None, before), "another server is the primary", DEADLINE)
    traffic.wait_until_both_succeed()
    seconds = time.monotonic() - began
    heal()
    cluster.wait_until_whole()
    for server in servers:
        wait_until(lambda server=server: server.admin("/readyz") == 200, "the server is ready", DEADLINE)
    return seconds, [attempt for attempt in traffic.attempts if attempt.at > began and attempt.status == 503]


def _span(attempts: list[Attempt]) -> float:
    times = [attempt.at for attempt in attempts]
    return max(times) - min(times) if times else 0


def _replay(load: Load, attempts: list[Attempt]) -> None:
    """Sends credentials that were accepted before, and expects that each is refused for this reason."""

    def replay(attempt: Attempt) -> str:
        """Repeats the replay until a server decides: HAProxy answers 503 itself if its checks of both servers are late."""
        again = Attempt(attempt.subject, attempt.body, path=attempt.path, header=attempt.header)
        wait_until(lambda: load.send(again).status not in (0, 503), "a server decides", DEADLINE)
        return again.outcome

    with ThreadPoolExecutor(4) as threads:
        outcomes = collections.Counter(threads.map(replay, attempts))
    assert outcomes.keys() <= {"400 replayed", "400 issued_unwatched"}, outcomes


def _account(attempt: Attempt) -> str:
    """The account that the response promised."""
    assert attempt.answer is not None
    return attempt.caller or attempt.answer["uid"]


def _holders(server: Deployment) -> dict[str, str]:
    """The account of each subject."""
    result = server.run("accounts", "export")
    assert result.returncode == 0, result.stderr
    return {
        identity["provider_uid"]: account["uid"]
        for account in map(json.loads, result.stdout.splitlines())
        for identity in account["identities"]
    }
