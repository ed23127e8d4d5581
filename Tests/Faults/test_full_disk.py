"""The disk of the store is full (R-15)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Deploy, Peers
from deployment.load import Load
from deployment.waiting import wait_until


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system in memory with four megabytes, which only root may mount."""
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system requires root")
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs", str(folder)], check=True)
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_refuses_sign_ins_and_spends_nothing(deploy: Deploy, peers: Peers, small_disk: Path) -> None:
    """The same request succeeds as soon as there is space, without a restart."""
    deployment = deploy(peers.providers, store=f"sqlite://{small_disk}/token-exchange.db").start()
    load = Load(deployment.origin, peers.openid, peers.ours_with_ec)
    assert load.send(load.attempt()).outcome == "200"
    with (small_disk / "filler").open("wb", buffering=0) as filler, pytest.raises(OSError):
        while True:
            filler.write(bytes(4096))
    first = load.attempt()
    waiting = [first]
    # The first sign-ins may still fit into the log of the database.
    while load.send(waiting[-1]).outcome == "200":
        waiting.append(load.attempt())
    refused = waiting[-1]
    assert refused.outcome == "503 store_unavailable"
    wait_until(lambda: deployment.admin("/readyz") == 503, "the server is not ready")
    assert deployment.admin("/healthz") == 200
    retry = (refused.answer or {})["retry"]
    (small_disk / "filler").unlink()
    wait_until(lambda: deployment.admin("/readyz") == 200, "the server is ready again")
    assert (retry, load.send(refused).outcome) in [("same", "200"), ("restart", "400 replayed")]
    for attempt in waiting:
        assert load.send(attempt).outcome == "400 replayed"
