"""Every example of the documentation is run, or compared with the server; and the site has no broken link."""

from __future__ import annotations

import functools
import json
import os
import re
import secrets
import subprocess
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import requests
import yaml
from joserfc.jwk import ECKey
from selenium.webdriver.common.keys import Keys

from conftest import Deploy, Peers
from deployment.description import validator
from deployment.expectations import CODES
from deployment.pages import FENCE, GUIDE, ROOT, Example, examples, pages, topics
from deployment.process import Deployment, free_port
from deployment.sandbox import Sandbox, SandboxedDeployment
from deployment.service_account import ServiceAccount
from deployment.waiting import DEADLINE
from peers.chromium import Visitor

EXAMPLES = examples()
# The titles in the navigator, in bold type as the one of the page that is open, and whether the navigator cuts them.
TITLES = """
return [...document.querySelectorAll("a.leaf-link")].map(title => {
  title.style.fontWeight = 600;
  return [title.textContent.trim(), title.scrollWidth > title.clientWidth];
});
"""
LINKS = "return [...document.querySelectorAll('a[href]')].map(link => link.href)"


def _of_kind(kind: str) -> list[Any]:
    return [pytest.param(example, id=str(example)) for example in EXAMPLES if example.kind == kind]


@pytest.mark.parametrize("example", [pytest.param(example, id=str(example)) for example in EXAMPLES])
def test_every_example_says_how_it_is_tested(example: Example) -> None:
    match example.words:
        case ("run", *words):
            call = re.compile(rf"""documented\(["']{re.escape(" ".join(words))}["']\)""")
            callers = [path for path in (ROOT / "Tests/Interop").glob("test_*.py") if call.search(path.read_text())]
            assert callers, f"no test has {call.pattern}"
        case ("request", _, _) | ("response", _, _, _):
            assert example.language == "json"
        case ("configuration",):
            assert example.language == "yaml"
        case ("scripts/interface", *_):
            assert "scripts/interface --check" in (ROOT / "scripts/check").read_text()
        case ("not", "run"):
            assert "not run" in example.introduction, "the paragraph before it does not say that it is not run"
        case _:
            pytest.fail(f"{example}: the comment before this block is not one of those in deployment/pages.py")


def test_every_block_of_code_is_an_example() -> None:
    """A block that is fenced otherwise would be shown, and neither run nor marked."""
    for page in pages():
        text = page.read_text()
        fences = re.findall(r"^\s*(?:>\s*)*(?:```|~~~)", text, re.MULTILINE)
        assert len(fences) == 2 * len(FENCE.findall(text)), page


@pytest.fixture(scope="module")
def description(sandboxed: SandboxedDeployment) -> dict[str, Any]:
    return requests.get(f"{sandboxed.server.origin}/openapi.json", timeout=DEADLINE).json()


def _operation(description: dict[str, Any], method: str, path: str) -> dict[str, Any]:
    return description["paths"][path][method.lower()]


def _resolved(description: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in part:
        found: Any = description
        for name in part["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        part = found
    return part


def _check(description: dict[str, Any], part: dict[str, Any], example: Example) -> None:
    schema = _resolved(description, part)["content"]["application/json"]["schema"]
    validator(description, schema).validate(json.loads(example.code))


@pytest.mark.parametrize("example", _of_kind("request"))
def test_a_documented_request_is_one_of_the_description(description: dict[str, Any], example: Example) -> None:
    _, method, path = example.words
    _check(description, _operation(description, method, path)["requestBody"], example)


@pytest.mark.parametrize("example", _of_kind("response"))
def test_a_documented_response_is_one_of_the_description(description: dict[str, Any], example: Example) -> None:
    _, method, path, status = example.words
    _check(description, _operation(description, method, path)["responses"][status], example)


def _with_files(deployment: Deployment, service_account: ServiceAccount, code: str) -> str:
    """The example with paths of files that exist: below the folder of the deployment, and readable only by this user."""
    folder = deployment.folder / "files"
    folder.mkdir()
    for path in set(re.findall(r"/etc/token-exchange/[\w.-]+", code)):
        file = folder / Path(path).name
        if file.suffix == ".json":
            service_account.write(folder, file.name)
        elif file.suffix in (".pem", ".p8"):
            file.touch(mode=0o600)
            file.write_bytes(ECKey.generate_key("P-256").as_pem(private=True))
        else:
            file.touch(mode=0o600)
            file.write_text(secrets.token_urlsafe(32))
    return code.replace("/etc/token-exchange", str(folder)).replace("/var/lib/token-exchange", str(deployment.folder))


def _merged(base: Any, change: Any) -> Any:
    if not isinstance(base, dict) or not isinstance(change, dict):
        return change
    return base | {name: _merged(base.get(name), value) for name, value in change.items()}


@pytest.mark.parametrize("example", _of_kind("configuration"))
def test_a_documented_configuration_is_accepted(
    deploy: Deploy, peers: Peers, service_account: ServiceAccount, example: Example
) -> None:
    deployment = deploy()
    for name in re.findall(r"env:(\w+)", example.code):
        deployment.environment[name] = "8080" if name == "PORT" else secrets.token_urlsafe(32)
    code = _with_files(deployment, service_account, example.code)
    settings = _merged(deployment.settings, yaml.safe_load(code))
    # Some examples show only the clients of these providers.
    registration = {"client_id": "documented", "client_secret": secrets.token_urlsafe(32)}
    for client in settings["clients"].values():
        for provider in client.get("provider_redirect_uris") or []:
            if provider in ("yahoo.com", "twitter.com"):
                own = {"oauth2": registration} if provider == "twitter.com" else registration
                settings["providers"].setdefault(provider, own)
    deployment.configure(settings)
    # Secret Manager is not there.
    offline = ["--offline"] if "gcp-secret:" in example.code else []
    outcome = deployment.run("config", "check", *offline)
    assert outcome.returncode == 0, outcome.stderr


# MARK: - The site


def _build(folder: Path, **environment: str) -> Path:
    outcome = subprocess.run(
        [str(ROOT / "scripts/docs"), str(folder)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    return folder


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _build(tmp_path_factory.mktemp("site") / "docs")


@pytest.fixture(scope="module")
def order(site: Path) -> list[tuple[str, str]]:
    """The path below `/docs` and the title of each page, in the order of the topics."""
    return [(path, title) for path, title in json.loads((site / "pages.json").read_text())]


def test_every_page_is_reached_from_the_first(order: list[tuple[str, str]]) -> None:
    written = [page.stem.lower() for page in GUIDE.glob("*.md")]
    assert sorted(path.rsplit("/", 1)[-1] for path, _ in order) == sorted(written)
    assert [title for _, title in order[:3]] == ["token-exchange", "Start here", "Choose an integration"]


def test_every_reason_has_a_heading_of_its_own(site: Path) -> None:
    sections = json.loads((site / "search.json").read_text())
    errors = {section["anchor"]: section["heading"] for section in sections if section["page"].endswith("/errors")}
    assert {reason: errors.get(reason) for reason in CODES} == {reason: reason for reason in CODES}


@pytest.fixture(scope="module")
def served(binary: Path, site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the site, as the sandbox serves it."""
    nowhere = f"http://127.0.0.1:{free_port()}"
    sandbox = Sandbox(binary, tmp_path_factory.mktemp("documentation"), nowhere, nowhere, documentation=site)
    yield sandbox.control + "/docs"
    sandbox.stop()


def test_no_page_has_a_broken_link(served: str, visitor: Visitor) -> None:
    origin = served.removesuffix("/docs")
    waiting, seen = [served], set()
    while waiting:
        url = waiting.pop()
        visitor.open(url)
        visitor.wait_until(lambda: bool(visitor.find_all("h1")))
        visitor.check_console()
        seen.add(visitor.url.rstrip("/"))
        # The script renders links of the text and of the navigation.
        links = {link for link in visitor.run(LINKS) if link.startswith(origin)}
        # test_console.py follows these, which need a server.
        links = {link for link in links if not link.startswith(f"{origin}/console?")}
        for link in links:
            page, _, anchor = link.partition("#")
            if anchor and page.rstrip("/") == visitor.url.rstrip("/").partition("#")[0]:
                assert visitor.run(f"return document.getElementById({json.dumps(anchor)}) !== null"), link
            if page.rstrip("/") in seen or page in waiting:
                continue
            assert requests.get(page, timeout=DEADLINE).status_code == 200, f"{url} leads to {link}"
            if page.startswith(served):
                waiting.append(page)
    assert len(seen) == len(list(GUIDE.glob("*.md")))


def test_each_page_leads_to_the_one_before_and_after(
    served: str, order: list[tuple[str, str]], visitor: Visitor
) -> None:
    links = "#before-and-after a"
    visitor.open(served)
    for number, (path, _) in enumerate(order):
        around = [f"Previous\n{title}" for _, title in order[max(0, number - 1) : number]]
        around += [f"Next\n{title}" for _, title in order[number + 1 : number + 2]]
        visitor.wait_until(lambda around=around: [link.text for link in visitor.find_all(links)] == around)
        assert visitor.url == f"{served}/{path}"
        if number + 1 < len(order):
            # The page may still replace the link that was just read.
            visitor.wait_until(lambda: visitor.find(f'{links}[rel="next"]').click() is None)
    # DocC's own links change the page without loading it.
    visitor.run("window.isSame = true")
    visitor.find(f'a.leaf-link[href="/docs/{order[-2][0]}"]').click()
    visitor.wait_until(lambda: visitor.find(f'{links}[rel="prev"]').text == f"Previous\n{order[-3][1]}")
    assert visitor.run("return window.isSame")
    visitor.check_console()


def _search(visitor: Visitor, text: str) -> list[str]:
    """Searches by keyboard, and returns the headings of the results."""
    visitor.wait_until(lambda: bool(visitor.find_all("h1")))
    visitor.key("/", text)
    visitor.wait_until(lambda: visitor.find('custom-header [role="status"]').text != "")
    return [heading.text for heading in visitor.find_all("custom-header strong")]


def test_the_whole_text_is_searched_by_keyboard(served: str, visitor: Visitor) -> None:
    visitor.open(served)
    assert _search(visitor, "issued_unwatched")[0] == "Errors: issued_unwatched"
    visitor.key(Keys.ARROW_DOWN, Keys.ENTER)
    visitor.wait_until(lambda: visitor.url == f"{served}/documentation/token-exchange/errors#issued_unwatched")
    top = "return document.getElementById('issued_unwatched')?.getBoundingClientRect().top ?? -1"
    # Below DocC's header.
    visitor.wait_until(lambda: 52 <= visitor.run(top) < 300)
    # Words of a paragraph, in any order.
    assert "Replay and audience: Try it" in _search(visitor, "demand laboratory mistake")
    visitor.key(Keys.ESCAPE)
    visitor.wait_until(lambda: not visitor.find("custom-header div").is_displayed())
    # A question, whose words are in no section together, and of which one has another name here.
    assert "Second factor: Add one" in _search(visitor, "How do I confirm 2fa in cobol?")
    visitor.key(Keys.ESCAPE)
    assert _search(visitor, "nothing-of-this-guide") == []
    assert visitor.find('custom-header [role="status"]').text == "0 sections"
    visitor.check_console()


def test_a_block_of_code_is_copied_by_keyboard(served: str, visitor: Visitor) -> None:
    visitor.open(f"{served}/documentation/token-exchange/go")
    visitor.wait_until(lambda: bool(visitor.find_all(".copy-button")))
    assert len(visitor.find_all(".copy-button")) == len(visitor.find_all(".code-listing")) == 2
    visitor.find(".copy-button").send_keys(Keys.ENTER)
    visitor.wait_until(lambda: bool(visitor.find_all(".copy-button.success")))


@pytest.mark.parametrize("width", [1200, 400])
def test_no_title_is_cut(served: str, order: list[tuple[str, str]], visitor: Visitor, width: int) -> None:
    # High enough for all titles, since DocC makes only those that are seen.
    with visitor.screen(width, 3000):
        # The page with the longest headings.
        visitor.open(f"{served}/documentation/token-exchange/errors")
        visitor.wait_until(lambda: bool(visitor.find_all("a.leaf-link")))
        assert visitor.run("return document.documentElement.scrollWidth") <= width
        if width == 400:
            visitor.find("#nav-open-navigator").click()
        visitor.wait_until(lambda: visitor.find_all("a.leaf-link")[-1].is_displayed())
        shown = visitor.run(TITLES)
    titles = {path.rsplit("/", 1)[-1]: title for path, title in order}
    # The pages below these are folded.
    assert {text for text, _ in shown} == {titles[page.stem.lower()] for page in topics(GUIDE / "token-exchange.md")}
    assert [text for text, is_cut in shown if is_cut] == []


def test_it_is_served_as_files_at_another_path(tmp_path: Path, order: list[tuple[str, str]], visitor: Visitor) -> None:
    _build(tmp_path / "manual/guide", BASE_PATH="manual/guide")
    assert "/console?" not in (tmp_path / "manual/guide/data/documentation/token-exchange/directcalls.json").read_text()
    handler = functools.partial(SimpleHTTPRequestHandler, directory=tmp_path)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            visitor.open(f"http://127.0.0.1:{server.server_port}/manual/guide/{order[0][0]}/")
            assert _search(visitor, "issued_unwatched")[0] == "Errors: issued_unwatched"
            visitor.key(Keys.ENTER)
            visitor.wait_until(lambda: visitor.find("h1").text == "Errors")
            visitor.wait_until(lambda: len(visitor.find_all("#before-and-after a")) == 2)
            visitor.check_console()
        finally:
            server.shutdown()


def test_a_page_that_does_not_exist_is_not_found(served: str) -> None:
    """Control: the test above would find a broken link."""
    assert requests.get(f"{served}/documentation/token-exchange/nothing", timeout=DEADLINE).status_code == 404
