"""Computes what a rate of sign-ins needs, from the costs that the latest run of scripts/bench has measured.

Each load is computed by Little's law (the number in progress is the rate times the time of each) and then simulated:
sign-ins arrive at random at a process and queue for its cores.
"""

from __future__ import annotations

import argparse
import heapq
import json
import math
import random
import sys
from dataclasses import dataclass

from machine import ROOT
from measuring import middle
from targets import POSTGRES, SQLITE, Results, number

RESULT = ROOT / "var/bench/result.json"
PAGE = ROOT / "Sources/Documentation/Guide.docc/Scale.md"
#: The share of the cores that stays free. At full use a queue would grow without limit.
ROOM = 0.5
#: The cores of one process. It has an event loop per core, and all cores share one write queue.
CORES_OF_A_PROCESS = 8


@dataclass(frozen=True)
class Costs:
    """The measured costs of one sign-in. Times are in microseconds unless a comment says otherwise."""

    #: Processor time: of an exchange of an ID token, of the database for it, and of an exchange of a code.
    server: float
    database: float
    code: float
    #: Bytes: of the database's log, and of a spent credential with its indexes.
    bytes: float
    row: float
    #: Seconds for which an exchange uses a connection to the database, and to the provider.
    database_wait: float
    provider: float


@dataclass(frozen=True)
class Plan:
    """The resources for one rate."""

    rate: float
    cores: float
    processes: int
    database_cores: float
    database_connections: float
    provider_connections: float
    log_a_second: float
    rows_a_day: int
    rows_kept: float
    bytes_kept: float


def plan(rate: float, costs: Costs, kept_seconds: float = 25 * 3600) -> Plan:
    """Computes what sign-ins at this rate need, if all bring a code.

    - `kept_seconds`: the time for which a spent credential is stored: at most the 24 hours of `max_lifetime`, and one
      hour until it is swept.
    """
    cores = rate * costs.code / 1e6 / ROOM
    return Plan(
        rate=rate,
        cores=cores,
        processes=max(2, math.ceil(cores / CORES_OF_A_PROCESS)),
        database_cores=rate * costs.database / 1e6 / ROOM,
        database_connections=rate * costs.database_wait,
        provider_connections=rate * costs.provider,
        log_a_second=rate * costs.bytes,
        rows_a_day=round(rate * 86_400),
        rows_kept=rate * kept_seconds,
        bytes_kept=rate * kept_seconds * costs.row,
    )


def simulate(rate: float, cores: int, microseconds: float, count: int = 200_000, seed: int = 1) -> tuple[float, float]:
    """Simulates sign-ins that arrive at random and queue for the cores, first come, first served.

    - Returns: the median and the 99th percentile of their times in milliseconds, without the time at the provider.
    """
    source = random.Random(seed)
    free = [0.0] * cores
    now = 0.0
    took = []
    for _ in range(count):
        now += source.expovariate(rate)
        begin = max(now, heapq.heappop(free))
        # Half of the time is one signature, which always takes the same time; the rest varies.
        work = microseconds / 2e6 + source.expovariate(2e6 / microseconds)
        heapq.heappush(free, begin + work)
        took.append((begin + work - now) * 1000)
    took.sort()
    return took[len(took) // 2], took[len(took) * 99 // 100]


def measured(results: Results, provider: float) -> Costs:
    """Reads the costs from a run. The error names a missing scenario."""

    def of(scenario: str, **labels: object) -> list[dict[str, object]]:
        if found := results.of(scenario, **labels):
            return found
        raise SystemExit(f"scripts/scale: the latest run has no {scenario}; run scripts/bench whole, or {scenario} code")

    exchange = of("database", server=POSTGRES)
    code = of("code", server=SQLITE, delay=100, codes=1000)
    alone = results.of("exchange", server=SQLITE, connections=64, algorithm="ES256") or results.of(
        "refusal", server=SQLITE, kind="exchange"
    )
    server = middle(exchange, "serverTime")
    # The run exchanges codes only on SQLite. The additional cost of PostgreSQL is that of ID tokens.
    more = server - middle(alone, "serverTime") if alone else 0
    return Costs(
        server=server,
        database=middle(exchange, "databaseTime"),
        code=middle(code, "serverTime") + max(0, more),
        bytes=middle(exchange, "bytes"),
        row=middle(exchange, "rowBytes"),
        database_wait=middle(of("database half", server=POSTGRES), "storeSeconds"),
        provider=provider,
    )


def large(value: float) -> str:
    """A number with k, M, G or T."""
    for unit, size in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{number(value / size)} {unit}"
    return number(value)


def figures(plans: list[Plan], costs: Costs) -> list[tuple[str, list[str]]]:
    """The lines of the table: a title, and a cell for each plan."""
    waits = [
        simulate(one.rate / one.processes, math.ceil(one.cores / one.processes), costs.code) for one in plans
    ]
    return [
        ("sign-ins a second", [f"{one.rate:,.0f}" for one in plans]),
        ("cores, half of them free", [number(math.ceil(one.cores)) for one in plans]),
        (f"processes of {CORES_OF_A_PROCESS} cores, at least two", [f"{one.processes}" for one in plans]),
        ("simulated, without the provider: 50 % and 99 %", [f"{a:.1f} ms, {b:.1f} ms" for a, b in waits]),
        ("cores of the database, half of them free", [number(one.database_cores) for one in plans]),
        ("statements under way at the database", [number(one.database_connections) for one in plans]),
        ("calls under way at the provider", [f"{one.provider_connections:,.0f}" for one in plans]),
        ("log of the database, bytes a second", [large(one.log_a_second) for one in plans]),
        ("spent credentials a day", [large(one.rows_a_day) for one in plans]),
        ("kept for 25 hours, rows", [large(one.rows_kept) for one in plans]),
        ("kept for 25 hours, bytes", [large(one.bytes_kept) for one in plans]),
    ]


def page(text: str, about: str, lines: list[tuple[str, list[str]]]) -> str:
    """The documentation page with its figures replaced by these."""
    header, *rest = [f"| {' | '.join([title, *cells])} |" for title, cells in lines]
    rule = "| --- |" + " ---: |" * len(lines[0][1])
    begin, end = "<!-- scripts/scale -->", "<!-- end -->"
    before, after = text.split(begin)[0], text.split(end)[1]
    return before + "\n".join([begin, about, "", header, rule, *rest, end]) + after


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/scale", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("rates", nargs="*", type=float, default=[100, 10_000, 100_000])
    parser.add_argument("--provider", type=float, default=0.3, help="seconds that the provider takes for one call")
    parser.add_argument("--write", action="store_true", help="put the figures into Sources/Documentation/Guide.docc/Scale.md")
    arguments = parser.parse_args()
    run = json.loads(RESULT.read_text())
    costs = measured(Results(run["measurements"]), arguments.provider)
    about = (
        f"{run['machine']['processor']}, {run['machine']['date']}, `{run['command']}`. Measured: {costs.code:.0f} us of "
        f"processor time for a code, {costs.server:.0f} us for an ID token, {costs.database:.0f} us of PostgreSQL, "
        f"{costs.bytes:.0f} bytes of its log, {costs.row:.0f} bytes a row. Assumed: {costs.provider * 1000:.0f} ms at the "
        "provider."
    )
    lines = figures([plan(rate, costs) for rate in arguments.rates], costs)
    width = max(len(title) for title, _ in lines)
    print(about + "\n")
    for title, cells in lines:
        print(f"{title:<{width}}" + "".join(f"{cell:>20}" for cell in cells))
    if arguments.write:
        PAGE.write_text(page(PAGE.read_text(), about, lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
