"""The sandbox's console: a request is built by clicking, sent, read, and copied as a program, which is run.

Chromium's behaviour: pages, keys and the clipboard. DocC's code: the pages of the documentation. Our code: the links from
their examples, and the console.
"""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from selenium.webdriver.common.keys import Keys

from deployment.firebase import PROJECT
from deployment.pages import GUIDE, ROOT, Example, examples
from deployment.sandbox import SandboxedDeployment, sandboxed_deployment
from deployment.service_account import ServiceAccount
from deployment.waiting import DEADLINE
from peers.axe import check_access
from peers.chromium import PHONE, Visitor

REQUEST = {"client_id": "my-app", "provider": "yahoo.com"}
EXAMPLE = f"""

<!-- request POST /v1/nonce -->
```json
{json.dumps(REQUEST)}
```

1. An example in a list:

   <!-- request POST /v1/exchange -->
   ```json
   {{"client_id": "my-app", "provider": "yahoo.com",
    "credential": {{"type": "callback", "session": "\u00e4 & b", "callback_url": "com.example.app:/yahoo?code=c&state=s"}}}}
   ```
"""
LINK = re.compile(r"/console\?operation=[A-Za-z0-9%_.~-]+&body=[A-Za-z0-9%_.~-]+")


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The guide, with two more examples on its first page."""
    folder = tmp_path_factory.mktemp("catalog") / "Guide.docc"
    shutil.copytree(GUIDE, folder)
    page = folder / "DirectCalls.md"
    page.write_text(page.read_text() + EXAMPLE)
    return folder


@pytest.fixture(scope="module")
def site(catalog: Path) -> Path:
    folder = catalog.with_name("docs")
    command = [str(ROOT / "scripts/docs"), str(folder), str(catalog)]
    outcome = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    return folder


@pytest.fixture(scope="module")
def documented(
    binary: Path, tmp_path_factory: pytest.TempPathFactory, site: Path
) -> Iterator[SandboxedDeployment]:
    """The deployment of `scripts/run` with its documentation."""
    folder = tmp_path_factory.mktemp("documented")
    with sandboxed_deployment(binary, folder, ServiceAccount(PROJECT), documentation=site) as deployment:
        yield deployment


class Browser:
    """A browser without scripts: it reads a form of the console, and submits it as it is."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._session = requests.Session()
        self._session.trust_env = False

    def page(self, path: str) -> str:
        response = self._session.get(self._home + path, timeout=DEADLINE)
        assert response.status_code == 200, response.text
        return response.text

    def send(self, page: str, **changed: str) -> str:
        """Sends the form of a page. Returns the page with the answer."""
        fields = re.findall(r'<input [^>]*name="([^"]*)" value="([^"]*)"', page)
        form = {name: html.unescape(value) for name, value in fields} | changed
        header = {"Sec-Fetch-Site": "same-origin"}
        response = self._session.post(f"{self._home}/console", data=form, headers=header, timeout=DEADLINE)
        assert response.status_code == 200, response.text
        return response.text


def programs(page: str) -> dict[str, str]:
    """The programs on a page with an answer, by their languages."""
    found = re.findall(r'<code id="program-([a-z]+)">(.*?)</code>', page, re.DOTALL)
    return {language: html.unescape(text) for language, text in found}


def sent(page: str) -> Any:
    """The body that was sent, as its Python program has it."""
    found = re.search(r'data=(".*")\.encode\(\)', programs(page)["python"])
    assert found is not None, page
    return json.loads(json.loads(found[1]))


def answer(page: str) -> Any:
    found = re.search(r'<code id="body">(.*?)</code>', page, re.DOTALL)
    assert found is not None, page
    return json.loads(html.unescape(found[1]))


@pytest.fixture
def browser(documented: SandboxedDeployment) -> Browser:
    return Browser(documented.sandbox.control)


# MARK: - From the documentation


def _examples(catalog: Path) -> list[Example]:
    return [example for example in examples(sorted(catalog.rglob("*.md"))) if example.kind == "request"]


def test_every_example_of_a_request_opens_the_console_with_exactly_this_request(
    catalog: Path, site: Path, browser: Browser
) -> None:
    links = {
        link for page in site.rglob("data/**/*.json") for link in LINK.findall(page.read_text().replace("\\/", "/"))
    }
    written = {(" ".join(example.words[1:]), example.code) for example in _examples(catalog)}
    assert len(links) == len({(operation, json.dumps(json.loads(code))) for operation, code in written}) >= 2
    opened = []
    for link in links:
        page = browser.page(link)
        operation = re.search(r'name="operation" value="([^"]*)"', page)
        assert operation is not None
        opened.append((operation[1], sent(browser.send(page))))
    for name, code in written:
        assert (name, json.loads(code)) in opened


def test_the_link_of_a_page_is_followed_and_sent_by_keyboard(
    documented: SandboxedDeployment, visitor: Visitor
) -> None:
    visitor.open(f"{documented.sandbox.control}/docs/documentation/token-exchange/directcalls")
    link = 'a[href^="/console?operation=POST%20%2Fv1%2Fnonce&"]'
    visitor.wait_until(lambda: bool(visitor.find_all(link)))
    visitor.find(link).send_keys(Keys.ENTER)
    visitor.wait_until(lambda: visitor.title == "Console: POST /v1/nonce")
    visitor.find('[name="text:provider"]').send_keys(Keys.ENTER)
    visitor.wait_until(lambda: bool(visitor.find_all("#answer")))
    assert "nonce_verifier" in visitor.find("#body").text
    visitor.check_console()


# MARK: - The console


def test_a_sign_in_and_an_account_are_reached_by_clicking(browser: Browser) -> None:
    """Each request has the values of the answers before, also after a visit to the first page; no other field is changed."""
    page = ""
    for operation, example in (
        ("POST /v1/nonce", ""),
        ("POST /issue", ""),
        ("POST /v1/exchange", "ID token"),
        ("POST /google/sign-in", ""),
        ("GET /v1/account", ""),
    ):
        browser.page("/")
        page = browser.send(browser.page(f"/console?operation={operation}&example={example}"))
        assert "Answered <strong>200</strong>" in page, (operation, page)
    assert answer(page)["uid"] == "yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4"
    assert "<summary><code>Authorization</code>, decoded</summary>" in page
    found = re.search(r'href="(/runs/[^"]*)"', page)
    assert found is not None
    record = browser.page(found[1])
    assert "The application sends the credential to the server" in record


def test_it_works_with_the_keyboard_only_fits_a_phone_and_is_accessible(
    documented: SandboxedDeployment, visitor: Visitor
) -> None:
    visitor.open(f"{documented.sandbox.control}/console")
    for page in ("operations", "form", "answer"):
        # axe-core cannot decide about the contrast of closed parts.
        visitor.unfold()
        for scheme in ("light", "dark"):
            with visitor.scheme(scheme):
                check_access(visitor, f"{page} {scheme}")
        with visitor.phone():
            shape = visitor.shape()
            assert shape["scrollWidth"] <= PHONE["width"], page
            assert not shape["beyond"], (page, shape["beyond"])
            visitor.take_picture(page)
            check_access(visitor, f"{page} phone")
        if page == "operations":
            visitor.find('a[href*="nonce"]').send_keys(Keys.ENTER)
            visitor.wait_until(lambda: bool(visitor.find_all("#field-0")))
        elif page == "form":
            visitor.find("#field-0").send_keys(Keys.TAB)
            visitor.tab_to("button", None, "")
            visitor.key(Keys.ENTER)
            visitor.wait_until(lambda: bool(visitor.find_all("#answer")))
    visitor.unfold()
    visitor.find('[data-copies="program-curl"]').send_keys(Keys.ENTER)
    visitor.wait_until(lambda: visitor.find('[data-copies="program-curl"] + [role="status"]').text == "Copied.")
    visitor.check_console()


@pytest.mark.parametrize(
    ("language", "command", "suffix"),
    [
        ("curl", ["bash"], "sh"),
        ("python", ["python3"], "py"),
        ("javascript", ["node"], "mjs"),
        ("swift", ["swift"], "swift"),
    ],
)
def test_a_copied_program_sends_the_same_request(
    browser: Browser, tmp_path: Path, language: str, command: list[str], suffix: str
) -> None:
    page = browser.page("/console?operation=POST /v1/nonce")
    answered = browser.send(page, **{"text:client_id": "it's \"\\(1)\" $HOME `ä`"})
    assert answer(answered)["reason"] == "unknown_client"
    assert sent(answered)["client_id"] == "it's \"\\(1)\" $HOME `ä`"
    program = tmp_path / f"program.{suffix}"
    program.write_text(programs(answered)[language])
    outcome = subprocess.run(
        [*command, str(program)],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stderr
    # The status, and the reason in the body.
    assert "401" in outcome.stdout
    assert '"reason":"unknown_client"' in outcome.stdout
