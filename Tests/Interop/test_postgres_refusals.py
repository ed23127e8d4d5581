"""A store in PostgreSQL that cannot be used: each command and the log name the cause and the remedy, and no password."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deployment.pgbouncer import PgBouncer
from deployment.postgres import Postgres
from deployment.process import Deployment, free_port
from deployment.waiting import wait_until

PASSWORD = "correct-horse"
WRONG = "wrong-horse"
HBA = """\
local all postgres trust
host all scram 127.0.0.1/32 scram-sha-256
host all postgres 127.0.0.1/32 trust
"""


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def postgres(port: int) -> Iterator[Postgres]:
    """A server on TCP with a certificate that no authority has signed, and with passwords."""
    postgres = Postgres(settings=("ssl=on", "max_connections=20", "shared_buffers=32MB"), port=port)
    data = postgres.folder / "data"
    words = ["-subj", "/CN=elsewhere.example", "-keyout", str(data / "server.key"), "-out", str(data / "server.crt")]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-noenc", "-days", "9", *words]
    subprocess.run(command, check=True, capture_output=True)
    (data / "pg_hba.conf").write_text(HBA)
    for name in ("server.key", "server.crt"):
        path = data / name
        path.chmod(0o600)
        subprocess.run(["chown", f"--reference={data}", str(path)], check=True)
    postgres.start()
    postgres.query(postgres.uri("postgres"), f"CREATE ROLE scram LOGIN PASSWORD '{PASSWORD}'")
    yield postgres
    postgres.close()


def _expect(server: Deployment, fault: str, cause: str, remedy: str, *commands: str) -> None:
    """Expects that commands fail with exit code 1 and one message, which contains no password."""
    for command in commands or ("migrate --check",):
        result = server.run(*command.split())
        said = result.stdout + result.stderr
        assert result.returncode == 1, (command, said)
        assert f"store.unavailable.{fault}; " in said, (command, said)
        assert cause in said and remedy in said, (command, said)
        assert PASSWORD not in said and WRONG not in said, (command, said)


def test_every_command_names_a_wrong_password(
    deploy_on: Callable[[str], Deployment], postgres: Postgres, port: int, tmp_path: Path
) -> None:
    server = deploy_on(f"postgresql://scram:{WRONG}@127.0.0.1:{port}/postgres?sslmode=require")
    commands = ("serve", "migrate", "migrate --check", "accounts list", f"backup {tmp_path}/backup")
    cause = 'password authentication failed for user "scram"'
    _expect(server, "authentication_failed", cause, "correct user and password in store", *commands)
    said = server.run("doctor").stdout
    assert "store.unavailable.authentication_failed" in said and cause in said and WRONG not in said, said
    right = deploy_on(f"postgresql://scram:{PASSWORD}@127.0.0.1:{port}/postgres?sslmode=require")
    assert right.run("migrate", "--check").returncode == 2


@pytest.mark.parametrize(
    ("uri", "fault", "cause", "remedy"),
    [
        ("postgres@postgres.invalid/d", "host_unknown", 'host name "postgres.invalid"', "correct the host name"),
        ("postgres@127.0.0.1:1/d", "connection_refused", "Connection refused", "listen_addresses"),
        ("scram@127.0.0.1:{port}/postgres", "authentication_failed", "no password supplied", "LOGIN"),
        ("other@127.0.0.1:{port}/postgres", "no_hba_entry", "no pg_hba.conf entry", "add a line"),
        ("postgres@127.0.0.1:{port}/missing", "no_database", 'database "missing" does not exist', "createdb"),
        (
            "postgres@127.0.0.1:{port}/postgres?sslmode=verify-full&sslrootcert={folder}/data/server.crt",
            "tls",
            'does not match host name "127.0.0.1"',
            "sslrootcert",
        ),
        (
            "postgres@127.0.0.1:{port}/postgres?sslmode=verify-full&sslrootcert=/dev/null",
            "tls",
            "certificate",
            "sslrootcert",
        ),
        (
            "postgres@127.0.0.1:{port}/postgres?options=-cdefault_transaction_read_only%3Don",
            "read_only",
            "session is read-only",
            "name the primary",
        ),
    ],
)
def test_a_command_names_the_cause_and_the_remedy(
    deploy_on: Callable[[str], Deployment],
    postgres: Postgres,
    port: int,
    uri: str,
    fault: str,
    cause: str,
    remedy: str,
) -> None:
    server = deploy_on("postgresql://" + uri.format(port=port, folder=postgres.folder))
    _expect(server, fault, cause, remedy)


def test_a_server_without_tls_is_named(deploy_on: Callable[[str], Deployment]) -> None:
    port = free_port()
    plain = Postgres(port=port).start()
    try:
        server = deploy_on(f"postgresql://postgres@127.0.0.1:{port}/postgres?sslmode=require")
        _expect(server, "tls", "server does not support SSL, but SSL was required", "set ssl = on")
    finally:
        plain.close()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can start a process of another user")
def test_a_home_of_another_user_is_named(
    deploy_on: Callable[[str], Deployment], postgres: Postgres, port: int, tmp_path: Path
) -> None:
    """libpq looks below HOME for a certificate of the client, also if store names none."""
    server = deploy_on(f"postgresql://postgres@127.0.0.1:{port}/postgres?sslmode=require")
    for folder in [server.folder, *server.folder.parents]:
        if folder.stat().st_uid == 0 and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    for file in server.folder.iterdir():
        os.chown(file, 10001, 10001)
    (tmp_path / "root").mkdir(mode=0o700)
    ran = subprocess.run(
        [str(server.binary), "migrate", "--check", "--config", str(server.configuration)],
        env=server.environment | {"HOME": str(tmp_path / "root")},
        user=10001, group=10001, extra_groups=[], capture_output=True, text=True, check=False,
    )
    assert ran.returncode == 1
    assert 'root/.postgresql/postgresql.crt": Permission denied' in ran.stderr, ran.stderr
    assert "let the user 10001 read it, or let HOME name a folder of that user" in ran.stderr


def test_a_host_without_an_answer_is_named(deploy_on: Callable[[str], Deployment]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        uri = f"postgresql://postgres@127.0.0.1:{listener.getsockname()[1]}/d?connect_timeout=2"
        _expect(deploy_on(uri), "no_answer", "timeout expired", "firewalls")


def test_a_server_without_free_connections_is_named(
    deploy_on: Callable[[str], Deployment], postgres: Postgres, port: int
) -> None:
    uri = f"postgresql://postgres@127.0.0.1:{port}/postgres"
    held: list[subprocess.Popen[str]] = []
    try:
        while True:
            command = ["psql", "-X", "-q", "-A", "-t", "-d", uri]
            held.append(
                subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
                )
            )
            stdin, stdout = held[-1].stdin, held[-1].stdout
            assert stdin is not None and stdout is not None
            try:
                stdin.write("SELECT 1;\n")
                stdin.flush()
            except BrokenPipeError:
                break
            if stdout.readline() != "1\n":
                break
        assert len(held) > 3
        _expect(deploy_on(uri), "too_many_connections", "sorry, too many clients already", "raise max_connections")
    finally:
        for client in held:
            client.kill()
            client.communicate()


def test_a_refusal_of_pgbouncer_is_named(deploy_on: Callable[[str], Deployment]) -> None:
    postgres = Postgres().start()
    try:
        database = postgres.database().split("/")[3].split("?")[0]
        pool = PgBouncer(database, str(postgres.folder))
        try:
            server = deploy_on(pool.uri.replace(database, "missing"))
            _expect(server, "pooler", "bouncer config error", "read the log of PgBouncer")
            server = deploy_on(f"{pool.uri}?options=-csearch_path%3Dpublic")
            _expect(server, "pooler", "unsupported startup parameter: options", "leave it out of store, and set what it sets")
        finally:
            pool.close()
    finally:
        postgres.close()


def test_the_log_of_a_running_server_names_the_cause_and_the_remedy(deploy_on: Callable[[str], Deployment]) -> None:
    postgres = Postgres().start()
    try:
        server = deploy_on(postgres.database()).start()

        def reports() -> list[dict[str, str]]:
            lines = [json.loads(line) for line in server.log.splitlines() if line.startswith("{")]
            return [line for line in lines if line.get("error") == "store.unavailable.connection_refused"]

        postgres.stop_at_once()
        wait_until(lambda: reports(), "the log names the error")
        report = reports()[0]
        assert "No such file or directory" in report["cause"] and "start PostgreSQL" in report["advice"], report
        server.terminate()
    finally:
        postgres.close()
