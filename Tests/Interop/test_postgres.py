"""Several servers on one PostgreSQL: single use, durability of what was answered, and the setup of the database."""

from __future__ import annotations

import collections
import json
import re
import secrets
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from conftest import Peers
from deployment.application import Answer, Application
from deployment.configuration import openid
from deployment.expectations import refused, signed_in
from deployment.fleet import Fleet, fleet_of
from deployment.pages import documented
from deployment.postgres import Postgres
from deployment.process import Deployment
from deployment.storm import Storm
from deployment.waiting import wait_until
from peers import browser, tokens

ROUNDS = 200


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    postgres = Postgres().start()
    yield postgres
    postgres.close()


# MARK: - Replay


def test_a_credential_succeeds_once_at_three_servers_concurrently(
    binary: Path, tmp_path: Path, postgres: Postgres
) -> None:
    """IDT-40, EX-02: ID tokens, handoff codes and pending credentials in turn."""
    wrong: collections.Counter[tuple[str, ...]] = collections.Counter()
    with fleet_of(binary, tmp_path, postgres.database(), logging={"level": "info"}) as fleet:
        storm = Storm(fleet)
        for number in range(ROUNDS):
            kind, answers = storm.round(number)
            seen = sorted(f"{answer.status} {answer.body.get('reason', '')}" for answer in answers)
            if seen != ["200 ", "400 replayed", "400 replayed"]:
                wrong[kind, *seen] += 1
    assert not wrong


# MARK: - The database stops while requests run


@dataclass
class Attempt:
    """A request, its answer, and the identity that must exist if the answer is a success."""

    path: str
    body: dict[str, Any]
    header: dict[str, str]
    identity: tuple[str, str]
    uid: str | None
    answers: list[Answer] = field(default_factory=list)


class Load:
    """Sends sign-ins and links of new users to all servers in turn, until it is stopped."""

    def __init__(self, fleet: Fleet, peers: Peers) -> None:
        self._fleet = fleet
        self._peers = peers
        self._ended = threading.Event()
        self.done: list[Attempt] = []
        self.threads = [threading.Thread(target=self._run, args=(number,)) for number in range(4)]
        for thread in self.threads:
            thread.start()

    def end(self) -> None:
        self._ended.set()
        for thread in self.threads:
            thread.join()

    def count(self, status: int) -> int:
        return sum(attempt.answers[0].status == status for attempt in list(self.done))

    def _run(self, number: int) -> None:
        server = self._fleet.servers[number % len(self._fleet.servers)]
        app = Application(server)
        while not self._ended.is_set():
            attempt = self._link(number) if number % 2 else self._sign_in()
            attempt.answers.append(app.send("POST", attempt.path, attempt.body, **attempt.header))
            self.done.append(attempt)

    def _credential(self) -> tuple[str, dict[str, Any]]:
        """It uses the application's own nonce, so that only the record of the token prevents a replay."""
        op, raw, subject = self._peers.openid, secrets.token_urlsafe(16), secrets.token_hex(8)
        claims = op.claims(self._peers.ours_with_ec.client_id, sub=subject, nonce=tokens.sha256(raw))
        token = tokens.signed(claims, op.key("ES256"), "ES256")
        body = {
            "client_id": "my-app",
            "provider": "op-ec",
            "credential": {"type": "id_token", "id_token": token, "nonce": raw},
        }
        return subject, body

    def _sign_in(self) -> Attempt:
        subject, body = self._credential()
        return Attempt("/v1/exchange", body, {}, ("op-ec", subject), None)

    def _link(self, number: int) -> Attempt:
        uid = f"caller-{number}-{secrets.token_hex(6)}"
        subject, body = self._credential()
        bearer = {"Authorization": f"Bearer {self._fleet.firebase.bearer(uid)}"}
        return Attempt("/v1/account/link", body, bearer, ("op-ec", subject), uid)


def _holders(server: Deployment) -> dict[tuple[str, str], str]:
    """The account of each identity."""
    result = server.run("accounts", "export")
    assert result.returncode == 0, result.stderr
    return {
        (identity["provider"], identity["provider_uid"]): account["uid"]
        for account in map(json.loads, result.stdout.splitlines())
        for identity in account["identities"]
    }


def test_every_recorded_use_survives_a_stop_of_postgresql(
    binary: Path, tmp_path: Path, postgres: Postgres, peers: Peers
) -> None:
    """PostgreSQL is stopped at once during the load, twice, and started again."""
    providers = {"op-ec": openid(peers.openid, peers.ours_with_ec, nonce="client")}
    sections = {"providers": providers, "logging": {"level": "warning"}}
    # All servers must use the same secret.
    providers["op-ec"]["client_secret"] = peers.ours_with_ec.client_secret
    with fleet_of(binary, tmp_path, postgres.database(), **sections) as fleet:
        load = Load(fleet, peers)
        try:
            for turn in range(2):
                good, failed = load.count(200), load.count(503)
                wait_until(lambda good=good: load.count(200) > good + 25, "sign-ins succeed")
                postgres.stop_at_once()
                wait_until(lambda failed=failed: load.count(503) > failed + 12, "no sign-in succeeds")
                assert {server.admin("/healthz") for server in fleet.servers} == {200}
                for server in fleet.servers:
                    # /readyz may return a result that is up to one second old.
                    wait_until(lambda server=server: server.admin("/readyz") == 503, "every server says so")
                postgres.start()
            good = load.count(200)
            wait_until(lambda: load.count(200) > good + 25, "sign-ins succeed again")
        finally:
            load.end()
        for server in fleet.servers:
            wait_until(lambda server=server: server.admin("/readyz") == 200, "every server recovers by itself")

        kinds = collections.Counter(
            (attempt.path, attempt.answers[0].status, attempt.answers[0].body.get("reason")) for attempt in load.done
        )
        # After an outage of more than ten seconds older credentials are refused. A slow machine may need so long to
        # start one.
        unwatched = {(400, "issued_unwatched")}
        assert {(status, reason) for _, status, reason in kinds if status not in (200, 503)} <= unwatched, kinds
        assert {200, 503} <= {status for _, status, _ in kinds}, kinds
        holders = _holders(fleet.servers[0])
        apps = [Application(server) for server in fleet.servers]
        for number, attempt in enumerate(load.done):
            first = attempt.answers[0]
            app = apps[number % len(apps)]

            # The server could not know whether the commit of such an answer was lost.
            is_unknown = first.status == 503 and first["retry"] != "same"

            def again(attempt: Attempt = attempt, app: Application = app) -> Answer:
                nonlocal is_unknown

                def is_answered() -> bool:
                    attempt.answers.append(app.send("POST", attempt.path, attempt.body, **attempt.header))
                    return attempt.answers[-1].body.get("reason") != "store_unavailable"

                before = len(attempt.answers)
                wait_until(is_answered, "the store answers")
                is_unknown |= any(answer["retry"] != "same" for answer in attempt.answers[before:-1])
                return attempt.answers[-1]

            if first.status == 200:
                assert holders.get(attempt.identity) == (attempt.uid or first["uid"]), attempt
                refused(again(), 400, "replayed")
                continue
            second = again()
            if (second.status, second.body.get("reason")) in unwatched:
                refused(again(), 400, "issued_unwatched", "restart")
                continue
            assert first["reason"] == "store_unavailable", first
            assert second.status == 200 or (is_unknown and second["reason"] == "replayed"), (first, second)
            refused(again(), 400, "replayed")


# MARK: - Costs


def test_postgresql_compiles_no_statement_of_a_sign_in(deploy_on: Callable[[str], Deployment], peers: Peers) -> None:
    """The tables are new, so that PostgreSQL estimates their sizes; from 100,000 on it compiles for 0.4 s at each sign-in."""
    explain = [f"auto_explain.{setting}" for setting in ("log_min_duration=0", "log_analyze=on")]
    postgres = Postgres(settings=("shared_preload_libraries=auto_explain", *explain)).start()
    try:
        server = deploy_on(postgres.database()).start()
        for _ in range(2):
            _sign_in(server, peers)
        server.terminate()
        log = (postgres.folder / "log").read_text(encoding="utf-8")
        assert "INSERT INTO spent" in log
        assert "JIT:" not in log
    finally:
        postgres.close()


# MARK: - Setup of the database


def _sign_in(server: Deployment, peers: Peers) -> dict[str, Any]:
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
    return signed_in(Application(server).exchange("op", grant.credential))


def test_migrate_makes_the_tables_before_the_first_start(
    deploy_on: Callable[[str], Deployment], postgres: Postgres, peers: Peers
) -> None:
    server = deploy_on(postgres.database())
    for _ in range(2):
        result = server.run("migrate")
        assert result.returncode == 0, result.stderr
    assert "applied" not in result.stdout
    before = postgres.query(server.settings["store"], "SELECT name FROM migrations ORDER BY name")
    server.start()
    _sign_in(server, peers)
    assert postgres.query(server.settings["store"], "SELECT name FROM migrations ORDER BY name") == before


def test_servers_that_start_together_make_the_tables_once(
    deploy_on: Callable[[str], Deployment], postgres: Postgres, peers: Peers
) -> None:
    uri = postgres.database()
    servers = [deploy_on(uri) for _ in range(3)]
    threads = [threading.Thread(target=server.start) for server in servers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for server in servers:
        _sign_in(server, peers)
    names = postgres.query(uri, "SELECT name FROM migrations")
    assert len(names) == len(set(names)) > 1


@pytest.fixture
def role(postgres: Postgres) -> Callable[[str], str]:
    """Returns the URI for a role that may use tables, but not create them."""

    def make(uri: str) -> str:
        name = f"server{secrets.token_hex(4)}"
        postgres.query(uri, f"CREATE ROLE {name} LOGIN")
        postgres.query(uri, f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {name}")
        return uri.replace("//postgres@", f"//{name}@")

    return make


def test_after_migrate_a_server_needs_no_right_to_make_tables(
    deploy_on: Callable[[str], Deployment], postgres: Postgres, peers: Peers, role: Callable[[str], str]
) -> None:
    uri = postgres.database()
    assert deploy_on(uri).run("migrate").returncode == 0
    _sign_in(deploy_on(role(uri)).start(), peers)


def test_the_documented_roles_are_enough(
    deploy_on: Callable[[str], Deployment], postgres: Postgres, peers: Peers
) -> None:
    """The owner makes the tables, and the servers use them with a role that may not make any."""
    code = documented("postgres-roles")
    postgres.query(postgres.uri("postgres"), *re.findall(r"\\connect \w+|[^;\\]+;", code))
    uri = postgres.uri("tokens")
    owner, server = (uri.replace("//postgres@", f"//{name}@") for name in ("tokens_owner", "tokens"))
    assert "There are no tables yet." in deploy_on(server).run("doctor").stdout
    assert "token-exchange migrate" in _does_not_start(deploy_on(server))
    assert deploy_on(owner).run("migrate").returncode == 0
    _sign_in(deploy_on(server).start(), peers)


def _does_not_start(server: Deployment) -> str:
    """Expects exit code 1 and returns the message."""
    result = server.run("serve")
    assert result.returncode == 1, result.stdout + result.stderr
    return result.stdout + result.stderr


def test_a_server_that_may_not_create_its_tables_reports_it(
    deploy_on: Callable[[str], Deployment], postgres: Postgres, role: Callable[[str], str]
) -> None:
    uri = postgres.database()
    said = _does_not_start(deploy_on(role(uri)))
    assert "token-exchange migrate" in said, said
    # The last migration is missing.
    assert deploy_on(uri).run("migrate").returncode == 0
    postgres.query(uri, "DELETE FROM migrations WHERE name = (SELECT max(name) FROM migrations)")
    said = _does_not_start(deploy_on(role(uri)))
    assert "token-exchange migrate" in said, said


def test_a_server_names_the_settings_that_make_commits_durable(deploy_on: Callable[[str], Deployment]) -> None:
    postgres = Postgres(settings=("fsync=off",)).start()
    try:
        said = _does_not_start(deploy_on(postgres.database()))
        assert "store.not_durable; fsync is off and must be on; " in said and "Set fsync = on for" in said, said
    finally:
        postgres.close()


def test_a_server_refuses_tables_of_a_later_version(
    deploy_on: Callable[[str], Deployment], postgres: Postgres
) -> None:
    uri = postgres.database()
    server = deploy_on(uri)
    assert server.run("migrate").returncode == 0
    postgres.query(uri, "INSERT INTO migrations (name) VALUES ('9999 from the future')")
    assert "later version" in _does_not_start(server)
    assert server.run("migrate").returncode == 1


def test_each_reload_names_the_keys_of_the_store_that_only_a_restart_changes(
    deploy_on: Callable[[str], Deployment], postgres: Postgres
) -> None:
    server = deploy_on(postgres.database()).start()
    good = dict(server.settings)

    def named() -> list[str]:
        lines = [json.loads(line) for line in server.log.splitlines()]
        return [line["keys"] for line in lines if line.get("section") == "store"]

    expected: list[str] = []
    # No line shows the parameters of the URI, which may be secrets.
    for change, key in [
        ({"store": good["store"] + ("&" if "?" in good["store"] else "?") + "application_name=other"}, "store"),
        ({"store_pooling": "transaction"}, "store_pooling"),
    ]:
        server.configure(good | change)
        for _ in range(2):
            server.reload()
            expected.append(key)
            wait_until(lambda: named() == expected, f"{expected} in\n{server.log}")
    server.configure(good)
    server.reload()
    wait_until(lambda: server.log.count("configuration reloaded") == len(expected) + 1, "the reload")
    assert named() == expected


def test_a_server_that_starts_without_its_database_reports_it(
    deploy_on: Callable[[str], Deployment], peers: Peers
) -> None:
    postgres = Postgres().start()
    try:
        server = deploy_on(postgres.database())
        postgres.stop_at_once()
        said = _does_not_start(server)
        assert "the store" in said and "cannot be used" in said, said
        postgres.start()
        _sign_in(server.start(), peers)
    finally:
        if server.is_running:
            server.terminate()
        postgres.close()
