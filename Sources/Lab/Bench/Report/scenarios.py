"""The scenarios. Each is a function that sends load to servers in turns and keeps its measurements."""

from __future__ import annotations

import contextlib
import os
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from machine import median, resident, say
from measuring import Measuring, bare_microseconds, openssl_speed
from servers import Firestore, Ours, OursOnFirestore, OursWithSigner, Peer, Postgres, Provider, Relay, Server
from servers import absence as firestore_absence

#: The kinds of refusals, and those with a body of 64 KiB.
SMALL_REFUSALS = ["replay", "bad-signature", "malformed"]
LARGE_REFUSALS = ["long-string", "long-token", "many-members", "deep-arrays", "long-number", "zeros"]

#: Numbers of rows with spent credentials. The others are compared with the first.
GROWTH = [10_000, 1_000_000, 10_000_000]


@dataclass
class Run:
    """The state that all scenarios share."""

    measuring: Measuring
    provider: Provider
    binary: Path
    folder: Path
    is_whole: bool
    #: The length of one measurement in seconds, and the number of times that each is made.
    seconds: float
    turns: int
    #: The number of files that a process may open.
    files: int
    _postgres: Postgres | None = None

    @property
    def postgres(self) -> Postgres:
        """The PostgreSQL server, started at its first use."""
        if self._postgres is None:
            self._postgres = Postgres()
        return self._postgres

    def close(self) -> None:
        if self._postgres is not None:
            self._postgres.close()

    def count(self, most_a_second: int = 8000) -> int:
        """A number of requests that is enough for one measurement with its warm-up."""
        return int(most_a_second * (self.seconds + 0.5))

    @contextlib.contextmanager
    def ours(self, on_postgres: bool = False, cores: int = 0, proxy: bool = False) -> Iterator[Ours]:
        """Our server on a new store, and on so many cores; 0 is all. `proxy` is that of `Ours`."""
        server = Ours(self.binary, self.folder, self.provider, self.postgres if on_postgres else None, proxy)
        server.cores = cores
        server.start()
        try:
            yield server
        finally:
            server.close()

    @contextlib.contextmanager
    def servers(self, durable_only: bool = False) -> Iterator[list[Server]]:
        """All servers of this run, with new stores. All run at the same time, and only one gets load."""
        with contextlib.ExitStack() as stack:
            started: list[Server] = [stack.enter_context(self.ours())]
            if self.is_whole:
                started.append(stack.enter_context(self.ours(on_postgres=True)))
            for kind in ["node", "go", "python"] if self.is_whole else ["node"]:
                for durable in [True] if durable_only or not self.is_whole else [True, False]:
                    peer = Peer(kind, durable, self.folder, self.provider)
                    stack.callback(peer.close)
                    started.append(peer)
            yield started


def minting(run: Run) -> None:
    """Custom tokens against bare signatures, on one core and on two, in turns."""
    for cores in sorted({1, min(2, os.cpu_count() or 1)}):
        for turn in range(9 if run.is_whole else 5):
            before = openssl_speed(["rsa2048"], cores)["rsa2048 sign"]
            tokens = run.measuring.minting(cores, 2)
            after = openssl_speed(["rsa2048"], cores)["rsa2048 sign"]
            run.measuring.keep("minting", turn=turn, cores=cores, tokens=tokens, signatures=(before + after) / 2)


def exchange(run: Run) -> None:
    """ID tokens: closed loop by connections, ES256; at 64 connections also RS256."""
    counts = [1, 16, 64, 256, 1000] if run.is_whole else [1, 64, 256]
    with run.servers() as servers:
        for turn in range(run.turns):
            speed = openssl_speed(["rsa2048", "ecdsap256"], os.cpu_count() or 1)
            run.measuring.keep(
                "bare", turn=turn, ES256=bare_microseconds(speed), RS256=bare_microseconds(speed, "rsa2048")
            )
            for connections in counts:
                say(f"exchange, turn {turn + 1} of {run.turns}, {connections} connections")
                for server in servers:
                    run.measuring.load(
                        "exchange", server, {"turn": turn, "algorithm": "ES256"}, connections=connections,
                        seconds=run.seconds, warm_up=0.5, count=run.count(3000 if connections == 1 else 8000),
                    )  # fmt: skip
        if run.is_whole:
            say("exchange, RS256")
            for server in servers:
                run.measuring.load(
                    "exchange", server, {"turn": 0, "algorithm": "RS256"}, connections=64, algorithm="RS256",
                    seconds=run.seconds, warm_up=0.5, count=run.count(),
                )  # fmt: skip


def cores(run: Run) -> None:
    """ID tokens at 64 connections on one core and on two, in turns. The load generator shares the cores with the server."""
    with contextlib.ExitStack() as stack:
        servers = [
            stack.enter_context(run.ours(cores=count)) for count in (1, 2) if count <= (os.cpu_count() or 1)
        ]
        for turn in range(run.turns):
            say(f"cores, turn {turn + 1} of {run.turns}")
            for server in servers:
                run.measuring.load(
                    "cores", server, {"turn": turn, "cores": server.cores}, connections=64, seconds=run.seconds,
                    warm_up=0.5, count=run.count(),
                )  # fmt: skip


def allocations(run: Run) -> None:
    """The calls that allocate memory for an exchange, and their bytes, counted by a library of our own (allocations.c)."""
    library, counters = run.folder / "allocations.so", run.folder / "allocations"
    source = Path(__file__).parent / "allocations.c"
    subprocess.run(["clang", "-shared", "-fPIC", "-O2", "-o", library, source], check=True)
    counters.write_bytes(bytes(16))
    with run.ours() as server:
        server.close()
        server.environment = {"LD_PRELOAD": str(library), "ALLOCATIONS": str(counters)}
        server.start()
        run.measuring.load("warm", server, connections=64, seconds=1, warm_up=0, count=run.count())
        before = struct.unpack("2Q", counters.read_bytes())
        load = run.measuring.load(
            "allocations", server, connections=64, seconds=run.seconds, warm_up=0, count=run.count()
        )
        after = struct.unpack("2Q", counters.read_bytes())
        load["calls"], load["bytes"] = ((b - a) / load["answers"] for a, b in zip(before, after, strict=True))


def signer(run: Run) -> None:
    """The same exchange with the key in the server and in a process of its own, in turns."""
    with run.ours() as server, contextlib.closing(OursWithSigner(run.binary, run.folder, run.provider)) as other:
        other.start()
        for turn in range(run.turns):
            for connections in [1, 64]:
                say(f"signer, turn {turn + 1} of {run.turns}, {connections} connections")
                for one in (server, other):
                    run.measuring.load(
                        "signer", one, {"turn": turn}, connections=connections, seconds=run.seconds, warm_up=0.5,
                        count=run.count(3000 if connections == 1 else 8000),
                    )  # fmt: skip


def half(run: Run) -> None:
    """Open loop at half of the rate that each server reaches at 64 connections."""
    with run.servers(durable_only=True) as servers:
        for server in servers:
            most = run.measuring.load(
                "warm", server, connections=64, seconds=run.seconds, warm_up=0.5, count=run.count()
            )["rate"]
            for turn in range(run.turns):
                say(f"half of the maximal rate, {server.name}, turn {turn + 1} of {run.turns}")
                length = 2 * run.seconds
                run.measuring.load(
                    "half", server, {"turn": turn, "maximum": most}, connections=512, rate=most / 2, seconds=length,
                    warm_up=0.5, count=int(most / 2 * (length + 1) * 1.1) + 100,
                )  # fmt: skip


def sweep(run: Run) -> None:
    """A million expired rows are swept while the server is loaded."""
    for on_postgres in [False, True] if run.is_whole else [False]:
        with run.ours(on_postgres) as server:
            server.close()
            now = int(time.time())
            # A sweep keeps the rows that expired in the last hour, and continues where the previous sweep ended.
            server.sql(f"UPDATE swept SET through = {now - 9000}")
            server.fill(1_000_000, expires=now - 8000)
            server.start()
            began = time.monotonic()
            most = run.measuring.load("warm", server, connections=64, seconds=3, warm_up=1, count=32_000)["rate"]
            # The server sweeps one minute after its start, and then every minute.
            for name, moment, length in [("without", 40.0, 12.0), ("during", 59.0, 20.0)]:
                count = int(most / 2 * (length + 3)) + 100
                say(f"sweep, {server.name}, {name}")
                time.sleep(max(0, began + moment - 3 - time.monotonic()))
                load = run.measuring.begin(
                    server, connections=512, rate=most / 2, seconds=length, warm_up=1, count=count
                )
                measured = run.measuring.end(load, "sweep", server, phase=name)
                measured["expired"] = server.expired(now - 7000)


def growth(run: Run) -> None:
    """Ten thousand, a million and ten million spent credentials in the store."""
    for on_postgres in [False, True]:
        with contextlib.ExitStack() as stack:
            servers = []
            for size in GROWTH:
                say(f"growth, {'PostgreSQL' if on_postgres else 'SQLite'}, filling {size} rows")
                server = stack.enter_context(run.ours(on_postgres))
                server.close()
                server.fill(size, expires=int(time.time()) + 86_400)
                servers.append((size, server))
            for size, server in servers:
                starts = []
                for _ in range(5):
                    starts.append(server.start())
                    server.close()
                starts.append(server.start())
                run.measuring.keep("growth start", server=server.name, rows=size, seconds=median(starts))
            for turn in range(run.turns + 1):
                say(f"growth, turn {turn} of {run.turns}")
                for size, server in servers:
                    # The first turn loads the pages of the index into memory.
                    run.measuring.load(
                        "growth" if turn else "warm", server, {"rows": size, "turn": turn}, connections=64,
                        seconds=run.seconds, warm_up=0.5, count=run.count(),
                    )  # fmt: skip


def code(run: Run) -> None:
    """Code exchanges at a slow provider, up to ten thousand at once, with other requests at the same time.

    The server reserves half of its file descriptors for calls to providers. If that is less than ten thousand, fewer
    run at once, and the others wait. The load is a trusted proxy of the server, because one address of clients may have only
    an eighth of the connections.
    """
    most = min(10_000, run.files // 2 - 500)
    for delay in [100, 2000]:
        # A new server, since it might reuse the memory of an earlier load.
        with run.ours(proxy=True) as server:
            run.measuring.load("warm", server, connections=64, seconds=2, warm_up=0.5, count=20_000)
            before = server.memory()
            for connections in [1, 100, 1000] + ([10_000] if run.is_whole or delay == 2000 else []):
                say(f"code exchange, provider of {delay} ms, {connections} under way")
                beside = None
                length = 5 + delay / 1000 * 3
                if connections == 10_000:
                    run.measuring.load(
                        "beside", server, {"delay": delay, "phase": "without"}, rate=100, seconds=4, warm_up=1,
                        count=600, connections=256,
                    )  # fmt: skip
                    beside = run.measuring.begin(
                        server, rate=100, seconds=length, warm_up=0.5, count=int(200 * length), connections=256
                    )
                load = run.measuring.load(
                    "code", server, {"delay": delay, "before": before, "codes": connections}, traffic="code",
                    delay=delay, connections=min(connections, most), count=connections, warm_up=0, seconds=60,
                )  # fmt: skip
                if beside:
                    run.measuring.end(beside, "beside", server, delay=delay, phase="during")
                # The server returns memory to the system once per minute.
                time.sleep(65 if connections == 10_000 and run.is_whole else 5)
                load["after"] = server.memory()


def browser(run: Run) -> None:
    """The browser flow: three requests for each sign-in."""
    for on_postgres in [False, True] if run.is_whole else [False]:
        with run.ours(on_postgres) as server:
            for turn in range(run.turns):
                run.measuring.load(
                    "browser", server, {"turn": turn}, traffic="browser", connections=64, seconds=run.seconds,
                    warm_up=0.5, count=run.count(6000),
                )  # fmt: skip


def refusals(run: Run) -> None:
    """The processor time of refusals, measured in turns with successful exchanges."""
    with run.ours() as server:
        for turn in range(run.turns):
            say(f"refusals, turn {turn + 1} of {run.turns}")
            for kind in ["exchange", *SMALL_REFUSALS, *LARGE_REFUSALS]:
                run.measuring.load(
                    "refusal", server, {"turn": turn, "kind": kind}, traffic=kind, connections=16,
                    seconds=run.seconds / 2, warm_up=0.3, count=run.count(15_000 if kind == "bad-signature" else 8000),
                )  # fmt: skip


def start(run: Run) -> None:
    """The time from start to ready, and the memory when idle and after a load."""
    with run.servers() as servers:
        for server in servers:
            if isinstance(server, Ours):
                server.close()
                times = []
                for _ in range(9):
                    times.append(server.start())
                    server.close()
                times.append(server.start())
                run.measuring.keep("start", server=server.name, seconds=median(times))
            time.sleep(1)
            idle = sum(resident(pid) for pid in tree(server.pid))
            load = run.measuring.load("warm", server, connections=256, seconds=4, warm_up=1, count=30_000)
            run.measuring.keep(
                "memory", server=server.name, idle=idle, loaded=load["memory"] / 1024, peak=load["peakMemory"] / 1024
            )


def tree(pid: int) -> list[int]:
    """A process and all its descendants."""
    found = [pid]
    for process in found:
        for task in Path(f"/proc/{process}/task").iterdir():
            found += [int(child) for child in (task / "children").read_text().split()]
    return found


def database(run: Run) -> None:
    """The cost of one exchange at PostgreSQL.

    It measures processor time and bytes of its log and tables at 64 connections. The time of the queries is measured at
    half of that rate, since a request that waits in a queue does not use a connection.
    """
    with run.ours(on_postgres=True) as server:
        for turn in range(run.turns):
            log, table = run.postgres.bytes_written(), server.table_bytes()
            load = run.measuring.load(
                "database", server, {"turn": turn}, connections=64, seconds=30, warm_up=0, count=run.count()
            )
            load["bytes"] = (run.postgres.bytes_written() - log) / load["answers"]
            load["rowBytes"] = (server.table_bytes() - table) / load["answers"]
        rate = load["rate"] / 2
        asked, waited = server.store_questions()
        load = run.measuring.load(
            "database half", server, connections=512, rate=rate, seconds=2 * run.seconds, warm_up=0,
            count=int(rate * 2 * run.seconds * 1.1) + 100,
        )  # fmt: skip
        questions, seconds = server.store_questions()
        load["questions"] = (questions - asked) / load["answers"]
        load["storeSeconds"] = (seconds - waited) / load["answers"]


def firestore(run: Run) -> None:
    """Exchanges at Google's emulator of Firestore: processor time, round trips, and the rate at a round trip of 5 ms.

    The relay in front of the emulator is a process of Python, which limits the rate.
    """
    if reason := firestore_absence():
        say(f"firestore is skipped: {reason}")
        run.measuring.keep("firestore skipped", reason=reason)
        return
    with contextlib.closing(Firestore()) as emulator, contextlib.closing(Relay(emulator.port)) as relay:
        with contextlib.closing(OursOnFirestore(run.binary, run.folder, run.provider, emulator, relay)) as server:
            server.start()
            run.measuring.load("warm", server, connections=64, seconds=run.seconds, warm_up=0.5, count=run.count())
            for turn in range(run.turns):
                speed = openssl_speed(["rsa2048", "ecdsap256"], os.cpu_count() or 1)
                run.measuring.keep("bare firestore", turn=turn, ES256=bare_microseconds(speed))
                for milliseconds in [0, 5]:
                    relay.delay = milliseconds / 1000
                    for connections in [1, 64, 1000]:
                        say(f"firestore, turn {turn + 1} of {run.turns}, {milliseconds} ms, {connections} connections")
                        # A request that its client has given up still asks the emulator for a while.
                        before = -1
                        while before != (before := relay.requests.total()):
                            time.sleep(1)
                        load = run.measuring.load(
                            "firestore", server, {"turn": turn, "delay": milliseconds}, connections=connections,
                            seconds=run.seconds, warm_up=0, count=run.count(3000),
                        )  # fmt: skip
                        load["requests"] = (relay.requests.total() - before) / max(1, load["answers"])


def partitions(run: Run) -> None:
    """The cost at PostgreSQL of inserting and deleting a million spent credentials, in one table and in a partition.

    The table is that of the server. The partitioned table has the time in its key, as PostgreSQL requires.
    """
    uri = run.postgres.database()

    def measured(what: str, is_partitioned: bool, *statements: str) -> None:
        before, began = run.postgres.bytes_written(), time.monotonic()
        run.postgres.query(uri, *statements)
        seconds = time.monotonic() - began
        run.measuring.keep(
            "partitions", what=what, partitioned=is_partitioned, seconds=seconds,
            bytes=run.postgres.bytes_written() - before,
        )  # fmt: skip

    columns = "kind text NOT NULL, digest bytea NOT NULL, expires_at bigint NOT NULL"
    run.postgres.query(
        uri,
        f"CREATE TABLE whole ({columns}, PRIMARY KEY (kind, digest))",
        "CREATE INDEX ON whole (expires_at)",
        f"CREATE TABLE parted ({columns}, PRIMARY KEY (kind, digest, expires_at)) PARTITION BY RANGE (expires_at)",
        "CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (1000000)",
        "CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (1000000) TO (2000000)",
        "CHECKPOINT",
    )
    rows = "SELECT 'id_token', sha256(int8send(n)), n - 1 FROM generate_series(1, 1000000) n ON CONFLICT DO NOTHING"
    for name, is_partitioned in [("whole", False), ("parted", True)]:
        measured("put in", is_partitioned, f"INSERT INTO {name} {rows}")
        run.postgres.query(uri, "CHECKPOINT")
    # As the server sweeps: 500 rows in one transaction.
    sweep = (
        "DELETE FROM whole WHERE ctid IN (SELECT ctid FROM whole WHERE expires_at < 1000000 ORDER BY expires_at LIMIT 500)"
    )
    batches = f"DO $$ BEGIN LOOP {sweep}; EXIT WHEN NOT FOUND; COMMIT; END LOOP; END $$"
    measured("forget", False, batches, "VACUUM whole")
    measured("forget", True, "DROP TABLE parted_1")


#: The scenarios in the order of their measurement.
SCENARIOS: dict[str, Callable[[Run], None]] = {
    "minting": minting,
    "exchange": exchange,
    "cores": cores,
    "allocations": allocations,
    "signer": signer,
    "half": half,
    "refusals": refusals,
    "start": start,
    "code": code,
    "browser": browser,
    "database": database,
    "firestore": firestore,
    "partitions": partitions,
    "growth": growth,
    "sweep": sweep,
}
SHORT = ["minting", "exchange", "cores", "allocations", "refusals", "start"]
