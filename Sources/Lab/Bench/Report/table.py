"""The table on standard output."""

from __future__ import annotations

from measuring import middle
from targets import Results, Row, number


def table(rows: list[Row]) -> str:
    """One line for each target: name, figure, target, verdict, and details."""
    cells = [("what", "figure", "target", "verdict", "")]
    cells += [
        (row.what, number(row.figure), str(row.target), "met" if row.is_met else "missed", row.note) for row in rows
    ]
    widths = [max(len(line[column]) for line in cells) for column in range(4)]
    lines = []
    for line in cells:
        what, figure, target, verdict, note = line
        lines.append(
            f"{what:<{widths[0]}}  {figure:>{widths[1]}}  {target:<{widths[2]}}  {verdict:<{widths[3]}}  {note}".rstrip()
        )
    return "\n".join(lines)


def by_server(results: Results) -> str:
    """The absolute figures: one line for each server and number of connections."""
    lines = [
        f"{'server':<20}{'token':<7}{'connections':>11}{'/s':>8}{'CPU us':>8}{'DB us':>7}{'p50 ms':>9}{'p99 ms':>9}"
        f"{'p99.9 ms':>10}{'MB':>6}  answers"
    ]
    for algorithm in ("ES256", "RS256"):
        for server in results.servers("exchange", algorithm=algorithm):
            counts = dict.fromkeys(one["connections"] for one in results.of("exchange", server=server))
            for connections in counts:
                turns = results.of("exchange", server=server, connections=connections, algorithm=algorithm)
                if not turns:
                    continue
                statuses: dict[str, int] = {}
                for one in turns:
                    for status, count in one["statuses"].items():
                        statuses[status] = statuses.get(status, 0) + count
                database = f"{middle(turns, 'databaseTime'):.0f}" if turns[0].get("databaseTime") is not None else ""
                lines.append(
                    f"{server:<20}{algorithm:<7}{connections:>11}{middle(turns, 'goodRate'):>8.0f}"
                    f"{middle(turns, 'serverTime'):>8.0f}{database:>7}"
                    + "".join(f"{middle(turns, name) / 1000:>{width}.2f}" for name, width in _COLUMNS)
                    + f"{middle(turns, 'memory') / 1024:>6.0f}  {statuses}"
                )
    return "\n".join(lines) if len(lines) > 1 else ""


_COLUMNS = [("p50", 9), ("p99", 9), ("p999", 10)]


def others(results: Results) -> str:
    """Absolute figures of the scenarios that have no row of their own."""
    lines = []
    for one in results.of("code"):
        lines.append(
            f"code exchange, provider of {one['delay']} ms, {one['codes']} codes: p50 {one['p50'] / 1000:.0f} ms, "
            f"p99 {one['p99'] / 1000:.0f} ms, {one['statuses']}, {one['serverTime']:.0f} us of CPU each"
        )
    for name in ("browser", "database", "half"):
        for server in results.servers(name):
            turns = results.of(name, server=server)
            extra = f", {middle(turns, 'bytes'):.0f} bytes of log each" if "bytes" in turns[0] else ""
            if turns[0].get("databaseTime") is not None:
                extra += f", {middle(turns, 'databaseTime'):.0f} us of CPU of the database"
            lines.append(
                f"{name}, {server}: {middle(turns, 'rate'):.0f}/s, p50 {middle(turns, 'p50') / 1000:.2f} ms, "
                f"p99 {middle(turns, 'p99') / 1000:.2f} ms, p99.9 {middle(turns, 'p999') / 1000:.2f} ms, "
                f"{middle(turns, 'serverTime'):.0f} us of CPU each{extra}"
            )
    for one in results.of("database half"):
        lines.append(
            f"store, {one['server']}, half of the rate: {one['questions']:.2f} questions of an exchange, "
            f"{one['storeSeconds'] * 1000:.2f} ms in all"
        )
    for one in results.of("firestore skipped"):
        lines.append(f"firestore was skipped: {one['reason']}")
    for delay in dict.fromkeys(one["delay"] for one in results.of("firestore")):
        for connections in dict.fromkeys(one["connections"] for one in results.of("firestore", delay=delay)):
            turns = [one for one in results.of("firestore", delay=delay, connections=connections) if one["answers"]]
            if not turns:
                lines.append(f"firestore, round trip of {delay} ms more, {connections} connections: no answer in time")
                continue
            lines.append(
                f"firestore, round trip of {delay} ms more, {connections} connections: {middle(turns, 'goodRate'):.0f}/s, "
                f"p50 {middle(turns, 'p50') / 1000:.2f} ms, p99 {middle(turns, 'p99') / 1000:.2f} ms, "
                f"{middle(turns, 'serverTime'):.0f} us of CPU each, {middle(turns, 'requests'):.2f} requests to Firestore each"
            )
    for one in results.of("partitions"):
        lines.append(
            f"a million spent credentials, {'a partition' if one['partitioned'] else 'one table'}, {one['what']}: "
            f"{one['seconds']:.2f} s, {one['bytes'] / 1e6:.1f} MB of log"
        )
    for one in results.of("memory"):
        lines.append(
            f"memory, {one['server']}: {one['idle']:.0f} MB idle, {one['loaded']:.0f} MB loaded, {one['peak']:.0f} MB at most"
        )
    return "\n".join(lines)
