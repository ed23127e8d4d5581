"""What must never be written down."""

from __future__ import annotations

import threading
from collections.abc import Iterator


class Secrets:
    """Every secret that went through a deployment, to be looked for in its log."""

    # A shorter text would be found by chance.
    SHORTEST = 8

    def __init__(self) -> None:
        self._texts: set[str] = set()
        self._lock = threading.Lock()

    def add(self, *texts: str | None) -> None:
        """Takes over texts; of a token also each part by itself."""
        with self._lock:
            for text in texts:
                if text is None or len(text) < self.SHORTEST:
                    continue
                self._texts.add(text)
                if text.startswith("eyJ"):
                    self._texts.update(part for part in text.split(".") if len(part) >= self.SHORTEST)

    def found_in(self, text: str) -> list[str]:
        with self._lock:
            return sorted(secret for secret in self._texts if secret in text)

    def __iter__(self) -> Iterator[str]:
        with self._lock:
            return iter(sorted(self._texts))
