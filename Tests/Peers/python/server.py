"""The Python peer: a WSGI application without a framework."""

import json
import os

from tokens import Minter, Refusal, Verifier
from used import in_memory, in_sqlite

LONGEST_BODY = 64 * 1024

verifier = Verifier(os.environ["JWKS_FILE"], os.environ["ISSUER"], os.environ["AUDIENCE"])
minter = Minter(os.environ["SERVICE_ACCOUNT"], os.environ["ISSUER"])
used = in_sqlite(os.environ["LOG"]) if os.environ.get("DURABLE") == "log" else in_memory()

STATUS = {
    200: "200 OK",
    400: "400 Bad Request",
    404: "404 Not Found",
    405: "405 Method Not Allowed",
    413: "413 Content Too Large",
}


def invalid_request(reason: str) -> Refusal:
    return Refusal("invalid_request", reason)


def exchange(body: bytes) -> str:
    try:
        request = json.loads(body)
    except ValueError:
        raise invalid_request("malformed_body") from None
    if not isinstance(request, dict):
        raise invalid_request("malformed_body")
    credential, provider = request.get("credential"), request.get("provider")
    if not isinstance(request.get("client_id"), str) or not isinstance(provider, str) or not isinstance(credential, dict):
        raise invalid_request("missing_field")
    if credential.get("type") != "id_token":
        raise invalid_request("unknown_credential_type")
    token, nonce = credential.get("id_token"), credential.get("nonce")
    if not isinstance(token, str) or not (nonce is None or isinstance(nonce, str)):
        raise invalid_request("missing_field")
    subject, expiry, digest = verifier.verify(token, nonce)
    if not used.spend(digest, expiry):
        raise Refusal("invalid_grant", "replayed")
    return minter.mint(provider, subject)


def answer(environ) -> tuple[int, str]:
    if environ["PATH_INFO"] != "/v1/exchange":
        return 404, invalid_request("not_found").body
    if environ["REQUEST_METHOD"] != "POST":
        return 405, invalid_request("method_not_allowed").body
    length = environ.get("CONTENT_LENGTH") or "0"
    if not length.isdigit() or int(length) > LONGEST_BODY:
        return 413, invalid_request("body_too_large").body
    try:
        return 200, exchange(environ["wsgi.input"].read(int(length)))
    except Refusal as refused:
        return 400, refused.body


def application(environ, start_response):
    status, text = answer(environ)
    body = text.encode()
    start_response(
        STATUS[status],
        [("Content-Type", "application/json"), ("Cache-Control", "no-store"), ("Content-Length", str(len(body)))],
    )
    return [body]
