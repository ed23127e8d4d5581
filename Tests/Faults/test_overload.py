"""More requests than the server takes, and clients that never finish theirs (R-20, R-22)."""

from __future__ import annotations

import socket
import threading

from conftest import Deploy, Peers
from deployment.application import Answer, Application
from deployment.expectations import refused, signed_in
from deployment.load import Load
from deployment.waiting import wait_until
from peers import browser, faults

CAPACITY = 4
SLOW = 200


def test_three_times_the_capacity_is_refused_at_once_and_spends_nothing(deploy: Deploy, peers: Peers) -> None:
    """The requests within the capacity wait for the provider and succeed; the others succeed when they are repeated."""
    deployment = deploy(peers.providers)
    deployment.settings["server"]["max_in_flight"] = CAPACITY
    deployment.configure(deployment.settings)
    app = Application(deployment.start())
    credentials = [browser.obtain_code(peers.openid, peers.ours)[0].credential for _ in range(3 * CAPACITY)]
    answers: dict[int, Answer] = {}

    def exchange(number: int) -> None:
        answers[number] = app.exchange("op", credentials[number])

    threads = [threading.Thread(target=exchange, args=[number]) for number in range(len(credentials))]
    held = faults.Held()
    with peers.openid.answering("/token", held):
        for thread in threads:
            thread.start()
        # Exactly the requests beyond the capacity are answered while the provider is silent.
        wait_until(lambda: len(answers) == 2 * CAPACITY, "the others are refused")
        for answer in list(answers.values()):
            refused(answer, 503, "overloaded", "same")
        assert deployment.admin("/healthz") == 200
        held.release()
        for thread in threads:
            thread.join()
    for number, answer in answers.items():
        signed_in(answer if answer.status == 200 else app.exchange("op", credentials[number]))


def test_clients_that_never_finish_are_closed_and_delay_no_other(deploy: Deploy, peers: Peers) -> None:
    """200 unfinished headers and 200 unfinished bodies, while others sign in."""
    deployment = deploy(peers.providers).start()
    host, port = deployment.origin.removeprefix("http://").split(":")
    start = b"POST /v1/exchange HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    slow = []
    for number in range(2 * SLOW):
        connection = socket.create_connection((host, int(port)))
        connection.sendall(start + (b"Content-Length: 1000\r\n\r\n{" if number % 2 else b""))
        slow.append(connection)
    load = Load(deployment.origin, peers.openid, peers.ours_with_ec).start()
    try:
        for connection in slow:
            # The server ends each connection at the deadline of its header or body, at most 30 seconds.
            connection.settimeout(90)
            while connection.recv(4096):
                pass
            connection.close()
    finally:
        load.end()
    assert {attempt.outcome for attempt in load.attempts} == {"200"}
