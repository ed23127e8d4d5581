"""Clients that sign in or link all the time, each with an ID token of its own."""

from __future__ import annotations

import re
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import requests

from deployment.process import Deployment
from deployment.waiting import DEADLINE, wait_until
from peers import tokens
from peers.openid_provider import Client, OpenIDProvider

REFUSED_BY_STORE = "503 store_unavailable"


@dataclass
class Attempt:
    """A request and what it led to; the status is 0 if no whole response arrived.

    `answer` is None for a response of another program, such as HAProxy without servers.
    """

    subject: str
    body: dict[str, Any]
    status: int = 0
    answer: dict[str, Any] | None = None
    path: str = "/v1/exchange"
    header: dict[str, str] = field(default_factory=dict)
    # The account that asks for a link.
    caller: str | None = None
    # The time of the response, on the monotonic clock.
    at: float = 0

    @property
    def outcome(self) -> str:
        """`200`, or the status with the reason."""
        return f"{self.status} {(self.answer or {}).get('reason', '')}".strip()


class Load:
    """Threads that send requests, by default `POST /v1/exchange`, until they are told to end, each with one connection.

    The provider `op-ec` must be configured with `nonce: client`, so that only the record of a token prevents its replay.
    """

    def __init__(
        self, origin: str, provider: OpenIDProvider, client: Client, client_id: str = "app", threads: int = 4
    ) -> None:
        self._origin = origin
        self._provider = provider
        self._client = client
        self._client_id = client_id
        self._count = threads
        self._ended = threading.Event()
        self._threads: list[threading.Thread] = []
        self.attempts: list[Attempt] = []

    def start(self) -> Load:
        self._ended.clear()
        self._threads = [threading.Thread(target=self._run) for _ in range(self._count)]
        for thread in self._threads:
            thread.start()
        return self

    def end(self) -> None:
        """Returns after the last response."""
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def count(self, outcome: str) -> int:
        return sum(attempt.outcome == outcome for attempt in list(self.attempts))

    def attempt(self, subject: str | None = None) -> Attempt:
        """A credential that was not sent yet, by default of a new user."""
        subject, raw = subject or secrets.token_hex(8), secrets.token_urlsafe(16)
        claims = self._provider.claims(self._client.client_id, sub=subject, nonce=tokens.sha256(raw))
        token = tokens.signed(claims, self._provider.key("ES256"), "ES256")
        credential = {"type": "id_token", "id_token": token, "nonce": raw}
        return Attempt(subject, {"client_id": self._client_id, "provider": "op-ec", "credential": credential})

    def send(self, attempt: Attempt) -> Attempt:
        """Sends the credential, also if it was sent before, on a connection of its own."""
        with requests.Session() as session:
            return self._send(attempt, session)

    def repeat_refused_by_store(self, servers: Sequence[Deployment]) -> None:
        """Sends again what waited too long for the store, as it does on a busy machine, until the store has answered.

        The store may have refused no request for another reason. A request whose outcome the server could not know may have
        spent its credential, and after a pause of more than ten seconds older credentials are refused: these leave
        `attempts`.
        """
        faults = {
            fault for server in servers for fault in re.findall(r"(\w+)\((?:\w+\.)?StoreFault\.(\w+)", server.log)
        }
        slow = {("unavailable", fault) for fault in ("overloaded", "busy", "inputOutput")}
        assert faults <= slow | {("outcomeUnknown", "inputOutput")}, faults
        for attempt in [attempt for attempt in self.attempts if attempt.outcome == REFUSED_BY_STORE]:
            rightly = {"400 issued_unwatched"}

            def is_answered(attempt: Attempt = attempt, rightly: set[str] = rightly) -> bool:
                if (attempt.answer or {}).get("retry") != "same":
                    rightly.add("400 replayed")
                return self.send(attempt).outcome != REFUSED_BY_STORE

            wait_until(is_answered, "the store answers the repeated request")
            if attempt.outcome in rightly:
                self.attempts.remove(attempt)

    def _send(self, attempt: Attempt, session: requests.Session) -> Attempt:
        session.trust_env = False
        try:
            answer = session.post(
                self._origin + attempt.path, json=attempt.body, headers=attempt.header, timeout=DEADLINE
            )
            is_ours = answer.headers.get("Content-Type") == "application/json"
            attempt.status, attempt.answer = answer.status_code, answer.json() if is_ours else None
        except (requests.RequestException, ValueError):
            attempt.status, attempt.answer = 0, None
        attempt.at = time.monotonic()
        return attempt

    def _run(self) -> None:
        with requests.Session() as session:
            while not self._ended.is_set():
                attempt = self._send(self.attempt(), session)
                self.attempts.append(attempt)
                if attempt.answer is None:
                    # No server is there: do not ask again at once.
                    self._ended.wait(0.1)


class Links(Load):
    """The same, of users who are signed in to Firebase and link the identity: `POST /v1/account/link`."""

    def __init__(
        self,
        origin: str,
        provider: OpenIDProvider,
        client: Client,
        client_id: str,
        bearer: Callable[[str], str],
        threads: int = 2,
    ) -> None:
        """`bearer` returns a Firebase ID token for a uid."""
        super().__init__(origin, provider, client, client_id, threads)
        self._bearer = bearer

    def attempt(self, subject: str | None = None) -> Attempt:
        attempt = super().attempt(subject)
        attempt.caller = f"caller-{secrets.token_hex(8)}"
        attempt.path, attempt.header = "/v1/account/link", {"Authorization": f"Bearer {self._bearer(attempt.caller)}"}
        return attempt
