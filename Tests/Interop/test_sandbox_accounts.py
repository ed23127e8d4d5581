"""The home page of the sandbox: its scenarios about accounts, and its users, in Chromium by clicking only.

Chromium's behaviour: pages, tabs and cookies. Our code: the scenarios, which can be repeated, and the application that signs in
the same users.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from deployment.account_application import AccountApplication
from deployment.firebase import PROJECT
from deployment.sandbox import SandboxedDeployment, sandboxed_deployment
from deployment.service_account import ServiceAccount
from peers.axe import check_access
from peers.chromium import PHONE, Visitor


@pytest.fixture
def by_address(binary: Path, tmp_path: Path) -> Iterator[SandboxedDeployment]:
    """The deployment of `scripts/run`, in which a verified address belongs to one account."""
    account = ServiceAccount(PROJECT)
    with sandboxed_deployment(binary, tmp_path, account, one_account_per_email=True) as deployment:
        yield deployment


def _start(visitor: Visitor, home: str, scenario: str) -> None:
    visitor.open(home)
    visitor.press("scenario", scenario)


def _see_token(visitor: Visitor, person: str) -> None:
    visitor.wait_until(lambda: "/runs/" in visitor.url)
    visitor.wait_until(lambda: visitor.find("#head").text == f"A custom token for {person}")
    visitor.check_console()


def test_a_conflict_is_met_and_settled_by_clicking(by_address: SandboxedDeployment, visitor: Visitor) -> None:
    for is_first in (True, False):
        _start(visitor, by_address.sandbox.control, "conflict")
        visitor.see("sign in")
        visitor.choose_provider("twitter.com")
        # X does not ask again for what the user has allowed before.
        if is_first:
            visitor.allow(None)
        visitor.wait_until(lambda: "/callback" in visitor.url)
        # The page of a conflict has the same buttons.
        visitor.see("sign in")
        assert "already" in visitor.find("h1").text
        visitor.choose_provider("yahoo.com")
        visitor.allow(None)
        _see_token(visitor, "Dana Example")


def test_a_second_factor_is_added_and_asked_for_by_clicking(
    sandboxed: SandboxedDeployment, visitor: Visitor
) -> None:
    for _ in range(2):
        _start(visitor, sandboxed.sandbox.control, "second-factor")
        visitor.wait_until(lambda: bool(visitor.find_all("#code")))
        page, before = visitor.tab, visitor.windows()
        visitor.find("#open").click()
        visitor.wait_until(lambda: len(visitor.windows() - before) == 1)
        (tab,) = visitor.windows() - before
        visitor.go_to_tab(tab)
        visitor.see("sign in")
        visitor.choose_provider("yahoo.com")
        visitor.allow(None)
        visitor.wait_until(lambda: visitor.find("h1").text == "Enter your code")
        visitor.find("#code").send_keys("nonsense")
        visitor.press("decision", "prove")
        visitor.wait_until(lambda: bool(visitor.find_all("#problem")))
        # The code that the page shows now: the present step may have ended since.
        visitor.go_to_tab(page)
        visitor.reload()
        code = visitor.find("#code").text
        visitor.go_to_tab(tab)
        visitor.find("#code").send_keys(code)
        visitor.press("decision", "prove")
        _see_token(visitor, "Erin Example")
        assert '"second_factor": "totp"' in visitor.run("return document.body.textContent")
        visitor.go_to_tab(page)


def test_a_guest_becomes_a_user_and_the_deleted_account_stays_gone(
    by_address: SandboxedDeployment, visitor: Visitor
) -> None:
    """Guest, link, conflict, merge, unlink and delete; twice, because a scenario can be repeated."""
    for _ in range(2):
        _start(visitor, by_address.sandbox.control, "guest")
        visitor.wait_until(lambda: "/runs/" in visitor.url)
        assert visitor.find("#head").text == "From a guest to a user, and gone again"
        steps = [step.text for step in visitor.find_all("ol.steps h3")]
        assert [title for title in steps if "nonce" not in title and "library" not in title] == [
            "The application sends the credential to the server",
            "The application asks for an account without a sign-in",
            "The application signs in to Firebase with the custom token",
            "The application links an identity to the account",
            "The application links an identity that belongs to another account",
            "The application merges the other account into this one",
            "The application unlinks an identity",
            "The application deletes the account",
        ]
        text = visitor.run("return document.body.textContent")
        for part in ("credential_already_in_use", "existing_uid", "merged_uid"):
            assert part in text
        # The deletion once more: the account is gone.
        visitor.find("form[action$='/replay'] button.primary").click()
        visitor.wait_until(lambda: "Refused, as it must be." in visitor.run("return document.body.textContent"))
        assert "account_gone" in visitor.run("return document.body.textContent")
        visitor.check_console()


def test_a_sign_out_shows_what_has_ended(
    sandboxed: SandboxedDeployment, members: AccountApplication, visitor: Visitor
) -> None:
    # A session that began in the second of the sign-out would not end. The server accepts tokens only of the time that it watched.
    sandboxed.server.watch_since(60)
    with members.firebase.earlier(10):
        _start(visitor, sandboxed.sandbox.control, "sign-out")
        visitor.wait_until(lambda: "phone and on a laptop" in visitor.find("#head").text)
        visitor.find("form[action$='/signout'] button").click()
        visitor.wait_until(lambda: visitor.find("#head").text == "Signed out on every device")
    assert [item.text for item in visitor.find_all(".panel li")] == [
        "The phone uses its refresh token. Answered 400 TOKEN_EXPIRED",
        "The laptop uses its refresh token. Answered 400 TOKEN_EXPIRED",
        "The laptop reads the account with its ID token. Answered 200",
        "The laptop makes a change with its ID token: it signs out, too. Answered 401 invalid_token, reason id_token_revoked",
    ]
    visitor.check_console()


# MARK: - The users


def _press(visitor: Visitor, label: str, notice: str) -> None:
    visitor.find(f'[aria-label="{label}"]').click()
    visitor.wait_until(lambda: [status.text for status in visitor.find_all('[role="status"]')] == [notice])


def test_a_reset_user_has_no_account_with_any_provider(
    sandboxed: SandboxedDeployment, members: AccountApplication, visitor: Visitor
) -> None:
    """The accounts are those of an application of one's own; the user of another account keeps it."""
    token = sandboxed.sandbox.issue(provider="github.com", user="kobayashi")["access_token"]
    _, verifier = members.nonce("github.com")
    credential = {"type": "access_token", "access_token": token, "nonce": verifier}
    by_github = members.entered(members.exchange("github.com", credential))
    by_yahoo, by_x = members.enter("yahoo.com", "kobayashi"), members.enter("twitter.com", "kobayashi")
    members.enroll(by_x)
    other = members.enter("yahoo.com", "mallory")
    visitor.open(sandboxed.sandbox.control)
    _press(visitor, "Reset \u5c0f\u6797", "\u5c0f\u6797 has no account at the server any more.")
    visitor.check_console()
    for entered in (by_github, by_yahoo, by_x):
        assert members.account(entered.session.id_token)["reason"] == "account_gone"
    anew = members.enter("twitter.com", "kobayashi")
    assert anew.body["is_new_user"] is True
    assert anew.uid != by_x.uid
    assert members.enter("yahoo.com", "mallory").uid == other.uid
    assert sandboxed.sandbox.order("POST", "/users/reset", user="kobayashi") == {"removed": [anew.uid]}


def test_the_codes_of_a_second_factor_are_shown_for_an_application_of_ones_own(
    sandboxed: SandboxedDeployment, members: AccountApplication, visitor: Visitor
) -> None:
    code = 'li:has([action="/users/carol/reset"]) .totp'
    visitor.open(sandboxed.sandbox.control)
    _press(visitor, "Add a second factor for Carol Example", "The account of Carol Example has a second factor now.")
    asked = members.try_to_enter("yahoo.com", "carol")
    assert asked["reason"] == "second_factor_required"
    # The step may end between the page and the request: the server also accepts the code of the step before.
    visitor.find('a[href^="/?codes="]').click()
    visitor.wait_until(lambda: "codes=" in visitor.url)
    entered = members.entered(members.prove_factor(asked["pending_credential"], totp=visitor.find(code).text))
    assert entered.body["uid"].startswith("yahoo.com:CAROL")
    _press(visitor, "Reset Carol Example", "Carol Example has no account at the server any more.")
    assert not visitor.find_all(code)
    visitor.check_console()


def _check_looks(visitor: Visitor, page: str) -> None:
    # axe-core cannot decide about the contrast of closed parts, and of texts in a drawing.
    visitor.unfold()
    visitor.run("for (const drawing of document.querySelectorAll('details:has(svg)')) drawing.remove();")
    for scheme in ("light", "dark"):
        with visitor.scheme(scheme):
            check_access(visitor, f"{page} {scheme}")
            visitor.take_picture(f"{page} {scheme}")
    with visitor.phone():
        shape = visitor.shape()
        assert shape["scrollWidth"] <= PHONE["width"], page
        visitor.take_picture(f"{page} phone")
        check_access(visitor, f"{page} phone")


def test_the_first_page_and_the_page_of_a_run_fit_and_are_accessible(
    sandboxed: SandboxedDeployment, visitor: Visitor
) -> None:
    visitor.open(sandboxed.sandbox.control)
    _press(visitor, "Add a second factor for Carol Example", "The account of Carol Example has a second factor now.")
    _check_looks(visitor, "first page")
    _press(visitor, "Reset Carol Example", "Carol Example has no account at the server any more.")
    visitor.press("scenario", "library-yahoo")
    _see_token(visitor, "Alice Example")
    visitor.take_picture("folded")
    assert [part.text for part in visitor.find_all("details[open] > summary")] == ["The custom token, decoded"]
    # A step opens by its anchor, and by the keyboard.
    visitor.open(visitor.url + "#step-2")
    visitor.wait_until(lambda: visitor.find("#step-2").is_displayed())
    assert not visitor.find("#step-3").is_displayed()
    visitor.find("li:has(#step-3) summary").send_keys(Keys.ENTER)
    assert visitor.find("#step-3").is_displayed()
    _check_looks(visitor, "run")
    visitor.check_console()
