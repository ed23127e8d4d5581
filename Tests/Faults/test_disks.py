"""Disks that lose power, become read-only or stall (R-14, R-15, R-29)."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import requests
from disk import new_disk

from conftest import Deploy, Peers
from deployment.configuration import postgres_store
from deployment.load import Attempt, Load
from deployment.postgres import Postgres
from deployment.process import Deployment
from deployment.waiting import DEADLINE, wait_until

ROUNDS = 20
WAITING = 64
# More than there are event loops, which take connections in turn.
CONNECTIONS = 32


def test_only_what_fsync_confirmed_survives_a_loss_of_power() -> None:
    """Control: without this test the disk might lose nothing."""
    with new_disk() as disk:
        for name in ("confirmed", "written"):
            with (disk.folder / name).open("wb") as file:
                file.write(b"content")
                file.flush()
                if name == "confirmed":
                    os.fsync(file.fileno())
        folder = os.open(disk.folder, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
        with (disk.folder / "confirmed").open("ab") as file:
            file.write(b" and more")
        disk.lose_power()
        disk.unmount()
        disk.mount()
        assert (disk.folder / "confirmed").read_bytes() == b"content"
        assert (disk.folder / "written").read_bytes() == b""


def _suffer(deployment: Deployment, peers: Peers, lose_power: Callable[[], None], restart: Callable[[], None]) -> None:
    """Loses power at random points of the work, and checks what survives."""
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    pauses = random.Random(seed)
    accepted: list[Attempt] = []
    for _ in range(ROUNDS):
        load = Load(deployment.origin, peers.openid, peers.ours_with_ec).start()
        try:
            wait_until(lambda load=load: load.count("200") >= 4, "sign-ins succeed")
            # Not a wait for an event: the loss must come at any point of the work.
            time.sleep(pauses.uniform(0, 0.05))
            lose_power()
            deployment.kill()
        finally:
            load.end()
        restart()
        deployment.start()
        accepted += [attempt for attempt in load.attempts if attempt.status == 200]
        for attempt in load.attempts:
            again = load.send(Attempt(attempt.subject, attempt.body))
            if attempt.status == 200:
                assert again.outcome in ("400 replayed", "400 issued_unwatched"), again
            elif again.outcome == "200":
                # The loss came before its use was recorded, in a store that knows which uses it may have lost.
                assert load.send(Attempt(attempt.subject, attempt.body)).outcome == "400 replayed"
                accepted.append(again)
    exported = deployment.run("accounts", "export")
    assert exported.returncode == 0, exported.stderr
    stored = {
        identity["provider_uid"]: account["uid"]
        for account in map(json.loads, exported.stdout.splitlines())
        for identity in account["identities"]
    }
    lost = [attempt for attempt in accepted if stored.get(attempt.subject) != (attempt.answer or {})["uid"]]
    assert not lost, f"{len(lost)} of {len(accepted)}"


def test_sqlite_loses_nothing_that_was_answered_if_the_machine_loses_power(
    deploy: Deploy, peers: Peers
) -> None:
    with new_disk() as disk:
        folder = disk.folder / "store"
        folder.mkdir(mode=0o700)
        deployment = deploy(peers.providers, store=f"sqlite://{folder}/token-exchange.db").start()

        def restart() -> None:
            disk.unmount()
            disk.mount()

        _suffer(deployment, peers, disk.lose_power, restart)
        assert deployment.terminate() == 0


def test_postgresql_loses_nothing_that_was_answered_if_the_machine_loses_power(
    deploy: Deploy, peers: Peers
) -> None:
    with new_disk(megabytes=512) as disk:
        postgres = Postgres(str(disk.folder)).start()
        deployment = deploy(peers.providers, **postgres_store(postgres.database())).start()
        # initdb was told not to wait for the disk.
        os.sync()

        def restart() -> None:
            postgres.stop_at_once()
            disk.unmount()
            disk.mount()
            postgres.start()

        try:
            _suffer(deployment, peers, disk.lose_power, restart)
            assert deployment.terminate() == 0
        finally:
            postgres.close()


def test_a_disk_that_becomes_read_only_refuses_sign_ins_until_it_is_repaired(
    deploy: Deploy, peers: Peers
) -> None:
    with new_disk() as disk:
        folder = disk.folder / "store"
        folder.mkdir(mode=0o700)
        deployment = deploy(peers.providers, store=f"sqlite://{folder}/token-exchange.db").start()
        load = Load(deployment.origin, peers.openid, peers.ours_with_ec)
        used = load.send(load.attempt())
        assert used.outcome == "200"
        disk.fail()
        wait_until(lambda: load.send(load.attempt()).outcome == "503 store_unavailable", "sign-ins are refused")
        assert load.send(Attempt(used.subject, used.body)).outcome in ("400 replayed", "503 store_unavailable")
        wait_until(lambda: deployment.admin("/readyz") == 503, "the server is not ready")
        assert deployment.admin("/healthz") == 200
        deployment.kill()
        refused = deployment.run("serve")
        assert refused.returncode != 0 and "the store" in refused.stdout + refused.stderr, refused
        disk.unmount()
        disk.repair()
        disk.mount()
        deployment.start()
        assert load.send(Attempt(used.subject, used.body)).outcome in ("400 replayed", "400 issued_unwatched")
        again = load.send(load.attempt(used.subject))
        assert (again.status, (again.answer or {})["uid"]) == (200, (used.answer or {})["uid"])
        assert deployment.terminate() == 0


def test_a_disk_that_stalls_delays_only_the_requests_that_write_to_it(deploy: Deploy, peers: Peers) -> None:
    """The threads that read connections never wait for the disk, so all of them answer while sign-ins wait."""
    with new_disk() as disk:
        folder = disk.folder / "store"
        folder.mkdir(mode=0o700)
        deployment = deploy(peers.providers, store=f"sqlite://{folder}/token-exchange.db").start()
        load = Load(deployment.origin, peers.openid, peers.ours_with_ec)
        attempts = [load.attempt() for _ in range(WAITING)]
        with ThreadPoolExecutor(WAITING) as clients:
            with disk.stalled():
                sent = clients.map(load.send, attempts)
                wait_until(lambda: _in_flight(deployment) == WAITING, "all sign-ins wait")
                for _ in range(CONNECTIONS):
                    answer = requests.get(deployment.origin + "/.well-known/oauth-authorization-server", timeout=DEADLINE)
                    assert answer.status_code == 200
                    assert deployment.admin("/healthz") == 200
                assert [attempt.status for attempt in attempts] == [0] * WAITING
            assert [attempt.outcome for attempt in sent] == ["200"] * WAITING
        assert deployment.terminate() == 0


def _in_flight(deployment: Deployment) -> int:
    name = "token_exchange_requests_in_flight"
    return sum(
        int(float(line.split()[-1])) for line in deployment.admin_text("/metrics").splitlines() if line.startswith(name)
    )
