"""The secrets that must neither be logged nor stored."""

from __future__ import annotations

import collections
import threading
from collections.abc import Iterator


class Secrets:
    """All secrets that passed through a deployment. Its log, its metrics and its store are searched for them."""

    # A shorter text could occur by chance.
    SHORTEST = 8

    def __init__(self) -> None:
        self._texts: set[str] = set()
        #: By its first octets, each text as it is and as PostgreSQL prints octets. A text is so searched once for all secrets.
        self._forms: dict[str, set[tuple[str, str]]] = collections.defaultdict(set)
        self._lock = threading.Lock()

    def add(self, *texts: str | None) -> None:
        """Adds texts, and the parts of tokens."""
        with self._lock:
            for text in texts:
                for part in [text, *(text.split(".") if text.startswith("eyJ") else [])] if text else []:
                    if len(part) >= self.SHORTEST and part not in self._texts:
                        self._texts.add(part)
                        for form in (part, part.encode().hex()):
                            self._forms[form[: self.SHORTEST]].add((form, part))

    def found_in(self, text: str) -> list[str]:
        """The secrets that the text contains as they are, or as PostgreSQL prints octets."""
        with self._lock:
            return sorted(
                {
                    secret
                    for start in range(len(text) - self.SHORTEST + 1)
                    for form, secret in self._forms.get(text[start : start + self.SHORTEST], ())
                    if text.startswith(form, start)
                }
            )

    def found_in_store(self, text: str) -> list[str]:
        """The same without e-mail addresses, which an account has, so that they are stored on purpose.

        No other secret has an @.
        """
        return [secret for secret in self.found_in(text) if "@" not in secret]

    def __iter__(self) -> Iterator[str]:
        with self._lock:
            return iter(sorted(self._texts))
