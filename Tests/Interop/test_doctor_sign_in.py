"""`token-exchange doctor --sign-in`: a sign-in through a browser shows what each provider does, and nothing secret."""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import requests

from deployment.configuration import openid
from deployment.firebase import PROJECT
from deployment.process import free_port
from deployment.sandbox import SandboxedDeployment, sandboxed_deployment
from deployment.service_account import ServiceAccount
from peers.openid_provider import OpenIDProvider
from peers.operator import Operator, Walked
from peers.person import Person

# The parts of the user of the stand-ins that no finding may contain.
PERSONAL = ["alice@", "Alice", "alice_example", "ALICEWJNWVNQD4GXZ5NGMZUST4", "2244994945"]


@pytest.fixture(scope="module")
def place(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxedDeployment]:
    with sandboxed_deployment(binary, tmp_path_factory.mktemp("walk"), ServiceAccount(PROJECT)) as deployment:
        settings = deployment.server.settings
        oauth1 = settings["providers"]["twitter.com"]["oauth1"]
        deployment.server.secrets.add(oauth1["consumer_secret"], settings["firebase"]["api_key"])
        deployment.sandbox.order("PUT", "/applications", provider="yahoo.com", pkce="refused")
        yield deployment


@contextlib.contextmanager
def _changed(place: SandboxedDeployment, change: Callable[[dict[str, Any]], Any]) -> Iterator[None]:
    before = json.dumps(place.server.settings)
    change(place.server.settings)
    place.server.configure(place.server.settings)
    try:
        yield
    finally:
        place.server.configure(json.loads(before))


@contextlib.contextmanager
def _fault(place: SandboxedDeployment, target: str, **fault: Any) -> Iterator[None]:
    place.sandbox.order("PUT", "/faults", target=target, **fault)
    try:
        yield
    finally:
        place.sandbox.order("DELETE", "/faults")


@contextlib.contextmanager
def _claims(place: SandboxedDeployment, **defect: Any) -> Iterator[None]:
    place.sandbox.order("PUT", "/claims", **defect)
    try:
        yield
    finally:
        place.sandbox.order("DELETE", "/claims")


@contextlib.contextmanager
def _yahoo(place: SandboxedDeployment, **registration: Any) -> Iterator[None]:
    before = place.sandbox.order("GET", "/applications")["ours"]["yahoo.com"]
    place.sandbox.order("PUT", "/applications", provider="yahoo.com", **registration)
    try:
        yield
    finally:
        again = {name: before[name] for name in registration}
        place.sandbox.order("PUT", "/applications", provider="yahoo.com", **again)


def _rows(place: SandboxedDeployment) -> set[str]:
    """The content of the server's store, except what the server writes at its own times: audit lines, and about itself.

    A sweep may remove expired rows at any time, so that a test asks for rows that are new.
    """
    at_own_times = re.compile(r'INSERT INTO "(audit|heartbeat|servers|swept|unwatched|watch)"')
    with contextlib.closing(sqlite3.connect(place.server.database)) as store:
        return {line for line in store.iterdump() if not at_own_times.match(line)}


def _walk(
    place: SandboxedDeployment,
    provider: str,
    *arguments: str,
    user: str = "alice",
    steps: tuple[str, ...] = ("allow",),
) -> Walked:
    """Walks with the redirect URI of the running server, which shows its error page to the browser."""
    operator = Operator(place.server, provider, *arguments)
    seen = list(PERSONAL) if user == "alice" else []
    for step in steps:
        person = Person(place.server.origin, place.sandbox.yahoo, place.sandbox.x).open(operator.url())
        if step == "leave":
            assert person.page is not None and person.page.status_code >= 400
            operator.enter("")
            continue
        person.press("decision", step, user=user)
        assert person.page is not None
        assert person.page.url.startswith(place.server.origin), person.page.url
        # The server refuses an answer that belongs to none of its flows.
        assert person.page.status_code == 400
        query = parse_qsl(urlsplit(person.page.url).query)
        # The request token is in the authorization URL too.
        seen += [value for name, value in query if name in ("code", "oauth_verifier")]
        operator.enter(person.page.url)
    walked = operator.report()
    place.server.secrets.add(*(text for text in seen if text not in PERSONAL))
    assert place.server.secrets.found_in(walked.output) == []
    for text in seen:
        assert text not in walked.output, text
    # A random text may contain these letters; a token begins with them.
    assert not re.search(r"(?<![\w-])eyJ", walked.output)
    return walked


# MARK: - Yahoo


def test_the_points_of_yahoo_are_shown_with_their_evidence(place: SandboxedDeployment) -> None:
    """The store stays as it is, and the running server sends the code to no one."""
    last, rows = place.sandbox.order("GET", "/requests")["last"], _rows(place)
    walked = _walk(place, "yahoo.com", steps=("allow", "leave"))
    assert (walked.code, walked.problems) == (0, {})
    token = walked.findings["sign_in.id_token"]["text"]
    for part in ("alg ES256", "kid ", f"iss {place.sandbox.yahoo}", "at_hash", "auth_time", "email_verified", "nonce"):
        assert part in token
    assert walked.findings["sign_in.at_hash"]["text"] == "The ID token has an at_hash with padding."
    assert walked.findings["sign_in.auth_time"]["severity"] == "ok"
    assert walked.findings["sign_in.email"]["text"] == (
        "The provider sends an e-mail address, which counts as verified."
    )
    assert walked.findings["sign_in.pkce"]["text"].startswith("pkce: off is right")
    assert "get_token 200" in walked.findings["sign_in.calls"]["text"]
    assert place.sandbox.order("GET", f"/requests?since={last}")["counts"]["yahoo.token"] == 1
    assert _rows(place) - rows == set()


@pytest.mark.parametrize(
    ("configured", "accepted", "steps", "expected", "setting"),
    [
        ("off", "S256", ("allow", "allow"), {"sign_in.pkce": "warning"}, "S256"),
        ("S256", "S256", ("allow",), {}, None),
        ("S256", "refused", ("leave", "allow"), {"sign_in.pkce": "error"}, "off"),
    ],
)
def test_both_settings_of_pkce_are_tried(
    place: SandboxedDeployment,
    configured: str,
    accepted: str,
    steps: tuple[str, ...],
    expected: dict[str, str],
    setting: str | None,
) -> None:
    with (
        _changed(place, lambda settings: settings["providers"]["yahoo.com"].update(pkce=configured)),
        _yahoo(place, pkce=accepted),
    ):
        walked = _walk(place, "yahoo.com", steps=steps)
    assert walked.problems == expected
    if setting:
        assert f"Set pkce: {setting} " in walked.findings["sign_in.pkce"]["remedy"]


def test_without_further_input_the_other_setting_is_skipped(place: SandboxedDeployment) -> None:
    walked = _walk(place, "yahoo.com")
    assert (walked.code, walked.problems) == (0, {"sign_in.pkce": "skipped"})


@pytest.mark.parametrize(
    ("claims", "expected", "text"),
    [
        ({"iss": "https://login.yahoo.com"}, {"sign_in.id_token": "error"}, "issuer_mismatch): alg ES256"),
        ({"key": "foreign"}, {"sign_in.id_token": "error"}, "signature_invalid"),
        ({"set": {"exp": 1}}, {"sign_in.id_token": "error"}, "expired"),
        ({"remove": ["nonce"]}, {"sign_in.id_token": "error"}, "missing_nonce"),
        ({"remove": ["auth_time"]}, {"sign_in.auth_time": "warning"}, "no auth_time"),
        ({"remove": ["at_hash"]}, {}, ""),
    ],
)
def test_another_id_token_is_named(
    place: SandboxedDeployment, claims: dict[str, Any], expected: dict[str, str], text: str
) -> None:
    with _claims(place, **claims):
        walked = _walk(place, "yahoo.com", steps=("allow", "leave"))
    walked.findings.pop("sign_in.pkce")
    assert walked.problems == expected
    for name in expected:
        assert text in walked.findings[name]["text"]


def test_reauthentication_by_prompt_needs_no_auth_time(place: SandboxedDeployment) -> None:
    with (
        _changed(place, lambda settings: settings["providers"]["yahoo.com"].update(reauthentication="prompt")),
        _claims(place, remove=["auth_time"]),
    ):
        walked = _walk(place, "yahoo.com", steps=("allow", "leave"))
    assert walked.problems == {}


@pytest.mark.parametrize(
    ("target", "fault", "expected", "steps"),
    [
        ("yahoo.token", {"status": 503}, {"sign_in.token": "error"}, ("allow",)),
        (
            "yahoo.token",
            {"status": 401, "body": '{"error": "invalid_client"}'},
            {"sign_in.token": "error"},
            ("allow",),
        ),
        ("yahoo.token", {"status": 400, "body": '{"error": "INVALID_GRANT"}'}, {"sign_in.token": "error"}, None),
        ("yahoo.token", {"remove": ["id_token"]}, {"sign_in.token": "error"}, ("allow",)),
        ("yahoo.userinfo", {"status": 403}, {"sign_in.profile": "warning"}, None),
        ("yahoo.userinfo", {"set": {"sub": "another"}}, {"sign_in.user": "error"}, None),
    ],
)
def test_a_fault_of_yahoo_is_named(
    place: SandboxedDeployment,
    target: str,
    fault: dict[str, Any],
    expected: dict[str, str],
    steps: tuple[str, ...] | None,
) -> None:
    with _yahoo(place, pkce="refused"), _fault(place, target, **fault):
        walked = _walk(place, "yahoo.com", steps=steps or ("allow", "leave"))
    assert walked.problems == expected


def test_a_person_without_an_address_is_named(place: SandboxedDeployment) -> None:
    walked = _walk(place, "yahoo.com", user="kobayashi", steps=("allow", "leave"))
    assert walked.problems == {"sign_in.email": "warning"}


def test_a_person_who_refuses_is_named(place: SandboxedDeployment) -> None:
    walked = _walk(place, "yahoo.com", steps=("deny",))
    assert walked.problems == {"sign_in.authorization": "error"}
    assert "access_denied" in walked.findings["sign_in.authorization"]["text"]


@pytest.mark.parametrize("registration", [{"redirect_uris": ["https://elsewhere.example/"]}, {"permissions": ["openid"]}])
def test_a_registration_that_yahoo_refuses_on_its_own_page_is_named(
    place: SandboxedDeployment, registration: dict[str, Any]
) -> None:
    with _yahoo(place, **registration):
        walked = _walk(place, "yahoo.com", steps=("leave", "leave"))
    assert walked.problems == {"sign_in.authorization": "error"}


def test_an_address_of_another_sign_in_is_not_taken(place: SandboxedDeployment) -> None:
    """Nor is a text that is no address; the right one is taken afterwards."""
    operator = Operator(place.server, "yahoo.com")
    person = Person(place.server.origin, place.sandbox.yahoo).open(operator.url()).allow()
    assert person.page is not None
    operator.enter("hello")
    operator.enter(f"{place.server.origin}/callback/yahoo.com?code=abc&state=of-another-flow")
    operator.enter("https://provider.example/error?code=500")
    operator.enter(person.page.url)
    walked = operator.report()
    assert walked.problems == {"sign_in.pkce": "skipped"}
    wrong = f"the last sign-in, which begins with {place.server.origin}/callback/yahoo.com and has a question mark."
    assert walked.output.count(f"This is not the address of the redirect of {wrong}") == 3


def test_an_address_without_a_code_is_named_with_what_it_lacks(place: SandboxedDeployment) -> None:
    operator = Operator(place.server, "yahoo.com")
    state = dict(parse_qsl(urlsplit(operator.url()).query))["state"]
    operator.enter(f"{place.server.origin}/callback/yahoo.com?state={state}")
    walked = operator.report()
    assert walked.problems == {"sign_in.authorization": "error"}
    assert walked.findings["sign_in.authorization"]["text"].endswith("of the protocol: the callback has no code, or an empty one.")


# MARK: - X


@pytest.mark.parametrize("flow", ["oauth1", "oauth2"])
def test_the_points_of_x_are_shown_with_their_evidence(place: SandboxedDeployment, flow: str) -> None:
    rows = _rows(place)
    walked = _walk(place, "twitter.com", "--flow", flow)
    assert (walked.code, walked.problems) == (0, {})
    assert walked.findings["sign_in.email"]["severity"] == "ok"
    calls = walked.findings["sign_in.calls"]["text"]
    if flow == "oauth2":
        assert walked.findings["sign_in.scope"]["text"] == "Granted scopes: tweet.read users.read users.email."
        assert "/2/users/me 200" in calls
    else:
        assert walked.findings["sign_in.user_id"]["severity"] == "ok"
        assert "verify_credentials.json 200" in calls
    assert _rows(place) - rows == set()


_PROBLEM = '{"title": "No", "type": "https://api.x.com/2/problems/%s", "reason": "%s"}'


def _problem(status: int, name: str) -> dict[str, Any]:
    return {"status": status, "body": _PROBLEM % (name, name)}


def _code(status: int, code: int) -> dict[str, Any]:
    return {"status": status, "body": json.dumps({"errors": [{"code": code, "message": "No."}]})}


@pytest.mark.parametrize(
    ("flow", "target", "fault", "expected", "text"),
    [
        ("oauth2", "x.oauth2_token", _problem(403, "client-not-enrolled"), {"sign_in.token": "error"}, "enrolment"),
        ("oauth2", "x.oauth2_token", {"set": {"scope": "users.read"}}, {"sign_in.token": "error"}, "scope"),
        (
            "oauth2",
            "x.oauth2_token",
            {"set": {"scope": "tweet.read users.read"}},
            {"sign_in.scope": "warning"},
            "users.email",
        ),
        ("oauth2", "x.users_me", _problem(403, "client-not-enrolled"), {"sign_in.user": "error"}, "enrolment"),
        ("oauth2", "x.users_me", _problem(403, "client-forbidden"), {"sign_in.user": "error"}, "access_tier"),
        ("oauth2", "x.users_me", {"status": 402}, {"sign_in.user": "error"}, "credit"),
        ("oauth2", "x.users_me", _problem(429, "usage-capped"), {"sign_in.user": "error"}, "credit"),
        ("oauth2", "x.users_me", _code(403, 64), {"sign_in.user": "error"}, "suspended, locked or deleted"),
        # X refuses the address once, and gives the rest.
        ("oauth2", "x.users_me", {"status": 403, "times": 1}, {"sign_in.profile": "warning"}, "403"),
        ("oauth1", "x.request_token", _code(403, 415), {"sign_in.request": "error"}, "callback_not_approved"),
        ("oauth1", "x.request_token", _code(403, 416), {"sign_in.request": "error"}, "suspended"),
        ("oauth1", "x.request_token", _code(401, 32), {"sign_in.request": "error"}, "consumer_key"),
        ("oauth1", "x.access_token", {"status": 401}, {"sign_in.token": "error"}, "refuses the code"),
        ("oauth1", "x.verify_credentials", _code(403, 453), {"sign_in.profile": "warning"}, "access_tier"),
        ("oauth1", "x.verify_credentials", _code(403, 326), {"sign_in.user": "error"}, "suspended, locked or deleted"),
    ],
)
def test_each_cause_at_x_is_named(
    place: SandboxedDeployment, flow: str, target: str, fault: dict[str, Any], expected: dict[str, str], text: str
) -> None:
    steps = () if target == "x.request_token" else ("allow",)
    with _fault(place, target, **fault):
        walked = _walk(place, "twitter.com", "--flow", flow, steps=steps)
    assert walked.problems == expected
    for name in expected:
        assert text in walked.findings[name]["text"]


@pytest.mark.parametrize("flow", ["oauth1", "oauth2"])
def test_an_address_that_x_does_not_send_is_named(place: SandboxedDeployment, flow: str) -> None:
    """X sends only a confirmed address, and none if the registration does not request it."""
    walked = _walk(place, "twitter.com", "--flow", flow, user="carol")
    assert walked.problems == {"sign_in.email": "warning"}


# MARK: - Any OpenID Provider, with a listener of the command


def test_a_provider_that_accepts_loopback_needs_no_copying(
    place: SandboxedDeployment, own_provider: tuple[OpenIDProvider, Any]
) -> None:
    provider, _ = own_provider
    redirect_uri = f"http://127.0.0.1:{free_port()}/callback"
    client = provider.register("walker", "secret-of-the-walker", [redirect_uri])
    place.server.environment["OP_SECRET"] = "secret-of-the-walker"
    with _changed(place, lambda settings: settings["providers"].update(op=openid(provider, client))):
        operator = Operator(place.server, "op", "--redirect-uri", redirect_uri)
        url = operator.url()
        with requests.Session() as browser:
            browser.trust_env = False
            origin = redirect_uri.removesuffix("/callback")
            assert browser.get(origin + "/favicon.ico", timeout=10).status_code == 404
            page = browser.get(url + "&login_hint=niaj", timeout=10)
        assert page.status_code == 200
        assert "return to the terminal" in page.text
        assert page.headers["Referrer-Policy"] == "no-referrer"
        with requests.Session() as browser:
            browser.trust_env = False
            browser.get(operator.url() + "&login_hint=niaj", timeout=10)
        walked = operator.report()
    assert (walked.code, walked.problems) == (0, {})
    assert "alg RS256" in walked.findings["sign_in.id_token"]["text"]
    assert walked.findings["sign_in.authorization"]["text"].endswith("with iss.")
    assert walked.findings["sign_in.pkce"]["text"].endswith("refuses a wrong code_verifier.")
    code = dict(parse_qsl(urlsplit(page.url).query))["code"]
    for secret in [code, "secret-of-the-walker", "niaj", *provider.tokens]:
        assert secret not in walked.output


# MARK: - The command line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sign-in", "unknown.example"], "--sign-in: the configuration has only the providers"),
        (["--sign-in", "yahoo.com", "--flow", "oauth1"], "--flow: yahoo.com has only openid"),
        (["--flow", "oauth1"], "--flow and --redirect-uri belong to --sign-in."),
    ],
)
def test_a_wrong_argument_is_named(place: SandboxedDeployment, arguments: list[str], message: str) -> None:
    ran = place.server.run("doctor", *arguments)
    assert ran.returncode == 64
    assert message in ran.stderr
