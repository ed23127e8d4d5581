"""Every example of the documentation is run, or compared with the server; and the site has no broken link."""

from __future__ import annotations

import json
import re
import secrets
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import yaml
from joserfc.jwk import ECKey

from conftest import Deploy, Peers
from deployment.description import validator
from deployment.pages import GUIDE, ROOT, Example, examples
from deployment.process import Deployment, free_port
from deployment.sandbox import Sandbox, SandboxedDeployment
from deployment.service_account import ServiceAccount
from deployment.waiting import DEADLINE
from peers.chromium import Visitor

EXAMPLES = examples()
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


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "docs"
    outcome = subprocess.run(
        [str(ROOT / "scripts/docs"), str(folder)], capture_output=True, text=True, timeout=600, check=False
    )
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    return folder


def test_every_page_is_reached_from_the_first(site: Path) -> None:
    first = json.loads((site / "data/documentation/token-exchange.json").read_text())
    named = {name for section in first["topicSections"] for name in section["identifiers"]}
    reached = {first["references"][name]["url"].rsplit("/", 1)[-1] for name in named}
    written = {page.stem.lower() for page in GUIDE.glob("*.md")} - {"token-exchange"}
    assert reached == written


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


def test_a_page_that_does_not_exist_is_not_found(served: str) -> None:
    """Control: the test above would find a broken link."""
    assert requests.get(f"{served}/documentation/token-exchange/nothing", timeout=DEADLINE).status_code == 404
