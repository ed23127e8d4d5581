"""The secrets that must neither be logged nor stored."""

from __future__ import annotations

import threading
from collections.abc import Iterator


class Secrets:
    """All secrets that passed through a deployment. Its log, its metrics and its store are searched for them."""

    # A shorter text could occur by chance.
    SHORTEST = 8

    def __init__(self) -> None:
        self._texts: set[str] = set()
        self._lock = threading.Lock()

    def add(self, *texts: str | None) -> None:
        """Adds texts, and the parts of tokens."""
        with self._lock:
            for text in texts:
                if text is None or len(text) < self.SHORTEST:
                    continue
                self._texts.add(text)
                if text.startswith("eyJ"):
                    self._texts.update(part for part in text.split(".") if len(part) >= self.SHORTEST)

    def found_in(self, text: str) -> list[str]:
        """The secrets that the text contains as they are, or as PostgreSQL prints octets."""
        with self._lock:
            return sorted(secret for secret in self._texts if secret in text or secret.encode().hex() in text)

    def found_in_store(self, text: str) -> list[str]:
        """The same without e-mail addresses, which an account has, so that they are stored on purpose.

        No other secret has an @.
        """
        return [secret for secret in self.found_in(text) if "@" not in secret]

    def __iter__(self) -> Iterator[str]:
        with self._lock:
            return iter(sorted(self._texts))
