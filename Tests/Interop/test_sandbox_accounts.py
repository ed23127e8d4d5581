"""The home page of the sandbox: a conflict, and a second factor, in Chromium by clicking only.

Chromium's behaviour: pages, tabs and cookies. Our code: the scenarios, which can be repeated.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deployment.firebase import PROJECT
from deployment.sandbox import SandboxedDeployment, sandboxed_deployment
from deployment.service_account import ServiceAccount
from peers.chromium import Visitor


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
