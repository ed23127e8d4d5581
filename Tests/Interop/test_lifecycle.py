"""Reload by SIGHUP, and the end by SIGTERM (R-12, R-26, R-27)."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import resource
import secrets
import select
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import requests

from conftest import Deploy, Peers
from deployment.application import Answer, Application
from deployment.configuration import CALLBACK, openid, postgres_store
from deployment.expectations import refused, signed_in
from deployment.process import Deployment
from deployment.service_account import ServiceAccount
from deployment.waiting import DEADLINE, wait_until
from peers import browser, faults, tokens
from peers.openid_provider import Client, OpenIDProvider


Own = tuple[OpenIDProvider, Client]


def _posted(own: Own, key: Any) -> dict[str, str]:
    """A credential whose ID token is correct, if the provider publishes the key."""
    provider, client = own
    nonce = secrets.token_urlsafe(16)
    token = tokens.signed(provider.claims(client.client_id, nonce=nonce), key, "RS256")
    return {"type": "id_token", "id_token": token, "nonce": nonce}


def _signing_key(app: Application, peers: Peers) -> str:
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
    return tokens.header(signed_in(app.exchange("op", grant.credential))["custom_token"])["kid"]


def _reload(deployment: Deployment, settings: dict[str, Any] | str, outcome: str) -> None:
    """Sends SIGHUP and returns the log line with the result."""
    before = deployment.log.count(f'"{outcome}')
    if isinstance(settings, str):
        deployment.configuration.write_text(settings)
    else:
        deployment.configure(settings)
    deployment.reload()
    wait_until(lambda: deployment.log.count(f'"{outcome}') > before, f"{outcome!r} in\n{deployment.log}")


PIPE_SIZE = 4096
# A log line is longer than the first size and shorter than the second.
LINE_SIZE, LONGEST_LINE = 100, 400
RELOADED, NOT_RELOADED = "configuration reloaded", "configuration not reloaded"


def test_the_first_service_account_of_a_new_list_signs(
    deploy: Deploy, peers: Peers, service_account: ServiceAccount
) -> None:
    new = ServiceAccount()
    deployment = deploy(accounts=[service_account, new]).start()
    app, process = Application(deployment), deployment.process.pid
    assert _signing_key(app, peers) == service_account.key_id
    settings = deployment.settings
    settings["firebase"]["service_account"].reverse()
    _reload(deployment, settings, RELOADED)
    assert _signing_key(app, peers) == new.key_id
    assert deployment.process.pid == process


def test_a_changed_file_is_reloaded_without_a_signal(
    deploy: Deploy, peers: Peers, service_account: ServiceAccount
) -> None:
    """A key file that is replaced at its path signs the next token. A bad file changes nothing, and is reported once."""
    deployment = deploy()
    deployment.settings["server"]["reload_interval"] = "1s"
    deployment.configure(deployment.settings)
    deployment.start()
    app = Application(deployment)
    assert _signing_key(app, peers) == service_account.key_id
    path = deployment.folder / "service-account-0.json"
    path.write_text(path.read_text()[:100])
    wait_until(lambda: NOT_RELOADED in deployment.log, "the half-written file is refused")
    assert _signing_key(app, peers) == service_account.key_id
    # Also if the next attempts see the same content, there is one line.
    new = ServiceAccount()
    new.write(deployment.folder, path.name)
    wait_until(lambda: RELOADED in deployment.log, "the whole file is read")
    assert _signing_key(app, peers) == new.key_id
    lines = [json.loads(line) for line in deployment.log.splitlines()]
    (refusal,) = [line for line in lines if line.get("message", "").startswith(NOT_RELOADED)]
    assert str(path) in refusal["problem"] and "is cut off (line 1, column" in refusal["problem"]


def test_a_bad_reload_says_in_one_line_what_is_wrong(deploy: Deploy) -> None:
    """Every problem with its line, in the format of the log; standard error gets nothing else."""
    deployment = deploy().start()
    _reload(deployment, "server: {listen: 1}\nnonsense: 2\n", NOT_RELOADED)
    lines = [json.loads(line) for line in deployment.log.splitlines()]
    (refusal,) = [line for line in lines if line.get("message", "").startswith(NOT_RELOADED)]
    assert "line 1: server.listen" in refusal["problem"]
    assert "; line 2: nonsense" in refusal["problem"]


def test_a_reload_names_what_differs_from_the_start(deploy: Deploy) -> None:
    """What only a restart changes is named at each reload, and no more when the file is again as it was."""
    deployment = deploy().start()
    told = "a change of this section requires a restart"
    good = json.loads(json.dumps(deployment.settings))

    def keys() -> list[str]:
        lines = [json.loads(line) for line in deployment.log.splitlines()]
        return [line["keys"] for line in lines if line.get("message") == told]

    changed = json.loads(json.dumps(good))
    changed["logging"]["level"] = "info"
    changed["server"]["drain_delay"] = "1s"
    expected = ["server.drain_delay", "logging.level"]
    _reload(deployment, changed, RELOADED)
    assert keys() == expected
    _reload(deployment, changed, RELOADED)
    assert keys() == expected * 2
    _reload(deployment, good, RELOADED)
    assert keys() == expected * 2


def test_a_flow_outlives_a_reload(deploy: Deploy, peers: Peers) -> None:
    deployment = deploy().start()
    app = Application(deployment)
    nonce, verifier = app.nonce("op")
    issued = browser.obtain_tokens(peers.openid, peers.ours, nonce)
    _reload(deployment, deployment.settings, RELOADED)
    signed_in(app.exchange("op", {"type": "id_token", "id_token": issued["id_token"], "nonce": verifier}))


def test_keys_of_a_provider_that_did_not_change_survive_a_reload(deploy: Deploy, own_provider: Own) -> None:
    """The provider may be down at that moment: a reload must keep its cached metadata and keys."""
    provider, client = own_provider
    settings = openid(provider, client, nonce="client_plain")
    deployment = deploy({"op": settings}).start()
    app = Application(deployment)
    signed_in(app.exchange("op", _posted(own_provider, provider.rsa_key)))
    with provider.stopped():
        _reload(deployment, deployment.settings, RELOADED)
        signed_in(app.exchange("op", _posted(own_provider, provider.rsa_key)))
        # A changed provider's keys are fetched again.
        deployment.settings["providers"]["op"]["timeout"] = "9s"
        _reload(deployment, deployment.settings, RELOADED)
        refused(app.exchange("op", _posted(own_provider, provider.rsa_key)), 502, "provider_unreachable", "same")


def test_a_key_that_its_provider_has_removed_is_refused_after_a_reload(deploy: Deploy, own_provider: Own) -> None:
    provider, client = own_provider
    deployment = deploy({"op": openid(provider, client, nonce="client_plain")}).start()
    app = Application(deployment)
    removed = provider.rsa_key
    signed_in(app.exchange("op", _posted(own_provider, removed)))
    provider.rotate_keys()
    # The server has the key set in its cache, and the lifetime of that has not ended.
    signed_in(app.exchange("op", _posted(own_provider, removed)))
    _reload(deployment, deployment.settings, RELOADED)
    refused(app.exchange("op", _posted(own_provider, removed)), 400, "unknown_key")
    signed_in(app.exchange("op", _posted(own_provider, provider.rsa_key)))


def test_a_client_that_was_added_is_known_after_a_reload(deploy: Deploy, peers: Peers) -> None:
    deployment = deploy().start()
    settings = deployment.settings
    settings["clients"]["new-app"] = settings["clients"]["app"] | {"name": "New"}
    _reload(deployment, settings, RELOADED)
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
    signed_in(Application(deployment, "new-app").exchange("op", grant.credential))


@pytest.mark.parametrize("broken", ["syntax", "unknown key", "missing file", "open file", "not a key", "other project"])
def test_an_invalid_reload_keeps_the_old_configuration(
    deploy: Deploy, peers: Peers, service_account: ServiceAccount, broken: str
) -> None:
    deployment = deploy().start()
    app = Application(deployment)
    settings = json.loads(json.dumps(deployment.settings))
    account = Path(settings["firebase"]["service_account"][0])
    match broken:
        case "syntax":
            _reload(deployment, "clients: [unclosed", NOT_RELOADED)
        case "unknown key":
            _reload(deployment, settings | {"cleints": {}}, NOT_RELOADED)
        case "missing file":
            settings["firebase"]["service_account"] = str(account) + ".missing"
            _reload(deployment, settings, NOT_RELOADED)
        case "open file":
            account.chmod(0o644)
            _reload(deployment, settings, NOT_RELOADED)
        case "not a key":
            account.write_text('{"type": "service_account", "private_key": "none"}')
            _reload(deployment, settings, NOT_RELOADED)
        case "other project":
            # The default project is that of the service account.
            other = ServiceAccount("other-project").write(account.parent, "other.json")
            settings["firebase"]["service_account"] = str(other)
            _reload(deployment, settings, NOT_RELOADED)
            assert "requires a restart" in deployment.log
    assert _signing_key(app, peers) == service_account.key_id
    assert deployment.admin("/readyz") == 200


def _wait_for_more(answers: list[Answer]) -> None:
    seen = len(answers)
    wait_until(lambda: len(answers) > seen + 8, "sign-ins go on")


def test_a_reload_under_load_fails_no_request(deploy: Deploy, peers: Peers, service_account: ServiceAccount) -> None:
    """R-26, R-27."""
    new = ServiceAccount()
    deployment = deploy(accounts=[service_account, new]).start()
    done = threading.Event()
    answers: list[Answer] = []

    def sign_in() -> None:
        app = Application(deployment)
        while not done.is_set():
            grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
            answers.append(app.exchange("op", grant.credential))

    threads = [threading.Thread(target=sign_in) for _ in range(4)]
    for thread in threads:
        thread.start()
    settings = deployment.settings
    for _ in range(3):
        settings["firebase"]["service_account"].reverse()
        _reload(deployment, settings, RELOADED)
        _wait_for_more(answers)
    done.set()
    for thread in threads:
        thread.join()
    keys = {tokens.header(signed_in(answer)["custom_token"])["kid"] for answer in answers}
    assert keys == {service_account.key_id, new.key_id}


def _on_cloud_run(deployment: Deployment) -> Deployment:
    """The deployment with one port, which the variable PORT names, and without the times of a shutdown."""
    deployment.environment |= {"K_SERVICE": "sign-in", "PORT": deployment.origin.rsplit(":", 1)[1]}
    deployment.admin_origin = deployment.origin
    deployment.configure(
        deployment.settings
        | {
            "server": {"public_url": deployment.origin, "listen": "127.0.0.1:env:PORT", "admin_listen": "off"},
            "logging": {"format": "google"},
        }
    )
    return deployment


@pytest.mark.parametrize("is_on_cloud_run", [False, True])
def test_requests_in_progress_at_sigterm_are_finished(deploy: Deploy, peers: Peers, *, is_on_cloud_run: bool) -> None:
    """R-12: requests in flight are completed, new ones are refused, and the exit code is 0."""
    deployment = deploy()
    if is_on_cloud_run:
        _on_cloud_run(deployment)
    deployment.start()
    grants = [browser.obtain_code(peers.openid, peers.ours)[0] for _ in range(16)]
    answers: list[Answer] = []
    held = faults.Held()
    before = len(peers.openid.arrivals("/token"))
    threads = [
        threading.Thread(target=lambda it=grant: answers.append(Application(deployment).exchange("op", it.credential)))
        for grant in grants
    ]
    code: list[int] = []
    end = threading.Thread(target=lambda: code.append(deployment.terminate()))
    with peers.openid.answering("/token", held):
        for thread in threads:
            thread.start()
        wait_until(lambda: len(peers.openid.arrivals("/token")) == before + 16, "all requests are at the provider")
        end.start()
        wait_until(lambda: _turned_away(deployment), "new requests are refused")
        assert not answers
        assert not code
        held.release()
        for thread in threads:
            thread.join()
    end.join()
    assert len(answers) == 16
    for answer in answers:
        signed_in(answer)
    assert code == [0]
    if is_on_cloud_run:
        assert '"requestUrl":"/v1/exchange"' in deployment.log
        assert "readyz" not in deployment.log


def _turned_away(deployment: Deployment) -> bool:
    try:
        response = requests.post(
            deployment.origin + "/v1/nonce", json={"client_id": "app", "provider": "op"}, timeout=5
        )
    except requests.ConnectionError:
        return True
    return response.status_code == 503 and response.json()["reason"] == "draining"


def test_a_provider_that_never_responds_does_not_delay_the_end(deploy: Deploy, peers: Peers) -> None:
    """R-31: requests are cancelled at the deadline, and used credentials stay used."""
    deployment = deploy(server={"drain_timeout": "1s"}).start()
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
    held = faults.Held()
    before = len(peers.openid.arrivals("/token"))

    def send() -> None:
        with contextlib.suppress(requests.ConnectionError, ValueError):
            Application(deployment).exchange("op", grant.credential)

    thread = threading.Thread(target=send)
    with peers.openid.answering("/token", held):
        thread.start()
        wait_until(lambda: len(peers.openid.arrivals("/token")) > before, "the request is at the provider")
        assert deployment.terminate() == 0
        held.release()
    thread.join()
    deployment.start()
    answer = Application(deployment).exchange("op", grant.credential)
    assert (answer.status, answer["reason"]) == (400, "replayed")


def _limits(deployment: Deployment, name: str) -> list[str]:
    """The soft and hard limit of the running process."""
    lines = Path(f"/proc/{deployment.process.pid}/limits").read_text().splitlines()
    return next(line for line in lines if line.startswith(name)).removeprefix(name).split()[:2]


def test_as_many_connections_as_the_system_allows(deploy: Deploy) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    deployment = deploy()
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(256, hard), hard))
    try:
        deployment.start()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert _limits(deployment, "Max open files") == [str(hard)] * 2


class _Connections(contextlib.ExitStack):
    """Idle connections to the public listener."""

    def __init__(self, deployment: Deployment) -> None:
        super().__init__()
        host, port = deployment.origin.removeprefix("http://").split(":")
        self.address = (host, int(port))

    def open(self, source: str = "127.0.0.1") -> socket.socket:
        return self.enter_context(socket.create_connection(self.address, DEADLINE, source_address=(source, 0)))


def _metric(deployment: Deployment, name: str) -> int:
    lines = [line for line in deployment.admin_text("/metrics").splitlines() if line.startswith(name)]
    return sum(int(line.rsplit(" ", 1)[1]) for line in lines)


def _descriptors(deployment: Deployment) -> set[int]:
    return {int(entry) for entry in os.listdir(f"/proc/{deployment.process.pid}/fd")}


def _open(connections: list[socket.socket]) -> list[socket.socket]:
    """Those that the server has not closed, of connections at which it sends nothing."""
    events = select.poll()
    for connection in connections:
        events.register(connection, select.POLLIN)
    ended = {descriptor for descriptor, _ in events.poll(0)}
    return [connection for connection in connections if connection.fileno() not in ended]


REQUEST = b"GET /openapi.json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize("addresses", [1, 300])
def test_connections_leave_descriptors_for_all_the_rest(deploy: Deploy, addresses: int) -> None:
    """HT-18: the limit depends on RLIMIT_NOFILE, so idle connections block neither the store nor the admin listener.

    Nor do they keep out a client that sends its request at once: those that have waited longest give way.
    """
    limit = 300
    deployment = deploy()
    wrapper = deployment.folder / "few-files"
    wrapper.write_text(f'#!/bin/sh\nulimit -n {limit}\nexec "{deployment.binary}" "$@"\n')
    wrapper.chmod(0o700)
    deployment.binary = wrapper
    deployment.start()
    assert _limits(deployment, "Max open files") == [str(limit)] * 2
    said = [json.loads(line) for line in deployment.log.splitlines() if "connections at most" in line]
    most = int(said[0]["count"])
    with _Connections(deployment) as connections:
        sources = [f"127.0.{1 + number // 100}.{1 + number % 100}" for number in range(addresses)]
        idle = [connections.open(sources[number % addresses]) for number in range(limit)]
        # At the address of most idle connections, if they have one.
        fresh = connections.open(sources[0])
        fresh.sendall(REQUEST)
        assert fresh.recv(16) == b"HTTP/1.1 200 OK\r"
        # One address has an eighth, but not fewer than 8.
        kept = (most if addresses > 1 else max(8, most // 8)) - 1
        # The other event loop may still accept the last of the idle connections.
        wait_until(
            lambda: _metric(deployment, "token_exchange_given_way_total") == limit - kept, "all others have given way"
        )
        # On a slow machine, some of those that were kept have reached their own deadline.
        wait_until(lambda: len(_open(idle)) <= kept, "the others are closed")
        # The order is that of two event loops, so that it is only approximately the one in which they were opened.
        assert not set(_open(idle)) & set(idle[: limit // 2])
        for path in ("/healthz", "/readyz"):
            assert deployment.admin(path) == 200
        assert len(_descriptors(deployment)) < limit - 50
    assert _metric(deployment, "token_exchange_accept_pauses_total") == 0
    assert Application(deployment).sign_in("op", CALLBACK).status == 200


def test_without_descriptors_accepting_pauses_and_is_logged_once(deploy: Deploy) -> None:
    """HT-18: no busy loop, the admin listener still answers, and everything works again afterwards."""
    deployment = deploy().start()
    pid = deployment.process.pid
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    # All file descriptors are in use.
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (max(_descriptors(deployment)) + 1, before[1]))
    with _Connections(deployment) as connections:
        began = time.monotonic()
        waiting = [connections.open() for _ in range(64)]
        wait_until(lambda: _metric(deployment, "token_exchange_accept_pauses_total") > 0, "accepting pauses")
        for _ in range(20):
            assert deployment.admin("/healthz") == 200
        pauses = _metric(deployment, "token_exchange_accept_pauses_total")
        assert pauses <= 2 * (1 + (time.monotonic() - began) / 0.1)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
        for connection in waiting:
            connection.sendall(REQUEST)
            assert connection.recv(16) == b"HTTP/1.1 200 OK\r"
    said = [line for line in deployment.log.splitlines() if "no file descriptors are left" in line]
    # The admin listener may fail once in the same way, before it gets the reserved descriptors.
    assert sum('"listener":"public"' in line for line in said) == 1, said
    assert len(said) <= 2, said


def test_a_file_that_may_not_grow_is_no_end(deploy: Deploy) -> None:
    deployment = deploy().start()
    mask = next(
        line.split()[1]
        for line in Path(f"/proc/{deployment.process.pid}/status").read_text().splitlines()
        if line.startswith("SigIgn:")
    )
    assert int(mask, 16) >> (signal.SIGXFSZ - 1) & 1


def test_a_log_that_is_not_read_delays_neither_responses_nor_the_end(deploy: Deploy) -> None:
    deployment = deploy(logging={"level": "info"})
    unread, written = os.pipe()
    fcntl.fcntl(written, fcntl.F_SETPIPE_SZ, PIPE_SIZE)
    process = subprocess.Popen(
        [str(deployment.binary), "serve", "--config", str(deployment.configuration)],
        env=deployment.environment,
        stdout=written,
        stderr=subprocess.DEVNULL,
    )
    os.close(written)
    try:
        wait_until(lambda: deployment.admin("/readyz") == 200, "the server is ready")
        app = Application(deployment)
        for _ in range(PIPE_SIZE // LINE_SIZE):
            refused(app.exchange("op", {"type": "id_token", "id_token": "e30.e30.e30"}), 400, "missing_field")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=DEADLINE) == 0
        assert len(os.read(unread, 2 * PIPE_SIZE)) > PIPE_SIZE - LONGEST_LINE
    finally:
        process.kill()
        os.close(unread)


def test_sighup_before_anything_can_be_reloaded_is_no_end(deploy: Deploy) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(DEADLINE)
        port = silent.getsockname()[1]
        deployment = deploy(**postgres_store(f"postgresql://nobody:nothing@127.0.0.1:{port}/nothing"))
        process = subprocess.Popen(
            [str(deployment.binary), "serve", "--config", str(deployment.configuration)],
            env=deployment.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        connection, _ = silent.accept()
        process.send_signal(signal.SIGHUP)
        connection.close()
    assert process.wait(timeout=DEADLINE) > 0


def test_a_clock_that_was_set_back_is_logged(deploy: Deploy) -> None:
    """SR-21."""
    deployment = deploy().start()
    told = "the clock was set back"
    assert told not in deployment.log
    moment = int(time.time())
    for statement in ["UPDATE swept SET through = ?", "UPDATE watch SET until = ?"]:
        deployment.change(statement, moment + 3 * 86400 + 3600)
        wait_until(lambda: deployment.admin("/readyz") == 503, "the server is not ready")
        found = json.loads(deployment.admin_text("/readyz"))
        assert found["failing"] == ["clock_behind"]
        assert "in about 3 days" in found["warnings"][0] and "--new-store" in found["warnings"][0]
        wait_until(lambda: told in deployment.log, "the warning")
        assert "in about 3 days, when" in deployment.log
        deployment.change(statement, moment - 1)
        wait_until(lambda: deployment.admin("/readyz") == 200, "the server is ready")


def test_sigterm_without_work_ends_at_once(deploy: Deploy) -> None:
    assert deploy().start().terminate() == 0


def test_config_check_accepts_what_serve_accepts(deploy: Deploy) -> None:
    deployment = deploy()
    result = deployment.run("config", "check")
    assert result.returncode == 0, result.stderr
    found = deployment.secrets.found_in(result.stdout + result.stderr)
    assert not found
