"""Sign-in with X by OAuth 1.0a, against oauthlib's endpoints (attacks O1)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conftest import Deploy, Peers
from deployment.application import Answer, Application
from deployment.configuration import CALLBACK, NATIVE_CALLBACK
from deployment.expectations import refused, signed_in
from deployment.waiting import wait_until
from peers import browser, faults
from peers.loopback import Fault
from peers.oauth1_server import AccessToken, OAuth1Server, person
from peers.witness import Witness

REQUEST_TOKEN, ACCESS_TOKEN = OAuth1Server.REQUEST_TOKEN, OAuth1Server.ACCESS_TOKEN
VERIFY, USERS_ME = OAuth1Server.VERIFY_CREDENTIALS, OAuth1Server.USERS_ME


def _begun(app: Application, name: str, uri: str = CALLBACK) -> tuple[Answer, str]:
    answer = app.sign_in("twitter.com", uri, flow="oauth1", parameters={"screen_name": name})
    assert answer.status == 200, answer
    redirect = browser.callback(answer["authorization_url"])
    app.deployment.secrets.add(browser.parameters(redirect)["oauth_verifier"])
    return answer, redirect


def _finish(app: Application, begun: Answer, callback_url: str) -> Answer:
    credential = {"type": "callback", "session": begun["session"], "callback_url": callback_url}
    return app.exchange("twitter.com", credential)


def _pair(app: Application, issued: AccessToken, **members: str) -> Answer:
    credential = {"type": "oauth1_token", "oauth_token": issued.token, "oauth_token_secret": issued.secret}
    if "nonce" not in members:
        members["nonce"] = app.nonce("twitter.com")[1]
    return app.exchange("twitter.com", credential | members)


# MARK: - The whole flow


@pytest.mark.parametrize("uri", [CALLBACK, NATIVE_CALLBACK])
def test_a_flow_ends_in_a_custom_token(app: Application, peers: Peers, uri: str) -> None:
    body = signed_in(_finish(app, *_begun(app, "olivia", uri)))
    assert (body["provider"], body["audience_proof"]) == ("twitter.com", "authorization_code")
    assert body["uid"] == f"twitter.com:{body['provider_uid']}"
    assert body["profile"] == {
        "name": "Person olivia",
        "screen_name": "olivia",
        "picture": "https://people.example/picture.png",
        "email": "olivia@people.example",
        "email_verified": True,
    }


def test_a_client_that_may_gets_the_pair(trusted: Application, peers: Peers) -> None:
    oauth = signed_in(_finish(trusted, *_begun(trusted, "peggy")))["oauth"]
    assert peers.x.records.access_tokens[oauth["access_token"]].secret == oauth["oauth_token_secret"]


def test_every_protocol_parameter_travels_in_the_authorization_field(app: Application, peers: Peers) -> None:
    """RFC 5849 section 3.5: "one and only one" place. oauthlib refuses two."""
    _finish(app, *_begun(app, "quentin"))
    for path in (REQUEST_TOKEN, ACCESS_TOKEN, VERIFY):
        arrival = peers.x.arrivals(path)[-1]
        assert "oauth_" not in arrival.query
        assert "oauth_" not in arrival.body.decode()


@pytest.mark.parametrize(
    "refusal",
    [
        faults.content({"title": "CreditsDepleted"}, status=402),
        faults.content({"errors": [{"code": 453, "message": "You currently have access to a subset."}]}, status=403),
    ],
    ids=["402", "403 code 453"],
)
def test_a_registration_without_access_to_the_profile_still_signs_in(
    app: Application, peers: Peers, refusal: Fault
) -> None:
    """The id is in the answer of access_token."""
    begun = _begun(app, "rupert")
    with peers.x.answering(VERIFY, refusal), peers.x.answering(USERS_ME, refusal):
        body = signed_in(_finish(app, *begun))
    assert body["profile"] == {"screen_name": "rupert"}
    issued = [it for it in peers.x.records.access_tokens.values() if it.person.screen_name == "rupert"][-1]
    assert body["provider_uid"] == issued.person.user_id


def _warning(app: Application) -> dict[str, Any]:
    lines = [json.loads(line) for line in app.deployment.log.splitlines()]
    (line,) = [line for line in lines if "a call for profiles failed" in line.get("message", "")]
    return line


def test_a_call_that_succeeded_is_not_told_as_the_one_that_failed(deploy: Deploy, peers: Peers) -> None:
    """X refuses the address, and answers the second call, which asks for less."""
    app = Application(deploy(dict(peers.providers)).start())
    begun = _begun(app, "rupert")
    with peers.x.answering(VERIFY, faults.status(403)):
        signed_in(_finish(app, *begun))
    line = _warning(app)
    assert "status 403" in line["failure"] and "provider_call" not in line, line


def test_a_profile_that_is_refused_for_good_is_counted_and_logged(deploy: Deploy, peers: Peers) -> None:
    """Sign-ins continue without it, so the operator learns of it only from the metric and one line of the log."""
    app = Application(deploy(dict(peers.providers)).start())
    for name in ("rupert", "sybil"):
        begun = _begun(app, name)
        refusal = faults.status(403)
        with peers.x.answering(VERIFY, refusal), peers.x.answering(USERS_ME, refusal):
            signed_in(_finish(app, *begun))
    label = 'token_exchange_profile_refusals_total{provider="twitter.com",'

    def counts() -> list[int]:
        lines = app.deployment.admin_text("/metrics").splitlines()
        return [int(line.split()[-1]) for line in lines if line.startswith(label)]

    wait_until(lambda: sum(counts()) >= 2, "the count of refused profiles")
    line = _warning(app)
    assert line["provider_call"].endswith(": status 403"), line


@pytest.mark.parametrize(
    ("reason", "trouble"),
    [
        ("provider_error", faults.content({"errors": [{"code": 88, "message": "Rate limit exceeded"}]}, status=429)),
        ("provider_error", faults.status(503)),
        ("provider_response_invalid", faults.content("<html>", "text/html")),
    ],
    ids=["429", "503", "HTML"],
)
def test_a_trouble_that_may_pass_makes_no_account_without_its_address(
    app: Application, peers: Peers, reason: str, trouble: Fault
) -> None:
    begun = _begun(app, "rupert")
    with peers.x.answering(VERIFY, trouble), peers.x.answering(USERS_ME, trouble):
        refused(_finish(app, *begun), 502, reason, "restart")


@pytest.mark.parametrize(("status", "code"), [(403, 63), (403, 64), (404, 50)])
def test_a_user_whom_x_has_suspended_gets_the_reason(app: Application, peers: Peers, status: int, code: int) -> None:
    begun = _begun(app, "rupert")
    with peers.x.answering(VERIFY, faults.content({"errors": [{"code": code, "message": "x"}]}, status=status)):
        refused(_finish(app, *begun), 403, "provider_account_disabled")


@pytest.mark.parametrize(
    ("status", "code"), [(401, 32), (401, 135), (403, 415), (403, 416)], ids=["signature", "clock", "callback", "app"]
)
def test_a_registration_that_x_refuses_is_the_operators(app: Application, peers: Peers, status: int, code: int) -> None:
    with peers.x.answering(REQUEST_TOKEN, faults.content({"errors": [{"code": code, "message": "x"}]}, status=status)):
        refused(app.sign_in("twitter.com", CALLBACK, flow="oauth1"), 502, "provider_refuses_us")


@pytest.mark.parametrize("status", [402, 403])
def test_the_second_endpoint_is_called_if_the_first_is_not_included(
    app: Application, peers: Peers, status: int
) -> None:
    begun = _begun(app, "sybil")
    with peers.x.answering(VERIFY, faults.status(status)):
        body = signed_in(_finish(app, *begun))
    assert body["profile"] == {"name": "Person sybil", "screen_name": "sybil"}


@pytest.mark.parametrize(
    "form",
    [
        "oauth_token=t&oauth_token_secret=s",
        "oauth_token=t&oauth_token_secret=s&oauth_callback_confirmed=false",
        "oauth_token=t&oauth_token_secret=s&oauth_callback_confirmed=true&oauth_callback_confirmed=false",
        "oauth_token=t&oauth_callback_confirmed=true",
        "oauth_token=&oauth_token_secret=s&oauth_callback_confirmed=true",
        "<html>",
        '{"oauth_token": "t", "oauth_token_secret": "s", "oauth_callback_confirmed": "true"}',
        "",
    ],
)
def test_a_malformed_request_token_begins_no_flow(app: Application, peers: Peers, form: str) -> None:
    """O1-13: without `oauth_callback_confirmed` the callback can be fixed by an attacker."""
    with peers.x.answering(REQUEST_TOKEN, faults.content(form, "text/html")):
        answer = app.sign_in("twitter.com", CALLBACK, flow="oauth1")
    refused(answer, 502, "provider_response_invalid", "same")


@pytest.mark.parametrize(
    "form",
    [
        "oauth_token=t&oauth_token_secret=s&user_id=12x",
        "oauth_token=t&oauth_token_secret=s&user_id=-1",
        "oauth_token=t&oauth_token_secret=s&user_id=1&user_id=2",
        "oauth_token=t&user_id=1",
        "<html>",
        '{"user_id": "1"}',
        "a=" + "x" * 20_000,
    ],
    ids=["letters", "negative", "twice", "no secret", "HTML", "JSON", "long"],
)
def test_a_malformed_access_token_response_signs_no_user_in(app: Application, peers: Peers, form: str) -> None:
    """O1-14."""
    begun = _begun(app, "trent")
    with peers.x.answering(ACCESS_TOKEN, faults.content(form, "text/html")):
        refused(_finish(app, *begun), 502, "provider_response_invalid", "restart")


def test_two_endpoints_with_different_ids_sign_no_user_in(app: Application, peers: Peers) -> None:
    """O1-14."""
    begun = _begun(app, "trent")
    with peers.x.answering(VERIFY, faults.content({"id": 1, "id_str": "1", "screen_name": "victim"})):
        refused(_finish(app, *begun), 502, "provider_response_invalid", "restart")


def test_the_request_token_of_another_flow_is_refused_and_spends_nothing(app: Application, peers: Peers) -> None:
    """O1-08, O1-10: session fixation."""
    begun, redirect = _begun(app, "uma")
    _, attackers = _begun(app, "victor")
    before = len(peers.x.arrivals(ACCESS_TOKEN))
    refused(_finish(app, begun, attackers), 400, "state_mismatch")
    assert len(peers.x.arrivals(ACCESS_TOKEN)) == before
    signed_in(_finish(app, begun, redirect))


def test_a_wrong_verifier_is_the_providers_to_refuse(app: Application, peers: Peers) -> None:
    """O1-09."""
    begun, redirect = _begun(app, "wendy")
    wrong = redirect.replace(browser.parameters(redirect)["oauth_verifier"], "v" * 30)
    refused(_finish(app, begun, wrong), 400, "code_rejected")
    missing = redirect.split("&oauth_verifier=")[0]
    refused(_finish(app, _begun(app, "wendy")[0], missing), 400, "state_mismatch")


def test_a_person_who_cancels_is_not_signed_in(app: Application, peers: Peers) -> None:
    """O1-12."""
    begun, redirect = _begun(app, "wendy")
    token = browser.parameters(redirect)["oauth_token"]
    before = len(peers.x.arrivals(ACCESS_TOKEN))
    refused(_finish(app, begun, f"{CALLBACK}?denied=another"), 400, "state_mismatch")
    refused(_finish(app, begun, f"{CALLBACK}?denied={token}"), 400, "access_denied")
    assert len(peers.x.arrivals(ACCESS_TOKEN)) == before


# MARK: - Pairs that an application obtained by itself


def test_a_pair_with_a_fresh_nonce_signs_in(app: Application, peers: Peers) -> None:
    who = person()
    body = signed_in(_pair(app, peers.x.issue(peers.consumer, who)))
    assert (body["provider_uid"], body["audience_proof"]) == (who.user_id, "consumer_signature")


def test_a_pair_signs_in_again_with_another_nonce(app: Application, peers: Peers) -> None:
    issued = peers.x.issue(peers.consumer, person())
    first, second = signed_in(_pair(app, issued)), signed_in(_pair(app, issued))
    assert first["uid"] == second["uid"]


def test_a_pair_of_another_consumer_is_refused(app: Application, peers: Peers) -> None:
    """O1-01: the audience check. The operator reads what X says about it."""
    refused(_pair(app, peers.x.issue(peers.other_consumer, person())), 400, "token_rejected")

    def refusals() -> list[dict[str, str]]:
        lines = [json.loads(line) for line in app.deployment.log.splitlines()]
        return [line for line in lines if line.get("message") == "request" and line.get("reason") == "token_rejected"]

    wait_until(lambda: bool(refusals()), "the line of the refusal")
    line = refusals()[-1]
    assert line["provider_call"] == f"GET {peers.x.origin}{VERIFY}: status 401"
    assert line["provider_says"] == "code: 32; message: Could not authenticate you."
    assert line["finding"].startswith("its user endpoint refuses the pair with this consumer key (status 401)")


def test_a_pair_with_another_secret_is_refused(app: Application, peers: Peers) -> None:
    """O1-18."""
    issued = peers.x.issue(peers.consumer, person())
    refused(_pair(app, issued, oauth_token_secret="another-secret"), 400, "token_rejected")


def test_a_pair_without_a_nonce_of_the_server_is_refused(app: Application, trusted: Application, peers: Peers) -> None:
    """O1-07."""
    issued = peers.x.issue(peers.consumer, person())
    before = len(peers.x.arrivals(VERIFY))
    for nonce in ("made-up", app.nonce("op")[1], trusted.nonce("twitter.com")[1], app.nonce("twitter.com")[0]):
        refused(_pair(app, issued, nonce=nonce), 400, "nonce_mismatch")
    credential = {"type": "oauth1_token", "oauth_token": issued.token, "oauth_token_secret": issued.secret}
    refused(app.exchange("twitter.com", credential), 400, "missing_field")
    assert len(peers.x.arrivals(VERIFY)) == before


@pytest.mark.parametrize("member", ["consumer_key", "consumer_secret", "host", "user_id", "screen_name"])
def test_further_members_beside_a_pair_are_refused(app: Application, peers: Peers, member: str) -> None:
    """O1-02, O1-03."""
    issued = peers.x.issue(peers.consumer, person())
    refused(_pair(app, issued, **{member: "victim"}), 400, "unknown_field")


@pytest.mark.parametrize("secret", ["a&b=c", "a%26b", 'a"b,c', "ä/+ ~", "x" * 2048])
def test_a_secret_with_special_characters_signs_correctly(app: Application, peers: Peers, secret: str) -> None:
    """O1-05: oauthlib builds the same base string."""
    issued = peers.x.issue(peers.consumer, person())
    issued.secret = secret
    signed_in(_pair(app, issued))


@pytest.mark.parametrize("token", ["a\r\nX-Evil: 1", "a\u0000b", "x" * 10_240, ""])
def test_a_token_with_control_characters_never_leaves(app: Application, peers: Peers, token: str) -> None:
    """O1-05."""
    before = len(peers.x.arrivals())
    issued = AccessToken(token, "s", peers.consumer.key, person())
    answer = _pair(app, issued)
    assert (answer.status, answer["reason"]) == (400, "malformed_body")
    assert len(peers.x.arrivals()) == before


@pytest.mark.parametrize(
    "answer",
    [
        {"id": 12345678901234567, "screen_name": "x"},
        {"id_str": 7},
        {"id_str": "-7"},
        {"id_str": "7e3"},
        {"id_str": "7" * 21},
    ],
    ids=str,
)
def test_only_a_decimal_id_str_is_an_identity(app: Application, peers: Peers, answer: dict[str, object]) -> None:
    """O1-04."""
    issued = peers.x.issue(peers.consumer, person())
    with peers.x.answering(VERIFY, faults.content(answer)):
        refused(_pair(app, issued), 502, "provider_response_invalid", "restart")


def test_errors_in_place_of_a_profile_are_told_as_errors(app: Application, peers: Peers) -> None:
    """O1-04."""
    issued = peers.x.issue(peers.consumer, person())
    with peers.x.answering(VERIFY, faults.content({"errors": [{"code": 32}]})):
        refused(_pair(app, issued), 502, "provider_response_invalid", "restart")


def test_a_pair_that_both_endpoints_throttle_may_be_sent_again(app: Application, peers: Peers) -> None:
    """O1-19."""
    issued = peers.x.issue(peers.consumer, person())
    nonce = app.nonce("twitter.com")[1]
    throttled = faults.status(429, Retry_After="7")
    with peers.x.answering(VERIFY, throttled), peers.x.answering(USERS_ME, throttled):
        answer = _pair(app, issued, nonce=nonce)
        refused(answer, 502, "provider_error", "same")
        assert answer.header["retry-after"] == "7"
    signed_in(_pair(app, issued, nonce=nonce))


# MARK: - Redirects


@pytest.mark.parametrize("target", ["{}/oauth/access_token", "//127.0.0.1:{port}/oauth/access_token"])
@pytest.mark.parametrize("code", [301, 302, 307, 308])
def test_no_redirect_of_the_provider_is_followed(
    app: Application, peers: Peers, witness: Witness, code: int, target: str
) -> None:
    """O1-15, UP-01: a signed request is not sent to another address."""
    redirect = faults.redirect(target.format(witness.origin, port=witness.port), code)
    with peers.x.answering(REQUEST_TOKEN, redirect):
        refused(app.sign_in("twitter.com", CALLBACK, flow="oauth1"), 502, "provider_error", "same")
    begun = _begun(app, "yves")
    with peers.x.answering(ACCESS_TOKEN, redirect):
        refused(_finish(app, *begun), 502, "provider_error", "restart")
    issued = peers.x.issue(peers.consumer, person())
    with peers.x.answering(VERIFY, redirect), peers.x.answering(USERS_ME, redirect):
        refused(_pair(app, issued), 502, "provider_error", "restart")
