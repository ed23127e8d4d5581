"""Compares `GET /openapi.json` with the refusals that the server counted, and with the answers that applications received."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import jsonschema_rs

# The dialect of schemas in OpenAPI 3.1.
DIALECT = "https://json-schema.org/draft/2020-12/schema"
COUNTED = re.compile(r'token_exchange_requests_total\{endpoint="([^"]*)",status="(\d+)",reason="([^"]*)"\}')


def undescribed(metrics: str, document: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The refusals (endpoint, status, reason) that no operation of the endpoint describes."""
    return [
        (endpoint, status, reason)
        for endpoint, status, reason in COUNTED.findall(metrics)
        # These reasons belong to no operation.
        if endpoint != "other" and reason not in ("", "method_not_allowed")
        if not any(_has(operation, status, reason) for operation in _operations(document, endpoint))
    ]


def _operations(document: dict[str, Any], endpoint: str) -> list[dict[str, Any]]:
    parameters = {"/callback": "provider", "/logo": "digest", "/v1/events": "provider"}
    path = f"{endpoint}/{{{parameters[endpoint]}}}" if endpoint in parameters else endpoint
    return list(document["paths"].get(path, {}).values())


def _has(operation: dict[str, Any], status: str, reason: str) -> bool:
    response = operation["responses"].get(status)
    if response is None or reason not in operation["x-reasons"]:
        return False
    content = response.get("content", {})
    if "application/json" not in content or int(status) < 300:
        # The operation answers with a page or a redirect, or acknowledges a message that it has received before.
        return True
    return reason in response["x-reasons"]


@dataclass(frozen=True)
class Received:
    """An answer in JSON."""

    method: str
    path: str
    status: int
    body: dict[str, Any]


def validator(document: dict[str, Any], schema: dict[str, Any]) -> Any:
    """The validator of a schema of the description."""
    return jsonschema_rs.validator_for(
        {"$schema": DIALECT, "components": document["components"], "allOf": [schema]}
    )


def deviations(answers: list[Received], document: dict[str, Any]) -> list[str]:
    """The answers that do not follow the schema of their operation and status, or have another error than their reason."""
    codes = document["components"]["schemas"]["Error"]["properties"]["reason"]["x-reasons"]
    validators: dict[tuple[str, str, int], Any] = {}
    found = []
    for answer in answers:
        operation = document["paths"].get(answer.path, {}).get(answer.method.lower())
        if operation is None:
            # Tests also send requests to no operation.
            continue
        key = (answer.method, answer.path, answer.status)
        response = operation["responses"].get(str(answer.status), {})
        if "x-reasons" in response:
            reason = answer.body.get("reason", "")
            if answer.body.get("error") not in response["x-reasons"].get(reason, []):
                found.append(f"{answer.method} {answer.path} {answer.status}: {reason}, {answer.body.get('error')}")
            elif answer.body.get("code") != codes[reason]["code"]:
                found.append(f"{answer.method} {answer.path} {answer.status}: {reason}, {answer.body.get('code')}")
        if key not in validators:
            schema = response.get("content", {}).get("application/json", {}).get("schema", False)
            validators[key] = validator(document, schema)
        found += [
            f"{answer.method} {answer.path} {answer.status}: {error.message}"
            for error in validators[key].iter_errors(answer.body)
        ]
    return found
