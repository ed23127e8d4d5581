"""An application of a deployment: its requests, and the allowed answers."""

from __future__ import annotations

import http.client
import json
import threading
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import requests

from deployment.description import Received
from deployment.process import Deployment


@dataclass(frozen=True)
class Answer:
    status: int
    header: dict[str, str]
    body: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.body[name]


@dataclass(frozen=True)
class Posting:
    """A POST that is to be sent."""

    url: str
    media_type: str
    body: bytes


def post_at_once(postings: list[Posting]) -> list[Answer]:
    """Sends all requests except their last bytes, and then the last bytes of all at the same time."""
    barrier = threading.Barrier(len(postings))
    answers: list[Answer] = []

    def send(posting: Posting) -> None:
        url = urlsplit(posting.url)
        connection = http.client.HTTPConnection(url.netloc, timeout=60)
        connection.putrequest("POST", url.path)
        connection.putheader("Content-Type", posting.media_type)
        connection.putheader("Content-Length", str(len(posting.body)))
        connection.endheaders(posting.body[:-1])
        barrier.wait(timeout=30)
        connection.send(posting.body[-1:])
        response = connection.getresponse()
        header = {name.lower(): value for name, value in response.getheaders()}
        answers.append(Answer(response.status, header, json.loads(response.read())))
        connection.close()

    threads = [threading.Thread(target=send, args=(posting,)) for posting in postings]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == len(postings), "a connection was cut"
    return answers


class Application:
    """Posts to `/v1/*` and records every secret that it sends or receives."""

    def __init__(self, deployment: Deployment, client_id: str = "app") -> None:
        self.deployment = deployment
        self.client_id = client_id
        self._session = requests.Session()
        self._session.trust_env = False

    def post(self, path: str, body: dict[str, Any], **header: str) -> Answer:
        return self.send("POST", path, body, **header)

    def send(self, method: str, path: str, body: dict[str, Any] | None = None, **header: str) -> Answer:
        """Sends a request. Underscores in the names of header fields become hyphens. The answer may have no body."""
        fields = {name.replace("_", "-"): value for name, value in header.items()}
        response = self._session.request(method, self.deployment.origin + path, json=body, headers=fields, timeout=30)
        answer = Answer(
            response.status_code,
            {k.lower(): v for k, v in response.headers.items()},
            response.json() if response.content else {},
        )
        if response.content:
            # Tests may change the body of the answer.
            received = Received(method, path.split("?")[0], answer.status, response.json())
            self.deployment.received.append(received)
        self._remember(body or {})
        if answer.status >= 400:
            # A conflict names the address that the caller's own credential proved.
            own = answer.body.get("email")
            found = [
                text
                for text in self.deployment.secrets.found_in(response.text)
                if text != own and not text.startswith("auth/")
            ]
            assert not found, f"LG-01: an error holds {found}"
        self._remember(answer.body)
        return answer

    def nonce(self, provider: str) -> tuple[str, str]:
        """Requests a nonce for the provider and its verifier."""
        answer = self.post("/v1/nonce", {"client_id": self.client_id, "provider": provider})
        assert answer.status == 200, answer
        return answer["nonce"], answer["nonce_verifier"]

    def sign_in(self, provider: str, redirect_uri: str, **members: Any) -> Answer:
        return self.post(
            "/v1/signin", {"client_id": self.client_id, "provider": provider, "redirect_uri": redirect_uri} | members
        )

    def exchange(self, provider: str, credential: dict[str, Any]) -> Answer:
        return self.post("/v1/exchange", self.exchange_body(provider, credential))

    def exchange_body(self, provider: str, credential: dict[str, Any]) -> dict[str, Any]:
        return {"client_id": self.client_id, "provider": provider, "credential": credential}

    def exchange_at_once(
        self,
        provider: str,
        credentials: dict[str, Any] | list[dict[str, Any]],
        count: int,
        origins: list[str] | None = None,
    ) -> list[Answer]:
        """Sends `count` requests at the same time, with the credentials and origins in turn."""
        credentials = credentials if isinstance(credentials, list) else [credentials]
        origins = origins or [self.deployment.origin]
        postings = []
        for number in range(count):
            credential = credentials[number % len(credentials)]
            self._remember(credential)
            body = json.dumps(self.exchange_body(provider, credential)).encode()
            postings.append(Posting(origins[number % len(origins)] + "/v1/exchange", "application/json", body))
        answers = post_at_once(postings)
        for answer in answers:
            self._remember(answer.body)
        return answers

    def _remember(self, body: dict[str, Any]) -> None:
        for name, value in body.items():
            if isinstance(value, dict):
                self._remember(value)
            elif name in _SECRET_MEMBERS and isinstance(value, str):
                self.deployment.secrets.add(value)


_SECRET_MEMBERS = {
    "access_token",
    "authorization_url",
    "callback_url",
    "code",
    "code_verifier",
    "custom_token",
    "email",
    "firebase_id_token",
    "firebase_refresh_token",
    "from_id_token",
    "id_token",
    "nonce",
    "nonce_verifier",
    "oauth_token",
    "oauth_token_secret",
    "otpauth_uri",
    "pending_credential",
    "recovery_code",
    "refresh_token",
    "secret",
    "session",
}
