"""Clients that hold the memory of a server with default limits, which has 512 MiB: from one address, and from 200.

The kernel would end the process at its limit. Meanwhile other clients are served.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from cgroup import group
from holders import Holders, addresses, resident, silent, unfinished_body, unfinished_handshake, unread_streams

from conftest import Deploy, Peers, Secure, tls_client
from deployment.process import Deployment
from deployment.waiting import wait_until

LIMIT = 512 * 1024 * 1024
OTHERS = 20
NONCE = {"client_id": "app", "provider": "op"}

Limited = Callable[[Deployment], Deployment]


@pytest.fixture
def limited() -> Iterator[Limited]:
    """Starts a server with this limit of memory. It must be requested before the fixture that ends the server."""
    with group("memory") as memory:
        memory.limit_memory(LIMIT)

        def start(deployment: Deployment) -> Deployment:
            with memory.started_here():
                return deployment.start()

        yield start


def _port(origin: str) -> int:
    return int(origin.rsplit(":", 1)[1])


def _serves_others(deployment: Deployment, root: Path | None) -> None:
    """Each of some clients with addresses of their own has its answer, at the latest when it tries again."""
    for number in range(OTHERS):
        address = f"127.0.100.{number + 1}"

        def ask(address: str = address) -> bool:
            transport = httpx.HTTPTransport(local_address=address)
            client = (
                httpx.Client(transport=transport, timeout=10)
                if root is None
                else tls_client(root, http2=number % 2 == 0, address=address)
            )
            try:
                with client:
                    return client.post(deployment.origin + "/v1/nonce", json=NONCE).status_code == 200
            except httpx.TransportError:
                return False

        wait_until(ask, f"client {number} is served")


def _survives(deployment: Deployment, holders: Holders, root: Path | None = None) -> None:
    assert f'"memory_mib":"{LIMIT >> 20}"' in deployment.log.replace(" ", "") or "memory_mib=512" in deployment.log
    with holders:
        for rounds in (1, 2):
            wait_until(lambda rounds=rounds: holders.rounds >= rounds, "the connections are held", 240)
            _serves_others(deployment, root)
        assert deployment.admin("/healthz") == 200
        print(f"{holders.opened} opened, {holders.held} held, {resident(deployment, 'VmHWM') >> 20} MiB at most")
    assert deployment.is_running, deployment.log
    assert resident(deployment, "VmHWM") < LIMIT


@pytest.mark.parametrize("count", [1, 200])
def test_streams_whose_responses_are_not_read(limited: Limited, secure: Secure, root: Path, count: int) -> None:
    deployment = limited(secure())
    opening = unread_streams(deployment.origin.removeprefix("https://"), root)
    _survives(deployment, Holders(_port(deployment.origin), opening, 300, addresses(count)), root)


@pytest.mark.parametrize("count", [1, 200])
def test_bodies_that_do_not_end(limited: Limited, deploy: Deploy, peers: Peers, count: int) -> None:
    deployment = limited(deploy(peers.providers))
    _survives(deployment, Holders(_port(deployment.origin), unfinished_body, 6500, addresses(count)))


@pytest.mark.parametrize("count", [1, 200])
@pytest.mark.parametrize("opening", [silent, unfinished_handshake], ids=lambda opening: opening.__name__)
def test_connections_that_say_nothing(
    limited: Limited, secure: Secure, root: Path, count: int, opening: Callable[..., object]
) -> None:
    deployment = limited(secure())
    _survives(deployment, Holders(_port(deployment.origin), opening, 6500, addresses(count)), root)


def test_silent_connections_to_the_admin_listener_give_way(deploy: Deploy, peers: Peers) -> None:
    """Probes and the monitoring system are answered, however many connections others hold."""
    deployment = deploy(peers.providers).start()
    with Holders(_port(deployment.admin_origin), silent, 200, addresses(1)) as holders:
        for rounds in (1, 2, 3):
            wait_until(lambda rounds=rounds: holders.rounds >= rounds, "the connections are held")
            for path in ("/healthz", "/readyz", "/metrics"):
                assert deployment.admin(path) == 200
