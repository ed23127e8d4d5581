"""Sends each credential to every server of a fleet at the same time: it must be accepted once.

`scripts/replay-storm` runs it as a program: `python -m deployment.storm BINARY COUNT STORE`.
"""

from __future__ import annotations

import collections
import itertools
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlencode

from deployment.account_application import AccountApplication, pending
from deployment.application import Answer, Posting, post_at_once
from deployment.firestore import Firestore
from deployment.fleet import Fleet, fleet_of
from deployment.postgres import Postgres
from peers import tokens
from peers.browser import parameters
from peers.person import Person

YAHOO = "yahoo.com"
CALLER = "storm"
#: How many credentials are in use at the same time, so that neither servers nor database wait for the next one.
AT_ONCE = 6
#: After how many credentials the next line says how far it is.
PART = 1000


class Storm:
    """Creates credentials and posts each to all servers at the same time."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        first = fleet.servers[0]
        self._app = AccountApplication(first, fleet.firebase, fleet.sandbox)
        self._person = Person(first.origin, fleet.sandbox.yahoo)
        self._bearer = ""
        self._rounds = 0
        self._kinds: list[Callable[[], tuple[str, str, bytes]]] = [self._id_token, self._handoff, self._pending]
        # The identity must belong to an account, so that the others are refused.
        assert self._app.try_to_enter(YAHOO, "alice").status == 200

    def round(self, number: int) -> tuple[str, list[Answer]]:
        """Posts one credential, of each kind in turn. Returns its kind and the final answers of the servers."""
        if self._rounds % 100 == 0:
            self._bearer = self._fleet.firebase.bearer(CALLER)
        self._rounds += 1
        kind = self._kinds[number % len(self._kinds)]
        path, media_type, body = kind()
        # Each server is the first one in turn.
        turn = number // len(self._kinds) % len(self._fleet.origins)
        origins = self._fleet.origins[turn:] + self._fleet.origins[:turn]
        answers = post_at_once([Posting(origin + path, media_type, body) for origin in origins])
        # A request that waited too long for the database may be sent again, as applications do.
        late = [answer for answer in answers if answer.body.get("retry") == "same"]
        if late:
            again = post_at_once([Posting(origins[0] + path, media_type, body)] * len(late))
            answers = [answer for answer in answers if answer not in late] + again
        return kind.__name__.strip("_"), answers

    def rounds(self, numbers: Sequence[int]) -> list[tuple[str, list[Answer]]]:
        """Posts one credential after another."""
        return [self.round(number) for number in numbers]

    def _id_token(self) -> tuple[str, str, bytes]:
        return self._exchange(self._app.token_of(YAHOO, "alice"))

    def _handoff(self) -> tuple[str, str, bytes]:
        verifier, redirect_uri = "v" * 43, "http://127.0.0.1/callback"
        request = {
            "response_type": "code",
            "client_id": "my-app",
            "redirect_uri": redirect_uri,
            "code_challenge": tokens.sha256(verifier),
            "code_challenge_method": "S256",
            "provider": YAHOO,
        }
        page = self._person.open(f"{self._fleet.origins[0]}/authorize?{urlencode(request)}")
        redirect = page.press("provider", YAHOO).allow("alice").redirect
        form = {
            "grant_type": "authorization_code",
            "client_id": "my-app",
            "redirect_uri": redirect_uri,
            "code_verifier": verifier,
            "code": parameters(redirect)["code"],
        }
        return "/token", "application/x-www-form-urlencoded", urlencode(form).encode()

    def _pending(self) -> tuple[str, str, bytes]:
        conflict = self._app.link(self._bearer, YAHOO, self._app.token_of(YAHOO, "alice"))
        assert conflict.status == 409, conflict
        return self._exchange(pending(conflict))

    def _exchange(self, credential: dict[str, str]) -> tuple[str, str, bytes]:
        return "/v1/exchange", "application/json", json.dumps(self._app.exchange_body(YAHOO, credential)).encode()


def main(binary: Path, count: int, store: str) -> int:
    seen: collections.Counter[tuple[str, str]] = collections.Counter()
    wrong = 0
    database = Firestore() if store == "firestore" else Postgres().start()
    emulator = {"store_emulator_host": database.host} if isinstance(database, Firestore) else {}
    try:
        with tempfile.TemporaryDirectory(prefix="token-exchange-storm-") as folder:
            with fleet_of(
                binary, Path(folder), database.database(), own=[emulator] * 3, logging={"level": "warning"}
            ) as fleet:
                storms, begun = [Storm(fleet) for _ in range(AT_ONCE)], time.monotonic()
                for first in range(0, count, PART):
                    numbers = range(first, min(first + PART, count))
                    with ThreadPoolExecutor(AT_ONCE) as pool:
                        parts = pool.map(Storm.rounds, storms, [numbers[worker::AT_ONCE] for worker in range(AT_ONCE)])
                    for kind, answers in itertools.chain.from_iterable(parts):
                        for answer in answers:
                            seen[kind, "200" if answer.status == 200 else f"{answer.status} {answer['reason']}"] += 1
                        wrong += [answer.status for answer in answers].count(200) != 1
                    print(f"{numbers.stop} credentials, {wrong} not good exactly once", file=sys.stderr, flush=True)
                seconds = time.monotonic() - begun
    finally:
        database.close()
    print(f"{count} credentials, each at 3 servers at once, in {seconds:.0f} s")
    for (kind, answer), times in sorted(seen.items()):
        print(f"  {kind:<10} {answer:<20} {times}")
    print(f"not good exactly once: {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), int(sys.argv[2]), sys.argv[3]))
