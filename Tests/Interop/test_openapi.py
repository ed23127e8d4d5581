"""The OpenAPI description, compared with the running server by schemathesis.

schemathesis' code: valid and invalid requests, and the check that the description contains the answer. Our code: values
that this server knows, so that requests pass more than the first check.
"""

from __future__ import annotations

import collections
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import Settle
from deployment.account_application import REDIRECT_URIS, AccountApplication
from deployment.description import undescribed

CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
]
UNLIMITED = {
    "exchange_per_address": "off",
    "start_per_address": "off",
    "page_per_address": "off",
    "anonymous_per_address": "off",
}
CLIENT_ID, CALLBACK = "my-app", "http://127.0.0.1/callback"
CLIENT = {
    "redirect_uris": [CALLBACK],
    "provider_redirect_uris": [CALLBACK],
    "grants": ["authorization_code", "token_exchange", "device_code"],
    "anonymous": True,
}
# The application learns the error from a redirect.
REJECTIONS = """
[checks.negative_data_rejection]
expected-statuses = ["303", "4xx"]
"""
KNOWN: dict[str, Any] = {
    "ClientID": {"const": CLIENT_ID},
    "ProviderID": {"enum": list(REDIRECT_URIS)},
    "OptionalProviderID": {"enum": list(REDIRECT_URIS)},
    "redirect_uri": {"const": CALLBACK},
    "code_challenge": {"enum": ["E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"]},
    "scopes": {"const": []},
    "scope": {"const": ""},
    "parameters": {"const": {}},
}
# Longer than it takes on two busy cores. schemathesis ends after its last example.
DEADLINE = 480


def knowing(document: Any) -> Any:
    """The description with values of this deployment as examples."""
    if isinstance(document, list):
        return [knowing(element) for element in document]
    if not isinstance(document, dict):
        return document
    known = {name: knowing(value) for name, value in document.items()}
    for described in (known.get("schemas"), known.get("properties")):
        if isinstance(described, dict):
            described |= {name: KNOWN[name] for name in described.keys() & KNOWN.keys()}
    if known.get("in") == "query" and known.get("name") in KNOWN:
        known["schema"] = KNOWN[known["name"]]
    return known


def run(
    people: AccountApplication, folder: Path, document: dict[str, Any], *options: str
) -> collections.Counter[tuple[str, str, int]]:
    """Runs schemathesis and counts its answers; fails if an answer is not described."""
    description, report = folder / "openapi.json", folder / "report.har"
    description.write_text(json.dumps(document))
    (folder / "schemathesis.toml").write_text(REJECTIONS)
    outcome = subprocess.run(
        [str(Path(sys.executable).with_name("schemathesis")), "run", str(description)]
        + ["--url", people.deployment.origin, "--checks", ",".join(CHECKS), "--phases", "examples,coverage,fuzzing"]
        + ["--seed", "1", "--generation-deterministic", "--max-examples", "10"]
        + ["--no-color", "--max-redirects", "0", "--suppress-health-check", "all", "--warnings", "off"]
        + ["--report-har-path", str(report), *options],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    if outcome.returncode != 0:
        pytest.fail(outcome.stdout, pytrace=False)
    assert people.deployment.admin("/readyz") == 200
    origin = people.deployment.origin
    return collections.Counter(
        (entry["request"]["method"], entry["request"]["url"].removeprefix(origin).split("?")[0], status)
        for entry in json.loads(report.read_text())["log"]["entries"]
        if (status := entry["response"]["status"])
    )


def good(seen: collections.Counter[tuple[str, str, int]]) -> set[tuple[str, str]]:
    """The operations that were answered with success or a redirect."""
    return {(method, path) for method, path, status in seen if status in (200, 201, 303)}


@pytest.fixture
def people(settle: Settle) -> AccountApplication:
    return settle(CLIENT_ID, clients={CLIENT_ID: CLIENT}, limits=UNLIMITED)


@pytest.fixture
def document(people: AccountApplication) -> dict[str, Any]:
    return people.send("GET", "/openapi.json").body


def test_a_refusal_that_the_description_lacks_is_found(
    people: AccountApplication, document: dict[str, Any]
) -> None:
    """Control: every other test ends with this comparison."""
    assert people.send("POST", "/v1/nonce", {}).status == 400
    metrics = people.deployment.admin_text("/metrics")
    assert 'endpoint="/v1/nonce",status="400",reason="missing_field"' in metrics
    assert undescribed(metrics, document) == []
    del document["paths"]["/v1/nonce"]["post"]["responses"]["400"]
    assert undescribed(metrics, document) == [("/v1/nonce", "400", "missing_field")]


def test_every_response_is_as_described(
    people: AccountApplication, document: dict[str, Any], tmp_path: Path
) -> None:
    seen = run(people, tmp_path, document)
    assert sum(seen.values()) > 500, seen


def test_responses_to_plausible_client_requests_are_as_described(
    people: AccountApplication, document: dict[str, Any], tmp_path: Path
) -> None:
    seen = run(people, tmp_path, knowing(document), "--exclude-path-regex", "^/v1/account")
    assert good(seen) >= {
        ("POST", "/v1/signin"),
        ("POST", "/v1/nonce"),
        ("POST", "/v1/anonymous"),
        ("POST", "/par"),
        ("POST", "/device_authorization"),
        ("GET", "/authorize"),
        ("GET", "/device"),
    }, seen


def test_responses_to_plausible_browser_requests_are_as_described(
    people: AccountApplication, document: dict[str, Any], tmp_path: Path
) -> None:
    bearer = people.anonymous().session.id_token
    # Without an account the other requests would fail at their first check.
    options = ("--include-path-regex", "^/v1/account", "--exclude-operation-id", "delete_account")
    seen = run(people, tmp_path, knowing(document), "--header", f"Authorization: Bearer {bearer}", *options)
    assert good(seen) >= {("GET", "/v1/account"), ("POST", "/v1/account/signout")}, seen
