"""A provider that is down, slow, busy or lies (R-01 to R-06, UP, JW)."""

from __future__ import annotations

import json
import secrets
import threading
from typing import Any

import pytest
import requests
from joserfc.jwk import RSAKey

from conftest import CLIENT_SECRET, Deploy, Peers
from deployment.application import Application
from deployment.configuration import CALLBACK, openid
from deployment.expectations import refused, signed_in
from deployment.waiting import wait_until
from peers import browser, faults, tokens
from peers.loopback import Fault, Loopback
from peers.openid_provider import Client, OpenIDProvider
from peers.witness import Witness


Own = tuple[OpenIDProvider, Client]


def _callback_credential(app: Application, provider: str = "op") -> dict[str, Any]:
    begun = app.sign_in(provider, CALLBACK, parameters={"login_hint": secrets.token_hex(8)})
    url = browser.callback(begun["authorization_url"])
    return {"type": "callback", "session": begun["session"], "callback_url": url}


def _code_credential(app: Application, peers: Peers) -> dict[str, Any]:
    return browser.obtain_code(peers.openid, peers.ours)[0].credential


def test_a_provider_that_is_down_is_not_called_for_a_while(deploy: Deploy, peers: Peers, own_provider: Own) -> None:
    """R-01: requests fail at once and spend nothing, another provider is not affected, and one call finds it again."""
    provider, client = own_provider
    deployment = deploy({"own": openid(provider, client), "op": peers.providers["op"]})
    deployment.settings["limits"]["provider_failures"] = 2
    deployment.configure(deployment.settings)
    app = Application(deployment.start())
    credential = browser.obtain_code(provider, client)[0].credential
    with provider.answering("/token", faults.status(503)):
        for _ in range(2):
            refused(app.exchange("own", credential), 502, "provider_error", "same")
        stopped = app.exchange("own", credential)
        refused(stopped, 502, "provider_unreachable", "same")
        # The circuit is open for 5 seconds, and up to 3 are added by chance.
        assert 1 <= int(stopped.header["retry-after"]) <= 8
        signed_in(app.exchange("op", _code_credential(app, peers)))
    assert 'peer="own",call="token",outcome="circuit_open"' in deployment.admin_text("/metrics")
    wait_until(lambda: app.exchange("own", credential).status == 200, "the provider is tried again")


# MARK: - The token endpoint


@pytest.mark.parametrize("kind", ["code", "callback"])
def test_a_request_stays_usable_while_the_provider_does_not_listen(app: Application, peers: Peers, kind: str) -> None:
    """R-01: no byte was sent, so nothing is spent."""
    credential = _code_credential(app, peers) if kind == "code" else _callback_credential(app)
    with peers.openid.stopped():
        for _ in range(3):
            refused(app.exchange("op", credential), 502, "provider_unreachable", "same")
    signed_in(app.exchange("op", credential))
    refused(app.exchange("op", credential), 400, "replayed")


@pytest.mark.parametrize("kind", ["code", "callback"])
@pytest.mark.parametrize(("status", "wait"), [(503, None), (429, "3")])
def test_a_request_stays_usable_if_the_provider_throttles(
    app: Application, peers: Peers, kind: str, status: int, wait: str | None
) -> None:
    """R-06, UP-12."""
    credential = _code_credential(app, peers) if kind == "code" else _callback_credential(app)
    fault = faults.status(status, Retry_After=wait) if wait else faults.status(status)
    with peers.openid.answering("/token", fault):
        answer = app.exchange("op", credential)
        refused(answer, 502, "provider_error", "same")
        assert answer.header["retry-after"] == (wait or "5")
    signed_in(app.exchange("op", credential))


@pytest.mark.parametrize(("sent", "said"), [("99999999", "60"), ("soon", "5"), ("-1", "5")])
def test_how_long_to_wait_is_kept_within_bounds(app: Application, peers: Peers, sent: str, said: str) -> None:
    """UP-12."""
    with peers.openid.answering("/token", faults.status(429, Retry_After=sent)):
        assert app.exchange("op", _code_credential(app, peers)).header["retry-after"] == said


def test_a_timeout_of_the_provider_spends_the_code(app: Application, peers: Peers) -> None:
    """R-03, UP-06: the server cannot know whether the provider received it."""
    credential = _callback_credential(app, "hasty")
    held = faults.Held()
    with peers.openid.answering("/token", held):
        refused(app.exchange("hasty", credential), 504, "provider_timeout", "restart")
        held.release()
    refused(app.exchange("hasty", credential), 400, "replayed")
    signed_in(app.exchange("hasty", _callback_credential(app, "hasty")))


ANSWER = {"access_token": "access-token-of-a-fault", "token_type": "Bearer", "id_token": "e30.e30.e30"}


@pytest.mark.parametrize(
    ("reason", "fault"),
    [
        ("provider_unreachable", faults.cut(ANSWER)),
        ("provider_unreachable", faults.hang_up),
        ("provider_error", faults.content("<html>", "text/html")),
        ("provider_error", faults.content("<html>")),
        ("provider_response_invalid", faults.content("")),
        ("provider_response_invalid", faults.content("null")),
        ("provider_response_invalid", faults.content("[]")),
        ("provider_response_invalid", faults.content({})),
        ("provider_response_invalid", faults.content(ANSWER | {"id_token": {}})),
        ("provider_response_invalid", faults.content({"access_token": "a", "token_type": "Bearer"})),
        ("provider_error", faults.content(ANSWER | {"error": "server_error"})),
        ("provider_response_invalid", faults.content('{"access_token": "a", "access_token": "b"}')),
        ("provider_response_invalid", faults.content('{"access_token": "a\\u0000b", "token_type": "Bearer"}')),
        ("provider_response_invalid", faults.content("[" * 5000)),
        ("provider_response_invalid", faults.content('{"a":' * 3000 + "1" + "}" * 3000)),
        ("provider_response_invalid", faults.content(b'{"access_token": "\xff"}')),
        ("provider_response_invalid", faults.content(ANSWER | {"padding": "x" * 1_000_000})),
        ("provider_refuses_us", faults.content({"error": "invalid_client"}, status=401)),
        ("provider_refuses_us", faults.status(402)),
        ("provider_error", faults.content({"error": "server_error"}, status=500)),
        ("provider_error", faults.status(204)),
        ("provider_error", faults.content(ANSWER, status=206)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_malformed_response_signs_no_user_in(app: Application, peers: Peers, reason: str, fault: Fault) -> None:
    """R-04, R-05, R-06, EX-14, EX-20, UP-07, UP-08, UP-09."""
    with peers.openid.answering("/token", fault):
        retry = None if reason == "provider_refuses_us" else "restart"
        refused(app.exchange("op", _code_credential(app, peers)), 502, reason, retry)
    signed_in(app.exchange("op", _code_credential(app, peers)))


def test_the_providers_error_text_is_not_returned(app: Application, peers: Peers) -> None:
    """EX-20, UP-15."""
    words = {"error": "invalid_grant", "error_description": f"<script>{CLIENT_SECRET}</script>"}
    with peers.openid.answering("/token", faults.content(words, status=400)):
        answer = app.exchange("op", _code_credential(app, peers))
    refused(answer, 400, "code_rejected")
    assert "<script>" not in str(answer)


@pytest.mark.parametrize(
    ("path", "status", "retry"),
    [
        ("/token", 500, "restart"),
        ("/token", 404, "restart"),
        ("/userinfo", 500, "restart"),
        ("/keys", 503, "same"),
        ("/.well-known/openid-configuration", 404, "same"),
    ],
)
def test_the_log_names_the_call_that_failed(
    deploy: Deploy, own_provider: Own, path: str, status: int, retry: str
) -> None:
    """Endpoints of metadata stand nowhere in the configuration."""
    provider, client = own_provider
    with provider.answering(path, faults.status(status)):
        deployment = deploy({"own": openid(provider, client)}).start(until="/healthz")
        answer = Application(deployment).exchange("own", browser.obtain_code(provider, client)[0].credential)
    refused(answer, 502, "provider_error", retry)
    assert deployment.terminate() == 0
    lines = [json.loads(line) for line in deployment.log.splitlines()]
    named = f"{provider.origin}{path}: status {status}"
    (refusal,) = [line for line in lines if line.get("message") == "request"]
    assert refusal["provider_call"].split(" ", 1)[1] == named
    documents = [line["provider_call"] for line in lines if line.get("message") == "metadata or keys not fetched"]
    assert bool(documents) == (retry == "same")
    assert all(call == f"GET {named}" for call in documents)


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("target", ["{}/token", "//127.0.0.1:{port}/token"])
def test_the_token_call_is_not_redirected(
    app: Application, peers: Peers, witness: Witness, code: int, target: str
) -> None:
    """CB-27, UP-01: neither the secret nor the code is sent to another address."""
    redirect = faults.redirect(target.format(witness.origin, port=witness.port), code)
    with peers.openid.answering("/token", redirect):
        refused(app.exchange("op", _callback_credential(app)), 502, "provider_error", "restart")


def test_neither_userinfo_nor_introspection_is_redirected(app: Application, peers: Peers, witness: Witness) -> None:
    """UP-01: an access token is not sent to another address."""
    redirect = faults.redirect(witness.origin)
    # The user already has an account.
    first, second = (browser.obtain_code(peers.openid, peers.ours, subject="nina")[0].credential for _ in range(2))
    signed_in(app.exchange("op", first))
    with peers.openid.answering("/userinfo", redirect):
        assert signed_in(app.exchange("op", second))["profile"] == {}
    issued = browser.obtain_tokens(peers.openid, peers.ours)
    with peers.openid.answering("/introspect", redirect):
        _, verifier = app.nonce("op")
        credential = {"type": "access_token", "access_token": issued["access_token"], "nonce": verifier}
        refused(app.exchange("op", credential), 502, "provider_error", "restart")


@pytest.mark.parametrize(
    "body",
    [
        '{"sub": "victim", "sub": "attacker", "locale": "xx"}',
        '{"sub": ["attacker", "victim"], "locale": "xx"}',
        '{"sub": 7, "locale": "xx"}',
        '{"name": "nobody", "locale": "xx"}',
        "not JSON",
    ],
)
def test_userinfo_that_names_no_user_is_not_used(app: Application, peers: Peers, body: str) -> None:
    """EX-15: the ID token has proven the user."""
    with peers.openid.answering("/userinfo", faults.content(body)):
        answer = app.exchange("op", _code_credential(app, peers))
    assert signed_in(answer)["profile"].get("locale") != "xx"


def test_userinfo_about_another_user_signs_no_user_in(app: Application, peers: Peers) -> None:
    """EX-15."""
    with peers.openid.answering("/userinfo", faults.content('{"sub": "somebody-else"}')):
        answer = app.exchange("op", _code_credential(app, peers))
    refused(answer, 502, "provider_response_invalid", "restart")


# MARK: - Keys and metadata


Own = tuple[OpenIDProvider, Client]


@pytest.fixture
def own_app(deploy: Deploy, own_provider: Own) -> Application:
    provider, client = own_provider
    return Application(deploy({"op": openid(provider, client, nonce="client_plain")}).start())


def _posted(own: Own, key: Any = None) -> dict[str, str]:
    provider, client = own
    nonce = secrets.token_urlsafe(16)
    token = tokens.signed(provider.claims(client.client_id, nonce=nonce), key or provider.rsa_key, "RS256")
    return {"type": "id_token", "id_token": token, "nonce": nonce}


def test_a_key_that_was_rotated_just_before_signing_is_found(own_app: Application, own_provider: Own) -> None:
    """JW-03, JW-04, R-27."""
    provider, _ = own_provider
    signed_in(own_app.exchange("op", _posted(own_provider)))
    old = provider.rsa_key
    before = len(provider.arrivals("/keys"))
    provider.rotate_keys()
    signed_in(own_app.exchange("op", _posted(own_provider)))
    assert len(provider.arrivals("/keys")) == before + 1
    refused(own_app.exchange("op", _posted(own_provider, old)), 400, "unknown_key")


def test_unknown_keys_do_not_cause_a_fetch_each(own_app: Application, own_provider: Own) -> None:
    """JW-01."""
    provider, _ = own_provider
    before = len(provider.arrivals("/keys"))
    key = RSAKey.generate_key(2048).as_dict(private=True)
    for _ in range(30):
        attackers = RSAKey.import_key(key | {"kid": secrets.token_hex(8)})
        refused(own_app.exchange("op", _posted(own_provider, attackers)), 400, "unknown_key")
    assert len(provider.arrivals("/keys")) <= before + 1
    signed_in(own_app.exchange("op", _posted(own_provider)))


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (faults.content("<html>", "text/html"), "provider_response_invalid"),
        (faults.content("null"), "provider_response_invalid"),
        (faults.content("[]"), "provider_response_invalid"),
        (faults.status(500), "provider_error"),
    ],
    ids=["HTML", "null", "[]", "500"],
)
def test_keys_that_are_none_do_not_replace_the_old_ones(
    own_app: Application, own_provider: Own, fault: Fault, reason: str
) -> None:
    """JW-05, JW-14, R-10."""
    provider, _ = own_provider
    old = provider.rsa_key
    with provider.answering("/keys", fault):
        provider.rotate_keys()
        refused(own_app.exchange("op", _posted(own_provider)), 502, reason, "same")
        signed_in(own_app.exchange("op", _posted(own_provider, old)))


def test_a_provider_that_is_down_at_the_start_is_waited_for(deploy: Deploy, own_provider: Own) -> None:
    """R-09."""
    provider, client = own_provider
    with provider.stopped():
        deployment = deploy({"op": openid(provider, client)}).start(until="/healthz")
        assert deployment.admin("/readyz") == 503
        assert "keys of op" in deployment.admin_text("/readyz")
        refused(Application(deployment).sign_in("op", CALLBACK), 502, "provider_unreachable", "same")
    wait_until(lambda: deployment.admin("/readyz") == 200, "readiness after the provider is back")
    signed_in(Application(deployment).exchange("op", _callback_credential(Application(deployment))))


def test_metadata_with_endpoints_of_another_host_is_refused(
    deploy: Deploy, own_provider: Own, witness: Witness
) -> None:
    """JW-08, JW-09: an attacker who can alter the document cannot have the secret sent to another host."""
    provider, client = own_provider
    good = provider.metadata()
    unusable = "provider_response_invalid"
    documents: dict[str, tuple[Fault, str]] = {
        "issuer": (faults.content(good | {"issuer": "https://evil.example"}), unusable),
        "token": (faults.content(good | {"token_endpoint": witness.origin + "/token"}), unusable),
        "keys": (faults.content(good | {"jwks_uri": witness.origin + "/keys"}), unusable),
        "redirect": (faults.redirect(witness.origin), "provider_error"),
        "html": (faults.content("<html>", "text/html"), unusable),
    }
    path = "/.well-known/openid-configuration"
    for name, (fault, reason) in documents.items():
        with provider.answering(path, fault):
            deployment = deploy({"op": openid(provider, client)}).start(until="/healthz")
            assert deployment.admin("/readyz") == 503, name
            refused(Application(deployment).sign_in("op", CALLBACK), 502, reason, "same")
            assert deployment.terminate() == 0


def test_keys_are_not_fetched_by_way_of_a_redirect(deploy: Deploy, own_provider: Own, witness: Witness) -> None:
    """JW-08."""
    provider, client = own_provider
    with provider.answering("/keys", faults.redirect(witness.origin)):
        deployment = deploy({"op": openid(provider, client, nonce="client_plain")}).start(until="/healthz")
        assert deployment.admin("/readyz") == 503
        refused(Application(deployment).exchange("op", _posted(own_provider)), 502, "provider_error", "same")


def test_responses_never_reach_another_request(app: Application, peers: Peers) -> None:
    """UP-10, MT-09: a hundred users sign in at once, and each gets their own account."""
    people = [f"crowd-{number}" for number in range(100)]
    grants = {name: browser.obtain_code(peers.openid, peers.ours, subject=name)[0] for name in people}
    uids: dict[str, str] = {}

    def sign_in(names: list[str]) -> None:
        own = Application(app.deployment)
        for name in names:
            body = signed_in(own.exchange("op", grants[name].credential))
            assert body["profile"]["email"] == f"{name}@people.example"
            assert tokens.payload(body["custom_token"])["uid"] == body["uid"]
            uids[name] = body["uid"]

    threads = [threading.Thread(target=sign_in, args=(people[start::20],)) for start in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert uids == {name: f"op:{name}" for name in people}


def test_the_loopback_peer_counts_what_arrives() -> None:
    """Control: without this test the counts above might always be zero."""
    peer = Loopback()
    requests.get(peer.origin + "/somewhere", timeout=5)
    peer.stop()
    assert [arrival.path for arrival in peer.arrivals()] == ["/somewhere"]
