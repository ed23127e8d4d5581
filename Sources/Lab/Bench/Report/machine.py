"""The machine of the benchmark, and small functions that all its parts use."""

from __future__ import annotations

import os
import platform
import resource
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
#: A folder on a disk. /tmp may be in memory, where durability costs nothing.
ON_DISK = "/var/tmp"


def say(text: str) -> None:
    """Prints progress to standard error; the table goes to standard output."""
    print(f"scripts/bench: {text}", file=sys.stderr, flush=True)


def on_cores(count: int) -> list[str]:
    """The words before a command that runs on the first cores only; 0 is all cores."""
    return ["taskset", "--cpu-list", f"0-{count - 1}"] if count else []


def free_port() -> int:
    """A free port on loopback."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 30, pause: float = 0.01) -> None:
    """Returns as soon as the condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(pause)


def takes_connections(port: int) -> bool:
    """Whether a process listens on the port."""
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def allow_many_files() -> int:
    """Raises the limit of open files: ten thousand requests at once need as many sockets at both ends.

    - Returns: the limit of open files. Only root may raise the hard limit.
    """
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    for limit in (max(hard, 65_536), hard):
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
            return limit
        except (ValueError, PermissionError):
            pass
    return hard


def median(values: Iterable[float]) -> float:
    """The median."""
    return float(statistics.median(list(values)))


def resident(pid: int) -> float:
    """The resident memory of one process in MB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise ValueError(f"process {pid} has no memory")


def stop(process: subprocess.Popen[bytes], seconds: float = 30) -> None:
    """Sends SIGTERM, and SIGKILL if the process does not end in time."""
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def description() -> dict[str, str]:
    """The machine and the versions, which every figure depends on."""
    model = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        platform.machine(),
    )
    openssl = subprocess.run(["openssl", "version"], capture_output=True, text=True, check=True).stdout.split()[1]
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    return {
        "processor": model,
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.release()}",
        "openssl": openssl,
        "commit": commit,
        "date": time.strftime("%Y-%m-%d"),
    }
