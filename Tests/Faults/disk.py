"""A disk of its own, ext4 in a file, whose faults are those of the kernel. Only root may mount it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from deployment.waiting import wait_until

# FS_IOC_SHUTDOWN of linux/fs.h, with the flag "no log flush": nothing more is written, not even the journal.
SHUTDOWN = 0x8004587D
NO_LOG_FLUSH = struct.pack("I", 2)
# FIFREEZE and FITHAW of linux/fs.h.
FREEZE, THAW = 0xC0045877, 0xC0045878


class Disk:
    """A mounted file system in `folder`, which is empty at first."""

    def __init__(self, megabytes: int) -> None:
        if os.geteuid() != 0:
            pytest.skip("mounting a file system requires root")
        # A Unix socket on the disk needs a short path, which the user postgres can reach.
        self.place = Path(tempfile.mkdtemp(prefix="disk-"))
        self.place.chmod(0o711)
        self._image = self.place / "image"
        self.folder = self.place / "root"
        self.folder.mkdir()
        with self._image.open("wb") as image:
            image.truncate(megabytes << 20)
        _run("mkfs.ext4", "-q", "-F", str(self._image))
        self.mount()

    def mount(self) -> None:
        """Mounts the disk as after a start of the machine: the journal is replayed."""
        _run("mount", "-o", "loop,errors=remount-ro", str(self._image), str(self.folder))

    def unmount(self) -> None:
        """Waits until no process uses the disk, and unmounts it."""
        words = ["umount", str(self.folder)]
        wait_until(lambda: subprocess.run(words, capture_output=True, check=False).returncode == 0, "the disk is unused")

    def lose_power(self) -> None:
        """Discards what was written and not confirmed by fsync(2). Every later access fails until `mount`."""
        self._control(SHUTDOWN, NO_LOG_FLUSH)

    @contextlib.contextmanager
    def stalled(self) -> Iterator[None]:
        """Within the block every write waits, as for a disk that does not answer."""
        self._control(FREEZE)
        try:
            yield
        finally:
            self._control(THAW)

    def fail(self) -> None:
        """Reports an error of the file system, after which the kernel mounts it read-only."""
        number = self.folder.stat().st_dev
        device = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}").resolve().name
        Path(f"/sys/fs/ext4/{device}/trigger_fs_error").write_text("a test")

    def repair(self) -> None:
        """Checks the unmounted disk, as the start of a machine does."""
        # fsck(8): 1 means that errors were corrected.
        result = subprocess.run(["e2fsck", "-p", "-f", str(self._image)], capture_output=True, timeout=60, check=False)
        assert result.returncode in (0, 1), result.stdout

    def _control(self, request: int, argument: bytes = b"") -> None:
        descriptor = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.ioctl(descriptor, request, argument)
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def new_disk(megabytes: int = 64) -> Iterator[Disk]:
    """A disk for the time of one test."""
    disk = Disk(megabytes)
    try:
        yield disk
    finally:
        subprocess.run(["umount", "--lazy", str(disk.folder)], capture_output=True, timeout=60, check=False)
        shutil.rmtree(disk.place)


def _run(*words: str) -> None:
    result = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 0, f"{' '.join(words)}: {result.stderr}"
