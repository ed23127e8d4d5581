"""The measurements themselves: `bench load`, `bench minting` and `openssl speed`."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

from machine import ROOT, median, on_cores
from servers import Provider, Server

Measurement = dict[str, Any]


def _first_in_line() -> None:
    """Raises the priority of the load generator, so that it sends its requests in time; only root may do this."""
    with contextlib.suppress(PermissionError):
        os.nice(-10)


class Measuring:
    """All measurements of a run in their order, and the functions that measure."""

    def __init__(self, lab: Path, provider: Provider) -> None:
        self._lab = lab
        self._provider = provider
        self.all: list[Measurement] = []

    def keep(self, scenario: str, **values: Any) -> Measurement:
        """Adds a measurement that another function made."""
        values["scenario"] = scenario
        self.all.append(values)
        return values

    def begin(self, server: Server, **options: Any) -> subprocess.Popen[bytes]:
        """Starts a load. The options are those of `bench load`."""
        words = [
            *on_cores(server.cores), str(self._lab), "bench", "load", "--port", str(server.port), "--credentials", str(self._provider.folder),
            "--issuer", self._provider.issuer,
        ]  # fmt: skip
        words += ["--server", str(server.pid)] + [word for pid in server.database for word in ("--database", str(pid))]
        for name, value in options.items():
            words += [f"--{name.replace('_', '-')}", str(value)]
        return subprocess.Popen(words, stdout=subprocess.PIPE, preexec_fn=_first_in_line)

    def end(self, process: subprocess.Popen[bytes], scenario: str, server: Server, **labels: Any) -> Measurement:
        """Waits for a load that was started, and keeps its measurement."""
        output, _ = process.communicate()
        if process.returncode != 0:
            raise RuntimeError(f"{scenario}: the load at {server.name} failed")
        measured = json.loads(output)
        # Only successful responses count for the rate.
        measured["goodRate"] = measured["statuses"].get("200", 0) / measured["seconds"]
        return self.keep(scenario, server=server.name, **labels, **measured)

    def load(self, scenario: str, server: Server, labels: dict[str, Any] | None = None, **options: Any) -> Measurement:
        """Sends load to a server and waits for the end."""
        return self.end(self.begin(server, **options), scenario, server, **(labels or {}))

    def minting(self, threads: int, seconds: int) -> float:
        """Custom tokens per second of processor time."""
        words = [*on_cores(threads), str(self._lab), "bench", "minting"]
        words += ["--threads", str(threads), "--seconds", str(seconds)]
        return float(subprocess.run(words, capture_output=True, check=True).stdout)


def openssl_speed(algorithms: list[str], cores: int, seconds: int = 1) -> dict[str, float]:
    """Signatures and verifications per second of processor time, with `cores` processes at once; the mean of all.

    `openssl speed -multi` measures elapsed time, which other programs prolong. So there is one process per core, which
    measures its own processor time.

    - `algorithms`: rsa2048, ecdsap256.
    - Returns: the rates by name, such as `rsa2048 sign` and `ecdsap256 verify`.
    """
    words = ["openssl", "speed", "-mr", "-seconds", str(seconds), *algorithms]
    processes = [
        subprocess.Popen(
            ["taskset", "--cpu-list", str(core), *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        for core in range(cores)
    ]
    return mean([parse_speed(process.communicate()[0]) for process in processes])


def parse_speed(output: str) -> dict[str, float]:
    """Reads `openssl speed -mr`: +F2:number:bits:signatures per second:verifications per second, and +F4 for ECDSA.

    Some versions of OpenSSL 3 write seconds per operation instead of the rate; those values are below one.
    """
    found = {}
    for line in output.splitlines():
        fields = line.split(":")
        if fields[0] not in ("+F2", "+F4"):
            continue
        name = "rsa2048" if fields[0] == "+F2" else "ecdsap256"
        for title, text in zip(("sign", "verify"), fields[3:5], strict=True):
            value = float(text)
            found[f"{name} {title}"] = 1 / value if value < 1 else value
    return found


def mean(rates: list[dict[str, float]]) -> dict[str, float]:
    """The harmonic mean of each rate, which corresponds to the mean of the times."""
    return {name: len(rates) / sum(1 / rate[name] for rate in rates) for name in rates[0]}


def bare_microseconds(speed: dict[str, float], algorithm: str = "ecdsap256") -> float:
    """Processor time of one verification of an ID token and one signature of a custom token."""
    return 1e6 / speed["rsa2048 sign"] + 1e6 / speed[f"{algorithm} verify"]


def middle(measurements: list[Measurement], name: str) -> float:
    """The median of one value over the turns."""
    return median(measurement[name] for measurement in measurements)


def is_whole(measurement: Measurement) -> bool:
    """Whether every request was answered with success."""
    return set(measurement["statuses"]) <= {"200"} and measurement["answers"] > 0


def binary_folder() -> Path:
    """The folder of the binaries that scripts/bench has built."""
    return Path(os.environ.get("BENCH_BINARIES", ROOT / ".build/release"))


