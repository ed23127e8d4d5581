"""Disks that lose power or become read-only (R-14, R-15)."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable

from disk import new_disk

from conftest import Deploy, Peers
from deployment.configuration import postgres_store
from deployment.load import Attempt, Load
from deployment.postgres import Postgres
from deployment.process import Deployment
from deployment.waiting import wait_until

ROUNDS = 20


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
