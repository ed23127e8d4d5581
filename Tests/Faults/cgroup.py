"""A control group for one process, of either version of the kernel's interface. Only root may make it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path("/sys/fs/cgroup")


class Group:
    """A group with one controller, `memory` or `pids`."""

    def __init__(self, controller: str) -> None:
        if os.geteuid() != 0:
            pytest.skip("making a control group requires root")
        self._is_first_version = (ROOT / controller).is_dir()
        base = ROOT / controller if self._is_first_version else ROOT
        self._folder = base / f"token-exchange-{os.getpid()}"
        try:
            if not self._is_first_version:
                (ROOT / "cgroup.subtree_control").write_text(f"+{controller}")
            self._folder.mkdir()
        except OSError as error:
            pytest.skip(f"control groups cannot be changed here: {error}")

    def add(self, pid: int) -> None:
        (self._folder / "cgroup.procs").write_text(str(pid))

    @contextlib.contextmanager
    def started_here(self) -> Iterator[None]:
        """Processes that are started meanwhile belong to the group from their start, and can read its limit."""
        controller = "memory" if self._is_first_version else ""
        lines = (line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines())
        path = next(path for _, names, path in lines if controller in names.split(","))
        before = (ROOT / controller if controller else ROOT) / path.removeprefix("/") / "cgroup.procs"
        self.add(os.getpid())
        try:
            yield
        finally:
            before.write_text(str(os.getpid()))

    @property
    def threads(self) -> int:
        return int((self._folder / "pids.current").read_text())

    def limit_threads(self, count: int | None) -> None:
        (self._folder / "pids.max").write_text("max" if count is None else str(count))

    @property
    def memory(self) -> int:
        name = "memory.usage_in_bytes" if self._is_first_version else "memory.current"
        return int((self._folder / name).read_text())

    def limit_memory(self, octets: int) -> None:
        """Limits the memory; a limit that the kernel cannot reach at once is ignored."""
        name = "memory.limit_in_bytes" if self._is_first_version else "memory.max"
        with contextlib.suppress(OSError):
            (self._folder / name).write_text(str(octets))

    def close(self) -> None:
        self._folder.rmdir()


@contextlib.contextmanager
def group(controller: str) -> Iterator[Group]:
    """A group for the time of one test; its process must have ended before."""
    made = Group(controller)
    try:
        yield made
    finally:
        made.close()
