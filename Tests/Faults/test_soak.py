"""Mixed traffic with faults that come and go (R-23). `scripts/soak` says for how long, and shows the page.

The result does not depend on speed. It fails if a credential is accepted twice, if a request fails in a way that no
fault explains, or if sign-ins do not succeed again after a fault.
"""

from __future__ import annotations

import collections
import contextlib
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import report
import requests
from conftest import Deploy, Peers
from deployment.configuration import postgres_store
from deployment.load import Attempt, Load
from deployment.postgres import Postgres
from deployment.process import Deployment
from deployment.waiting import wait_until
from peers import browser, faults

SECONDS = 60 * float(os.environ.get("SOAK_MINUTES", "1"))
PAGE = Path(__file__).parents[2] / "var" / "soak" / "index.html"

# What a client may see while a fault lasts. 0 means that no response arrived.
EXPLAINED = {
    "0",
    "200",
    "400 issued_unwatched",
    "502 provider_unreachable",
    "502 provider_error",
    "503 store_unavailable",
    "503 provider_keys_unavailable",
    "503 draining",
    "503 overloaded",
}


class Soak:
    """The servers, the clients and the faults of one run."""

    def __init__(self, deployment: Deployment, postgres: Postgres, peers: Peers) -> None:
        self._deployment = deployment
        self._postgres = postgres
        self._peers = peers
        self._began = time.monotonic()
        self._ended = threading.Event()
        self.load = Load(deployment.origin, peers.openid, peers.ours_with_ec, threads=3)
        self.samples: list[report.Sample] = []
        self.periods: list[report.Period] = []
        self.replays: collections.Counter[str] = collections.Counter()
        self.codes: collections.Counter[str] = collections.Counter()
        self.faults: list[Callable[[], contextlib.AbstractContextManager[None]]] = [
            self.provider_down,
            self.provider_failing,
            self.database_stopped,
            self.server_killed,
            self.server_restarted,
            self.configuration_reloaded,
        ]

    @property
    def _now(self) -> float:
        return time.monotonic() - self._began

    def run(self) -> None:
        """Runs until the time is over, and at least until every fault was switched on once."""
        observers = [threading.Thread(target=work) for work in (self._observe, self._replay, self._redeem)]
        self.load.start()
        for observer in observers:
            observer.start()
        try:
            self._recover()
            for number in range(1_000_000):
                if number >= len(self.faults) and self._now > SECONDS:
                    break
                self._suffer(self.faults[number % len(self.faults)])
        finally:
            self.load.end()
            self._ended.set()
            for observer in observers:
                observer.join()

    def _suffer(self, fault: Callable[[], contextlib.AbstractContextManager[None]]) -> None:
        begin = self._now
        with fault():
            # A fault lasts for a part of the time of its turn. The pause is not a wait for an event.
            time.sleep(random.uniform(0.5, 4))
        end = self._now
        self._recover()
        self.periods.append(report.Period(fault.__name__.replace("_", " "), begin, end, self._now))
        time.sleep(2)

    def _recover(self) -> None:
        good = self.load.count("200")
        wait_until(lambda: self.load.count("200") > good + 5, "sign-ins succeed", deadline=90)

    @contextlib.contextmanager
    def provider_down(self) -> Iterator[None]:
        with self._peers.openid.stopped():
            yield

    @contextlib.contextmanager
    def provider_failing(self) -> Iterator[None]:
        with self._peers.openid.answering("/token", faults.status(503)):
            yield

    @contextlib.contextmanager
    def database_stopped(self) -> Iterator[None]:
        self._postgres.stop_at_once()
        yield
        self._postgres.start()

    @contextlib.contextmanager
    def server_killed(self) -> Iterator[None]:
        self._deployment.kill()
        yield
        self._deployment.start()

    @contextlib.contextmanager
    def server_restarted(self) -> Iterator[None]:
        assert self._deployment.terminate() == 0
        yield
        self._deployment.start()

    @contextlib.contextmanager
    def configuration_reloaded(self) -> Iterator[None]:
        self._deployment.reload()
        yield

    def _observe(self) -> None:
        while not self._ended.wait(1):
            with contextlib.suppress(OSError, AssertionError, StopIteration):
                process = Path(f"/proc/{self._deployment.process.pid}")
                resident = next(line for line in (process / "status").read_text().splitlines() if "VmRSS" in line)
                accepted = self.load.count("200")
                self.samples.append(
                    report.Sample(
                        self._now,
                        accepted,
                        len(self.load.attempts) - accepted,
                        int(resident.split()[1]) / 1024,
                        len(list((process / "fd").iterdir())),
                    )
                )

    def _redeem(self) -> None:
        """Signs in with authorization codes, which the server redeems at the provider."""
        while not self._ended.wait(0.1):
            try:
                credential = browser.obtain_code(self._peers.openid, self._peers.ours)[0].credential
            except requests.RequestException:
                # The provider is down, so that a user gets no code.
                continue
            body = {"client_id": "app", "provider": "op", "credential": credential}
            self.codes[self.load.send(Attempt("", body)).outcome] += 1

    def _replay(self) -> None:
        """Sends accepted credentials again."""
        while not self._ended.wait(0.2):
            accepted = [attempt for attempt in self.load.attempts[-200:] if attempt.status == 200]
            if accepted:
                used = random.choice(accepted)
                self.replays[self.load.send(Attempt(used.subject, used.body)).outcome] += 1


def test_nothing_is_accepted_twice_and_every_fault_passes(deploy: Deploy, peers: Peers) -> None:
    postgres = Postgres().start()
    try:
        deployment = deploy(peers.providers, **postgres_store(postgres.database()), logging={"level": "warning"})
        deployment.settings["server"]["drain_delay"] = "0s"
        deployment.configure(deployment.settings)
        soak = Soak(deployment.start(), postgres, peers)
        try:
            soak.run()
        finally:
            outcomes = collections.Counter(attempt.outcome for attempt in soak.load.attempts)
            others = {"replay": soak.replays, "code": soak.codes}
            named = {f"{kind}: {name}": count for kind, counts in others.items() for name, count in counts.items()}
            if soak.samples:
                report.write(PAGE, soak.samples, soak.periods, outcomes + collections.Counter(named))
        assert soak.replays.keys() <= EXPLAINED - {"200"} | {"400 replayed"}, soak.replays
        assert soak.replays["400 replayed"] > 0
        assert outcomes.keys() <= EXPLAINED, outcomes
        assert soak.codes.keys() <= EXPLAINED, soak.codes
        assert soak.codes["200"] > 0 and soak.codes["502 provider_error"] > 0, soak.codes
    finally:
        postgres.close()
