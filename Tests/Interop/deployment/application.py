"""An application of a deployment: what it posts, and what it may be answered."""

from __future__ import annotations

import http.client
import json
import threading
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import requests

from deployment.process import Deployment


@dataclass(frozen=True)
class Answer:
    status: int
    header: dict[str, str]
    body: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.body[name]


class Application:
    """Posts to `/v1/*` and remembers every secret that it sends or is given."""

    def __init__(self, deployment: Deployment, client_id: str = "app") -> None:
        self.deployment = deployment
        self.client_id = client_id
        self._session = requests.Session()
        self._session.trust_env = False

    def post(self, path: str, body: dict[str, Any]) -> Answer:
        response = self._session.post(self.deployment.origin + path, json=body, timeout=30)
        answer = Answer(response.status_code, {k.lower(): v for k, v in response.headers.items()}, response.json())
        self._remember(body)
        self._remember(answer.body)
        return answer

    def nonce(self, provider: str) -> tuple[str, str]:
        """A nonce for the provider, and its verifier."""
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
        """So many requests: all but the last octet of each is sent, and then the last one of all at once.

        Where there are several credentials or origins, they take turns.
        """
        credentials = credentials if isinstance(credentials, list) else [credentials]
        origins = origins or [self.deployment.origin]
        barrier = threading.Barrier(count)
        answers: list[Answer] = []

        def send(number: int) -> None:
            credential = credentials[number % len(credentials)]
            self._remember(credential)
            body = json.dumps(self.exchange_body(provider, credential)).encode()
            connection = http.client.HTTPConnection(urlsplit(origins[number % len(origins)]).netloc, timeout=60)
            connection.putrequest("POST", "/v1/exchange")
            connection.putheader("Content-Type", "application/json")
            connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body[:-1])
            barrier.wait(timeout=30)
            connection.send(body[-1:])
            response = connection.getresponse()
            header = {name.lower(): value for name, value in response.getheaders()}
            answer = Answer(response.status, header, json.loads(response.read()))
            connection.close()
            self._remember(answer.body)
            answers.append(answer)

        threads = [threading.Thread(target=send, args=(number,)) for number in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(answers) == count, "a connection was cut"
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
    "id_token",
    "nonce",
    "nonce_verifier",
    "oauth_token",
    "oauth_token_secret",
    "refresh_token",
    "session",
}
