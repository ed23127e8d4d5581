"""A PostgreSQL that stops answering without closing its connections (R-11)."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from conftest import Deploy, Peers
from deployment.configuration import postgres_store
from deployment.load import Load
from deployment.postgres import Postgres
from deployment.waiting import wait_until


def _processes(parent: int) -> list[int]:
    """The process and its children."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [parent, *map(int, children)]


def test_a_paused_database_refuses_sign_ins_until_it_continues(deploy: Deploy, peers: Peers) -> None:
    """Nothing is accepted twice, and what was refused with `retry: same` succeeds afterwards."""
    postgres = Postgres().start()
    try:
        deployment = deploy(peers.providers, **postgres_store(postgres.database())).start()
        load = Load(deployment.origin, peers.openid, peers.ours_with_ec).start()
        try:
            wait_until(lambda: load.count("200") > 20, "sign-ins succeed")
            paused = _processes(postgres.pid)
            for process in paused:
                os.kill(process, signal.SIGSTOP)
            try:
                wait_until(lambda: load.count("503 store_unavailable") > 4, "sign-ins are refused")
                assert deployment.admin("/healthz") == 200
                wait_until(lambda: deployment.admin("/readyz") == 503, "the server is not ready")
            finally:
                for process in paused:
                    os.kill(process, signal.SIGCONT)
            good = load.count("200")
            wait_until(lambda: load.count("200") > good + 20, "sign-ins succeed again")
        finally:
            load.end()
        for attempt in load.attempts:
            first, retry = attempt.outcome, (attempt.answer or {}).get("retry")
            second = load.send(attempt).outcome
            if first == "200":
                assert second == "400 replayed", attempt
            elif retry == "same":
                assert second in ("200", "400 issued_unwatched"), attempt
                assert load.send(attempt).outcome in ("400 replayed", "400 issued_unwatched")
            else:
                assert second in ("400 replayed", "400 issued_unwatched"), attempt
    finally:
        postgres.close()
