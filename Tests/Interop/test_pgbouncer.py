"""A server that reaches PostgreSQL by way of PgBouncer, which pools transactions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conftest import Deploy, Peers
from deployment.configuration import postgres_store
from deployment.load import Load
from deployment.pgbouncer import PgBouncer
from deployment.postgres import Postgres
from deployment.process import Deployment
from deployment.waiting import wait_until

SESSIONS = 3


@pytest.fixture
def postgres() -> Iterator[Postgres]:
    postgres = Postgres().start()
    yield postgres
    postgres.close()


@pytest.fixture
def pool(postgres: Postgres) -> Iterator[PgBouncer]:
    database = postgres.database().split("/")[3].split("?")[0]
    pool = PgBouncer(database, str(postgres.folder), size=SESSIONS)
    yield pool
    pool.close()


@pytest.fixture
def server(deploy: Deploy, peers: Peers, pool: PgBouncer) -> Deployment:
    return deploy(peers.providers, **postgres_store(pool.uri), store_pooling="transaction").start()


def test_sign_ins_share_a_few_sessions_and_leave_nothing_in_them(
    server: Deployment, peers: Peers, postgres: Postgres, pool: PgBouncer
) -> None:
    """SR-01: each credential is accepted once, and other clients of the pool find the settings of the database."""
    load = Load(server.origin, peers.openid, peers.ours_with_ec, threads=6).start()
    try:
        wait_until(lambda: load.count("200") >= 60, "sign-ins succeed")
    finally:
        load.end()
    load.repeat_refused_by_store([server])
    assert {attempt.outcome for attempt in load.attempts} == {"200"}
    assert {load.send(attempt).outcome for attempt in load.attempts} == {"400 replayed"}
    left = "SELECT current_setting('statement_timeout'), (SELECT count(*) FROM pg_prepared_statements)"
    for _ in range(3 * SESSIONS):
        assert postgres.query(pool.uri, left) == ["0|0"]


def test_a_use_that_another_server_does_not_have_is_not_accepted_again(
    server: Deployment, peers: Peers, postgres: Postgres, pool: PgBouncer
) -> None:
    """SR-23: the pooler replaces the server by a standby without the last commits, while our connections stay open."""
    standby = Postgres(primary=postgres).start()
    try:
        standby.promote()
        load = Load(server.origin, peers.openid, peers.ours_with_ec)
        used = [load.send(load.attempt()) for _ in range(20)]
        assert {attempt.outcome for attempt in used} == {"200"}
        pool.move(str(standby.folder))
        for attempt in used:
            # Each connection first notices that its server was replaced.
            before = ("400 replayed", "503 store_unavailable")
            wait_until(lambda attempt=attempt: load.send(attempt).outcome not in before, "the standby is in use")
            assert attempt.outcome == "400 issued_unwatched"
        wait_until(lambda: load.send(load.attempt()).outcome == "200", "sign-ins succeed in the next second")
    finally:
        if server.is_running:
            server.terminate()
        standby.close()
