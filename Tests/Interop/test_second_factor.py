"""The second factor, with pyotp as the authenticator application: it reads our URI, and the server accepts its codes.

No test waits for the next time step: see `Authenticator`.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from collections.abc import Iterator
from typing import Any

import pytest

from conftest import Settle
from deployment.account_application import AccountApplication, identities
from deployment.application import Answer
from deployment.expectations import challenged, refused, signed_in
from deployment.native_application import Begun, NativeApplication
from peers import tokens
from peers.authenticator import Authenticator
from peers.chromium import Visitor

YAHOO, X = "yahoo.com", "twitter.com"


def _claims(answer: Answer) -> dict[str, Any]:
    """The claims of the custom token of a sign-in with a second factor."""
    claims = tokens.payload(signed_in(answer)["custom_token"])["claims"]
    assert abs(claims.pop("second_factor_time") - time.time()) < 60
    return claims


# MARK: - Enrolment


def test_the_authenticator_application_reads_the_uri(people: AccountApplication) -> None:
    entered = people.enter(YAHOO)
    begun = people.begin_factor(entered.session.id_token)
    assert begun.body.keys() == {"factor_id", "secret", "otpauth_uri", "expires_in"}
    assert begun["expires_in"] == 600
    totp = Authenticator(begun["otpauth_uri"]).totp
    assert totp.secret == begun["secret"]
    assert len(totp.byte_secret()) == 20
    assert (totp.digits, totp.interval, totp.digest().name) == (6, 30, "sha1")
    assert (totp.issuer, totp.name) == ("My App", "alice@example.com")
    # A factor that was not confirmed protects nothing.
    assert people.factors(entered.session.id_token) == {"factors": [], "recovery_codes_left": 0}
    signed_in(people.try_to_enter(YAHOO))


def test_a_wrong_code_confirms_no_factor(people: AccountApplication) -> None:
    bearer = people.enter(YAHOO).session.id_token
    begun = people.begin_factor(bearer)
    authenticator = Authenticator(begun["otpauth_uri"])
    wrong = people.confirm_factor(bearer, begun["factor_id"], authenticator.wrong_code())
    refused(wrong, 400, "second_factor_invalid")
    refused(people.confirm_factor(bearer, "unknown", authenticator.next_code()), 409, "no_such_factor")
    assert people.factors(bearer)["factors"] == []


def test_the_factors_of_an_account_are_listed(people: AccountApplication) -> None:
    person = people.enroll(people.enter(YAHOO))
    listed = people.factors(person.bearer)
    (factor,) = listed["factors"]
    assert abs(factor.pop("created_at") - time.time()) < 60
    assert factor == {"factor_id": person.factor_id, "type": "totp", "name": "Phone"}
    assert listed["recovery_codes_left"] == 10
    signed_in(people.prove_factor(challenged(people.try_to_enter(YAHOO)), totp=person.authenticator.next_code()))
    listed = people.factors(person.bearer)
    assert abs(listed["factors"][0]["last_used_at"] - time.time()) < 60


def test_an_anonymous_account_has_no_second_factor(people: AccountApplication) -> None:
    refused(people.begin_factor(people.anonymous().session.id_token), 403, "not_for_anonymous")


def test_an_account_has_at_most_five_factors(people: AccountApplication) -> None:
    person = people.enroll(people.enter(YAHOO))
    handle = challenged(people.try_to_enter(YAHOO))
    answer = people.prove_factor(handle, totp=person.authenticator.next_code())
    bearer = people.entered(answer).session.id_token
    for _ in range(4):
        begun = people.begin_factor(bearer)
        code = Authenticator(begun["otpauth_uri"]).next_code()
        assert people.confirm_factor(bearer, begun["factor_id"], code).status == 200
    assert len(people.factors(bearer)["factors"]) == 5
    refused(people.begin_factor(bearer), 409, "too_many_factors")


# MARK: - Sign-in


@pytest.mark.parametrize("provider", [YAHOO, X])
def test_a_sign_in_continues_with_a_code(people: AccountApplication, provider: str) -> None:
    entered = people.enter(YAHOO)
    linked = people.link(entered.session.id_token, X, people.token_of(X))
    assert identities(linked).keys() == {YAHOO, X}
    person = people.enroll(people.enter(YAHOO))
    handle = challenged(people.try_to_enter(provider))
    answer = people.prove_factor(handle, totp=person.authenticator.next_code())
    assert (answer["uid"], answer["provider"], answer["is_new_user"]) == (entered.uid, provider, False)
    assert _claims(answer) == {"idp": provider, "idp_uid": answer["provider_uid"], "second_factor": "totp"}
    again = people.entered(answer)
    assert again.session.claims["second_factor"] == "totp"
    refused(people.prove_factor(handle, recovery_code=person.recovery_codes[0]), 400, "replayed")


def test_a_code_is_used_once(people: AccountApplication) -> None:
    person = people.enroll(people.enter(YAHOO))
    code = person.authenticator.next_code()
    signed_in(people.prove_factor(challenged(people.try_to_enter(YAHOO)), totp=code))
    handle = challenged(people.try_to_enter(YAHOO))
    refused(people.prove_factor(handle, totp=code), 400, "second_factor_invalid")
    # A wrong code leaves the handle valid.
    signed_in(people.prove_factor(handle, recovery_code=person.recovery_codes[0]))


def test_a_recovery_code_replaces_the_authenticator_application_once(people: AccountApplication) -> None:
    person = people.enroll(people.enter(YAHOO))
    # As a person may type it.
    typed = person.recovery_codes[0].lower().replace("-", " ")
    answer = people.prove_factor(challenged(people.try_to_enter(YAHOO)), recovery_code=typed)
    assert _claims(answer)["second_factor"] == "recovery_code"
    handle = challenged(people.try_to_enter(YAHOO))
    refused(people.prove_factor(handle, recovery_code=person.recovery_codes[0]), 400, "second_factor_invalid")
    assert people.factors(person.bearer)["recovery_codes_left"] == 9


def test_five_wrong_codes_lock_the_factors_of_the_account(people: AccountApplication) -> None:
    person = people.enroll(people.enter(YAHOO))
    for _ in range(5):
        handle = challenged(people.try_to_enter(YAHOO))
        refused(people.prove_factor(handle, totp=person.authenticator.wrong_code()), 400, "second_factor_invalid")
    for code in ({"totp": person.authenticator.next_code()}, {"recovery_code": person.recovery_codes[0]}):
        locked = people.prove_factor(handle, **code)
        refused(locked, 403, "second_factor_locked")
        assert 0 < int(locked.header["retry-after"]) <= 900
    refused(
        people.remove_factor(person.bearer, person.factor_id, recovery_code=person.recovery_codes[0]),
        403,
        "second_factor_locked",
    )
    # Other accounts are not concerned.
    people.enter(YAHOO, "bjorn")


def test_calls_that_change_the_account_need_the_second_factor(people: AccountApplication) -> None:
    person = people.enroll(people.enter(YAHOO))
    refused(people.link(person.bearer, X, people.token_of(X)), 403, "second_factor_required")
    refused(people.unlink(person.bearer, YAHOO), 403, "second_factor_required")
    refused(people.delete(person.bearer), 403, "second_factor_required")
    refused(people.begin_factor(person.bearer), 403, "second_factor_required")
    handle = challenged(people.try_to_enter(YAHOO))
    proven = people.entered(people.prove_factor(handle, totp=person.authenticator.next_code())).session.id_token
    assert identities(people.link(proven, X, people.token_of(X))).keys() == {YAHOO, X}
    assert people.delete(proven).status == 200
    assert people.enter(YAHOO).body["is_new_user"] is True


def test_a_removed_factor_is_not_asked_for(people: AccountApplication) -> None:
    person = people.enroll(people.enter(YAHOO))
    wrong = people.remove_factor(person.bearer, person.factor_id, totp=person.authenticator.wrong_code())
    refused(wrong, 400, "second_factor_invalid")
    removed = people.remove_factor(person.bearer, person.factor_id, totp=person.authenticator.next_code())
    assert (removed.status, removed.body) == (200, {})
    people.enter(YAHOO)
    assert people.factors(person.bearer) == {"factors": [], "recovery_codes_left": 0}


# MARK: - The operator


def _operate(people: AccountApplication, *arguments: str, status: int = 0) -> str:
    result = people.deployment.run("accounts", *arguments)
    assert result.returncode == status, result.stdout + result.stderr
    return result.stderr if status else result.stdout


def test_the_operator_ends_a_lock(people: AccountApplication) -> None:
    person = people.enroll(people.enter(YAHOO))
    handle = challenged(people.try_to_enter(YAHOO))
    for _ in range(5):
        refused(
            people.prove_factor(handle, totp=person.authenticator.wrong_code()), 400, "second_factor_invalid"
        )
    shown = json.loads(_operate(people, "factors", person.entered.uid, "--json"))
    assert 0 < shown.pop("locked_until") - time.time() <= 900
    listed = people.factors(person.bearer)
    assert shown == {"uid": person.entered.uid} | listed
    _operate(people, "factors", person.entered.uid, "--unlock")
    handle = challenged(people.try_to_enter(YAHOO))
    signed_in(people.prove_factor(handle, totp=person.authenticator.next_code()))


def test_the_operator_helps_a_person_without_codes(people: AccountApplication) -> None:
    person = people.enroll(people.enter(YAHOO))
    other = people.enroll(people.enter(YAHOO, "bjorn"))
    output = _operate(people, "factors", person.entered.uid, "--remove-all")
    assert output == f"uid: {person.entered.uid}\nrecovery codes left: 0\nlocked until: -\n"
    people.enter(YAHOO)
    challenged(people.try_to_enter(YAHOO, "bjorn"))
    unknown = "token-exchange: there is no account carl: accounts list shows the uids\n"
    assert _operate(people, "factors", "carl", status=1) == unknown
    missing = _operate(people, "factors", other.entered.uid, "--remove", person.factor_id, status=1)
    assert f"has no second factor {person.factor_id}" in missing
    _operate(people, "factors", other.entered.uid, "--remove", other.factor_id)
    people.enter(YAHOO, "bjorn")


def test_an_operator_merges_and_deletes_accounts_with_factors(people: AccountApplication) -> None:
    person = people.enroll(people.enter(YAHOO))
    other = people.enter(X, "bjorn")
    refusal = _operate(people, "merge", person.entered.uid, other.uid, status=1)
    assert "has a second factor, which would be lost" in refusal
    challenged(people.try_to_enter(YAHOO))
    _operate(people, "merge", other.uid, person.entered.uid)
    assert people.entered(
        people.prove_factor(challenged(people.try_to_enter(X, "bjorn")), recovery_code=person.recovery_codes[0])
    ).uid == person.entered.uid
    _operate(people, "delete", person.entered.uid, "--yes")
    database = sqlite3.connect(people.deployment.settings["store"].removeprefix("sqlite://"))
    with contextlib.closing(database):
        for table in ("factors", "recovery_codes", "factor_tries"):
            assert database.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table


# MARK: - The page


@pytest.fixture
def shop(settle: Settle) -> AccountApplication:
    return settle()


@pytest.fixture
def phone(shop: AccountApplication) -> Iterator[NativeApplication]:
    """The application of `shop` that opens a browser."""
    application = NativeApplication(shop.deployment)
    yield application
    application.stop()


def _begin(phone: NativeApplication, visitor: Visitor) -> Begun:
    """Begins a sign-in with Yahoo, up to the page of the second factor."""
    begun = phone.begin(provider=YAHOO)
    visitor.open(begun.url)
    visitor.see("sign in")
    visitor.choose_provider(YAHOO)
    visitor.allow("alice")
    visitor.see("second factor")
    return begun


def test_the_page_asks_again_after_a_wrong_code(
    shop: AccountApplication, phone: NativeApplication, visitor: Visitor
) -> None:
    person = shop.enroll(shop.enter(YAHOO))
    begun = _begin(phone, visitor)
    assert visitor.shape()["heading"] == "Enter your code"
    assert visitor.run("return document.activeElement.id") == "code"
    visitor.take_picture("second factor")
    visitor.prove(person.authenticator.wrong_code())
    visitor.see("wrong factor")
    assert visitor.find("#problem").text.startswith("This code is wrong or was already used.")
    visitor.take_picture("wrong factor")
    assert not phone.answers, "the application got an answer before the code"
    code = person.authenticator.next_code()
    visitor.prove(f"{code[:3]} {code[3:]}")
    visitor.see("application")
    answer = phone.redeem(begun, phone.answer_to(begun)["code"])
    assert answer.status == 200, answer
    claims = tokens.payload(answer["access_token"])["claims"]
    assert (answer["uid"], claims["second_factor"]) == (person.entered.uid, "totp")


def test_the_page_takes_a_recovery_code(
    shop: AccountApplication, phone: NativeApplication, visitor: Visitor
) -> None:
    person = shop.enroll(shop.enter(YAHOO))
    begun = _begin(phone, visitor)
    visitor.prove(person.recovery_codes[0])
    visitor.see("application")
    answer = phone.redeem(begun, phone.answer_to(begun)["code"])
    assert tokens.payload(answer["access_token"])["claims"]["second_factor"] == "recovery_code"


def test_a_person_without_a_code_cancels(
    shop: AccountApplication, phone: NativeApplication, visitor: Visitor
) -> None:
    shop.enroll(shop.enter(YAHOO))
    begun = _begin(phone, visitor)
    visitor.press("decision", "cancel")
    visitor.see("application")
    answer = phone.answer_to(begun)
    assert (answer["error"], "code" in answer) == ("access_denied", False)
