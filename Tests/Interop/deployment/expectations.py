"""What every answer must look like, whatever it says."""

from __future__ import annotations

import re
from typing import Any

from deployment.application import Answer

ERRORS = {
    400: {"invalid_request", "invalid_grant", "invalid_scope", "access_denied"},
    401: {"invalid_client"},
    403: {"access_denied"},
    502: {"temporarily_unavailable"},
    503: {"temporarily_unavailable"},
    504: {"temporarily_unavailable"},
}
CODES = {
    "unknown_provider": "auth/invalid-provider-id",
    "provider_disabled": "auth/operation-not-allowed",
    "access_denied": "auth/user-cancelled",
    "provider_unreachable": "auth/network-request-failed",
    "provider_timeout": "auth/network-request-failed",
    "provider_error": "auth/internal-error",
    "provider_response_invalid": "auth/internal-error",
    "unknown_client": "auth/internal-error",
    "redirect_uri_not_allowed": "auth/argument-error",
    "missing_field": "auth/argument-error",
    "pkce_required": "auth/argument-error",
    "unknown_field": "auth/argument-error",
    "unsupported_credential": "auth/argument-error",
}


def signed_in(answer: Answer) -> dict[str, Any]:
    """The custom-token response."""
    assert answer.status == 200, answer
    _check_header(answer)
    assert set(answer.body) <= {
        "custom_token",
        "expires_in",
        "uid",
        "is_new_user",
        "provider",
        "provider_uid",
        "audience_proof",
        "profile",
        "oauth",
    }
    return answer.body


def refused(answer: Answer, status: int, reason: str, retry: str | None = None) -> None:
    """An error in the one shape that errors have."""
    assert (answer.status, answer.body.get("reason")) == (status, reason), answer
    _check_header(answer)
    assert set(answer.body) - {"retry"} == {"error", "error_description", "reason", "code", "request_id"}
    assert answer["error"] in ERRORS[status]
    assert answer["code"] == CODES.get(reason, "auth/invalid-credential")
    assert answer["request_id"] == answer.header["x-request-id"]
    assert answer.body.get("retry") == retry, answer
    # RFC 6749 section 5.2.
    assert re.fullmatch(r"[\x20\x21\x23-\x5B\x5D-\x7E]+", answer["error_description"])


def exactly_one_signed_in(answers: list[Answer]) -> dict[str, Any]:
    """One success among any number of replays."""
    successes = [answer for answer in answers if answer.status == 200]
    assert len(successes) == 1, [(answer.status, answer.body.get("reason")) for answer in answers]
    for answer in answers:
        if answer is not successes[0]:
            refused(answer, 400, "replayed")
    return signed_in(successes[0])


def _check_header(answer: Answer) -> None:
    assert answer.header["content-type"] == "application/json"
    assert answer.header["cache-control"] == "no-store"
    assert answer.header["x-content-type-options"] == "nosniff"
    assert answer.header["x-request-id"]
