"""A provider whose name does not resolve, or whose address does not answer (R-02, R-08)."""

from __future__ import annotations

import os
import secrets
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from cgroup import group
from names import EMPTY, NAME, NXDOMAIN, SERVFAIL, Front, NamedProvider, NameServer, isolate
from network import Network

from conftest import CLIENT_SECRET, Deploy, Peers
from deployment.application import Answer, Application
from deployment.configuration import CALLBACK, openid
from deployment.expectations import refused
from deployment.load import Load
from deployment.process import Deployment
from deployment.waiting import wait_until
from peers import browser
from peers.authority import Authority

FIRST, SECOND = "127.53.0.2", "127.53.0.3"


@pytest.fixture
def names() -> Iterator[NameServer]:
    if os.geteuid() != 0:
        pytest.skip("a name server of our own requires root")
    server = NameServer()
    yield server
    server.stop()


@pytest.fixture
def provider() -> Iterator[NamedProvider]:
    provider = NamedProvider()
    yield provider
    provider.stop()


class Named:
    """A server with two providers: `named`, and `op-ec`, which needs no name."""

    def __init__(self, deployment: Deployment, provider: NamedProvider, peers: Peers, certificate: dict[str, str]) -> None:
        self.deployment = deployment
        self._provider = provider
        self._certificate = certificate
        self._load = Load(deployment.origin, peers.openid, peers.ours_with_ec)

    def front(self, listener: socket.socket) -> Front:
        return Front(listener, self._provider, self._certificate)

    def front_at(self, address: str) -> Front:
        return self.front(socket.create_server((address, self._provider.public_port)))

    def exchange(self) -> Answer:
        """Posts a new code that was never issued. If the provider is reached, it refuses the code."""
        code = browser.Grant(secrets.token_hex(16), CALLBACK, "v" * 43, "n" * 22)
        return Application(self.deployment).exchange("named", code.credential)

    def is_reached(self) -> bool:
        return self.exchange().body.get("reason") == "code_rejected"

    def exchange_beside_others(self) -> Answer:
        """The response of a request that waits, during which other requests are answered."""
        answers: list[Answer] = []
        waiting = threading.Thread()

        def is_waiting() -> bool:
            # While metadata could not be fetched a moment ago, requests are refused at once.
            nonlocal waiting
            waiting = threading.Thread(target=lambda: answers.append(self.exchange()))
            waiting.start()
            self._sign_in_with_others()
            return waiting.is_alive()

        wait_until(is_waiting, "a request waits", 90)
        try:
            for _ in range(10):
                self._sign_in_with_others()
        finally:
            waiting.join()
        return answers[-1]

    def _sign_in_with_others(self) -> None:
        assert self._load.send(self._load.attempt()).outcome == "200"
        assert self.deployment.admin("/healthz") == 200


@pytest.fixture
def named(
    deploy: Deploy, peers: Peers, names: NameServer, provider: NamedProvider, authority: Authority, root: Path
) -> Named:
    client = provider.register("server-client", CLIENT_SECRET, [CALLBACK])
    deployment = deploy({"named": openid(provider, client), "op-ec": peers.providers["op-ec"]})
    certificate = isolate(deployment, root, authority.issue(NAME))
    return Named(deployment.start(until="/healthz"), provider, peers, certificate)


def _refused_with(code: int, names: NameServer, named: Named) -> None:
    names.answer = code
    before = names.questions

    def is_asked() -> bool:
        refused(named.exchange(), 502, "provider_unreachable", "same")
        return names.questions > before

    # After a failure there is a pause before the name is looked up again.
    wait_until(is_asked, "the name server is asked", 90)


def test_a_name_that_does_not_resolve_delays_no_other_request(named: Named, names: NameServer) -> None:
    """R-08: nothing is spent, and the same request reaches the provider as soon as its name resolves."""
    for code in (NXDOMAIN, SERVFAIL, EMPTY):
        _refused_with(code, names, named)
    names.answer = None
    answer = named.exchange_beside_others()
    assert (answer.status, answer["reason"], answer["retry"]) in [
        (502, "provider_unreachable", "same"), (504, "provider_timeout", "same")
    ], answer
    names.answer = FIRST
    front = named.front_at(FIRST)
    try:
        wait_until(named.is_reached, "the provider is reached", 90)
    finally:
        front.stop()


def test_a_changed_address_is_found(named: Named, names: NameServer) -> None:
    """R-08: libcurl keeps an address for at most a minute."""
    names.answer = FIRST
    front = named.front_at(FIRST)
    try:
        wait_until(named.is_reached, "the provider is reached", 90)
    finally:
        front.stop()
    names.answer = SECOND
    front = named.front_at(SECOND)
    try:
        wait_until(named.is_reached, "the provider is reached at its new address", 120)
    finally:
        front.stop()


def test_without_threads_for_lookups_other_requests_are_answered(named: Named, names: NameServer) -> None:
    """R-16: libcurl resolves names on threads of its own. If none can be made, nothing is spent."""
    names.answer = FIRST
    front = named.front_at(FIRST)
    try:
        with group("pids") as limited:
            limited.add(named.deployment.process.pid)
            limited.limit_threads(limited.threads)
            refused(named.exchange(), 502, "provider_unreachable", "same")
            limited.limit_threads(None)
            wait_until(named.is_reached, "the provider is reached", 90)
            assert named.deployment.terminate() == 0
    finally:
        front.stop()


def test_a_provider_that_loses_all_packets_delays_no_other_request(
    named: Named, names: NameServer, provider: NamedProvider
) -> None:
    """R-02: the network drops what is sent to the provider, and nothing says so."""
    network = Network(1)
    try:
        network.keep_neighbour(0)
        names.answer = network.address_of(0)
        front = named.front(network.listen(0, provider.public_port))
        try:
            wait_until(named.is_reached, "the provider is reached", 90)
            network.cut(0)
            answer = named.exchange_beside_others()
            refused(answer, answer.status, answer["reason"], "same")
            assert (answer.status, answer["reason"]) in [(502, "provider_unreachable"), (504, "provider_timeout")]
            network.mend(0)
            wait_until(named.is_reached, "the provider is reached again", 60)
        finally:
            front.stop()
    finally:
        network.close()
