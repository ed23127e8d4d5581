"""The operator's commands for accounts with `directory: firebase`.

The commands change users of Google's stand-in; firebase-admin reads what they did.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from firebase_admin import auth

from conftest import Settle
from deployment.account_application import AccountApplication
from deployment.expectations import refused
from deployment.firebase import Firebase

YAHOO, X = "yahoo.com", "twitter.com"
ALICE = {YAHOO: "ALICEWJNWVNQD4GXZ5NGMZUST4", X: "2244994945"}


@pytest.fixture
def people(settle: Settle) -> AccountApplication:
    return settle(firebase={"directory": "firebase"}, accounts={"one_account_per_email": False})


def _run(people: AccountApplication, *arguments: str, status: int = 0) -> str:
    result = people.deployment.run("accounts", *arguments)
    assert result.returncode == status, result.stdout + result.stderr
    return result.stderr if status else result.stdout


def _account(people: AccountApplication, *arguments: str) -> dict[str, Any]:
    return json.loads(_run(people, *arguments, "--json"))


def _providers(account: dict[str, Any]) -> dict[str, str]:
    return {identity["provider"]: identity["provider_uid"] for identity in account["identities"]}


def test_the_operator_sees_what_firebase_has(people: AccountApplication, firebase: Firebase) -> None:
    alice, guest = people.enter(YAHOO), people.anonymous()
    native = firebase.sign_up("kobayashi@example.org", "correct horse battery staple")
    unseen = people.post("/v1/anonymous", {"client_id": "my-app"})["uid"]
    listed = {account["uid"]: account for account in map(json.loads, _run(people, "list", "--json").splitlines())}
    assert listed.keys() == {alice.uid, guest.uid, native.uid, unseen}
    assert _providers(listed[alice.uid]) == {YAHOO: ALICE[YAHOO]}
    assert listed[native.uid]["ways_in"] == ["password"]
    assert (listed[guest.uid]["anonymous"], listed[unseen]["anonymous"]) == (True, True)
    assert _account(people, "show", native.uid) == listed[native.uid]
    assert "there is no account nobody" in _run(people, "show", "nobody", status=1)


def test_a_link_and_its_end_are_at_firebase(people: AccountApplication, firebase: Firebase) -> None:
    native = firebase.sign_up("kobayashi@example.org", "correct horse battery staple")
    assert _providers(_account(people, "link", native.uid, X, ALICE[X])) == {X: ALICE[X]}
    assert firebase.providers(native.uid)[X] == ALICE[X]
    assert people.enter(X).uid == native.uid
    other = people.enter(YAHOO)
    assert f"linked to the account {native.uid}" in _run(people, "link", other.uid, X, ALICE[X], status=1)
    assert "there is no account nobody" in _run(people, "link", "nobody", X, "1", status=1)

    assert "providersToUnlink" in _run(people, "unlink", native.uid, "password", status=1)
    assert "last sign-in method" in _run(people, "unlink", other.uid, YAHOO, status=1)
    assert _providers(_account(people, "unlink", native.uid, X)) == {}
    assert X not in firebase.providers(native.uid)
    assert people.enter(X).uid != native.uid


def test_a_disabled_account_is_disabled_at_firebase(people: AccountApplication, firebase: Firebase) -> None:
    alice = people.enter(YAHOO)
    assert _account(people, "disable", alice.uid)["disabled"] is True
    assert firebase.admin.get_user(alice.uid).disabled
    refused(people.try_to_enter(YAHOO), 403, "user_disabled")
    assert _account(people, "enable", alice.uid)["disabled"] is False
    assert people.enter(YAHOO).uid == alice.uid
    assert "there is no account nobody" in _run(people, "disable", "nobody", status=1)


def test_a_merge_and_a_deletion_are_at_firebase(people: AccountApplication, firebase: Firebase) -> None:
    kept, gone = people.enter(YAHOO), people.enter(X)
    merged = people.deployment.run("accounts", "merge", gone.uid, kept.uid, "--json")
    assert merged.returncode == 0, merged.stderr
    assert _providers(json.loads(merged.stdout)) == ALICE
    assert merged.stderr.endswith(": deleted\n")
    assert not firebase.has(gone.uid)
    assert people.enter(X).uid == kept.uid

    native = firebase.sign_up("kobayashi@example.org", "correct horse battery staple")
    assert "cannot be moved" in _run(people, "merge", native.uid, kept.uid, status=1)
    assert firebase.has(native.uid)
    assert _account(people, "delete", kept.uid, "--yes") == {"deleted": kept.uid, "firebase_user": "deleted"}
    with pytest.raises(auth.UserNotFoundError):
        firebase.admin.get_user(kept.uid)
    refused(people.account(kept.session.id_token), 401, "account_gone")
    assert people.enter(YAHOO).uid != kept.uid


def test_the_profile_of_an_unlinked_provider_leaves_with_it(settle: Settle, firebase: Firebase) -> None:
    people = settle(
        firebase={"directory": "firebase", "sync_profile": True}, accounts={"one_account_per_email": False}
    )
    alice = people.enter(YAHOO)
    user = firebase.admin.get_user(alice.uid)
    assert user.display_name == alice.body["profile"]["name"]
    _run(people, "link", alice.uid, X, ALICE[X])
    _run(people, "unlink", alice.uid, YAHOO)
    user = firebase.admin.get_user(alice.uid)
    assert (user.display_name, user.photo_url) == (None, None)

    other = people.enter(YAHOO, "mallory")
    _run(people, "link", other.uid, X, "1666")
    firebase.admin.update_user(other.uid, display_name="Captain")
    _run(people, "unlink", other.uid, YAHOO)
    user = firebase.admin.get_user(other.uid)
    assert (user.display_name, user.photo_url) == ("Captain", None)
