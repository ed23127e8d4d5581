"""The contents of the log, and the secrets that it must not contain (LG-01)."""

from __future__ import annotations

import json
import secrets
from typing import Any

import pytest
import requests

from conftest import Deploy, Peers
from deployment.application import Answer, Application
from deployment.configuration import CALLBACK, postgres_store
from deployment.expectations import refused, signed_in
from deployment.postgres import Postgres
from deployment.process import Deployment
from deployment.secrets import Secrets
from deployment.service_account import ServiceAccount
from deployment.waiting import wait_until
from peers import browser, faults, tokens
from peers.oauth1_server import OAuth1Server, person


def test_no_line_of_the_log_contains_a_secret(deploy: Deploy, peers: Peers, service_account: ServiceAccount) -> None:
    """Sends every kind of credential at level debug: with success, as a replay, and with a failing provider."""
    deployment = deploy(peers.providers).start()
    app = Application(deployment, "trusted")
    mail = f"{secrets.token_hex(8)}"
    for _ in range(2):
        for fault in (None, faults.status(500), faults.content("<html>"), faults.hang_up):
            grant, _, _ = browser.obtain_code(peers.openid, peers.ours, subject=mail)
            if fault is None:
                signed_in(app.exchange("op", grant.credential))
                refused(app.exchange("op", grant.credential), 400, "replayed")
                continue
            with peers.openid.answering("/token", fault):
                assert app.exchange("op", grant.credential).status == 502
    nonce, verifier = app.nonce("op")
    issued = browser.obtain_tokens(peers.openid, peers.ours, nonce, mail)
    credential = {"type": "id_token", "id_token": issued["id_token"], "nonce": verifier}
    refused(
        app.exchange("op", credential | {"id_token": tokens.with_a_flipped_bit(issued["id_token"])}),
        400,
        "signature_invalid",
    )
    signed_in(app.exchange("op", credential | {"access_token": issued["access_token"]}))
    _, verifier = app.nonce("op")
    signed_in(app.exchange("op", {"type": "access_token", "access_token": issued["access_token"], "nonce": verifier}))
    for provider in ("op", "twitter.com"):
        begun = app.sign_in(provider, CALLBACK, parameters={"login_hint": mail} if provider == "op" else {})
        url = browser.callback(begun["authorization_url"])
        deployment.secrets.add(
            *browser.parameters(url).values(), *browser.parameters(begun["authorization_url"]).values()
        )
        app.exchange(provider, {"type": "callback", "session": begun["session"], "callback_url": url})
    pair = peers.x.issue(peers.consumer, person())
    _, verifier = app.nonce("twitter.com")
    credential = {"type": "oauth1_token", "oauth_token": pair.token, "oauth_token_secret": pair.secret}
    signed_in(app.exchange("twitter.com", credential | {"nonce": verifier}))
    with peers.x.answering(OAuth1Server.REQUEST_TOKEN, faults.status(500)):
        assert app.sign_in("twitter.com", CALLBACK).status == 502
    # Public values that were sent together with secrets.
    public = {CALLBACK, peers.openid.issuer, "S256", "openid profile email", peers.ours.client_id, "code"}
    # The subject, which is part of the uids in audit lines.
    public.add(mail)
    looked_for = Secrets()
    looked_for.add(*(text for text in deployment.secrets if text not in public))
    looked_for.add(f"{mail}@people.example", pair.person.email, *service_account.private_pem.splitlines()[1:-1])
    keys = [(deployment.folder / f"token-exchange.db.{use}-key").read_bytes() for use in ("seal", "store")]
    assert keys[0] != keys[1]
    for key in keys:
        looked_for.add(tokens.encode(key), key.hex(), str(list(key)))
    deployment.terminate()
    log = deployment.log
    assert len(log.splitlines()) > 20
    assert looked_for.found_in(log) == []
    deployment.secrets = looked_for


def test_no_metric_contains_a_secret(app: Application, peers: Peers) -> None:
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
    body = signed_in(app.exchange("op", grant.credential))
    metrics = app.deployment.admin_text("/metrics")
    assert "token_exchange_requests_total" in metrics
    assert app.deployment.secrets.found_in(metrics) == []
    assert body["uid"] not in metrics


def _lines_of(answer: Answer, deployment: Deployment) -> list[dict[str, Any]]:
    """The log lines of a request. They may be written after the answer, so this waits for them."""
    whole = deployment.log.rpartition("\n")[0]
    return [line for line in map(json.loads, whole.splitlines()) if line.get("request_id") == answer["request_id"]]


def test_every_line_is_one_json_object(app: Application, peers: Peers) -> None:
    """A request's line has the request_id of its answer."""
    answer = app.exchange("op", {"type": "authorization_code", "code": 'x\\"y', "redirect_uri": CALLBACK})
    refused(answer, 400, "pkce_required")

    def told() -> list[tuple[str, str]]:
        return [(line["reason"], line["status"]) for line in _lines_of(answer, app.deployment) if "status" in line]

    wait_until(lambda: told() == [("pkce_required", "400")], "the request's line")


def test_a_replay_is_a_line_and_a_count(app: Application, peers: Peers) -> None:
    """LG-04: replays are visible in the log."""
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
    signed_in(app.exchange("op", grant.credential))
    replay = app.exchange("op", grant.credential)
    refused(replay, 400, "replayed")

    def is_told() -> bool:
        return any(line.get("reason") == "replayed" for line in _lines_of(replay, app.deployment))

    wait_until(is_told, "the replay's line")
    wait_until(lambda: 'reason="replayed"' in app.deployment.admin_text("/metrics"), "the replay's count")


@pytest.mark.parametrize(
    ("query", "is_named"), [("code=c&state=s", True), ("error=e&state=s", True), ("code=c", False), ("", False)]
)
def test_a_response_for_an_application_at_this_server_is_named(app: Application, query: str, is_named: bool) -> None:
    """A redirect URI at the address of the server, where no application answers."""
    requests.get(f"{app.deployment.origin}/oauthredirect?{query}", timeout=10)

    def findings() -> list[str]:
        lines = [json.loads(line) for line in app.deployment.log.splitlines()]
        return [line["finding"] for line in lines if line.get("reason") == "not_found" and "finding" in line]

    expected = "the request is the response to an authorization request" if is_named else "No endpoint has this path."
    wait_until(lambda: any(finding.startswith(expected) for finding in findings()[-1:]), "the line of the request")


def test_the_check_would_find_a_secret() -> None:
    """Control: without this test the tests above might search for the wrong texts."""
    found = Secrets()
    found.add("eyJhbGciOi.eyJzdWIiOi.c2lnbmF0dXJl", "short")
    assert found.found_in("text with eyJzdWIiOi in it, and short") == ["eyJzdWIiOi"]


def test_a_secret_in_the_store_would_be_found(deploy: Deploy) -> None:
    """Control for KY-05, which each deployment checks at its end: octets in SQLite, and in PostgreSQL, whose dump is in hexadecimal."""
    secret = secrets.token_urlsafe(32)
    known = Secrets()
    known.add(secret)
    embedded = deploy().start()
    assert known.found_in_store(embedded.stored()) == []
    embedded.change("INSERT INTO retired_uids (uid, at) VALUES (?, 0)", secret.encode())
    assert known.found_in_store(embedded.stored()) == [secret]
    postgres = Postgres().start()
    try:
        uri = postgres.database()
        shared = deploy(**postgres_store(uri)).start()
        assert known.found_in_store(shared.stored()) == []
        octets = f"convert_to('{secret}', 'UTF8')"
        postgres.query(
            uri, f"INSERT INTO uids (uid) VALUES ({octets})", f"INSERT INTO retired_uids (uid, at) VALUES ({octets}, 0)"
        )
        assert known.found_in_store(shared.stored()) == [secret]
        assert shared.terminate() == 0
    finally:
        postgres.close()


def test_the_audit_trail_is_in_the_store_that_is_searched(deploy: Deploy, peers: Peers) -> None:
    deployment = deploy(peers.providers).start()
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
    signed_in(Application(deployment).exchange("op", grant.credential))
    wait_until(lambda: "mint" in deployment.stored(), "the line of the sign-in is in the store")
