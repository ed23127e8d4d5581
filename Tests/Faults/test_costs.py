"""What a connection, a stream and a code under way cost at most, by the resident memory of the server.

`scripts/soak --costs` prints the table. The caps of `ServerLimits` follow from the numbers that the tests demand.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from holders import Holders, Opening, addresses, resident, silent, unfinished_body, unread_streams

from conftest import Deploy, Peers, Secure
from deployment.application import Application
from deployment.process import Deployment
from deployment.waiting import wait_until
from peers import browser, faults

# ServerLimits.connectionBytes and streamBytes.
CONNECTION, STREAM = 256 * 1024, 192 * 1024
COUNT, STREAMS, CODES = 500, 32, 100


def idle(connection: socket.socket) -> socket.socket:
    """One request with its response."""
    connection.sendall(b"GET /.well-known/oauth-authorization-server HTTP/1.1\r\nHost: localhost\r\n\r\n")
    connection.recv(65536)
    return connection


def over_tls(root: Path, then: Opening) -> Opening:
    context = ssl.create_default_context(cafile=root)

    def opening(connection: socket.socket) -> socket.socket:
        return then(context.wrap_socket(connection, server_hostname="localhost"))

    return opening


def _cost(deployment: Deployment, name: str, opening: Opening, connections: int, parts: int = 1) -> int:
    """The octets for each of `parts` of a connection."""
    port = int(deployment.origin.rsplit(":", 1)[1])
    # The first connections of a kind also cost what is made once.
    with Holders(port, opening, 2, addresses(2), threads=1) as some:
        wait_until(lambda: some.rounds >= 1, "the connections are held")
    before = resident(deployment)
    with Holders(port, opening, connections, addresses(connections)) as holders:
        # The second round is after a pause, in which the server reads.
        wait_until(lambda: holders.rounds >= 3, "the connections are held", 120)
        cost = (resident(deployment) - before) // (connections * parts)
    print(f"\n{name}: {cost / 1024:.0f} KiB", end="")
    return cost


@pytest.mark.parametrize("opening", [silent, idle, unfinished_body], ids=lambda opening: opening.__name__)
@pytest.mark.parametrize("tls", [False, True], ids=["plain", "TLS"])
def test_connection(
    deploy: Deploy, secure: Secure, peers: Peers, root: Path, opening: Opening, tls: bool
) -> None:
    deployment = (secure() if tls else deploy(peers.providers)).start()
    name = f"connection, {'TLS' if tls else 'plain'}, {opening.__name__}".replace("_", " ")
    assert _cost(deployment, name, over_tls(root, opening) if tls else opening, COUNT) < CONNECTION


@pytest.mark.parametrize("path", ["/openapi.json", "/nothing"])
def test_stream(secure: Secure, root: Path, path: str) -> None:
    deployment = secure().start()
    opening = unread_streams(deployment.origin.removeprefix("https://"), root, path, STREAMS)
    name = f"stream, whose response for {path} is not read"
    assert _cost(deployment, name, opening, 40, STREAMS) < STREAM


def test_code_under_way(deploy: Deploy, peers: Peers) -> None:
    deployment = deploy(peers.providers).start()
    app = Application(deployment)
    codes = [browser.obtain_code(peers.openid, peers.ours)[0].credential for _ in range(CODES + 1)]
    app.exchange("op", codes.pop())
    threads = [threading.Thread(target=app.exchange, args=["op", code]) for code in codes]
    held = faults.Held()
    before = resident(deployment)
    with peers.openid.answering("/token", held):
        for thread in threads:
            thread.start()
        wait_until(
            lambda: f"token_exchange_requests_in_flight {CODES}\n" in deployment.admin_text("/metrics"),
            "the codes are under way",
        )
        cost = (resident(deployment) - before) // CODES
        held.release()
        for thread in threads:
            thread.join()
    print(f"\ncode under way, with its connection: {cost / 1024:.0f} KiB", end="")
    assert cost < CONNECTION
