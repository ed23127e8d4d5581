"""The targets, and the result of a run for each.

Figures that depend on the machine are ratios within one run, so that the targets hold for other machines too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from measuring import Measurement, is_whole, middle
from scenarios import LARGE_REFUSALS


@dataclass(frozen=True)
class Limit:
    """An upper or a lower limit."""

    value: float
    is_least: bool = False
    unit: str = ""

    def holds(self, figure: float) -> bool:
        return figure >= self.value if self.is_least else figure <= self.value

    def __str__(self) -> str:
        return f"{'≥' if self.is_least else '≤'} {number(self.value)}{self.unit and ' ' + self.unit}"


#: Every target. A row of the table has the same name.
TARGETS: dict[str, Limit] = {
    "minting against openssl speed, one core": Limit(0.98, is_least=True),
    "minting against openssl speed, two cores": Limit(0.98, is_least=True),
    "CPU of an exchange against bare crypto, SQLite": Limit(1.35),
    "CPU of an exchange against the best durable peer, SQLite": Limit(0.95),
    "CPU of an exchange against bare crypto, PostgreSQL": Limit(1.45),
    "rate at 64 connections against the best durable peer": Limit(1.05, is_least=True),
    "rate at 256 connections against the best durable peer": Limit(1.05, is_least=True),
    "rate at 1000 connections against the best durable peer": Limit(1.05, is_least=True),
    "rate on two cores against one": Limit(1.9, is_least=True),
    "allocations of an exchange": Limit(220),
    "answers that are not 200, up to 1000 connections": Limit(0),
    "one client, p50 against the best durable peer": Limit(1.0),
    "signer in a process, CPU of both against the server alone": Limit(1.3),
    "signer in a process, p50 of one client against without": Limit(1.4),
    "signer in a process, rate at 64 connections against without": Limit(0.75, is_least=True),
    "half of the maximal rate, p99 against p50": Limit(3.0),
    "half of the maximal rate, p50 against the best durable peer": Limit(1.1),
    "half of the maximal rate, p99 against the best durable peer": Limit(1.0),
    "p99 while a million rows are swept, against without, SQLite": Limit(1.5),
    "p99 while a million rows are swept, against without, PostgreSQL": Limit(1.5),
    "CPU at 10^6 rows against 10^4, SQLite": Limit(1.05),
    "CPU at 10^7 rows against 10^4, SQLite": Limit(1.05),
    "CPU at 10^6 rows against 10^4, PostgreSQL": Limit(1.05),
    "CPU at 10^7 rows against 10^4, PostgreSQL": Limit(1.05),
    "start at 10^7 rows against 10^4, SQLite": Limit(1.05),
    "start at 10^7 rows against 10^4, PostgreSQL": Limit(1.05),
    "10,000 codes at a provider of 2 s, share that succeeds": Limit(1.0, is_least=True),
    "10,000 codes at a provider of 2 s, memory of each": Limit(32, unit="KiB"),
    "10,000 codes at a provider of 2 s, memory kept of each": Limit(4, unit="KiB"),
    "10,000 codes at a provider of 2 s, p99 of other requests against without": Limit(1.5),
    "refusal against success: replay": Limit(0.25),
    "refusal against success: bad signature": Limit(0.17),
    "refusal against success: malformed": Limit(0.07),
    "refusal against success: the worst 64 KiB": Limit(0.20),
    "start to ready": Limit(50, unit="ms"),
    "memory, idle": Limit(40, unit="MB"),
    "memory, loaded": Limit(55, unit="MB"),
}


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    figure: float
    target: Limit
    #: Details, such as the absolute figure.
    note: str = ""

    @property
    def is_met(self) -> bool:
        return self.target.holds(self.figure)


class Results:
    """The measurements of a run, by scenario, server and further labels."""

    def __init__(self, measurements: list[Measurement]) -> None:
        self._all = measurements

    def of(self, scenario: str, **labels: object) -> list[Measurement]:
        return [
            one
            for one in self._all
            if one["scenario"] == scenario and all(one.get(name) == value for name, value in labels.items())
        ]

    def servers(self, scenario: str, **labels: object) -> list[str]:
        """The names of the servers in the order of their measurement."""
        return list(dict.fromkeys(one["server"] for one in self.of(scenario, **labels)))

    def ratios(self, above: list[Measurement], below: list[Measurement], value: str, divisor: str = "") -> float:
        """The median over the turns of the ratio of two values of the same turn."""
        other = {one["turn"]: one[divisor or value] for one in below}
        pairs = [one[value] / other[one["turn"]] for one in above if one["turn"] in other]
        return sorted(pairs)[len(pairs) // 2]


SQLITE, POSTGRES = "ours, SQLite", "ours, PostgreSQL"
SIGNER = "ours, signer"
STORES = {SQLITE: "SQLite", POSTGRES: "PostgreSQL"}


def is_peer(server: str) -> bool:
    return not server.startswith("ours")


def is_durable_peer(server: str) -> bool:
    return is_peer(server) and server.endswith(", log")


def rows(results: Results) -> list[Row]:
    """One row for each target that this run has measured."""
    found = []
    for part in (_minting, _exchange, _cores, _allocations, _signer, _half, _sweep, _growth, _code, _refusals, _start):
        for what, figure, note in part(results):
            found.append(Row(what, figure, TARGETS[what], note))
    order = list(TARGETS)
    return sorted(found, key=lambda row: order.index(row.what))


Line = tuple[str, float, str]


def _minting(results: Results) -> Iterator[Line]:
    for cores, title in [(1, "one core"), (2, "two cores")]:
        if turns := results.of("minting", cores=cores):
            ratio = results.ratios(turns, turns, "tokens", "signatures")
            yield (
                f"minting against openssl speed, {title}", ratio,
                f"{middle(turns, 'tokens'):.0f} tokens, {middle(turns, 'signatures'):.0f} signatures a CPU second",
            )  # fmt: skip


def _best(results: Results, value: str, least: bool, **labels: object) -> str | None:
    """The durable peer with the best median."""
    peers = [server for server in results.servers("exchange", **labels) if is_durable_peer(server)]
    choice = min if least else max
    return choice(peers, key=lambda server: middle(results.of("exchange", server=server, **labels), value), default=None)


def _exchange(results: Results) -> Iterator[Line]:
    bare = results.of("bare")

    def of(server: str, connections: int) -> list[Measurement]:
        return results.of("exchange", server=server, connections=connections, algorithm="ES256")

    for server, store in STORES.items():
        if turns := of(server, 64):
            yield (
                f"CPU of an exchange against bare crypto, {store}", results.ratios(turns, bare, "serverTime", "ES256"),
                f"{middle(turns, 'serverTime'):.0f} us, bare {middle(bare, 'ES256'):.0f} us",
            )  # fmt: skip
    if best := _best(results, "serverTime", True, connections=64, algorithm="ES256"):
        yield (
            "CPU of an exchange against the best durable peer, SQLite",
            results.ratios(of(SQLITE, 64), of(best, 64), "serverTime"),
            f"{best}: {middle(of(best, 64), 'serverTime'):.0f} us",
        )
    for connections in (64, 256, 1000):
        best = _best(results, "goodRate", False, connections=connections, algorithm="ES256")
        if best:
            yield (
                f"rate at {connections} connections against the best durable peer",
                results.ratios(of(SQLITE, connections), of(best, connections), "goodRate"),
                f"{middle(of(SQLITE, connections), 'goodRate'):.0f}/s, "
                f"{best}: {middle(of(best, connections), 'goodRate'):.0f}/s",
            )
    if ours := [one for server in STORES for one in results.of("exchange", server=server)]:
        refused = sum(count for one in ours for status, count in one["statuses"].items() if status != "200")
        total = sum(one["answers"] for one in ours)
        yield "answers that are not 200, up to 1000 connections", refused, f"of {total}"
    if best := _best(results, "p50", True, connections=1, algorithm="ES256"):
        yield (
            "one client, p50 against the best durable peer", results.ratios(of(SQLITE, 1), of(best, 1), "p50"),
            f"{middle(of(SQLITE, 1), 'p50'):.0f} us, {best}: {middle(of(best, 1), 'p50'):.0f} us",
        )  # fmt: skip


def _cores(results: Results) -> Iterator[Line]:
    one, two = results.of("cores", cores=1), results.of("cores", cores=2)
    if one and two:
        yield (
            "rate on two cores against one", results.ratios(two, one, "goodRate"),
            f"{middle(two, 'goodRate'):.0f}/s, {middle(one, 'goodRate'):.0f}/s; the load shares the cores",
        )  # fmt: skip


def _allocations(results: Results) -> Iterator[Line]:
    for one in results.of("allocations"):
        yield "allocations of an exchange", one["calls"], f"{one['bytes'] / 1024:.0f} KiB"


def _signer(results: Results) -> Iterator[Line]:
    one, many, ours = {"connections": 1}, {"connections": 64}, {"server": SQLITE}
    with_key, without = results.of("signer", **many, **ours), results.of("signer", **many, server=SIGNER)
    if not without:
        return
    sums = [turn | {"cpu": turn["serverTime"] + (turn["databaseTime"] or 0)} for turn in without]
    yield (
        "signer in a process, CPU of both against the server alone",
        results.ratios(sums, with_key, "cpu", "serverTime"),
        f"{middle(without, 'serverTime'):.0f} + {middle(without, 'databaseTime'):.0f} us, {middle(with_key, 'serverTime'):.0f} us",
    )
    single, other = results.of("signer", **one, **ours), results.of("signer", **one, server=SIGNER)
    yield (
        "signer in a process, p50 of one client against without",
        results.ratios(other, single, "p50"),
        f"{middle(other, 'p50'):.0f} us, {middle(single, 'p50'):.0f} us",
    )
    yield (
        "signer in a process, rate at 64 connections against without",
        results.ratios(without, with_key, "goodRate"),
        f"{middle(without, 'goodRate'):.0f}, {middle(with_key, 'goodRate'):.0f} a second",
    )


def _half(results: Results) -> Iterator[Line]:
    ours = results.of("half", server=SQLITE)
    if not ours:
        return
    p50, p99 = middle(ours, "p50"), middle(ours, "p99")
    yield "half of the maximal rate, p99 against p50", p99 / p50, f"{p50:.0f} us, {p99:.0f} us"
    peers = [server for server in results.servers("half") if is_durable_peer(server)]
    for name, figure in [("p50", p50), ("p99", p99)] if peers else []:
        times = {server: middle(results.of("half", server=server), name) for server in peers}
        best = min(times, key=lambda server: times[server])
        yield (
            f"half of the maximal rate, {name} against the best durable peer", figure / times[best],
            f"{best}: {times[best]:.0f} us at half of its own maximum",
        )  # fmt: skip


def _sweep(results: Results) -> Iterator[Line]:
    for server, store in STORES.items():
        without = results.of("sweep", server=server, phase="without")
        during = results.of("sweep", server=server, phase="during")
        # Skipped if no sweep has started.
        if without and during and during[0]["expired"] < without[0]["expired"]:
            yield (
                f"p99 while a million rows are swept, against without, {store}",
                middle(during, "p99") / middle(without, "p99"),
                f"{middle(during, 'p99'):.0f} us, {middle(without, 'p99'):.0f} us; "
                f"{without[0]['expired'] - during[0]['expired']} rows swept",
            )


def _growth(results: Results) -> Iterator[Line]:
    for server, store in STORES.items():
        small = results.of("growth", server=server, rows=10_000)
        for power in (6, 7):
            if large := results.of("growth", server=server, rows=10**power):
                yield (
                    f"CPU at 10^{power} rows against 10^4, {store}", results.ratios(large, small, "serverTime"),
                    f"rate {results.ratios(large, small, 'rate'):.2f}, p99 {results.ratios(large, small, 'p99'):.2f}",
                )  # fmt: skip
        starts = {one["rows"]: one["seconds"] for one in results.of("growth start", server=server)}
        if 10**7 in starts:
            yield (
                f"start at 10^7 rows against 10^4, {store}", starts[10**7] / starts[10**4],
                f"{starts[10**7] * 1000:.0f} ms",
            )  # fmt: skip


def _code(results: Results) -> Iterator[Line]:
    title = "10,000 codes at a provider of 2 s, "
    for many in results.of("code", codes=10_000, delay=2000):
        good = many["statuses"].get("200", 0)
        yield title + "share that succeeds", good / 10_000, f"{many['connections']} at once, {many['statuses']}, {many['seconds']:.1f} s"
        before = many["before"]
        yield title + "memory of each", (many["peakMemory"] / 1024 - before) * 1024 / 10_000, f"{before:.0f} MB before"
        yield title + "memory kept of each", max(0, many["after"] - before) * 1024 / 10_000, f"{many['after']:.0f} MB after"
    without = results.of("beside", delay=2000, phase="without")
    if during := results.of("beside", delay=2000, phase="during"):
        yield (
            title + "p99 of other requests against without", middle(during, "p99") / middle(without, "p99"),
            f"{middle(during, 'p99'):.0f} us, {middle(without, 'p99'):.0f} us",
        )  # fmt: skip


def _refusals(results: Results) -> Iterator[Line]:
    success = results.of("refusal", kind="exchange")
    if not success:
        return
    ratio = {
        kind: results.ratios(results.of("refusal", kind=kind), success, "serverTime")
        for kind in dict.fromkeys(one["kind"] for one in results.of("refusal"))
    }
    note = f"a success is {middle(success, 'serverTime'):.0f} us"
    for kind in ("replay", "bad-signature", "malformed"):
        yield f"refusal against success: {kind.replace('-', ' ')}", ratio[kind], note
    worst = max(LARGE_REFUSALS, key=lambda kind: ratio[kind])
    all_of_them = ", ".join(f"{kind.replace('-', ' ')} {ratio[kind]:.2f}" for kind in LARGE_REFUSALS)
    yield "refusal against success: the worst 64 KiB", ratio[worst], all_of_them


def _start(results: Results) -> Iterator[Line]:
    for one in results.of("start", server=SQLITE):
        yield "start to ready", one["seconds"] * 1000, "from the start of the process, on an existing store"
    for one in results.of("memory", server=SQLITE):
        yield "memory, idle", one["idle"], ""
        yield "memory, loaded", one["loaded"], "after four seconds of 256 connections"


def number(value: float) -> str:
    """A number with two decimals below ten, and without insignificant digits above."""
    if value == int(value) and abs(value) < 1e6:
        return str(int(value))
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}" if abs(value) < 100 else f"{value:.0f}"


def measured_faults(results: Results) -> list[str]:
    """The loads at peers that had failures. A comparison with them would be meaningless."""
    return [
        f"{one['server']} at {one['connections']} connections: {one['statuses']}"
        for one in results.of("exchange")
        if is_peer(one["server"]) and not is_whole(one)
    ]
