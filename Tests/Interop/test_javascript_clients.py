"""Libraries for web pages, in Chromium: each page signs in by a redirect and redeems the code itself (CORS).

JAVASCRIPT_CLIENTS names a folder `node_modules` with the libraries, because neither Debian nor PyPI has them. Without
it the tests are skipped. esbuild, a package of Debian, makes one script of a page and its library.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clients.sign_in import YAHOO, expect_alice
from conftest import Launch
from deployment.expectations import verified
from deployment.sandbox import SandboxedDeployment, sandboxed_deployment
from deployment.service_account import ServiceAccount
from peers.chromium import Visitor
from peers.loopback import Loopback

LIBRARIES = os.environ.get("JAVASCRIPT_CLIENTS")
PAGES = Path(__file__).with_name("clients") / "javascript"

pytestmark = pytest.mark.skipif(LIBRARIES is None, reason="JAVASCRIPT_CLIENTS names no folder with the libraries")


class Site:
    """A web page with one library."""

    def __init__(self) -> None:
        self.server = ""
        self.scope: str | None = None
        self.script = b""
        self.listener = Loopback(self._respond)

    def _respond(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        if environ["PATH_INFO"] == "/script.js":
            start_response("200 OK", [("Content-Type", "text/javascript; charset=utf-8")])
            return [self.script]
        scope = "" if self.scope is None else f' data-scope="{self.scope}"'
        start_response("200 OK", [("Content-Type", "text/html; charset=utf-8")])
        page = f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Application</title>
<link rel="icon" href="data:,"></head><body data-server="{self.server}"{scope}><h1 id="application">Application</h1>
<script type="module" src="/script.js"></script></body></html>"""
        return [page.encode()]


@pytest.fixture(scope="module")
def single_page(
    binary: Path, tmp_path_factory: pytest.TempPathFactory, service_account: ServiceAccount
) -> Iterator[tuple[SandboxedDeployment, Site]]:
    """The server, and the site that its client `single-page` stands for."""
    site = Site()
    origin = site.listener.origin
    client = {"name": "Single Page", "redirect_uris": [f"{origin}/callback"], "origins": [origin]}
    folder = tmp_path_factory.mktemp("single-page")
    with sandboxed_deployment(binary, folder, service_account, {"single-page": client}) as deployment:
        site.server = deployment.server.origin
        yield deployment, site
    site.listener.stop()


@pytest.fixture
def deployed(single_page: tuple[SandboxedDeployment, Site]) -> SandboxedDeployment:
    return single_page[0]


@pytest.fixture
def site(single_page: tuple[SandboxedDeployment, Site]) -> Site:
    single_page[1].scope = None
    return single_page[1]


def _bundled(page: str) -> bytes:
    command = ["esbuild", "--bundle", "--format=esm", str(PAGES / page)]
    environment = {"PATH": os.environ["PATH"], "NODE_PATH": str(LIBRARIES)}
    built = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert built.returncode == 0, built.stderr.decode()
    return built.stdout


def _outcome(visitor: Visitor, site: Site, page: str) -> dict[str, Any]:
    """Signs in at Yahoo, and returns what the library reports."""
    site.script = _bundled(page)
    visitor.open(f"{site.listener.origin}/")
    visitor.see("sign in")
    visitor.choose_provider(YAHOO)
    visitor.allow("alice")
    visitor.wait_until(lambda: visitor.run("return window.outcome ?? null") is not None)
    return visitor.run("return window.outcome")


@pytest.mark.parametrize(
    ("page", "scope"), [("oauth4webapi.js", None), ("oidc-client-ts.js", "profile email"), ("appauth.js", None)]
)
def test_a_web_page_signs_in(
    deployed: SandboxedDeployment, site: Site, visitor: Visitor, page: str, scope: str | None
) -> None:
    site.scope = scope
    outcome = _outcome(visitor, site, page)
    assert outcome.keys() == {"token"}, outcome
    token = outcome["token"]
    uid = verified(token["access_token"], deployed.account)["uid"]
    # oauth4webapi returns the type in lower case, and only it returns `uid`.
    expect_alice({"uid": uid} | token | {"token_type": token["token_type"].capitalize()}, deployed)
    visitor.check_console()


def test_oidc_client_ts_requires_an_id_token_for_its_default_scope(
    deployed: SandboxedDeployment, site: Site, visitor: Visitor
) -> None:
    outcome = _outcome(visitor, site, "oidc-client-ts.js")
    assert outcome == {"error": "InvalidTokenError: Invalid token specified: missing part #2"}
