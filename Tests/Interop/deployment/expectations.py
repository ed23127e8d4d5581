"""The form that every answer must have."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Any

import jwt
from firebase_admin import _token_gen
from google.auth import jwt as google_jwt

from deployment.application import Answer
from deployment.pages import GUIDE
from deployment.service_account import ServiceAccount

ERRORS = {
    400: {
        "invalid_request",
        "invalid_grant",
        "invalid_scope",
        "invalid_target",
        "access_denied",
        "unauthorized_client",
        "unsupported_grant_type",
        "authorization_pending",
        "slow_down",
    },
    401: {"invalid_client", "invalid_token"},
    403: {"access_denied"},
    409: {"invalid_request"},
    502: {"temporarily_unavailable"},
    503: {"temporarily_unavailable"},
    504: {"temporarily_unavailable"},
}
# The Firebase code of each reason, from the guide: | `400` | `error` | `code` | `reason`, `reason` |
CODES = {
    reason: code
    for line in (GUIDE / "Errors.md").read_text().splitlines()
    if (row := re.fullmatch(r"\| \d+ \| `[a-z_]+` \| `(auth/[a-z-]+)` \| (.+) \|", line))
    for code, reasons in [row.groups()]
    for reason in re.findall(r"`(\w+)`", reasons)
}


# The members of a conflict besides the error.
CONFLICT = {
    "credential_already_in_use": {"pending_credential", "existing_uid"},
    "account_exists_with_different_credential": {"pending_credential", "email", "providers"},
}


# The description of these reasons names the forbidden parameter.
NAMING = {"parameter_not_allowed", "reserved_parameter"}


def signed_in(answer: Answer) -> dict[str, Any]:
    """Checks a response with a custom token."""
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
        "provider_profile",
    }
    return answer.body


def redeemed(answer: Answer, account: ServiceAccount, token_type: str = "Bearer") -> dict[str, Any]:
    """Checks the answer of `/token` (RFC 6749 section 5.1), whose access token is a custom token."""
    assert answer.status == 200, answer
    _check_header(answer)
    assert answer["token_type"] == token_type
    assert set(answer.body) - {"oauth", "issued_token_type"} == {
        "access_token",
        "token_type",
        "expires_in",
        "uid",
        "is_new_user",
        "provider",
        "provider_uid",
        "audience_proof",
        "profile",
    }
    claims = verified(answer["access_token"], account)
    assert claims["uid"] == answer["uid"]
    assert claims["claims"] == {"idp": answer["provider"], "idp_uid": answer["provider_uid"]}
    assert claims["exp"] - claims["iat"] == answer["expires_in"] == 300
    return answer.body


def verified(token: str, account: ServiceAccount) -> dict[str, Any]:
    """The claims of a custom token, read by PyJWT and by google-auth."""
    audience = _token_gen.FIREBASE_AUDIENCE
    claims = jwt.decode(
        token, account.public_pem, algorithms=["RS256"], audience=audience, issuer=account.email, subject=account.email
    )
    certificates = {account.key_id: account.certificate_pem}
    assert dict(google_jwt.decode(token, certs=certificates, audience=audience)) == claims
    return claims


def challenged(answer: Answer) -> str:
    """Checks a sign-in that continues with a second factor, and returns its handle."""
    refused(answer, 403, "second_factor_required", further={"pending_credential", "factors"})
    assert answer["factors"] == ["totp", "recovery_code"]
    return answer["pending_credential"]


def refused(
    answer: Answer, status: int, reason: str, retry: str | None = None, further: Set[str] = frozenset()
) -> None:
    """Checks the form of an error. `further` are members that this reason has only in some answers."""
    assert (answer.status, answer.body.get("reason")) == (status, reason), answer
    _check_header(answer)
    conflict = CONFLICT.get(reason, set())
    further = conflict | further | ({"parameter"} if reason in NAMING else set())
    assert set(answer.body) - {"retry"} == {"error", "error_description", "reason", "code", "request_id"} | further
    # RFC 6750 section 3.
    assert answer.header.get("www-authenticate", "").startswith("Bearer ") == (answer["error"] == "invalid_token")
    # At /token every conflict is a 400.
    assert answer["error"] in ERRORS[409 if conflict else status]
    assert answer["code"] == CODES[reason]
    assert answer["request_id"] == answer.header["x-request-id"]
    assert answer.body.get("retry") == retry, answer
    # RFC 6749 section 5.2.
    assert re.fullmatch(r"[\x20\x21\x23-\x5B\x5D-\x7E]+", answer["error_description"])


def exactly_one_signed_in(answers: list[Answer]) -> dict[str, Any]:
    """Expects one success and otherwise replays."""
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
