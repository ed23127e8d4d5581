"""Runs the scenarios, writes var/bench/result.json, prints the table and draws the pictures. scripts/bench calls this."""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

import plots
from machine import ON_DISK, ROOT, allow_many_files, description, say
from measuring import Measuring, binary_folder
from scenarios import SCENARIOS, SHORT, Run
from servers import Provider
from table import by_server, others, table
from targets import Results, measured_faults, rows

RESULT = ROOT / "var/bench/result.json"


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("scenario", nargs="*", help=f"whole, or some of: {', '.join(SCENARIOS)}")
    parser.add_argument("--seconds", type=float, default=2.0, help="length of one measurement")
    parser.add_argument("--turns", type=int, default=3, help="how often each measurement is made")
    parser.add_argument("--draw", action="store_true", help="measure nothing: table and pictures of the latest run")
    parser.add_argument("--pictures", type=Path, default=RESULT.parent, help="the folder of the pictures")
    arguments = parser.parse_args()
    is_whole = "whole" in arguments.scenario
    names = list(SCENARIOS) if is_whole else arguments.scenario or SHORT
    if unknown := [name for name in names if name not in SCENARIOS]:
        parser.error(f"there is no scenario {', '.join(unknown)}; there are {', '.join(SCENARIOS)}")
    if not arguments.draw:
        command = f"scripts/bench --turns {arguments.turns} {' '.join(arguments.scenario)}".rstrip()
        # A scenario that the command line names is measured in its complete form.
        measure(names, is_whole or bool(arguments.scenario), arguments.seconds, arguments.turns, command)
    run = json.loads(RESULT.read_text())
    results = Results(run["measurements"])
    about = f"{run['machine']['processor']}, {run['machine']['cores']} cores, {run['machine']['date']}, {run['command']}"
    plots.draw(results, about, arguments.pictures)
    found = rows(results)
    print("\n\n".join(part for part in [about, by_server(results), others(results), table(found) if found else ""] if part))
    for fault in measured_faults(results):
        print(f"scripts/bench: not every answer was a success: {fault}", file=sys.stderr)
    return 0


def measure(names: list[str], is_whole: bool, seconds: float, turns: int, command: str) -> None:
    """Measures, and writes the result. If a scenario fails, the result contains those before it."""
    # All processes that were started are stopped, however this program ends.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    files = allow_many_files()
    binaries = binary_folder()
    folder = Path(tempfile.mkdtemp(dir=ON_DISK, prefix="token-exchange-bench-"))
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    provider = Provider(binaries / "token-exchange-lab", folder)
    measuring = Measuring(binaries / "token-exchange-lab", provider)
    run = Run(measuring, provider, binaries / "token-exchange", folder, is_whole, seconds, turns, files)
    began = time.monotonic()
    try:
        for name in names:
            say(f"{name} ({time.monotonic() - began:.0f} s so far)")
            SCENARIOS[name](run)
    finally:
        run.close()
        provider.close()
        result = {"machine": description(), "command": command, "measurements": measuring.all}
        result["rows"] = [
            {"what": row.what, "figure": row.figure, "target": str(row.target), "met": row.is_met, "note": row.note}
            for row in rows(Results(measuring.all))
        ]
        RESULT.write_text(json.dumps(result, indent=1, sort_keys=True) + "\n")
        shutil.rmtree(folder)
    say(f"measured in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
