"""The gates before a custom token: hooks, which verify the questions of the server with PyJWT, and e-mail domains."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import jwt
import pytest

from conftest import Deploy, Peers
from deployment.application import Answer, Application
from deployment.expectations import refused, signed_in, verified
from deployment.service_account import ServiceAccount
from deployment.waiting import wait_until
from peers import browser, faults
from peers.hook import Hook


@pytest.fixture
def hook(service_account: ServiceAccount) -> Iterator[Hook]:
    gate = Hook(service_account.public_pem, service_account.email)
    yield gate
    gate.stop()
    assert gate.refusals == [], "every question of the server is verified"


@pytest.fixture
def gated(deploy: Deploy, peers: Peers, hook: Hook) -> Callable[..., Application]:
    """Starts a server that asks the hook at these points."""

    def started(*points: str, **members: Any) -> Application:
        hooks = {point: {"url": hook.url, "timeout": "10s"} | members for point in points}
        op = peers.providers["op"]
        return Application(deploy(providers={"op": op}, hooks=hooks).start())

    return started


def _credential(app: Application, peers: Peers, subject: str) -> dict[str, Any]:
    issued = browser.obtain_tokens(peers.openid, peers.ours, subject=subject)
    _, verifier = app.nonce("op")
    return {"type": "access_token", "access_token": issued["access_token"], "nonce": verifier}


def _sign_in(app: Application, peers: Peers, subject: str) -> Answer:
    return app.exchange("op", _credential(app, peers, subject))


def test_the_hook_verifies_each_question_and_adds_claims(
    gated: Callable[..., Application], peers: Peers, hook: Hook, service_account: ServiceAccount
) -> None:
    app = gated("before_create", "before_sign_in")
    hook.answer = {"claims": {"role": "editor", "groups": ["a", "b"]}}
    answer = _sign_in(app, peers, "hooked-1")
    claims = verified(signed_in(answer)["custom_token"], service_account)["claims"]
    assert claims == {"idp": "op", "idp_uid": "hooked-1", "role": "editor", "groups": ["a", "b"]}
    creation, sign_in = hook.events
    assert creation["type"] == "before_create" and "uid" not in creation
    assert sign_in == creation | {"type": "before_sign_in", "uid": "op:hooked-1"}
    assert sign_in["profile"] == answer["profile"]
    assert sign_in["request_id"] == answer.header["x-request-id"]
    assert (sign_in["provider"], sign_in["provider_uid"]) == ("op", "hooked-1")
    assert (sign_in["client_id"], sign_in["audience_proof"]) == ("app", "introspection")
    assert (sign_in["is_new_user"], sign_in["address"]) == (True, "127.0.0.1")
    signed_in(_sign_in(app, peers, "hooked-1"))
    assert [event["type"] for event in hook.events[2:]] == ["before_sign_in"]
    assert hook.events[2]["is_new_user"] is False


def test_a_refusal_reaches_the_application_with_its_text(
    gated: Callable[..., Application], peers: Peers, hook: Hook
) -> None:
    app = gated("before_create")
    text = 'Ask "Ann" <b>first</b>: ä'
    hook.answer = {"deny": {"message": text}}
    credential = _credential(app, peers, "hooked-2")
    answer = app.exchange("op", credential)
    assert answer.body.pop("message") == text
    refused(answer, 403, "blocked_by_hook")
    # Spent stays spent, and there is no account.
    refused(app.exchange("op", credential), 400, "replayed")
    hook.answer = {}
    assert signed_in(_sign_in(app, peers, "hooked-2"))["is_new_user"] is True


def _slow(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Answers after the timeout of the hook."""
    time.sleep(1)
    start_response("200 OK", [("Content-Length", "2")])
    return [b"{}"]


FAULTS = {
    "garbage": faults.content("garbage", "text/html"),
    "list": faults.content("[]"),
    "unknown member": faults.content({"allow": True}),
    "protected claim": faults.content({"claims": {"idp": "yahoo.com"}}),
    "reserved claim": faults.content({"claims": {"sub": "admin"}}),
    "too many claims": faults.content({"claims": {"a": "a" * 1000}}),
    "too long": faults.content({"claims": {"a": "a" * 20_000}}),
    "error": faults.status(500),
    "no content": faults.content(b"", status=204),
    "slow": _slow,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_useless_answer_signs_no_user_in(
    gated: Callable[..., Application], peers: Peers, hook: Hook, fault: str
) -> None:
    app = gated("before_sign_in", timeout="500ms")
    credential = _credential(app, peers, "hooked-3")
    with hook.answering("/gate", FAULTS[fault]):
        refused(app.exchange("op", credential), 503, "hook_unavailable", "same")
    # The credential was given back.
    signed_in(app.exchange("op", credential))


def test_a_redirect_is_not_followed(gated: Callable[..., Application], peers: Peers, hook: Hook) -> None:
    app = gated("before_sign_in")
    for code in [301, 302, 303, 307, 308]:
        with hook.answering("/gate", faults.redirect(hook.origin + "/elsewhere", code)):
            refused(_sign_in(app, peers, "hooked-4"), 503, "hook_unavailable", "same")
    assert hook.arrivals("/elsewhere") == []
    assert hook.events == []


def test_after_a_failure_the_call_continues_only_if_the_operator_says_so(
    gated: Callable[..., Application], peers: Peers, hook: Hook, service_account: ServiceAccount
) -> None:
    app = gated("before_sign_in", on_failure="allow")
    with hook.answering("/gate", faults.content("garbage")):
        answer = _sign_in(app, peers, "hooked-5")
    body = signed_in(answer)
    assert verified(body["custom_token"], service_account)["claims"] == {"idp": "op", "idp_uid": "hooked-5"}
    warning = next(line for line in app.deployment.log.splitlines() if "a hook gave no usable answer" in line)
    assert answer.header["x-request-id"] in warning
    assert "before_sign_in" in warning and "the answer is not one JSON object" in warning
    hook.answer = {"deny": {}}
    refused(_sign_in(app, peers, "hooked-5"), 403, "blocked_by_hook")


def test_a_reload_asks_the_new_hooks(deploy: Deploy, peers: Peers, hook: Hook) -> None:
    deployment = deploy().start()
    app = Application(deployment)
    signed_in(_sign_in(app, peers, "hooked-7"))
    assert hook.events == []
    deployment.configure(deployment.settings | {"hooks": {"before_sign_in": {"url": hook.url}}})
    deployment.reload()
    wait_until(lambda: "configuration reloaded" in deployment.log, "the reload")
    signed_in(_sign_in(app, peers, "hooked-7"))
    assert [event["type"] for event in hook.events] == ["before_sign_in"]


def test_a_client_admits_only_verified_addresses_of_its_domains(deploy: Deploy, peers: Peers) -> None:
    """The provider's users have verified addresses of people.example."""
    deployment = deploy()
    clients = deployment.settings["clients"]
    for client, domain in [("app", "people.example"), ("trusted", "other.example")]:
        clients[client] |= {"allowed_email_domains": [domain]}
    deployment.configure(deployment.settings)
    deployment.start()
    refused(_sign_in(Application(deployment, "trusted"), peers, "hooked-8"), 403, "email_domain_not_allowed")
    body = signed_in(_sign_in(Application(deployment), peers, "hooked-8"))
    assert body["is_new_user"] is True


def test_a_question_is_no_custom_token(gated: Callable[..., Application], peers: Peers, hook: Hook) -> None:
    """Its audience and its type are those of a question, and it has no uid at the top."""
    signed_in(_sign_in(gated("before_sign_in"), peers, "hooked-6"))
    token = hook.arrivals("/gate")[-1].body.decode()
    payload = jwt.decode(token, options={"verify_signature": False})
    assert set(payload) == {"iss", "sub", "aud", "iat", "exp", "jti", "event"}
    assert payload["aud"] == hook.url
