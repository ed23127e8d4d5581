"""One page with what a soak measured, as SVG in HTML without scripts."""

from __future__ import annotations

import collections
import html
from dataclasses import dataclass
from pathlib import Path

WIDTH, HEIGHT = 900, 140

STYLE = """
body { font: 15px sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em }
svg { width: 100%; border: 1px solid #888 } polyline { fill: none; stroke: #06c; stroke-width: 1.5 }
rect { fill: #c00; opacity: 0.15 } td, th { padding: 0.2em 1em 0.2em 0; text-align: left }
"""


@dataclass(frozen=True)
class Sample:
    """The state of the server at one time, in seconds since the start of the soak."""

    seconds: float
    accepted: int
    refused: int
    resident_megabytes: float
    descriptors: int


@dataclass(frozen=True)
class Period:
    """A fault, from its beginning to the first sign-in that succeeded after its end."""

    fault: str
    begin: float
    end: float
    recovered: float


def write(path: Path, samples: list[Sample], periods: list[Period], outcomes: collections.Counter[str]) -> None:
    """Writes the page; the last table counts all outcomes of sign-ins and replays."""
    pairs = list(zip(samples, samples[1:]))
    times = [later.seconds for _, later in pairs]
    curves = {
        "sign-ins per second": [(b.accepted - a.accepted) / (b.seconds - a.seconds) for a, b in pairs],
        "refused requests per second": [(b.refused - a.refused) / (b.seconds - a.seconds) for a, b in pairs],
        "resident memory of the server, MB": [later.resident_megabytes for _, later in pairs],
        "open files of the server": [float(later.descriptors) for _, later in pairs],
    }
    parts = [f"<!doctype html><meta charset=utf-8><title>Soak</title><style>{STYLE}</style><h1>Soak</h1>"]
    parts.append(f"<p>{samples[-1].seconds:.0f} seconds. A red area is a fault.</p>")
    parts += [_plot(title, times, values, periods) for title, values in curves.items()]
    rows = [
        (period.fault, f"{period.end - period.begin:.1f} s", f"{period.recovered - period.end:.1f} s") for period in periods
    ]
    parts.append(_table(("fault", "lasted", "first sign-in after its end"), rows))
    parts.append(_table(("outcome", "count"), [(name, str(count)) for name, count in outcomes.most_common()]))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(parts))


def _plot(title: str, times: list[float], values: list[float], periods: list[Period]) -> str:
    end, top = times[-1], max(*values, 1.0)
    points = " ".join(
        f"{time / end * WIDTH:.1f},{HEIGHT - value / top * (HEIGHT - 10):.1f}" for time, value in zip(times, values)
    )
    areas = "".join(
        f'<rect x="{period.begin / end * WIDTH:.1f}" y="0" height="{HEIGHT}" '
        f'width="{(period.end - period.begin) / end * WIDTH:.1f}"><title>{html.escape(period.fault)}</title></rect>'
        for period in periods
    )
    return (
        f'<h2>{html.escape(title)}, from 0 to {top:.0f}</h2><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{html.escape(title)}">{areas}<polyline points="{points}"/></svg>'
    )


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    cells = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
    lines = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{cells}</tr>{lines}</table>"
