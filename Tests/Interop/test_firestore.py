"""A store at Google's emulator of Firestore: replay, the outputs of the commands, and databases that cannot be used."""

from __future__ import annotations

import collections
import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import Peers
from deployment.application import Answer, Application
from deployment.configuration import firestore_store
from deployment.firestore import Firestore, GivenAnswer, Relay, absence, ask, documents, refusal
from deployment.fleet import fleet_of
from deployment.process import Deployment
from deployment.storm import Storm
from peers import browser

pytestmark = pytest.mark.skipif(absence() is not None, reason=str(absence()))

ROUNDS = 30


@pytest.fixture(scope="module")
def firestore() -> Iterator[Firestore]:
    firestore = Firestore()
    yield firestore
    firestore.close()


@pytest.fixture
def relay(firestore: Firestore) -> Iterator[Relay]:
    relay = Relay(firestore.port)
    yield relay
    relay.close()


@pytest.fixture
def server(deploy: Callable[..., Deployment], firestore: Firestore, relay: Relay) -> Deployment:
    """A server on an empty database behind the relay, which is not started."""
    return deploy(**firestore_store(firestore.database(), relay.host))


def test_a_credential_succeeds_once_at_three_servers_concurrently(
    binary: Path, tmp_path: Path, firestore: Firestore
) -> None:
    """IDT-40, EX-02: ID tokens, handoff codes and pending credentials in turn."""
    wrong: collections.Counter[tuple[str, ...]] = collections.Counter()
    emulator = {"store_emulator_host": firestore.host}
    with fleet_of(binary, tmp_path, firestore.database(), own=[emulator] * 3, logging={"level": "info"}) as fleet:
        storm = Storm(fleet)
        for number in range(ROUNDS):
            kind, answers = storm.round(number)
            seen = sorted(f"{answer.status} {answer.body.get('reason', '')}" for answer in answers)
            if seen != ["200 ", "400 replayed", "400 replayed"]:
                wrong[kind, *seen] += 1
    assert not wrong


def _token(app: Application, peers: Peers) -> dict[str, str]:
    nonce, verifier = app.nonce("op")
    issued = browser.obtain_tokens(peers.openid, peers.ours, nonce, "alice")
    return {"type": "id_token", "id_token": issued["id_token"], "nonce": verifier}


def _sign_in(server: Deployment, peers: Peers) -> Answer:
    app = Application(server)
    return app.exchange("op", _token(app, peers))


def test_the_emulator_gets_no_credentials(server: Deployment, relay: Relay, peers: Peers) -> None:
    """The service account signs custom tokens, and its access tokens are not for a process that checks none."""
    server.environment["FIRESTORE_EMULATOR_HOST"] = "127.0.0.1:1"
    server.start()
    assert _sign_in(server, peers).status == 200
    assert relay.tokens == {"Bearer owner"}
    assert "ACCOUNTS ARE NOT KEPT" in server.log


def _said(result: subprocess.CompletedProcess[str]) -> str:
    return result.stdout + result.stderr


def test_the_commands_at_an_empty_database(server: Deployment, tmp_path: Path) -> None:
    place = f"{server.settings['store']} (emulator at {server.settings['store_emulator_host']})"
    for words in (["migrate"], ["migrate", "--check"]):
        result = server.run(*words)
        assert (result.returncode, result.stdout) == (0, f"{place}: up to date\n"), _said(result)
    anew = server.run("migrate", "--new-store")
    assert anew.stdout.splitlines() == [
        "applied a new record of used credentials: everything that was issued before is refused",
        f"{place}: up to date",
    ], _said(anew)
    listed = server.run("accounts", "list")
    assert listed.returncode == 0, _said(listed)
    findings = {each["id"]: each for each in _findings(server)}
    assert findings["store.emulator"]["severity"] == "warning"
    assert findings["store.emulator"]["remedy"] == "Remove store_emulator_host in production."
    assert findings["store.latency"]["severity"] in ("ok", "warning")
    for command in ("backup", "restore"):
        result = server.run(command, str(tmp_path / "copy"))
        said = _said(result)
        assert result.returncode == 1 and "backups of Firestore are Google's" in said, said
        assert "gcloud firestore backups schedules create --project=test --database=t-" in said, said
        assert not (tmp_path / "copy").exists()


def _findings(server: Deployment) -> list[dict[str, Any]]:
    result = server.run("doctor", "--format", "json")
    found: list[dict[str, Any]] = json.loads(result.stdout)["findings"]
    return found


BAD = {
    "not_a_database": (
        refusal(400, "FAILED_PRECONDITION", "The Cloud Firestore API is not available for Firestore in Datastore Mode d."),
        78,
        "create one in native mode, and name it in store: gcloud firestore databases create --project=test",
    ),
    "no_database": (
        refusal(404, "NOT_FOUND", "The database d does not exist for project test."),
        1,
        "or create it: gcloud firestore databases create --project=test --database=t-",
    ),
    "no_privilege": (
        refusal(403, "PERMISSION_DENIED", "Missing or insufficient permissions."),
        1,
        "give the service account the role roles/datastore.user",
    ),
    "authentication_failed": (
        refusal(401, "UNAUTHENTICATED", "Request had invalid authentication credentials."),
        1,
        "doctor examines the service account of section firebase, the clock of this machine, and whether Google",
    ),
    "busy": (
        refusal(429, "RESOURCE_EXHAUSTED", "Quota exceeded."),
        1,
        "a used-up free quota ends at midnight Pacific time, or with billing",
    ),
    "no_answer": (refusal(503, "UNAVAILABLE", "Try later."), 1, "let this machine reach 127.0.0.1:"),
}


@pytest.mark.parametrize("fault", BAD)
def test_each_command_names_the_cause_and_the_remedy(server: Deployment, relay: Relay, fault: str) -> None:
    answer, code, remedy = BAD[fault]
    relay.answer = lambda line, body: answer
    for words in (["serve"], ["migrate", "--new-store"], ["accounts", "list"]):
        result = server.run(*words)
        said = _said(result)
        assert result.returncode == code, (words, said)
        assert f"store.unavailable.{fault}; Firestore answers {answer[0]} " in said and remedy in said, (words, said)
    finding = next(each for each in _findings(server) if each["id"] == "store.open")
    assert finding["severity"] == "error"
    assert f"store.unavailable.{fault}; " in finding["text"] and remedy in finding["text"], finding


@pytest.mark.parametrize("status", [403, 404])
def test_a_page_is_no_answer_of_firestore(server: Deployment, relay: Relay, status: int) -> None:
    relay.answer = lambda line, body: (status, "<html>Access denied by policy</html>")
    said = _said(server.run("accounts", "list"))
    assert f"no_answer; a page answers in place of Firestore, with the status {status}; " in said, said
    assert "if a page answers, let what is between this machine and 127.0.0.1:" in said, said


@pytest.mark.parametrize("fault", ["no_privilege", "busy", "no_answer"])
def test_nothing_is_issued_while_a_use_cannot_be_recorded(
    server: Deployment, relay: Relay, peers: Peers, fault: str
) -> None:
    server.start()
    app = Application(server)
    token = _token(app, peers)

    def no_commit(line: str, body: bytes) -> GivenAnswer | None:
        return BAD[fault][0] if ":commit" in line else None

    relay.answer = no_commit
    refused = app.exchange("op", token)
    assert refused.status == 503 and "custom_token" not in refused.body, refused
    relay.answer = lambda line, body: None
    assert app.exchange("op", token).status == 200
    assert app.exchange("op", token)["reason"] == "replayed"


def test_documents_that_were_changed_by_hand_are_named(
    server: Deployment, firestore: Firestore, peers: Peers
) -> None:
    uri = str(server.settings["store"])
    server.start()
    assert _sign_in(server, peers).status == 200
    remedy = "a document was changed by hand, or by another program: restore it, or delete the document"
    account = next(each for each in documents(firestore.host, uri) if "/accounts/" in each["name"])
    whole = account["fields"]
    damaged = {name: value for name, value in whole.items() if name != "created_at"}
    ask(firestore.host, "PATCH", account["name"], {"fields": damaged})
    listed = server.run("accounts", "list")
    assert listed.returncode == 1 and "store.corrupt; " + remedy in _said(listed), _said(listed)
    assert _sign_in(server, peers).status == 503
    ask(firestore.host, "PATCH", account["name"], {"fields": whole})
    assert _sign_in(server, peers).status == 200
    first = next(each for each in documents(firestore.host, uri) if each["name"].endswith("/meta/first_start"))
    ask(firestore.host, "PATCH", first["name"], {"fields": first["fields"] | {"since": {"stringValue": "now"}}})
    server.terminate()
    started = server.run("serve")
    assert started.returncode == 1 and "store.corrupt; " + remedy in _said(started), _said(started)


def test_the_start_at_an_emulator_asks_for_no_collection_without_a_token(server: Deployment, relay: Relay) -> None:
    server.start()
    assert relay.requests["commit"] > 0 and relay.requests["GET"] == 0
