"""More requests than the server takes, clients that all return at once, and clients that never finish (R-20 to R-22)."""

from __future__ import annotations

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from conftest import Deploy, Peers
from deployment.application import Answer, Application
from deployment.expectations import refused, signed_in
from deployment.load import Attempt, Load
from deployment.waiting import wait_until
from peers import browser, faults

CAPACITY = 4
SLOW = 200
# Far more than the calls that the provider takes, and few enough for the threads of one Python process on a busy machine.
HERD = 200


@pytest.mark.parametrize("times", [3, 10])
def test_what_exceeds_the_capacity_is_refused_at_once_and_spends_nothing(
    deploy: Deploy, peers: Peers, times: int
) -> None:
    """The requests within the capacity wait for the provider and succeed; the others succeed when they are repeated."""
    deployment = deploy(peers.providers)
    deployment.settings["server"]["max_in_flight"] = CAPACITY
    deployment.configure(deployment.settings)
    app = Application(deployment.start())
    credentials = [browser.obtain_code(peers.openid, peers.ours)[0].credential for _ in range(times * CAPACITY)]
    answers: dict[int, Answer] = {}

    def exchange(number: int) -> None:
        answers[number] = app.exchange("op", credentials[number])

    threads = [threading.Thread(target=exchange, args=[number]) for number in range(len(credentials))]
    held = faults.Held()
    with peers.openid.answering("/token", held):
        for thread in threads:
            thread.start()
        # Exactly the requests beyond the capacity are answered while the provider is silent.
        wait_until(lambda: len(answers) == (times - 1) * CAPACITY, "the others are refused")
        for answer in list(answers.values()):
            refused(answer, 503, "overloaded", "same")
        assert deployment.admin("/healthz") == 200
        held.release()
        for thread in threads:
            thread.join()
    for number, answer in answers.items():
        signed_in(answer if answer.status == 200 else app.exchange("op", credentials[number]))


def test_clients_that_all_return_after_an_outage_do_not_flood_the_provider(deploy: Deploy, peers: Peers) -> None:
    """The provider gets few calls during its outage, and afterwards one for each code."""
    failures, calls = 5, 8
    deployment = deploy(peers.providers)
    deployment.settings["limits"]["provider_failures"] = failures
    deployment.settings["providers"]["op"]["max_calls"] = calls
    deployment.settings["providers"]["op"]["timeout"] = "60s"
    deployment.configure(deployment.settings)
    load = Load(deployment.start().origin, peers.openid, peers.ours)
    codes = [browser.obtain_code(peers.openid, peers.ours)[0].credential for _ in range(HERD)]
    bodies = [{"client_id": "app", "provider": "op", "credential": code} for code in codes]

    def try_once(body: dict[str, Any]) -> Attempt:
        return load.send(Attempt("", body))

    def repeat(body: dict[str, Any]) -> list[Attempt]:
        """Sends the request until it succeeds, without regard to `Retry-After`."""
        attempts = [try_once(body)]
        while attempts[-1].status in (502, 503):
            time.sleep(1)
            attempts.append(try_once(body))
        return attempts

    with ThreadPoolExecutor(HERD) as clients:
        before = len(peers.openid.arrivals("/token"))
        with peers.openid.answering("/token", faults.status(503)):
            first = list(clients.map(try_once, bodies))
        during = len(peers.openid.arrivals("/token"))
        refusals = list(first)
        for attempts in clients.map(repeat, bodies):
            refusals += attempts[:-1]
            assert attempts[-1].outcome == "200", attempts[-1]
    for attempt in refusals:
        assert attempt.status in (502, 503) and (attempt.answer or {})["retry"] == "same", attempt
    # The circuit opens after the failures, and lets one call through from time to time, more often the longer it lasts.
    assert failures <= during - before < HERD / 2
    assert len(peers.openid.arrivals("/token")) - during == HERD


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
