"""Single use of every credential: in sequence, in parallel, in other spellings, and after a crash."""

from __future__ import annotations

import base64
import secrets
import time
from dataclasses import dataclass
from typing import Any

import pytest

from conftest import Deploy, Peers
from deployment.application import Application
from deployment.configuration import CALLBACK
from deployment.expectations import exactly_one_signed_in, refused, signed_in
from deployment.process import Deployment
from deployment.waiting import wait_until
from peers import browser, tokens
from peers.oauth1_server import OAuth1Server, person

COPIES = 50


@dataclass(frozen=True)
class Evidence:
    """A credential that is valid once, and the provider's endpoint that would receive a replay."""

    provider: str
    credential: dict[str, Any]
    endpoint: str | None


def _id_token(app: Application, peers: Peers) -> Evidence:
    nonce, verifier = app.nonce("op")
    issued = browser.obtain_tokens(peers.openid, peers.ours, nonce)
    return Evidence("op", {"type": "id_token", "id_token": issued["id_token"], "nonce": verifier}, None)


def _id_token_with_own_nonce(app: Application, peers: Peers) -> Evidence:
    """Here only the record of the token itself prevents a replay."""
    raw = secrets.token_urlsafe(16)
    issued = browser.obtain_tokens(peers.openid, peers.ours_with_ec, tokens.sha256(raw))
    return Evidence("op-ec", {"type": "id_token", "id_token": issued["id_token"], "nonce": raw}, None)


def _code(app: Application, peers: Peers) -> Evidence:
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
    return Evidence("op", grant.credential, "/token")


def _session(app: Application, peers: Peers) -> Evidence:
    begun = app.sign_in("op", CALLBACK, parameters={"login_hint": secrets.token_hex(8)})
    url = browser.callback(begun["authorization_url"])
    return Evidence("op", {"type": "callback", "session": begun["session"], "callback_url": url}, "/token")


def _access_token(app: Application, peers: Peers) -> Evidence:
    _, verifier = app.nonce("op")
    issued = browser.obtain_tokens(peers.openid, peers.ours)
    credential = {"type": "access_token", "access_token": issued["access_token"], "nonce": verifier}
    return Evidence("op", credential, "/introspect")


def _oauth1_session(app: Application, peers: Peers) -> Evidence:
    begun = app.sign_in("twitter.com", CALLBACK, flow="oauth1")
    url = browser.callback(begun["authorization_url"])
    credential = {"type": "callback", "session": begun["session"], "callback_url": url}
    return Evidence("twitter.com", credential, OAuth1Server.ACCESS_TOKEN)


def _oauth1_token(app: Application, peers: Peers) -> Evidence:
    _, verifier = app.nonce("twitter.com")
    issued = peers.x.issue(peers.consumer, person())
    credential = {
        "type": "oauth1_token",
        "oauth_token": issued.token,
        "oauth_token_secret": issued.secret,
        "nonce": verifier,
    }
    return Evidence("twitter.com", credential, OAuth1Server.VERIFY_CREDENTIALS)


KINDS = [_id_token, _id_token_with_own_nonce, _code, _session, _access_token, _oauth1_session, _oauth1_token]
EVERY_KIND = pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__.strip("_"))


def _seen(peers: Peers, evidence: Evidence) -> int:
    """The number of requests to the provider for such a credential."""
    if evidence.endpoint is None:
        return 0
    peer = peers.x if evidence.provider == "twitter.com" else peers.openid
    return len(peer.arrivals(evidence.endpoint))


@EVERY_KIND
def test_the_same_request_twice_signs_in_once(app: Application, peers: Peers, make: Any) -> None:
    """EX-01, EX-03, CB-04, IDT-39, O1-06, O1-11."""
    evidence = make(app, peers)
    before = _seen(peers, evidence)
    signed_in(app.exchange(evidence.provider, evidence.credential))
    refused(app.exchange(evidence.provider, evidence.credential), 400, "replayed")
    refused(app.exchange(evidence.provider, evidence.credential), 400, "replayed")
    assert _seen(peers, evidence) == before + (evidence.endpoint is not None)


@EVERY_KIND
def test_fifty_copies_at_once_sign_in_once(app: Application, peers: Peers, make: Any) -> None:
    """EX-02, CB-05, IDT-40, O1-06, O1-11."""
    evidence = make(app, peers)
    before = _seen(peers, evidence)
    exactly_one_signed_in(app.exchange_at_once(evidence.provider, evidence.credential, COPIES))
    assert _seen(peers, evidence) == before + (evidence.endpoint is not None)


@pytest.mark.parametrize("end", ["kill", "terminate"])
def test_a_restart_forgets_nothing(deploy: Deploy, peers: Peers, end: str) -> None:
    """CR-01, IDT-45, SR-20: kill -9 immediately after the answer, and a restart with the same database."""
    deployment = deploy(peers.providers).start()
    app = Application(deployment)
    used = [make(app, peers) for make in KINDS]
    fresh = [make(app, peers) for make in KINDS]
    for evidence in used:
        signed_in(app.exchange(evidence.provider, evidence.credential))
    # A token with the second of the stop as its issue time may have been issued after the stop.
    issued = int(time.time())
    wait_until(lambda: int(time.time()) > issued, "the next second")
    assert getattr(deployment, end)() in (None, 0)
    deployment.start()
    for evidence in used:
        before = _seen(peers, evidence)
        refused(Application(deployment).exchange(evidence.provider, evidence.credential), 400, "replayed")
        assert _seen(peers, evidence) == before
    for evidence in fresh:
        answer = Application(deployment).exchange(evidence.provider, evidence.credential)
        if end == "terminate" or evidence.credential["type"] == "authorization_code":
            # Unused credentials are still valid, because the seal key is the same.
            signed_in(answer)
        else:
            # The server cannot distinguish a killed server's database from a restored copy.
            refused(answer, 400, "issued_unwatched", "restart")


def test_a_restored_database_accepts_no_used_credential(deploy: Deploy, peers: Peers) -> None:
    """SR-22: the copy is one minute old, and the credentials are older than it."""
    deployment = deploy(peers.providers).start()
    app = Application(deployment)
    used = [make(app, peers) for make in KINDS]
    assert deployment.terminate() == 0
    backup = deployment.database.read_bytes()
    deployment.start()
    deployment.watch_since(60)
    for evidence in used:
        signed_in(Application(deployment).exchange(evidence.provider, evidence.credential))
    deployment.terminate()
    deployment.database.write_bytes(backup)
    deployment.start()
    for evidence in used:
        before = _seen(peers, evidence)
        answer = Application(deployment).exchange(evidence.provider, evidence.credential)
        if evidence.credential["type"] == "authorization_code":
            # The provider remembers the code.
            refused(answer, 400, "code_rejected")
        else:
            refused(answer, 400, "issued_unwatched", "restart")
            assert _seen(peers, evidence) == before
    signed_in(Application(deployment).exchange("op", _code(app, peers).credential))


def test_a_database_that_is_missing_is_not_made_anew_beside_its_key(deploy: Deploy, peers: Peers) -> None:
    """SR-22."""
    deployment = deploy(peers.providers).start()
    app = Application(deployment)
    used = _id_token_with_own_nonce(app, peers)
    assert deployment.terminate() == 0
    deployment.database.unlink()
    result = deployment.run("serve")
    assert result.returncode == 78
    assert "--new-store" in result.stderr and "backup" in result.stderr
    assert not deployment.database.exists()
    assert deployment.run("migrate").returncode == 78
    deployment.start(options=["--new-store"])
    refused(Application(deployment).exchange(used.provider, used.credential), 400, "issued_unwatched", "restart")
    signed_in(Application(deployment).exchange("op-ec", _id_token_with_own_nonce(app, peers).credential))


@pytest.mark.parametrize("keys", ["seal_keys", "neither"])
def test_a_new_store_is_announced_if_no_key_file_can_tell_that_it_is_new(deploy: Deploy, keys: str) -> None:
    """If the keys are configured, there is no key file that shows whether a database existed before."""
    key = base64.urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip("=")
    sections = {"seal_keys": [key]} if keys == "seal_keys" else {}
    deployment = deploy(**sections).start()
    assert deployment.log.count("a new, empty store is created") == len(sections)
    assert deployment.terminate() == 0
    before = len(deployment.log)
    deployment.start()
    assert "a new, empty store is created" not in deployment.log[before:]


def test_the_other_signature_of_a_used_token_is_a_replay(app: Application, peers: Peers) -> None:
    """IDT-41: (r, n - s) is valid too, and is a different text with a different hash."""
    evidence = _id_token_with_own_nonce(app, peers)
    token = evidence.credential["id_token"]
    other = evidence.credential | {"id_token": tokens.with_other_signature(token)}
    signed_in(app.exchange(evidence.provider, evidence.credential))
    refused(app.exchange(evidence.provider, other), 400, "replayed")


def test_the_token_itself_is_a_replay_of_its_other_signature(app: Application, peers: Peers) -> None:
    """IDT-41 in the reverse order. It also shows that the other signature is valid here."""
    evidence = _id_token_with_own_nonce(app, peers)
    token = evidence.credential["id_token"]
    other = evidence.credential | {"id_token": tokens.with_other_signature(token)}
    signed_in(app.exchange(evidence.provider, other))
    refused(app.exchange(evidence.provider, evidence.credential), 400, "replayed")


def test_both_signatures_at_once_sign_in_once(app: Application, peers: Peers) -> None:
    """IDT-40 with IDT-41."""
    evidence = _id_token_with_own_nonce(app, peers)
    other = evidence.credential | {"id_token": tokens.with_other_signature(evidence.credential["id_token"])}
    exactly_one_signed_in(app.exchange_at_once(evidence.provider, [evidence.credential, other], COPIES))


@pytest.mark.parametrize("make", [_id_token, _id_token_with_own_nonce], ids=["RS256", "ES256"])
def test_an_altered_tail_of_a_token_is_no_token(app: Application, peers: Peers, make: Any) -> None:
    """IDT-42: refused before and after the token is used, and without using it up."""
    evidence = make(app, peers)
    altered = evidence.credential | {"id_token": tokens.with_other_tail(evidence.credential["id_token"])}
    refused(app.exchange(evidence.provider, altered), 400, "malformed_token")
    signed_in(app.exchange(evidence.provider, evidence.credential))
    refused(app.exchange(evidence.provider, altered), 400, "malformed_token")


@pytest.mark.parametrize(
    ("make", "member", "reason"),
    [(_session, "session", "session_invalid"), (_oauth1_token, "nonce", "nonce_mismatch")],
    ids=["session", "nonce"],
)
def test_a_sealed_value_with_an_altered_tail_does_not_open(
    app: Application, peers: Peers, make: Any, member: str, reason: str
) -> None:
    """CB-07: only canonical base64url is accepted."""
    evidence = make(app, peers)
    sealed = evidence.credential[member]
    signed_in(app.exchange(evidence.provider, evidence.credential))
    for other in (sealed[:-1] + ("A" if sealed[-1] != "A" else "B"), sealed + "A", sealed + "=", sealed[:-1]):
        refused(app.exchange(evidence.provider, evidence.credential | {member: other}), 400, reason)


def test_a_used_nonce_is_no_nonce_for_another_token(app: Application, peers: Peers) -> None:
    """IDT-28: two ID tokens with the same nonce."""
    nonce, verifier = app.nonce("op")
    first, second = (browser.obtain_tokens(peers.openid, peers.ours, nonce)["id_token"] for _ in range(2))
    signed_in(app.exchange("op", {"type": "id_token", "id_token": first, "nonce": verifier}))
    refused(app.exchange("op", {"type": "id_token", "id_token": second, "nonce": verifier}), 400, "replayed")


def test_a_used_token_is_used_up_with_every_other_nonce(app: Application, peers: Peers) -> None:
    """IDT-39: another nonce with the same token."""
    evidence = _id_token(app, peers)
    signed_in(app.exchange(evidence.provider, evidence.credential))
    _, other = app.nonce("op")
    answer = app.exchange(evidence.provider, evidence.credential | {"nonce": other})
    refused(answer, 400, "nonce_mismatch")


def test_a_used_token_is_used_up_for_every_other_client(app: Application, trusted: Application, peers: Peers) -> None:
    """IDT-39, IDT-44."""
    evidence = _id_token_with_own_nonce(app, peers)
    signed_in(app.exchange(evidence.provider, evidence.credential))
    refused(trusted.exchange(evidence.provider, evidence.credential), 400, "replayed")


def test_a_code_of_a_finished_flow_is_used_up_by_itself(app: Application, peers: Peers) -> None:
    """EX-18."""
    evidence = _session(app, peers)
    code = browser.parameters(evidence.credential["callback_url"])["code"]
    signed_in(app.exchange(evidence.provider, evidence.credential))
    credential = {
        "type": "authorization_code",
        "code": code,
        "redirect_uri": CALLBACK,
        "code_verifier": "v" * 43,
        "nonce": "n" * 22,
    }
    before = _seen(peers, evidence)
    refused(app.exchange(evidence.provider, credential), 400, "replayed")
    assert _seen(peers, evidence) == before


def test_a_session_is_used_up_with_every_other_code(app: Application, peers: Peers) -> None:
    """A second code of the provider cannot be used with a used session."""
    evidence = _session(app, peers)
    signed_in(app.exchange(evidence.provider, evidence.credential))
    url = evidence.credential["callback_url"]
    other = url.replace(browser.parameters(url)["code"], browser.obtain_code(peers.openid, peers.ours)[0].code)
    before = _seen(peers, evidence)
    refused(app.exchange(evidence.provider, evidence.credential | {"callback_url": other}), 400, "replayed")
    assert _seen(peers, evidence) == before


def test_two_processes_on_one_database_sign_in_once(deploy: Deploy, shared: Deployment, peers: Peers) -> None:
    """IDT-40, EX-02 at two instances."""
    first = deploy(peers.providers)
    second = deploy(peers.providers, store=first.settings["store"])
    first.start()
    second.start()
    one, other = Application(first), Application(second)
    for make in (_id_token_with_own_nonce, _code):
        evidence = make(one, peers)
        before = _seen(peers, evidence)
        answers = one.exchange_at_once(
            evidence.provider, evidence.credential, COPIES, origins=[first.origin, second.origin]
        )
        exactly_one_signed_in(answers)
        assert _seen(peers, evidence) == before + (evidence.endpoint is not None)
        refused(other.exchange(evidence.provider, evidence.credential), 400, "replayed")
