"""Sign-in, linking, conflicts and the rest of `/v1/account/*`, together with Firebase's own libraries.

Every custom token is redeemed at Google's stand-in, and google-auth verifies the resulting ID token. If Firebase is the
directory, firebase-admin must show the same accounts as the server.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import requests

from conftest import Settle
from deployment.account_application import AccountApplication, Entered, identities, pending
from deployment.application import Answer
from deployment.expectations import refused, signed_in
from deployment.firebase import Firebase
from deployment.native_application import post_form
from deployment.sandbox import Sandbox
from peers.browser import parameters

YAHOO, X = "yahoo.com", "twitter.com"
ALICE = {YAHOO: "ALICEWJNWVNQD4GXZ5NGMZUST4", X: "2244994945"}
MALLORY = {YAHOO: "MALLORYJNWVNQD4GXZ5NGMZUS4", X: "1666"}


@pytest.fixture
def seen(people: AccountApplication, firebase: Firebase, directory: str) -> Any:
    """Compares the account, and Firebase's user if there is one, with the expected values."""

    def check(entered: Entered, expected: dict[str, str]) -> None:
        answer = people.account(entered.session.id_token)
        assert identities(answer) == expected
        assert answer["uid"] == entered.uid
        assert firebase.providers(entered.uid) == (expected if directory == "firebase" else {})

    return check


# MARK: - Sign-in


@pytest.mark.parametrize(
    ("provider", "flow"),
    [(YAHOO, {}), (X, {"flow": "oauth2"}), (X, {"flow": "oauth1"})],
    ids=["yahoo", "x-oauth2", "x-oauth1"],
)
def test_a_person_signs_in_to_firebase(
    people: AccountApplication, seen: Any, provider: str, flow: dict[str, str]
) -> None:
    first = people.entered(people.exchange(provider, people.prove(provider, **flow)))
    assert (first.body["provider"], first.body["provider_uid"]) == (provider, ALICE[provider])
    assert first.body["audience_proof"] == "authorization_code"
    assert first.body["is_new_user"] is True
    assert first.body["profile"]["name"] == "Alice Example"
    assert first.body["profile"]["email"] == "alice@example.com"
    tokens = {"access_token", "oauth_token_secret"} if flow.get("flow") == "oauth1" else {"access_token", "expires_in"}
    assert tokens <= first.body["oauth"].keys()
    claims = first.session.claims
    assert (claims["idp"], claims["idp_uid"]) == (provider, ALICE[provider])
    assert claims["firebase"]["sign_in_provider"] == "custom"
    seen(first, {provider: ALICE[provider]})

    again = people.entered(people.exchange(provider, people.prove(provider, **flow)))
    assert again.uid == first.uid
    assert again.body["is_new_user"] is False


def test_scopes_and_parameters_of_the_application_arrive_at_the_provider(people: AccountApplication) -> None:
    members = {"scopes": ["mail-r"], "parameters": {"prompt": "login", "language": "fr-FR"}}
    begun = people.sign_in(YAHOO, "com.example.app:/yahoo", **members)
    asked = parameters(begun["authorization_url"])
    assert (asked["prompt"], asked["language"]) == ("login", "fr-FR")
    assert set(asked["scope"].split()) == {"openid", "profile", "email", "mail-r"}
    entered = people.entered(people.exchange(YAHOO, people.prove(YAHOO, **members)))
    assert entered.body["provider_uid"] == ALICE[YAHOO]
    refused(people.sign_in(YAHOO, "com.example.app:/yahoo", scopes=["mail-w"]), 400, "invalid_scope")
    refused(
        people.sign_in(YAHOO, "com.example.app:/yahoo", parameters={"state": "mine"}), 400, "reserved_parameter"
    )
    for flow in ("oauth1", "oauth2"):
        begun = people.sign_in(X, "com.example.app:/x", parameters={"lang": "pt"}, flow=flow)
        assert parameters(begun["authorization_url"])["lang"] == "pt"


# MARK: - Linking


def test_a_linked_identity_signs_in_to_the_same_account(people: AccountApplication, seen: Any) -> None:
    yahoo = people.enter(YAHOO)
    bearer = yahoo.session.id_token
    linked = people.link(bearer, X, people.prove(X, bearer=bearer, intent="link"))
    assert identities(linked) == ALICE
    assert (linked["provider"], linked["provider_uid"]) == (X, ALICE[X])
    assert "access_token" in linked["oauth"]
    for provider in ALICE:
        entered = people.enter(provider)
        assert entered.uid == yahoo.uid
        assert entered.body["is_new_user"] is False
        seen(entered, ALICE)


def _redeem(people: AccountApplication, handoff: dict[str, str]) -> Answer:
    form = {"grant_type": "authorization_code", "client_id": "my-app"}
    return post_form(people.deployment, "/token", form | {k: v for k, v in handoff.items() if k != "type"})


@pytest.mark.parametrize("provider", [YAHOO, X])
def test_a_browser_flow_that_was_begun_to_link_links(people: AccountApplication, seen: Any, provider: str) -> None:
    """PAR with a bearer token and an intent; the handoff code is valid only for this intent."""
    other = {YAHOO: X, X: YAHOO}[provider]
    first = people.enter(other)
    handoff = people.go_through_browser(provider, "alice", first.session.id_token, intent="link")
    refused(_redeem(people, handoff), 400, "intent_mismatch")
    answer = people.link(first.session.id_token, None, handoff)
    assert identities(answer) == ALICE
    seen(first, ALICE)
    refused(people.link(first.session.id_token, None, handoff), 400, "replayed")


def test_a_browser_flow_that_was_begun_to_link_links_only_the_account_that_began_it(
    people: AccountApplication, seen: Any
) -> None:
    victim, other = people.enter(YAHOO), people.enter(YAHOO, "kobayashi")
    handoff = people.go_through_browser(X, "mallory", other.session.id_token, intent="link")
    answer = people.link(victim.session.id_token, None, handoff)
    refused(answer, 403, "user_mismatch")
    seen(victim, {YAHOO: ALICE[YAHOO]})


def test_a_flow_that_was_begun_to_link_meets_a_conflict_that_merges_and_never_signs_in(
    people: AccountApplication, seen: Any
) -> None:
    holder, caller = people.enter(X, "mallory"), people.enter(YAHOO)
    handoff = people.go_through_browser(X, "mallory", caller.session.id_token, intent="link")
    conflict = people.link(caller.session.id_token, None, handoff)
    refused(conflict, 409, "credential_already_in_use")
    assert len(conflict["pending_credential"]) == 43
    refused(people.exchange(X, pending(conflict)), 400, "intent_mismatch")
    merged = people.merge(caller.session.id_token, pending_credential=conflict["pending_credential"])
    assert merged["merged_uid"] == holder.uid
    seen(caller, {YAHOO: ALICE[YAHOO], X: MALLORY[X]})


def test_a_pending_credential_ends_with_the_account_of_its_conflict(people: AccountApplication, seen: Any) -> None:
    holder, caller = people.enter(X, "mallory"), people.enter(YAHOO)
    conflict = people.link(caller.session.id_token, X, people.token_of(X, "mallory"))
    refused(conflict, 409, "credential_already_in_use")
    assert people.delete(holder.session.id_token).status in (200, 204)
    for _ in range(2):
        refused(people.exchange(X, pending(conflict)), 400, "expired")
        refused(people.merge(caller.session.id_token, pending_credential=conflict["pending_credential"]), 400, "expired")
    seen(caller, {YAHOO: ALICE[YAHOO]})


def test_another_subject_of_a_linked_provider_is_refused(people: AccountApplication, seen: Any) -> None:
    entered = people.enter(YAHOO)
    answer = people.link(entered.session.id_token, YAHOO, people.token_of(YAHOO, "mallory"))
    refused(answer, 409, "provider_already_linked")
    seen(entered, {YAHOO: ALICE[YAHOO]})


def test_an_identity_of_another_account_is_a_conflict_that_can_sign_in(people: AccountApplication, seen: Any) -> None:
    holder = people.enter(X, "mallory")
    caller = people.enter(YAHOO)
    credential = people.token_of(X, "mallory")
    conflict = people.link(caller.session.id_token, X, credential)
    refused(conflict, 409, "credential_already_in_use")
    # The credential behind it is spent.
    refused(people.link(caller.session.id_token, X, credential), 400, "replayed")
    entered = people.entered(people.exchange(X, pending(conflict)))
    assert entered.uid == holder.uid != caller.uid
    assert entered.body["is_new_user"] is False
    refused(people.exchange(X, pending(conflict)), 400, "replayed")
    seen(caller, {YAHOO: ALICE[YAHOO]})
    seen(holder, {X: MALLORY[X]})


def test_a_conflict_is_merged(
    people: AccountApplication, firebase: Firebase, seen: Any, directory: str
) -> None:
    emptied = people.enter(X, "mallory")
    caller = people.enter(YAHOO)
    conflict = people.link(caller.session.id_token, X, people.token_of(X, "mallory"))
    refused(conflict, 409, "credential_already_in_use")
    # It is valid only for its caller.
    stranger = people.enter(YAHOO, "kobayashi")
    answer = people.merge(stranger.session.id_token, pending_credential=conflict["pending_credential"])
    refused(answer, 400, "code_rejected")
    merged = people.merge(caller.session.id_token, pending_credential=conflict["pending_credential"])
    expected = {YAHOO: ALICE[YAHOO], X: MALLORY[X]}
    assert identities(merged) == expected
    assert merged["merged_uid"] == emptied.uid
    seen(caller, expected)
    assert merged["firebase_user"] == "deleted"
    refused(people.account(emptied.session.id_token), 401, "account_gone")
    assert not firebase.has(emptied.uid)
    assert firebase.refresh(emptied.session.refresh_token).status_code == 400
    assert people.enter(X, "mallory").uid == caller.uid


def test_accounts_are_merged_with_the_id_token_of_the_other_account(people: AccountApplication, seen: Any) -> None:
    caller, emptied = people.enter(YAHOO), people.enter(X, "mallory")
    merged = people.merge(caller.session.id_token, from_id_token=emptied.session.id_token)
    assert merged["merged_uid"] == emptied.uid
    seen(caller, {YAHOO: ALICE[YAHOO], X: MALLORY[X]})
    again = people.merge(caller.session.id_token, from_id_token=emptied.session.id_token)
    refused(again, 401, "account_gone")


def test_a_verified_address_of_another_account_requires_linking(
    people: AccountApplication, firebase: Firebase, seen: Any
) -> None:
    yahoo = people.enter(YAHOO)
    conflict = people.try_to_enter(X)
    refused(conflict, 409, "account_exists_with_different_credential")
    assert conflict["email"] == "alice@example.com"
    assert conflict["providers"] == [YAHOO]
    # It cannot sign in, and cannot link to another account.
    answer = people.exchange(X, pending(conflict))
    refused(answer, 400, "intent_mismatch")
    stranger = people.enter(YAHOO, "mallory")
    answer = people.link(stranger.session.id_token, X, pending(conflict))
    refused(answer, 400, "code_rejected")
    entered = people.enter(YAHOO)
    assert identities(people.link(entered.session.id_token, X, pending(conflict))) == ALICE
    seen(entered, ALICE)
    assert people.enter(X).uid == yahoo.uid
    refused(people.link(entered.session.id_token, X, pending(conflict)), 400, "replayed")


def test_a_conflict_of_a_browser_flow_is_settled_on_a_page(people: AccountApplication, seen: Any) -> None:
    """The person proves the identity of before; another one of the same provider does not suffice."""
    yahoo = people.enter(YAHOO)
    person, finish = people.begin_in_browser(X, "alice")
    for user in ("bjorn", "alice"):
        assert person.heading == "You already have an account of My App"
        choices = [value for name, value in person.form.buttons if name == "provider"]
        assert choices == [YAHOO, ""]
        person.press("provider", YAHOO).allow(user)
    answer = _redeem(people, finish(person.redirect))
    assert (answer["uid"], answer["provider"], answer["linked"]) == (yahoo.uid, X, True)
    seen(yahoo, ALICE)
    again = _redeem(people, people.go_through_browser(X, "alice"))
    assert again["uid"] == yahoo.uid
    assert "linked" not in again.body


def test_a_person_who_does_not_settle_a_conflict_changes_nothing(people: AccountApplication, seen: Any) -> None:
    yahoo = people.enter(YAHOO)
    person, _ = people.begin_in_browser(X, "alice")
    told = parameters(person.press("provider", "").redirect)
    assert told.keys() == {"error", "error_description", "iss"}
    assert told["error"] == "account_exists_with_different_credential"
    seen(yahoo, {YAHOO: ALICE[YAHOO]})


def test_an_account_with_a_password_is_not_merged_away(
    people: AccountApplication, firebase: Firebase, seen: Any
) -> None:
    session = firebase.sign_up("somebody@example.org", "correct horse battery staple")
    people.link(session.id_token, X, people.token_of(X, "mallory"))
    caller = people.enter(YAHOO)
    answer = people.merge(caller.session.id_token, from_id_token=session.id_token)
    assert (answer.status, answer["reason"]) == (409, "merge_not_possible"), answer
    assert "pending_credential" not in answer.body
    conflict = people.link(caller.session.id_token, X, people.token_of(X, "mallory"))
    answer = people.merge(caller.session.id_token, pending_credential=conflict["pending_credential"])
    assert (answer.status, answer["reason"]) == (409, "merge_not_possible"), answer
    assert "pending_credential" not in answer.body
    seen(caller, {YAHOO: ALICE[YAHOO]})
    assert firebase.has(session.uid)
    # In the other direction she takes over the account.
    merged = people.merge(session.id_token, from_id_token=caller.session.id_token)
    assert merged["merged_uid"] == caller.uid
    assert identities(people.account(session.id_token)) == {YAHOO: ALICE[YAHOO], X: MALLORY[X]}


def test_an_unlinked_identity_gets_another_account(people: AccountApplication, seen: Any) -> None:
    first = people.enter(YAHOO)
    people.link(first.session.id_token, X, people.token_of(X))
    assert identities(people.unlink(first.session.id_token, X)) == {YAHOO: ALICE[YAHOO]}
    seen(first, {YAHOO: ALICE[YAHOO]})
    refused(people.unlink(first.session.id_token, X), 409, "no_such_provider")
    refused(people.unlink(first.session.id_token, YAHOO), 409, "last_identity")
    # Her address would require linking.
    people.link(first.session.id_token, X, people.token_of(X, "mallory"))
    people.unlink(first.session.id_token, X)
    other = people.enter(X, "mallory")
    assert other.uid != first.uid
    assert other.body["is_new_user"] is True
    seen(other, {X: MALLORY[X]})


@pytest.mark.parametrize("provider", [YAHOO, X])
def test_reauthentication_is_written_into_the_token(people: AccountApplication, provider: str) -> None:
    entered = people.enter(provider)
    bearer = entered.session.id_token
    credential = people.prove(provider, bearer=bearer, intent="reauthenticate")
    # It is valid for nothing else.
    refused(people.exchange(provider, credential), 400, "intent_mismatch")
    credential = people.prove(provider, bearer=bearer, intent="reauthenticate")
    again = people.entered(people.reauthenticate(bearer, provider, credential))
    assert again.uid == entered.uid
    claims = again.session.claims
    if provider == X:
        # X with OAuth 1.0a returns no time of the login.
        assert claims["reauth_method"] == "prompt"
        assert "reauth_time" not in claims
    else:
        assert abs(claims["reauth_time"] - claims["auth_time"]) <= 2
        assert "reauth_method" not in claims
    assert not {"reauth_time", "reauth_method"} & set(entered.session.claims)


def test_reauthentication_as_another_user_is_refused(people: AccountApplication) -> None:
    entered = people.enter(YAHOO)
    people.enter(YAHOO, "mallory")
    answer = people.reauthenticate(entered.session.id_token, YAHOO, people.token_of(YAHOO, "mallory"))
    refused(answer, 403, "user_mismatch")


def test_changes_of_an_account_require_a_recent_sign_in(people: AccountApplication, firebase: Firebase) -> None:
    entered = people.enter(YAHOO)
    old = firebase.old_bearer(entered.uid, 302)
    assert people.account(old).status == 200
    for answer in (
        people.link(old, X, people.token_of(X)),
        people.unlink(old, YAHOO),
        people.merge(old, from_id_token=entered.session.id_token),
        people.delete(old),
    ):
        refused(answer, 401, "requires_recent_login")
    # A recent session is not enough if it was ended.
    recent = firebase.old_bearer(entered.uid, 10)
    firebase.admin.revoke_refresh_tokens(entered.uid)
    refused(people.link(recent, X, people.token_of(X)), 401, "id_token_revoked")
    refused(people.link(old, X, people.token_of(X)), 401, "requires_recent_login")


# MARK: - The end of sessions and accounts


def test_sign_out_ends_the_sessions_at_firebase(settle: Settle, firebase: Firebase, directory: str) -> None:
    people = settle(firebase={"directory": directory, "check_revoked": True})
    people.deployment.watch_since(60)
    with firebase.earlier(10):
        entered = people.enter(YAHOO)
    before = firebase.admin.get_user(entered.uid).tokens_valid_after_timestamp
    assert firebase.refresh(entered.session.refresh_token).status_code == 200
    answer = people.sign_out(entered.session.id_token)
    assert answer.body == {"sessions_revoked": True, "token_revoked": False}
    after = firebase.admin.get_user(entered.uid).tokens_valid_after_timestamp
    assert after > before
    assert firebase.refresh(entered.session.refresh_token).status_code == 400
    refused(people.account(entered.session.id_token), 401, "id_token_revoked")
    assert people.account(people.enter(YAHOO).session.id_token).status == 200


@pytest.mark.parametrize("provider", [YAHOO, X])
def test_sign_out_ends_a_token_at_the_provider(settle: Settle, sandbox: Sandbox, provider: str) -> None:
    own = sandbox.settings["providers"][YAHOO]
    yahoo = own | {"endpoints": own["endpoints"] | {"revocation": sandbox.yahoo + "/oauth2/revoke"}}
    people = settle(providers={YAHOO: yahoo})
    entered = people.entered(people.exchange(provider, people.prove(provider)))
    token = entered.body["oauth"]["access_token"]
    userinfo = {YAHOO: sandbox.yahoo + "/openid/v1/userinfo", X: sandbox.x + "/2/users/me"}[provider]

    def is_good() -> bool:
        with requests.Session() as session:
            session.trust_env = False
            return session.get(userinfo, headers={"Authorization": f"Bearer {token}"}, timeout=10).status_code == 200

    assert is_good()
    answer = people.sign_out(entered.session.id_token, provider=provider, token=token)
    assert answer.body == {"sessions_revoked": True, "token_revoked": True}
    assert not is_good()


def test_a_deleted_account_is_gone(people: AccountApplication, firebase: Firebase, directory: str) -> None:
    entered = people.enter(YAHOO)
    bearer = entered.session.id_token
    people.link(bearer, X, people.token_of(X))
    answer = people.delete(bearer)
    assert (answer.status, answer.body) == (200, {"firebase_user": "deleted"})
    assert not firebase.has(entered.uid)
    assert firebase.refresh(entered.session.refresh_token).status_code == 400
    for answer in (people.account(bearer), people.link(bearer, X, people.token_of(X)), people.delete(bearer)):
        refused(answer, 401, "account_gone")
    anew = people.enter(YAHOO)
    assert anew.body["is_new_user"] is True
    assert anew.uid != entered.uid
    assert identities(people.account(anew.session.id_token)) == {YAHOO: ALICE[YAHOO]}


@contextmanager
def _fault(sandbox: Sandbox, endpoint: str, status: int) -> Iterator[None]:
    sandbox.order("PUT", "/faults", target=endpoint, status=status, body="{}")
    try:
        yield
    finally:
        sandbox.order("DELETE", "/faults")


@pytest.mark.parametrize("directory", ["local"])
@pytest.mark.parametrize("endpoint", ["google.lookup", "google.delete"])
def test_a_user_that_may_not_be_deleted_is_kept(
    people: AccountApplication, firebase: Firebase, sandbox: Sandbox, endpoint: str
) -> None:
    entered = people.enter(YAHOO)
    with _fault(sandbox, endpoint, 403):
        answer = people.delete(entered.session.id_token)
    assert (answer.status, answer.body) == (200, {"firebase_user": "kept"})
    assert firebase.has(entered.uid)
    refused(people.account(entered.session.id_token), 401, "account_gone")


@pytest.mark.parametrize("directory", ["local"])
def test_nothing_is_deleted_while_firebase_does_not_respond(
    people: AccountApplication, firebase: Firebase, sandbox: Sandbox
) -> None:
    entered = people.enter(YAHOO)
    with _fault(sandbox, "google.lookup", 503):
        answer = people.delete(entered.session.id_token)
    refused(answer, 503, "directory_unavailable", "same")
    assert people.account(entered.session.id_token).status == 200
    assert people.delete(entered.session.id_token).body == {"firebase_user": "deleted"}


@pytest.mark.parametrize("directory", ["local", "firebase"])
def test_an_old_session_of_a_user_with_a_password_links_nothing(
    people: AccountApplication, firebase: Firebase
) -> None:
    """The account was anonymous when the session began, and the session's provider is still `custom`."""
    entered = people.anonymous()
    firebase.add_password(entered.session, "somebody@example.org", "correct horse battery staple")
    old = firebase.old_bearer(entered.uid, 86400)
    refused(people.link(old, YAHOO, people.token_of(YAHOO)), 401, "requires_recent_login")


# MARK: - Users who signed in without this server


def test_a_user_with_a_password_links_yahoo(
    people: AccountApplication, firebase: Firebase, directory: str
) -> None:
    session = firebase.sign_up("somebody@example.org", "correct horse battery staple")
    assert session.claims["firebase"]["sign_in_provider"] == "password"
    linked = people.link(session.id_token, YAHOO, people.token_of(YAHOO))
    assert identities(linked) == {YAHOO: ALICE[YAHOO]}
    entered = people.enter(YAHOO)
    assert entered.uid == session.uid
    expected = {"password": "somebody@example.org"} | ({YAHOO: ALICE[YAHOO]} if directory == "firebase" else {})
    assert firebase.providers(session.uid) == expected
    # The user can still sign in with the password.
    assert identities(people.unlink(entered.session.id_token, YAHOO)) == {}


@pytest.mark.parametrize("provider", [YAHOO, X])
def test_an_anonymous_account_becomes_permanent_and_keeps_its_uid(
    people: AccountApplication, seen: Any, provider: str
) -> None:
    entered = people.anonymous()
    assert entered.uid.startswith("anonymous:")
    assert entered.body["provider"] == "anonymous"
    assert people.account(entered.session.id_token)["anonymous"] is True
    linked = people.link(entered.session.id_token, provider, people.token_of(provider))
    assert linked["account"]["anonymous"] is False
    again = people.enter(provider)
    assert again.uid == entered.uid
    assert again.body["is_new_user"] is False
    seen(again, {provider: ALICE[provider]})


def test_anonymous_sign_in_is_off_by_default(people: AccountApplication) -> None:
    refused(people.post("/v1/anonymous", {"client_id": "checked-app"}), 403, "app_check_required")
    refused(people.post("/v1/anonymous", {"client_id": "living-room-tv"}), 403, "anonymous_disabled")


@pytest.mark.parametrize("directory", ["firebase"])
def test_a_disabled_user_is_refused_everywhere(people: AccountApplication, firebase: Firebase) -> None:
    entered = people.enter(YAHOO)
    unused = signed_in(people.try_to_enter(YAHOO))["custom_token"]
    firebase.admin.update_user(entered.uid, disabled=True)
    refused(people.try_to_enter(YAHOO), 403, "user_disabled")
    refused(people.reauthenticate(entered.session.id_token, YAHOO, people.token_of(YAHOO)), 403, "user_disabled")
    refused(people.delete(entered.session.id_token), 403, "user_disabled")
    assert firebase.try_to_sign_in(unused) == "USER_DISABLED"
    firebase.admin.update_user(entered.uid, disabled=False)
    assert people.enter(YAHOO).uid == entered.uid


@pytest.mark.parametrize("directory", ["local"])
def test_an_account_that_the_operator_disabled_is_refused(people: AccountApplication) -> None:
    entered = people.enter(YAHOO)
    assert people.deployment.run("accounts", "disable", entered.uid).returncode == 0
    refused(people.try_to_enter(YAHOO), 403, "user_disabled")
    refused(people.account(entered.session.id_token), 403, "user_disabled")
    assert people.deployment.run("accounts", "enable", entered.uid).returncode == 0
    assert people.enter(YAHOO).uid == entered.uid


@pytest.mark.parametrize("directory", ["firebase"])
def test_a_user_with_a_second_factor_is_refused(people: AccountApplication, firebase: Firebase) -> None:
    """A custom token would bypass the second factor."""
    entered = people.enter(YAHOO)
    firebase.change(entered.uid, mfa=True)
    refused(people.try_to_enter(YAHOO), 403, "second_factor_required")
    answer = people.reauthenticate(entered.session.id_token, YAHOO, people.token_of(YAHOO))
    refused(answer, 403, "second_factor_required")
    firebase.change(entered.uid, mfa=False)
    assert people.enter(YAHOO).uid == entered.uid


# MARK: - The caller's ID token


@pytest.mark.parametrize(
    ("spoilt", "reason"),
    [
        ({"issued_seconds_ago": 3700}, "id_token_expired"),
        ({"project_id": "another"}, "id_token_invalid"),
        ({"key": "foreign"}, "id_token_invalid"),
        ({"key": "none"}, "id_token_invalid"),
        ({"key": "hs256"}, "id_token_invalid"),
        ({"set": {"sub": ""}}, "id_token_invalid"),
        ({"remove": ["auth_time"]}, "id_token_invalid"),
        ({"tenant_id": "tenant-1"}, "id_token_invalid"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else value,
)
@pytest.mark.parametrize("directory", ["local"])
def test_a_bearer_that_is_not_an_id_token_of_the_project_is_refused(
    people: AccountApplication, firebase: Firebase, spoilt: dict[str, Any], reason: str
) -> None:
    assert people.account(firebase.bearer("somebody")).status == 200
    refused(people.account(firebase.bearer("somebody", **spoilt)), 401, reason)


@pytest.mark.parametrize("directory", ["local"])
def test_a_custom_token_is_no_bearer(people: AccountApplication) -> None:
    token = signed_in(people.try_to_enter(YAHOO))["custom_token"]
    refused(people.account(token), 401, "id_token_invalid")
    refused(people.send("GET", "/v1/account"), 401, "id_token_missing")
