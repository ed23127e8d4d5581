"""Compares the refusals in `GET /openapi.json` with those that the server counted."""

from __future__ import annotations

import re
from typing import Any

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
    path = {"/callback": "/callback/{provider}", "/logo": "/logo/{digest}"}.get(endpoint, endpoint)
    return list(document["paths"].get(path, {}).values())


def _has(operation: dict[str, Any], status: str, reason: str) -> bool:
    response = operation["responses"].get(status)
    if response is None or reason not in operation["x-reasons"]:
        return False
    content = response.get("content", {})
    if "application/json" not in content:
        # The operation answers with a page or a redirect.
        return True
    parts = content["application/json"]["schema"].get("allOf", [])
    return any(reason in part.get("properties", {}).get("reason", {}).get("enum", []) for part in parts)
