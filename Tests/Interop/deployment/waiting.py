"""Waiting with a deadline. The benchmark imports it too, so it uses only the standard library."""

from __future__ import annotations

import time
from collections.abc import Callable

DEADLINE = 120.0


def wait_until(condition: Callable[[], bool], what: str, deadline: float = DEADLINE) -> None:
    """Polls the condition until it holds; fails after `deadline` seconds."""
    end = time.monotonic() + deadline
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {deadline} seconds")
        time.sleep(0.01)
