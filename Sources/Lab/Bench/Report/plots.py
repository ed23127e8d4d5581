"""Pictures of a run as SVG, in the reader's light or dark colour scheme."""

from __future__ import annotations

import math
from html import escape
from pathlib import Path

from measuring import middle
from targets import Results, is_peer, number

WIDTH, HEIGHT = 760, 430
LEFT, RIGHT, TOP, BOTTOM = 70, 190, 64, 62

#: The colours of the servers in both schemes. A server has the same colour in all pictures; ours are the strongest.
SERVERS = ["ours, SQLite", "ours, PostgreSQL", "Node", "Go", "Python"]
STYLE = """
  text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328; }
  .title { font-size: 16px; font-weight: 600; }
  .quiet { fill: #59636e; font-size: 11px; }
  .back { fill: #ffffff; }
  .grid { stroke: #d1d9e0; stroke-width: 1; }
  .axis { stroke: #59636e; stroke-width: 1; }
  .line { fill: none; stroke-width: 2; }
  .ours { stroke-width: 3.5; }
  .dashed { stroke-dasharray: 5 4; }
  .s0 { stroke: #0550ae; } .f0 { fill: #0550ae; }
  .s1 { stroke: #0a7d91; } .f1 { fill: #0a7d91; }
  .s2 { stroke: #bc4c00; } .f2 { fill: #bc4c00; }
  .s3 { stroke: #8250df; } .f3 { fill: #8250df; }
  .s4 { stroke: #6e7781; } .f4 { fill: #6e7781; }
  .pale { opacity: 0.55; }
  .halo { stroke: #ffffff; stroke-width: 5; }
  .bare { stroke: #1f2328; stroke-width: 1.5; stroke-dasharray: 3 3; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; } .quiet { fill: #9198a1; } .back { fill: #0d1117; }
    .grid { stroke: #30363d; } .axis { stroke: #9198a1; } .bare { stroke: #f0f6fc; } .halo { stroke: #0d1117; }
    .s0 { stroke: #58a6ff; } .f0 { fill: #58a6ff; }
    .s1 { stroke: #39c5cf; } .f1 { fill: #39c5cf; }
    .s2 { stroke: #f0883e; } .f2 { fill: #f0883e; }
    .s3 { stroke: #bc8cff; } .f3 { fill: #bc8cff; }
    .s4 { stroke: #8b949e; } .f4 { fill: #8b949e; }
  }
"""


def draw(results: Results, about: str, folder: Path) -> None:
    """Writes every picture for which the run has measurements."""
    folder.mkdir(parents=True, exist_ok=True)
    pictures = {
        "rate": rate_by_connections(results, about),
        "processor-time": processor_time(results, about),
        "latency": latencies(results, about),
    }
    for name, picture in pictures.items():
        if picture:
            (folder / f"{name}.svg").write_text(picture)


class Picture:
    """The parts of an SVG, in their order."""

    def __init__(self, title: str, about: str, height: int = HEIGHT) -> None:
        self.height = height
        self._about = about
        self._parts = [f'<text class="title" x="20" y="28">{escape(title)}</text>']
        self._title = title

    def text(self, x: float, y: float, text: str, style: str = "", anchor: str = "start") -> None:
        self._parts.append(f'<text class="{style}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>')

    def line(self, x1: float, y1: float, x2: float, y2: float, style: str) -> None:
        self._parts.append(f'<line class="{style}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>')

    def path(self, points: list[tuple[float, float]], style: str) -> None:
        self._parts.append(f'<polyline class="{style}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>')

    def dot(self, x: float, y: float, style: str, radius: float = 4) -> None:
        self._parts.append(f'<circle class="{style}" cx="{x:.1f}" cy="{y:.1f}" r="{radius}"/>')

    def bar(self, x: float, y: float, width: float, height: float, style: str) -> None:
        self._parts.append(
            f'<rect class="{style}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="2"/>'
        )

    def __str__(self) -> str:
        self.text(20, self.height - 12, self._about, "quiet")
        body = "\n".join(self._parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" width="{WIDTH}" '
            f'height="{self.height}" role="img" aria-label="{escape(self._title)}">\n<style>{STYLE}</style>\n'
            f'<rect class="back" width="{WIDTH}" height="{self.height}"/>\n{body}\n</svg>\n'
        )


def colour(server: str) -> int:
    """The number of the server's colour: one for each program, with or without a log."""
    return next(index for index, name in enumerate(SERVERS) if server.startswith(name))


def title(server: str) -> str:
    """The name in the pictures. Two servers of one program differ in whether a use survives a crash."""
    if not is_peer(server):
        return server.replace("ours", "token-exchange")
    return server.replace(", no log", ", not durable").replace(", log", ", durable")


def nice_step(most: float, steps: int = 5) -> float:
    """1, 2 or 5 times a power of ten, so that at most so many steps reach the largest value."""
    power = 10 ** math.floor(math.log10(most / steps))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power * steps >= most)


def apart(places: list[tuple[float, str, int]], distance: float = 16) -> list[tuple[float, str, int]]:
    """Moves the labels at the ends of lines so far down that none covers another."""
    moved: list[tuple[float, str, int]] = []
    for y, text, index in sorted(places):
        moved.append((max(y, moved[-1][0] + distance) if moved else y, text, index))
    return moved


def rate_by_connections(results: Results, about: str) -> str:
    """Exchanges a second by the number of connections; refused requests are no exchanges."""
    servers = results.servers("exchange", algorithm="ES256")
    counts = sorted({one["connections"] for one in results.of("exchange", algorithm="ES256")})
    if len(counts) < 2:
        return ""
    values = {}
    for server in servers:
        for connections in counts:
            turns = results.of("exchange", server=server, connections=connections, algorithm="ES256")
            if turns:
                values[server, connections] = middle(turns, "goodRate")
    picture = Picture("Sign-ins a second, by the number of connections", about)
    step = nice_step(max(values.values()))
    top = step * math.ceil(max(values.values()) / step)
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def x(connections: int) -> float:
        return LEFT + (right - LEFT) * counts.index(connections) / (len(counts) - 1)

    def y(value: float) -> float:
        return bottom - (bottom - TOP) * value / top

    for index in range(round(top / step) + 1):
        picture.line(LEFT, y(index * step), right, y(index * step), "grid")
        picture.text(LEFT - 8, y(index * step) + 4, f"{index * step:,.0f}", "quiet", "end")
    for connections in counts:
        picture.text(x(connections), bottom + 18, f"{connections:,}", "quiet", "middle")
    picture.text((LEFT + right) / 2, bottom + 34, "connections", "quiet", "middle")
    labels = []
    for server in reversed(servers):
        points = [(x(count), y(values[server, count])) for count in counts if (server, count) in values]
        style = f"line s{colour(server)}" + ("" if is_peer(server) else " ours")
        picture.path(points, style + (" dashed pale" if server.endswith("no log") else ""))
        for point in points:
            picture.dot(*point, f"f{colour(server)}", 3 if is_peer(server) else 4.5)
        labels.append((points[-1][1] + 4, title(server), colour(server)))
    for place, text, index in apart(labels):
        picture.text(right + 12, place, text, f"f{index}")
    return str(picture)


def processor_time(results: Results, about: str) -> str:
    """Processor time of the server for each exchange, and that of the bare cryptography."""
    servers = results.servers("exchange", connections=64, algorithm="ES256")
    if not servers:
        return ""
    values = {
        server: middle(results.of("exchange", server=server, connections=64, algorithm="ES256"), "serverTime")
        for server in servers
    }
    bare = middle(results.of("bare"), "ES256")
    row = 34
    height = TOP + row * len(servers) + 66
    picture = Picture("Processor time of the server for each sign-in, at 64 connections", about, height)
    left, right = 210, WIDTH - 80

    def x(value: float) -> float:
        return left + (right - left) * value / max(values.values())

    for index, server in enumerate(sorted(servers, key=lambda one: values[one])):
        place = TOP + row * index
        style = f"f{colour(server)}" + (" pale" if is_peer(server) else "")
        picture.text(left - 10, place + 17, title(server), "", "end")
        picture.bar(left, place + 2, x(values[server]) - left, row - 12, style)
        picture.text(x(values[server]) + 8, place + 17, f"{values[server]:.0f} µs")
    bottom = TOP + row * len(servers)
    for style in ("halo", "bare"):
        picture.line(x(bare), TOP - 8, x(bare), bottom + 4, style)
    picture.text(
        x(bare), bottom + 20, f"{bare:.0f} µs: one signature and one verification in OpenSSL", "quiet", "middle"
    )
    return str(picture)


def latencies(results: Results, about: str) -> str:
    """Half, 99 % and 99.9 % of the answers, in an open loop at half of the rate that each server can do."""
    scenario, labels = ("half", {}) if results.of("half") else ("exchange", {"connections": 64, "algorithm": "ES256"})
    servers = results.servers(scenario, **labels)
    if not servers:
        return ""
    values = {
        server: [middle(results.of(scenario, server=server, **labels), name) / 1000 for name in ("p50", "p99", "p999")]
        for server in servers
    }
    row = 40
    height = TOP + row * len(servers) + 84
    loop = "open loop at half of each server's maximal rate" if scenario == "half" else "64 connections"
    picture = Picture(f"Time of a sign-in, {loop}", about, height)
    left, right = 210, WIDTH - 50
    low = math.floor(math.log10(min(one[0] for one in values.values())))
    high = math.ceil(math.log10(max(one[2] for one in values.values())))
    bottom = TOP + row * len(servers)

    def x(value: float) -> float:
        return left + (right - left) * (math.log10(value) - low) / max(1, high - low)

    for power in range(low, high + 1):
        picture.line(x(10**power), TOP - 6, x(10**power), bottom, "grid")
        picture.text(x(10**power), bottom + 16, f"{10.0**power:g} ms", "quiet", "middle")
    for index, server in enumerate(servers):
        place = TOP + row * index + 14
        tint = colour(server)
        picture.text(left - 10, place + 4, title(server), "", "end")
        picture.line(x(values[server][0]), place, x(values[server][2]), place, f"s{tint}")
        for value, radius in zip(values[server], (7, 5, 3), strict=True):
            picture.dot(x(value), place, f"f{tint}", radius)
        picture.text(x(values[server][0]), place + 19, number(values[server][0]), "quiet", "middle")
        if x(values[server][2]) - x(values[server][0]) > 30:
            picture.text(x(values[server][2]), place + 19, number(values[server][2]), "quiet", "middle")
    picture.text(left, bottom + 36, "large, middle and small dot: 50 %, 99 % and 99.9 % of the answers are faster", "quiet")
    return str(picture)
