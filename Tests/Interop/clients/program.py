"""A client that is a program of its own."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from deployment.waiting import DEADLINE


class Program:
    """A process whose output and errors are read line by line, and which is killed after a deadline."""

    def __init__(self, command: list[str], environment: dict[str, str], deadline: float = DEADLINE) -> None:
        self._process = subprocess.Popen(
            command,
            env={"PATH": os.environ["PATH"]} | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._alarm = threading.Timer(deadline, self._process.kill)
        self._alarm.start()

    def line(self, containing: str = "") -> str:
        """Returns the next line of the output that contains a text."""
        assert self._process.stdout is not None
        read = []
        for line in self._process.stdout:
            if containing in line:
                return line.strip()
            read.append(line)
        raise AssertionError(f"the program ended without {containing!r}: {''.join(read)}")

    def enter(self, text: str = "") -> None:
        """Types a text and presses Enter."""
        assert self._process.stdin is not None
        self._process.stdin.write(text + "\n")
        self._process.stdin.flush()

    def interrupt(self) -> None:
        """Sends SIGTERM."""
        self._process.terminate()

    def end(self) -> tuple[int, str]:
        """Waits for the end; returns the exit code and the rest of the output."""
        output, _ = self._process.communicate()
        return self._process.returncode, output

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()
        self._alarm.cancel()


@contextmanager
def program(command: list[str], environment: dict[str, str] | None = None) -> Iterator[Program]:
    """Runs a program for the time of a block."""
    running = Program(command, environment or {})
    try:
        yield running
    finally:
        running.close()
