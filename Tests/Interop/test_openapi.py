"""The OpenAPI description, compared with the running server by schemathesis, and checked by openapi-spec-validator.

schemathesis' code: valid and invalid requests, and the checks that the description contains the answer. Our code: values
that this server knows, so that requests pass more than the first check.
"""

from __future__ import annotations

import collections
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openapi_spec_validator
import pytest
from openapi_spec_validator.validation.exceptions import OpenAPIValidationError

from conftest import Settle
from deployment.account_application import REDIRECT_URIS, AccountApplication
from deployment.description import Received, deviations, undescribed, validator

# All checks of schemathesis except these.
EXCLUDED_CHECKS = {
    "positive_data_acceptance": "a request that follows its schema may have a code, a token or a client that is not known",
}
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
    "scopes": {"enum": [[], None]},
    "scope": {"const": ""},
    "parameters": {"enum": [{}, None]},
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


def without_jwt(document: dict[str, Any]) -> dict[str, Any]:
    """The description without bodies that are a JWT, which schemathesis cannot write."""
    copied = json.loads(json.dumps(document))
    del copied["paths"]["/v1/events/{provider}"]["post"]["requestBody"]["content"]["application/secevent+jwt"]
    return copied


def run(
    people: AccountApplication, folder: Path, document: dict[str, Any], *options: str
) -> collections.Counter[tuple[str, str, int]]:
    """Runs schemathesis and counts its answers; fails if an answer is not described."""
    description, report = folder / "openapi.json", folder / "report.har"
    description.write_text(json.dumps(without_jwt(document)))
    (folder / "schemathesis.toml").write_text(REJECTIONS)
    outcome = subprocess.run(
        [str(Path(sys.executable).with_name("schemathesis")), "run", str(description)]
        + ["--url", people.deployment.origin, "--checks", "all", "--exclude-checks", ",".join(EXCLUDED_CHECKS)]
        + ["--phases", "examples,coverage,fuzzing"]
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
    people = settle(CLIENT_ID, clients={CLIENT_ID: CLIENT}, limits=UNLIMITED)
    # A plausible request may begin OAuth 1.0a, for which X compares the callback before there is a page.
    uris = [CALLBACK, REDIRECT_URIS["twitter.com"], f"{people.deployment.origin}/callback/twitter.com"]
    people.sandbox.order("PUT", "/applications", provider="twitter.com", redirect_uris=uris)
    return people


@pytest.fixture
def document(people: AccountApplication) -> dict[str, Any]:
    return people.send("GET", "/openapi.json").body


# MARK: - The description by itself


def test_the_description_is_valid(document: dict[str, Any]) -> None:
    openapi_spec_validator.validate(document)
    assert document["openapi"].startswith("3.1.")


def test_an_invalid_description_is_found(document: dict[str, Any]) -> None:
    """Control."""
    del document["info"]["title"]
    with pytest.raises(OpenAPIValidationError):
        openapi_spec_validator.validate(document)


def media(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every request and answer in JSON or as a form, with its name."""
    for path, item in document["paths"].items():
        for method, operation in item.items():
            parts = {"request": operation.get("requestBody", {})} | operation["responses"]
            for name, part in parts.items():
                for kind, content in part.get("content", {}).items():
                    if kind in ("application/json", "application/x-www-form-urlencoded"):
                        yield f"{method} {path} {name}", content


def faults(document: dict[str, Any]) -> list[str]:
    """The requests and answers without an example, and the examples that do not follow their schemas."""
    found = []
    for place, content in media(document):
        examples = content.get("examples", {})
        if not examples:
            found.append(f"{place} has no example")
        schema = validator(document, content["schema"])
        for name, example in examples.items():
            if "$ref" in example:
                example = document["components"]["examples"][example["$ref"].rsplit("/", 1)[1]]
            found += [f"{place}, {name}: {error.message}" for error in schema.iter_errors(example["value"])]
    return found


def test_every_request_and_answer_has_examples_that_follow_the_schema(document: dict[str, Any]) -> None:
    assert faults(document) == []
    assert sum(1 for _ in media(document)) > 250


def test_an_example_that_does_not_follow_the_schema_is_found(document: dict[str, Any]) -> None:
    """Control."""
    nonce = document["paths"]["/v1/nonce"]["post"]
    del nonce["responses"]["400"]["content"]["application/json"]["examples"]
    next(iter(nonce["requestBody"]["content"]["application/json"]["examples"].values()))["value"]["client_id"] = ""
    request, answer = faults(document)
    assert request.startswith("post /v1/nonce request, nonce: ")
    assert answer == "post /v1/nonce 400 has no example"


# MARK: - The description and the server


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


def test_an_answer_that_deviates_from_the_description_is_found(
    people: AccountApplication, document: dict[str, Any]
) -> None:
    """Control: every test of an application ends with this comparison."""
    answer = people.post("/v1/nonce", {"client_id": CLIENT_ID, "provider": "yahoo.com"})
    assert people.deployment.received[-1] == Received("POST", "/v1/nonce", 200, answer.body)
    assert deviations(people.deployment.received, document) == []
    document["components"]["schemas"]["IssuedNonce"]["properties"]["expires_in"] = {"type": "string"}
    assert deviations(people.deployment.received, document) == ['POST /v1/nonce 200: 600 is not of type "string"']


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


def test_responses_to_a_signed_in_user_are_as_described(
    people: AccountApplication, document: dict[str, Any], tmp_path: Path
) -> None:
    """Each call of an account begins with a request that succeeds. The first ones link, merge and unlink identities."""
    alice, guest = people.enter("yahoo.com"), people.anonymous()
    known = knowing(document)
    for path, body in {
        "link": {"provider": "twitter.com", "credential": people.token_of("twitter.com")},
        "merge": {"from_id_token": guest.session.id_token},
        "unlink": {"provider": "twitter.com"},
        "signout": {},
        "factors": {"type": "totp", "name": "Phone"},
    }.items():
        operation = known["paths"][f"/v1/account/{path}"]["post"]
        content = operation["requestBody"]["content"]["application/json"]
        content["examples"] = {"known": {"value": {"client_id": CLIENT_ID} | body}}
    begun = people.begin_factor(alice.session.id_token)
    known["components"]["schemas"]["FactorConfirmation"]["properties"]["factor_id"] = {"const": begun["factor_id"]}
    # Without an account the other requests would fail at their first check.
    bearer = ("--header", f"Authorization: Bearer {alice.session.id_token}")
    ends = ("--exclude-operation-id", "delete_account", "--exclude-operation-id", "signout")
    seen = run(people, tmp_path, known, *bearer, "--include-path-regex", "^/v1/account", *ends)
    # After the sign-out the session changes nothing.
    seen += run(people, tmp_path, known, *bearer, "--include-operation-id", "signout")
    assert good(seen) >= {
        ("GET", "/v1/account"),
        ("GET", "/v1/account/factors"),
        ("POST", "/v1/account/factors"),
        ("POST", "/v1/account/link"),
        ("POST", "/v1/account/merge"),
        ("POST", "/v1/account/signout"),
        ("POST", "/v1/account/unlink"),
    }, seen
    # No call ended at the first check of its bearer only.
    called = {path for _, path, status in seen if status in (400, 403, 409)}
    assert called >= {f"/v1/account/{name}" for name in ("reauthenticate", "factors/confirm", "factors/remove")}, seen
