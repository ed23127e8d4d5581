"""The operator's commands for accounts: `accounts export`, `import` and `sweep`, and the expiry of anonymous accounts.

The server's clock cannot be changed from outside, so the tests change the age of accounts in the database while no
server runs.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from conftest import Settle
from deployment.account_application import AccountApplication, identities
from deployment.expectations import refused
from deployment.firebase import Firebase
from deployment.waiting import wait_until

YAHOO, X = "yahoo.com", "twitter.com"
ALICE = {YAHOO: "ALICEWJNWVNQD4GXZ5NGMZUST4", X: "2244994945"}
DAY = 86400


def _export(people: AccountApplication) -> dict[str, dict[str, Any]]:
    result = people.deployment.run("accounts", "export")
    assert result.returncode == 0, result.stderr
    return {account["uid"]: account for account in map(json.loads, result.stdout.splitlines())}


@contextmanager
def _database(people: AccountApplication) -> Iterator[sqlite3.Connection]:
    """Opens the database while no server runs."""
    assert not people.deployment.is_running
    database = sqlite3.connect(people.deployment.settings["store"].removeprefix("sqlite://"))
    with database:
        yield database
    database.close()


def _made_earlier(people: AccountApplication, seconds: int) -> None:
    """All accounts."""
    people.deployment.terminate()
    with _database(people) as database:
        moved = "created_at = created_at - ?, delete_after = delete_after - ?"
        database.execute(f"UPDATE accounts SET {moved}", [seconds, seconds])


def _swept(people: AccountApplication, dry: bool = False) -> dict[str, int]:
    result = people.deployment.run("accounts", "sweep", "--json", *["--dry-run"][: int(dry)])
    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
    if dry:
        ages = answer.pop("anonymous_by_age")
        assert sum(age["count"] for age in ages) >= answer["would_remove"]
    return answer


# MARK: - Anonymous accounts


@pytest.fixture
def keeping_a_month(settle: Settle, directory: str) -> AccountApplication:
    return settle(firebase={"directory": directory}, accounts={"anonymous_retention": "30d"})


def test_an_anonymous_account_is_removed_after_thirty_days(
    keeping_a_month: AccountApplication, firebase: Firebase, directory: str
) -> None:
    people = keeping_a_month
    left, kept = people.anonymous(), people.anonymous()
    people.link(kept.session.id_token, YAHOO, people.token_of(YAHOO))
    known = people.enter(X, "mallory")
    account = _export(people)[left.uid]
    assert account["delete_after"] == account["created_at"] + 30 * DAY
    assert "delete_after" not in _export(people)[kept.uid]

    _made_earlier(people, 30 * DAY - 600)
    people.deployment.start()
    assert people.account(left.session.id_token).status == 200, "a day too early"

    _made_earlier(people, 1200)
    assert _swept(people, dry=True) == {"would_remove": 1}
    people.deployment.start()
    wait_until(lambda: left.uid not in _export(people), "the server removes it by itself")
    wait_until(lambda: not firebase.has(left.uid), "Firebase's user goes as well")
    refused(people.account(left.session.id_token), 401, "account_gone")
    for entered in (kept, known):
        assert people.account(entered.session.id_token)["uid"] == entered.uid
        assert firebase.has(entered.uid)
    assert people.enter(YAHOO).uid == kept.uid


def test_without_a_retention_nothing_is_swept(settle: Settle, firebase: Firebase) -> None:
    """The account got its end from an earlier configuration. The next sweep with a retention removes it."""
    people = settle(accounts={"anonymous_retention": "30d"})
    kept = people.anonymous()
    _made_earlier(people, 31 * DAY)
    with _database(people) as database:
        database.execute("INSERT INTO accounts (uid, created_at, adopted, delete_after) VALUES (?, 1, 1, 2)", [b"left"])
    retention = people.deployment.settings["accounts"].pop("anonymous_retention")
    people.deployment.configure(people.deployment.settings)
    people.deployment.start()
    wait_until(lambda: "left" not in _export(people), "the server has swept: adopted accounts come last")
    assert _export(people).keys() == {kept.uid}
    assert firebase.has(kept.uid)
    assert people.account(kept.session.id_token).status == 200

    people.deployment.terminate()
    people.deployment.settings["accounts"]["anonymous_retention"] = retention
    people.deployment.configure(people.deployment.settings)
    people.deployment.start()
    wait_until(lambda: not _export(people), "the server removes it")
    wait_until(lambda: not firebase.has(kept.uid), "Firebase's user goes as well")


def test_an_anonymous_account_that_firebase_itself_made_permanent_is_kept(
    keeping_a_month: AccountApplication, firebase: Firebase
) -> None:
    """The SDK added a password without involving the server."""
    people = keeping_a_month
    entered, left = people.anonymous(), people.anonymous()
    firebase.add_password(entered.session, "somebody@example.org", "correct horse battery staple")
    _made_earlier(people, 31 * DAY)
    people.deployment.start()
    wait_until(lambda: not firebase.has(left.uid), "the other one is removed")
    assert firebase.has(entered.uid)
    answer = people.account(firebase.bearer(entered.uid, sign_in_provider="password"))
    assert answer.status == 200, answer
    assert answer["uid"] == entered.uid


def test_none_of_many_is_removed_that_firebase_itself_made_permanent(
    keeping_a_month: AccountApplication, firebase: Firebase
) -> None:
    """Accounts are swept in batches of 500; the first and the last of 501 have a password."""
    people = keeping_a_month
    entered = [people.anonymous(), people.anonymous()]
    for number, one in enumerate(entered):
        firebase.add_password(one.session, f"somebody{number}@example.org", "correct horse battery staple")
    _made_earlier(people, 31 * DAY)
    with _database(people) as database:
        (end,) = database.execute("SELECT min(delete_after) FROM accounts").fetchone()
        for one, moved in zip(entered, (-10, 10), strict=True):
            database.execute("UPDATE accounts SET delete_after = ? WHERE uid = ?", [end + moved, one.uid.encode()])
        database.executemany(
            "INSERT INTO accounts (uid, created_at, anonymous, delete_after) VALUES (?, ?, 1, ?)",
            [(f"anonymous:{number}".encode(), end - 30 * DAY, end) for number in range(499)],
        )
    people.deployment.start()
    wait_until(lambda: _export(people).keys() <= {one.uid for one in entered}, "all others are removed")
    for one in entered:
        assert firebase.has(one.uid)
        assert people.account(firebase.bearer(one.uid, sign_in_provider="password")).status == 200


def test_the_operator_sweeps(settle: Settle, firebase: Firebase) -> None:
    people = settle(accounts={"anonymous_retention": "1h"})
    uids = {people.anonymous().uid for _ in range(3)}
    assert _swept(people) == {"removed": 0, "firebase_users_kept": 0}
    _made_earlier(people, 3601)
    assert _swept(people, dry=True) == {"would_remove": 3}
    assert _export(people).keys() == uids
    assert _swept(people) == {"removed": 3, "firebase_users_kept": 0}
    assert not _export(people)
    assert not any(firebase.has(uid) for uid in uids)
    people.deployment.start()


def test_the_operator_deletes_and_merges(settle: Settle, firebase: Firebase) -> None:
    people = settle()
    deleted = people.enter(YAHOO)
    result = people.deployment.run("accounts", "delete", deleted.uid, "--yes", "--json")
    assert json.loads(result.stdout) == {"deleted": deleted.uid, "firebase_user": "deleted"}, result.stderr
    kept, gone = people.enter(YAHOO, "mallory"), people.enter(X)
    result = people.deployment.run("accounts", "merge", gone.uid, kept.uid, "--json")
    assert result.returncode == 0, result.stderr
    assert result.stderr.endswith(": deleted\n")
    assert {uid: firebase.has(uid) for uid in (deleted.uid, gone.uid, kept.uid)} == {
        deleted.uid: False,
        gone.uid: False,
        kept.uid: True,
    }
    # The password at Firebase would be lost.
    other = people.anonymous()
    firebase.add_password(other.session, "somebody@example.org", "correct horse battery staple")
    result = people.deployment.run("accounts", "merge", other.uid, kept.uid)
    assert (result.returncode, firebase.has(other.uid)) == (1, True), result.stderr
    assert "cannot be moved" in result.stderr
    # A custom token for the remaining account would bypass the second factor.
    guarded = people.anonymous()
    firebase.change(guarded.uid, mfa=True)
    result = people.deployment.run("accounts", "merge", guarded.uid, kept.uid)
    assert (result.returncode, firebase.has(guarded.uid)) == (1, True), result.stderr
    assert "second factor" in result.stderr


# MARK: - Export and import


def test_accounts_move_to_another_server(settle: Settle, tmp_path: Path) -> None:
    old, new = settle(), settle()
    alice, nobody, mallory = old.enter(YAHOO), old.anonymous(), old.enter(X, "mallory")
    old.link(alice.session.id_token, X, old.token_of(X))
    file = tmp_path / "accounts.jsonl"
    file.write_text(old.deployment.run("accounts", "export").stdout)
    assert len(file.read_text().splitlines()) == 3
    for added in (3, 0):
        result = new.deployment.run("accounts", "import", str(file), "--json")
        assert result.returncode == 0, result.stdout + result.stderr
        summary = json.loads(result.stdout)
        assert (summary["added"], summary["skipped"], summary["conflicts"]) == (added, 3 - added, [])
    assert _export(new) == _export(old)
    for provider, user, uid in ((YAHOO, "alice", alice.uid), (X, "alice", alice.uid), (X, "mallory", mallory.uid)):
        entered = new.enter(provider, user)
        assert (entered.uid, entered.body["is_new_user"]) == (uid, False)
    assert identities(new.account(alice.session.id_token)) == ALICE
    assert new.account(nobody.session.id_token)["anonymous"] is True


FIREBASE_EXPORT = {
    "users": [
        # The uids in published samples have this form.
        {
            "localId": f"yahoo.com:{ALICE[YAHOO]}",
            "email": "alice@example.com",
            "emailVerified": True,
            "displayName": "Alice",
            "createdAt": "1500000000000",
            "lastSignedInAt": "1600000000000",
            "providerUserInfo": [],
        },
        {"localId": "twitter:1666", "createdAt": "1500000000000", "providerUserInfo": []},
        {
            "localId": "k" * 28,
            "createdAt": "1500000000000",
            "passwordHash": "aGFzaA==",
            "salt": "c2FsdA==",
            "email": "kobayashi@example.org",
            "emailVerified": False,
            "providerUserInfo": [{"providerId": "yahoo.com", "rawId": "KOBAYJNWVNQD4GXZ5NGMZUST44"}],
        },
        {"localId": "n" * 28, "createdAt": "1500000000000", "providerUserInfo": []},
        {"localId": "weibo:17", "createdAt": "1500000000000", "providerUserInfo": []},
        {
            "localId": "yahoo.com:SOMEBODY",
            "createdAt": "1500000000000",
            "providerUserInfo": [],
            "mfaInfo": [{"mfaEnrollmentId": "factor-1", "phoneInfo": "+15555550100"}],
        },
    ]
}


def test_users_of_an_older_system_keep_their_uids(settle: Settle, tmp_path: Path) -> None:
    people = settle()
    file = tmp_path / "users.json"
    file.write_text(json.dumps(FIREBASE_EXPORT))
    dry = people.deployment.run("accounts", "import", str(file), "--json", "--dry-run")
    assert not _export(people)
    result = people.deployment.run("accounts", "import", str(file), "--json")
    # The user with a second factor.
    assert result.returncode == dry.returncode == 1, result.stderr
    summary = json.loads(result.stdout)
    assert (summary["added"], summary["skipped"], summary["left_out"]) == (3, 0, 2), summary
    assert [user["uid"] for user in summary["unknown_providers"]] == ["weibo:17"]
    assert [conflict["uid"] for conflict in summary["conflicts"]] == ["yahoo.com:SOMEBODY"]
    assert json.loads(dry.stdout) == summary | {"dry_run": True}
    for provider, user, uid in (
        (YAHOO, "alice", f"yahoo.com:{ALICE[YAHOO]}"),
        (X, "mallory", "twitter:1666"),
        (YAHOO, "kobayashi", "k" * 28),
    ):
        entered = people.enter(provider, user)
        assert (entered.uid, entered.body["is_new_user"]) == (uid, False)
    # Her verified address was imported.
    refused(people.try_to_enter(X), 409, "account_exists_with_different_credential")
    # The user can still sign in with the password.
    entered = people.enter(YAHOO, "kobayashi")
    assert identities(people.unlink(entered.session.id_token, YAHOO)) == {}


def test_identities_that_an_export_lacks_are_looked_up(settle: Settle, firebase: Firebase, tmp_path: Path) -> None:
    """`firebase auth:export` writes no second factors, and before June 2026 no identities of Yahoo."""
    people = settle()
    native, guarded = "n" * 28, "g" * 28
    firebase.change(native, email="alice@example.com", email_verified=True)
    firebase.change(native, link={"providerId": YAHOO, "rawId": ALICE[YAHOO]})
    firebase.change(guarded, email="guarded@example.com", email_verified=True, mfa=True)
    users = [
        {"localId": native, "email": "alice@example.com", "emailVerified": True, "providerUserInfo": []},
        {"localId": guarded, "email": "guarded@example.com", "emailVerified": True, "passwordHash": "aGFzaA=="},
    ]
    file = tmp_path / "users.json"
    file.write_text(json.dumps({"users": users}))
    result = people.deployment.run("accounts", "import", str(file), "--json", "--dry-run")
    assert (json.loads(result.stdout)["added"], json.loads(result.stdout)["left_out"]) == (1, 1), result.stderr
    result = people.deployment.run("accounts", "import", str(file), "--json", "--ask-firebase")
    assert result.returncode == 1, result.stderr
    summary = json.loads(result.stdout)
    assert summary["added"] == 1, summary
    assert [conflict["uid"] for conflict in summary["conflicts"]] == [guarded]
    entered = people.enter(YAHOO)
    assert (entered.uid, entered.body["is_new_user"]) == (native, False)


def test_with_firebase_as_directory_nothing_is_imported(settle: Settle, tmp_path: Path) -> None:
    people = settle(firebase={"directory": "firebase"})
    file = tmp_path / "users.json"
    file.write_text(json.dumps(FIREBASE_EXPORT))
    result = people.deployment.run("accounts", "import", str(file))
    assert result.returncode == 64
    assert "firebase auth:import" in result.stderr
    assert not _export(people)
