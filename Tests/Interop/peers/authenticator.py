"""An authenticator application, which is pyotp: it reads the URI of a QR code, and shows codes."""

from __future__ import annotations

import time

import pyotp


class Authenticator:
    """The server accepts the previous, the current and the next time step, each once and only forward.

    The codes of the current and of the next step can therefore be used in a row without waiting, also if the current
    step ends in between.
    """

    def __init__(self, uri: str) -> None:
        totp = pyotp.parse_uri(uri)
        assert isinstance(totp, pyotp.TOTP)
        self.totp = totp
        self._last_step = 0

    def next_code(self) -> str:
        """The first code that was not shown yet and that the server accepts."""
        now = int(time.time()) // self.totp.interval
        step = max(now, self._last_step + 1)
        assert step <= now + 1, "more than two codes were shown within 30 seconds"
        self._last_step = step
        return self.totp.generate_otp(step)

    def wrong_code(self) -> str:
        """A code that is valid in no time step near now."""
        step = int(time.time()) // self.totp.interval
        right = {self.totp.generate_otp(step + offset) for offset in range(-10, 11)}
        return next(code for number in range(100) if (code := f"{number:06}") not in right)
