"""Every page in every language, on a desktop and on a phone, in light and dark, checked with axe-core."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from conftest import Launch
from deployment.account_application import AccountApplication
from deployment.native_application import NativeApplication, Television
from deployment.sandbox import SandboxedDeployment
from peers.axe import check_access, findings
from peers.chromium import PHONE, Visitor

# Letters of the script of each language.
SCRIPTS = {
    "en": "[A-Za-z]",
    "hi": "[\u0900-\u097f]",
    "bn": "[\u0980-\u09ff]",
    "fa": "[\u0600-\u06ff]",
    "de": "[A-Za-z]",
    "fr": "[A-Za-z]",
    "es": "[A-Za-z]",
    "pt": "[A-Za-z]",
    "id": "[A-Za-z]",
    "ar": "[\u0600-\u06ff]",
    "ja": "[\u3040-\u30ff\u4e00-\u9fff]",
}
# WCAG 2.2 section 2.5.5.
TARGET = 44


@pytest.fixture
def long_named(sandboxed: SandboxedDeployment) -> Iterator[NativeApplication]:
    application = NativeApplication(sandboxed.server, "long-name")
    yield application
    application.stop()


@pytest.fixture
def members_with_factor(members: AccountApplication) -> AccountApplication:
    """The application, for which the account of carol has a second factor."""
    answer = members.try_to_enter("yahoo.com", "carol")
    if answer.status == 200:
        members.enroll(members.entered(answer))
    return members


def _pages(
    visitor: Visitor, server: SandboxedDeployment, native: NativeApplication, members: AccountApplication
) -> Iterator[str]:
    """Visits every page and yields its unique name."""
    origin = server.server.origin
    visitor.open(native.begin().url)
    visitor.see("sign in")
    yield "sign in"
    visitor.open(native.begin(provider="yahoo.com").url)
    visitor.see("sign in")
    yield "sign in with one provider"
    visitor.open(native.push(members.enter("yahoo.com", "bjorn").session.id_token, "link").url)
    visitor.see("sign in")
    yield "link"
    bearer = members.anonymous().session.id_token
    visitor.open(native.push(bearer, "link", provider="yahoo.com").url)
    visitor.see("sign in")
    yield "link with one provider"
    bearer = members.enter("twitter.com", "bjorn").session.id_token
    visitor.open(native.push(bearer, "reauthenticate", provider="twitter.com").url)
    visitor.see("sign in")
    yield "reauthenticate"
    visitor.open(native.begin(client_id="nobody").url)
    visitor.see("problem")
    yield "problem"

    visitor.open(native.begin(provider="yahoo.com").url)
    visitor.see("sign in")
    visitor.choose_provider("yahoo.com")
    visitor.allow("carol")
    visitor.see("second factor")
    yield "second factor"
    # A text that cannot be a code is not counted as a try.
    visitor.prove("no code")
    visitor.see("wrong factor")
    yield "wrong factor"

    visitor.open(f"{origin}/device")
    visitor.see("enter code")
    yield "enter code"
    visitor.enter_code("BCDF-BCDF")
    visitor.see("code problem")
    yield "code problem"
    visitor.enter_code(Television(server.server).user_code)
    visitor.see("confirm")
    yield "confirm"
    visitor.choose_provider("yahoo.com")
    visitor.allow("bjorn")
    visitor.see("approve")
    yield "approve"
    visitor.press("decision", "approve")
    visitor.see("done")
    yield "done"

    visitor.open(f"{origin}/device")
    visitor.see("enter code")
    visitor.enter_code(Television(server.server).user_code)
    visitor.see("confirm")
    visitor.press("decision", "deny")
    visitor.see("refused")
    yield "refused"

    visitor.open(f"{origin}/device")
    visitor.see("enter code")
    visitor.enter_code(Television(server.server).user_code)
    visitor.see("confirm")
    visitor.choose_provider("yahoo.com")
    visitor.see("consent")
    visitor.press("decision", "deny")
    visitor.see("problem")
    yield "problem with a device"


@pytest.mark.parametrize("language", SCRIPTS)
def test_every_page_fits_is_translated_and_is_accessible(
    sandboxed: SandboxedDeployment,
    native: NativeApplication,
    members_with_factor: AccountApplication,
    launch: Launch,
    language: str,
) -> None:
    direction = "rtl" if language in ("fa", "ar") else "ltr"
    seen = []
    with launch(language).visitor(f"looks {language}") as visitor:
        for page in _pages(visitor, sandboxed, native, members_with_factor):
            with visitor.scheme("light"):
                light = visitor.shape()
                assert (light["lang"], light["dir"], light["direction"]) == (language, direction, direction), page
                for text in (light["heading"], light["title"]):
                    assert re.search(SCRIPTS[language], text), f"{page}: {text}"
                _check_fit(light, 1280, page)
                visitor.take_picture(page)
                check_access(visitor, page)
                with visitor.phone():
                    _check_fit(visitor.shape(), PHONE["width"], page)
                    visitor.take_picture(f"{page} phone")
                    visitor.unfold()
                    _check_fit(visitor.shape(), PHONE["width"], page)
                    check_access(visitor, page)
            # The colours are the same in every language; the direction of the text is not.
            if language in ("en", "fa"):
                with visitor.scheme("dark"):
                    assert visitor.shape()["background"] != light["background"], page
                    visitor.take_picture(f"{page} dark")
                    check_access(visitor, page)
            seen.append(page)
    assert len(seen) == len(set(seen)) == 15


def test_a_long_name_fits(sandboxed: SandboxedDeployment, long_named: NativeApplication, visitor: Visitor) -> None:
    visitor.open(long_named.begin().url)
    visitor.see("sign in")
    with visitor.phone():
        _check_fit(visitor.shape(), PHONE["width"], "sign in")
        visitor.take_picture("phone")


def _check_fit(shape: dict[str, Any], width: int, page: str) -> None:
    assert shape["innerWidth"] == width
    assert shape["scrollWidth"] <= width, f"{page} scrolls sideways"
    assert not shape["beyond"], f"{page} is cut: {shape['beyond']}"
    # A page may have no controls.
    assert shape["lowest"] is None or shape["lowest"] >= TARGET, f"{page}: {shape['lowest']}"


# MARK: - axe-core


def test_axe_finds_a_fault(native: NativeApplication, visitor: Visitor) -> None:
    """Control: axe-core finds a fault. Without this test the checks of the pages might find nothing at all."""
    visitor.open(native.begin().url)
    visitor.see("sign in")
    visitor.run(
        """
        document.documentElement.removeAttribute("lang");
        document.querySelector(".lead").style.color = "#999";
        document.querySelector("button").textContent = "";
        """
    )
    found = findings(visitor)["violations"]
    assert {"html-has-lang", "color-contrast", "button-name"} == found.keys()
