"""`backup`, `restore` and `migrate --check`, with SQLite and PostgreSQL."""

from __future__ import annotations

import gzip
import re
import secrets
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from conftest import Deploy, Peers
from deployment.application import Application
from deployment.configuration import postgres_store
from deployment.expectations import refused, signed_in
from deployment.postgres import Postgres
from deployment.process import Deployment
from deployment.waiting import DEADLINE, wait_until
from peers import browser, tokens

ROUNDS = 5
NEWEST = {"sqlite": "0012 waiting factors", "postgres": "0011 waiting factors"}


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    postgres = Postgres().start()
    yield postgres
    postgres.close()


@dataclass(frozen=True)
class Store:
    """A store that can be lost, and the deployment that uses it."""

    deployment: Deployment
    newest: str
    lose: Callable[[], None]

    @property
    def backup(self) -> Path:
        return self.deployment.folder / "backup"


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, deploy: Deploy, postgres: Postgres) -> Store:
    if request.param == "sqlite":
        sqlite = deploy()

        def lose() -> None:
            for path in sqlite.folder.glob("token-exchange.db*"):
                if not path.name.endswith("-key"):
                    path.unlink()

        return Store(sqlite, NEWEST["sqlite"], lose)
    served = deploy(**postgres_store(postgres.database()))

    def replace() -> None:
        served.configure(served.settings | {"store": postgres.database()})

    return Store(served, NEWEST["postgres"], replace)


def _id_token(app: Application, peers: Peers, subject: str | None = None) -> dict[str, Any]:
    nonce, verifier = app.nonce("op")
    issued = browser.obtain_tokens(peers.openid, peers.ours, nonce, subject)
    return {"type": "id_token", "id_token": issued["id_token"], "nonce": verifier}


def test_nothing_that_was_used_after_the_backup_is_accepted_after_its_restoration(store: Store, peers: Peers) -> None:
    """The account that was made after the backup is lost, and its credential is refused all the same."""
    deployment = store.deployment.start()
    app = Application(deployment)
    before, after = _id_token(app, peers, "backed-up"), _id_token(app, peers, "forgotten")
    uid = signed_in(app.exchange("op", before))["uid"]
    copied = deployment.run("backup", str(store.backup))
    assert copied.returncode == 0, copied.stderr
    assert copied.stdout.splitlines()[0] == f"{store.backup}: 1 account, tables of {store.newest}"
    assert store.backup.stat().st_mode & 0o777 == 0o600
    signed_in(app.exchange("op", after))
    assert deployment.terminate() == 0
    store.lose()
    restored = deployment.run("restore", str(store.backup))
    assert restored.returncode == 0, restored.stderr
    assert restored.stdout.splitlines()[0].endswith(f": 1 account, tables of {store.newest}")
    deployment.start()
    app = Application(deployment)
    refused(app.exchange("op", before), 400, "replayed")
    refused(app.exchange("op", after), 400, "issued_unwatched", "restart")
    assert signed_in(app.exchange("op", _id_token(app, peers, "backed-up")))["uid"] == uid


def test_a_backup_during_sign_ins_is_whole(store: Store, peers: Peers) -> None:
    """Copies that are made while a client signs in have every account that was answered before each of them."""
    deployment = store.deployment.start()
    app = Application(deployment)
    answered: list[str] = []
    stop = threading.Event()

    def sign_in() -> None:
        while not stop.is_set():
            credential = _id_token(app, peers, secrets.token_hex(8))
            answered.append(signed_in(app.exchange("op", credential))["uid"])

    thread = threading.Thread(target=sign_in)
    thread.start()
    try:
        for number in range(ROUNDS):
            wait_until(lambda number=number: len(answered) > 3 * number, "further sign-ins")
            known = set(answered)
            copied = deployment.run("backup", f"{store.backup}-{number}")
            assert copied.returncode == 0, copied.stderr
    finally:
        stop.set()
        thread.join()
    assert deployment.terminate() == 0
    store.lose()
    restored = deployment.run("restore", f"{store.backup}-{ROUNDS - 1}")
    assert restored.returncode == 0, restored.stderr
    assert known <= set(deployment.run("accounts", "list").stdout.split())


def test_neither_a_backup_nor_a_store_is_replaced(store: Store) -> None:
    deployment = store.deployment.start()
    assert deployment.run("backup", str(store.backup)).returncode == 0
    content = store.backup.read_bytes()
    again = deployment.run("backup", str(store.backup))
    assert again.returncode == 1
    assert again.stderr == (
        f"token-exchange: {store.backup} exists: name a new file, because a backup is never replaced\n"
    )
    assert store.backup.read_bytes() == content
    assert deployment.terminate() == 0
    restored = deployment.run("restore", str(store.backup))
    assert restored.returncode == 1
    what, _, remedy = restored.stderr.partition(" exists: ")
    if what.startswith("token-exchange: the store postgresql:"):
        assert remedy == "name an empty database, because restore replaces nothing\n"
    else:
        assert what == f"token-exchange: {deployment.folder}/token-exchange.db"
        assert remedy == "move it away first, because restore replaces nothing\n"


@pytest.mark.parametrize("damage", ["cut", "empty", "other", "packed"])
def test_a_file_that_is_no_backup_restores_nothing(store: Store, damage: str) -> None:
    deployment = store.deployment.start()
    assert deployment.run("backup", str(store.backup)).returncode == 0
    assert deployment.terminate() == 0
    content = store.backup.read_bytes()
    damaged = {
        "cut": content[: len(content) // 2],
        "empty": b"",
        "other": b"text\n" * 2000,
        "packed": gzip.compress(content),
    }
    store.backup.write_bytes(damaged[damage])
    store.lose()
    restored = deployment.run("restore", str(store.backup))
    assert restored.returncode == 1
    assert restored.stderr in (
        f"token-exchange: {store.backup} is not a whole backup of a store of this kind: name a file that backup wrote, "
        "unpacked and unchanged\n",
        f"token-exchange: {store.backup} is damaged, or not a database of SQLite: unpack it, or name another backup\n",
    )
    # Nothing is left: the next command finds no store.
    missing = deployment.run("migrate", "--check")
    assert (missing.returncode, missing.stdout.splitlines()[-1]) == (2, f"missing {store.newest}")


def test_a_file_that_cannot_be_read_or_written_is_named(store: Store) -> None:
    deployment = store.deployment
    deployment.run("migrate")
    written = deployment.run("backup", str(deployment.folder / "none" / "backup"))
    assert (written.returncode, written.stderr) == (
        1,
        f"token-exchange: {deployment.folder}/none/backup cannot be written, because there is no folder "
        f"{deployment.folder}/none\n",
    )
    store.lose()
    read = deployment.run("restore", str(deployment.folder / "none"))
    assert (read.returncode, read.stderr) == (1, f"token-exchange: {deployment.folder}/none does not exist\n")
    folder = deployment.run("restore", str(deployment.folder))
    assert folder.returncode == 1
    assert folder.stderr.startswith(f"token-exchange: {deployment.folder} is a folder: "), folder.stderr


def test_missing_migrations_are_listed_and_not_applied(store: Store) -> None:
    deployment = store.deployment
    for _ in range(2):
        missing = deployment.run("migrate", "--check")
        assert missing.returncode == 2, missing.stderr
        names = missing.stdout.splitlines()
        assert names[0] == "missing 0001 spent credentials, accounts"
        assert names[-1] == f"missing {store.newest}"
    assert deployment.run("migrate").returncode == 0
    done = deployment.run("migrate", "--check")
    assert (done.returncode, done.stdout.endswith(": up to date\n")) == (0, True)


def test_the_tables_of_a_later_version_are_refused(store: Store) -> None:
    """The header of the script, or the migrations in the database, name the version that can read it."""
    deployment = store.deployment
    deployment.run("migrate")
    if "sqlite" in str(deployment.settings["store"]):
        deployment.change("INSERT INTO grdb_migrations (identifier) VALUES ('0099 later')")
        later = deployment.run("migrate", "--check")
        assert later.returncode == 1
        assert "store.newer_schema" in later.stderr
        deployment.database.rename(store.backup)
    else:
        assert deployment.run("backup", str(store.backup)).returncode == 0
        store.backup.write_text(store.backup.read_text().replace(store.newest, "0099 later"))
    store.lose()
    restored = deployment.run("restore", str(store.backup))
    assert restored.returncode == 1
    assert f"{store.backup} is of a later version of token-exchange, or a database of" in restored.stderr, restored.stderr


def test_every_table_is_in_the_backup_of_postgres(deploy: Deploy, postgres: Postgres) -> None:
    """The program names the tables that pg_dump copies, because a database may have other ones."""
    uri = postgres.database()
    deployment = deploy(**postgres_store(uri))
    deployment.run("migrate")
    backup = deployment.folder / "backup"
    assert deployment.run("backup", str(backup)).returncode == 0
    whole = subprocess.run(
        ["pg_dump", "--schema-only", f"--dbname={uri}"], capture_output=True, text=True, timeout=DEADLINE, check=True
    )

    def tables(script: str) -> set[str]:
        return set(re.findall(r"^CREATE TABLE (\S+)", script, re.MULTILINE))

    assert tables(backup.read_text()) == tables(whole.stdout)


def test_the_variables_of_libpq_have_the_effect_that_they_have_for_the_server(
    deploy: Deploy, postgres: Postgres
) -> None:
    uri = postgres.database().replace("postgres@", "")
    deployment = deploy(**postgres_store(uri))
    deployment.environment["PGUSER"] = "postgres"
    assert deployment.run("migrate").returncode == 0
    copied = deployment.run("backup", str(deployment.folder / "backup"))
    assert copied.returncode == 0, copied.stderr


def test_the_password_of_the_database_is_not_printed(deploy: Deploy, postgres: Postgres) -> None:
    """A wrong host and password: the messages of PostgreSQL name neither the connection string nor the password."""
    deployment = deploy(**postgres_store("postgres://token:hunter2-secret@127.0.0.1:1/none"))
    ran = deployment.run("backup", str(deployment.folder / "backup"))
    assert ran.returncode == 1
    assert "hunter2" not in ran.stdout + ran.stderr
