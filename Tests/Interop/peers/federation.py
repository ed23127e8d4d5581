"""Google's Security Token Service, `generateAccessToken`, and the metadata server of AWS.

PyJWT's code: the verification of the subject token. google-auth's code: the signature that AWS would make. Our code: the
answers.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable
from datetime import datetime
from http import HTTPStatus
from typing import Any
from unittest import mock
from urllib.parse import unquote

import jwt
from google.auth import aws

from peers.loopback import Arrival, Loopback

AUDIENCE = "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/provider"
CLOUD_PLATFORM = "https://www.googleapis.com/auth/cloud-platform"
ISSUER = "https://issuer.example"
REGION = "us-east-2"
VERIFICATION = "https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15"


class Federation(Loopback):
    """Exchanges subject tokens that it verifies; the access tokens are those of `issue`."""

    def __init__(self, public_pem: str, issue: Callable[[str | None, list[str]], str]) -> None:
        """`issue`: makes an access token for the address of a service account, or for the default one, and scopes."""
        self.refusals: list[str] = []
        self._key = public_pem
        self._issue = issue
        self._federated: set[str] = set()
        self._session = secrets.token_urlsafe(16)
        self._aws = aws.AwsSecurityCredentials("AKIDEXAMPLE", secrets.token_urlsafe(30), secrets.token_urlsafe(40))
        super().__init__(self._answer)

    def _answer(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        arrival = self.arrivals()[-1]
        try:
            content = self._content(arrival, environ)
            status = HTTPStatus.OK
        except (jwt.InvalidTokenError, ValueError, KeyError) as error:
            self.refusals.append(repr(error))
            content, status = {"error": "invalid_grant"}, HTTPStatus.BAD_REQUEST
        body = content.encode() if isinstance(content, str) else json.dumps(content).encode()
        start_response(f"{status} {status.phrase}", [("Content-Length", str(len(body)))])
        return [body]

    def _content(self, arrival: Arrival, environ: dict[str, Any]) -> dict[str, Any] | str:
        path = environ["PATH_INFO"]
        if path == "/sts/v1/token":
            return self._exchange(arrival.form)
        if path.startswith("/v1/projects/-/serviceAccounts/") and path.endswith(":generateAccessToken"):
            return self._impersonate(path, environ["HTTP_AUTHORIZATION"], json.loads(arrival.body))
        if path == "/latest/api/token":
            if (arrival.method, environ["HTTP_X_AWS_EC2_METADATA_TOKEN_TTL_SECONDS"]) != ("PUT", "300"):
                raise ValueError("not a request of IMDSv2")
            return self._session
        if environ["HTTP_X_AWS_EC2_METADATA_TOKEN"] != self._session:
            raise ValueError("the token of the metadata server is wrong")
        if path == "/latest/zone":
            return REGION + "b"
        if path == "/latest/credentials":
            return "role"
        if path == "/latest/credentials/role":
            return {
                "AccessKeyId": self._aws.access_key_id,
                "SecretAccessKey": self._aws.secret_access_key,
                "Token": self._aws.session_token,
            }
        raise ValueError(path)

    def _exchange(self, form: dict[str, str]) -> dict[str, Any]:
        if form["grant_type"] != "urn:ietf:params:oauth:grant-type:token-exchange" or form["audience"] != AUDIENCE:
            raise ValueError("not an exchange for this pool")
        if form["subject_token_type"] == "urn:ietf:params:oauth:token-type:jwt":
            jwt.decode(
                form["subject_token"], self._key, algorithms=["RS256"], audience="https:" + AUDIENCE, issuer=ISSUER
            )
        else:
            self._verify_signed_request(json.loads(unquote(form["subject_token"])))
        token = self._issue(None, form["scope"].split())
        self._federated.add(token)
        return {
            "access_token": token,
            "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
            "token_type": "Bearer",
            "expires_in": 3599,
        }

    def _verify_signed_request(self, request: dict[str, Any]) -> None:
        sent = {field["key"].lower(): field["value"] for field in request["headers"]}
        if sent["x-goog-cloud-target-resource"] != AUDIENCE:
            raise ValueError("the request is for another pool")
        # Google recommends a signature over this field, and google-auth makes none.
        target = {name: sent[name] for name in ["x-goog-cloud-target-resource"] if name in sent["authorization"]}
        date = datetime.strptime(sent["x-amz-date"], "%Y%m%dT%H%M%SZ")
        with mock.patch("google.auth._helpers.utcnow", return_value=date):
            expected = aws.RequestSigner(REGION).get_request_options(
                self._aws,
                VERIFICATION.replace("{region}", REGION),
                "POST",
                additional_headers=target,
            )
        fields = {"x-goog-cloud-target-resource": AUDIENCE}
        fields |= {name.lower(): value for name, value in expected["headers"].items()}
        if (request["url"], request["method"], sent) != (expected["url"], "POST", fields):
            raise ValueError("the signature is not that of AWS")

    def _impersonate(self, path: str, authorization: str, body: dict[str, Any]) -> dict[str, Any]:
        if authorization.removeprefix("Bearer ") not in self._federated:
            raise ValueError("the access token is not from the exchange")
        email = unquote(path.split("/")[-1].removesuffix(":generateAccessToken"))
        return {"accessToken": self._issue(email, body["scope"]), "expireTime": "2999-01-01T00:00:00Z"}
