"""The computations of scripts/bench: targets, medians, the output of `openssl speed`, and the pictures."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Sources/Lab/Bench/Report"))

import plots  # noqa: E402
from measuring import bare_microseconds, is_whole, mean, parse_speed  # noqa: E402
from scale import Costs, page, plan, simulate  # noqa: E402
from table import table  # noqa: E402
from targets import TARGETS, Limit, Results, Row, number, rows  # noqa: E402

CONNECTIONS = [1, 64, 256]


def measurement(scenario: str, server: str, **values: Any) -> dict[str, Any]:
    """A measurement that meets every target."""
    usual: dict[str, Any] = {
        "scenario": scenario,
        "server": server,
        "turn": 0,
        "algorithm": "ES256",
        "connections": 64,
        "answers": 100,
        "seconds": 1.0,
        "goodRate": 2000.0,
        "statuses": {"200": 100},
        "serverTime": 300.0,
        "p50": 1000,
        "p99": 2000,
        "p999": 3000,
        "memory": 40_000,
    }
    return usual | values


def a_run() -> list[dict[str, Any]]:
    """Our server, a durable peer, and a peer that is not durable and is faster than the durable one."""
    run = [{"scenario": "bare", "turn": 0, "ES256": 250.0, "RS256": 260.0}]
    for connections in CONNECTIONS:
        run.append(measurement("exchange", "ours, SQLite", connections=connections))
        run.append(
            measurement("exchange", "Node, log", connections=connections, goodRate=1000.0, serverTime=400.0, p50=1500)
        )
        run.append(measurement("exchange", "Node, no log", connections=connections, serverTime=350.0))
    return run


def row(what: str, run: list[dict[str, Any]]) -> Row:
    return next(row for row in rows(Results(run)) if row.what == what)


@pytest.mark.parametrize(
    ("limit", "figure", "holds"),
    [
        (Limit(1.3), 1.3, True),
        (Limit(1.3), 1.31, False),
        (Limit(0.98, is_least=True), 0.98, True),
        (Limit(0.98, is_least=True), 0.979, False),
        (Limit(0), 0, True),
        (Limit(0), 1, False),
    ],
)
def test_a_limit_holds_up_to_its_value(limit: Limit, figure: float, holds: bool) -> None:
    assert limit.holds(figure) is holds
    assert Row("x", figure, limit).is_met is holds


def test_a_run_has_a_row_for_each_target_that_it_measured() -> None:
    found = rows(Results(a_run()))
    assert [one.what for one in found] == [
        "CPU of an exchange against bare crypto, SQLite",
        "CPU of an exchange against the best durable peer, SQLite",
        "rate at 64 connections against the best durable peer",
        "rate at 256 connections against the best durable peer",
        "answers that are not 200, up to 1000 connections",
        "one client, p50 against the best durable peer",
    ]
    assert all(one.is_met for one in found)
    assert {one.what for one in found} <= set(TARGETS)


def test_processor_time_and_rate_are_compared_with_durable_peers() -> None:
    run = a_run()
    assert row("CPU of an exchange against the best durable peer, SQLite", run).figure == pytest.approx(300 / 400)
    assert row("rate at 64 connections against the best durable peer", run).figure == pytest.approx(2)


def test_the_rate_on_two_cores_is_compared_with_one_core_of_the_same_turn() -> None:
    run = [
        measurement("cores", "ours, SQLite", turn=turn, cores=cores, goodRate=cores * rate)
        for turn, rate in enumerate([1000.0, 1500.0])
        for cores in (1, 2)
    ]
    assert row("rate on two cores against one", run).figure == pytest.approx(2)
    run = [one for one in run if one["cores"] == 1]
    assert rows(Results(run)) == []


def test_one_refusal_misses_the_target_of_responses() -> None:
    run = a_run()
    run[1]["statuses"] = {"200": 99, "503": 1}
    refused = row("answers that are not 200, up to 1000 connections", run)
    assert refused.figure == 1
    assert not refused.is_met


def test_refusals_by_a_peer_do_not_count_against_the_server() -> None:
    run = a_run()
    run[2]["statuses"] = {"500": 100}
    assert row("answers that are not 200, up to 1000 connections", run).figure == 0


def test_turns_are_compared_with_their_own_turn_and_the_middle_counts() -> None:
    results = Results([])
    above = [{"turn": turn, "value": value} for turn, value in enumerate([10.0, 40.0, 90.0])]
    below = [{"turn": turn, "value": value} for turn, value in enumerate([10.0, 20.0, 30.0])]
    assert results.ratios(above, below, "value") == 2


def test_openssl_speed_is_read_and_cores_are_averaged_by_time() -> None:
    output = "+H:x\n+F2:2:2048:4000.0:80000.0\n+F4:3:256:50000.0:20000.0\n"
    speed = parse_speed(output)
    assert speed == {
        "rsa2048 sign": 4000,
        "rsa2048 verify": 80000,
        "ecdsap256 sign": 50000,
        "ecdsap256 verify": 20000,
    }
    assert bare_microseconds(speed) == pytest.approx(300)
    assert bare_microseconds(speed, "rsa2048") == pytest.approx(262.5)
    assert mean([{"a": 2.0}, {"a": 6.0}]) == {"a": 3.0}


@pytest.mark.parametrize(
    ("statuses", "answers", "whole"), [({"200": 5}, 5, True), ({"200": 5, "0": 1}, 6, False), ({}, 0, False)]
)
def test_a_load_is_complete_if_every_response_is_a_success(
    statuses: dict[str, int], answers: int, whole: bool
) -> None:
    assert is_whole({"statuses": statuses, "answers": answers}) is whole


def test_the_table_shows_whether_each_target_is_met() -> None:
    text = table([Row("first", 1.234, Limit(1.3), "a note"), Row("second", 60, Limit(50, unit="ms"))])
    assert re.search(r"^first +1\.23 +≤ 1\.30 +met +a note$", text, re.MULTILINE)
    assert re.search(r"^second +60 +≤ 50 ms +missed$", text, re.MULTILINE)


@pytest.mark.parametrize(("value", "text"), [(0, "0"), (1.3, "1.30"), (12.34, "12.3"), (1234.5, "1234")])
def test_numbers_have_as_many_digits_as_they_say_something(value: float, text: str) -> None:
    assert number(value) == text


def test_the_pictures_are_svg_that_names_the_run_and_every_server(tmp_path: Path) -> None:
    plots.draw(Results(a_run()), "a processor & a date", tmp_path)
    pictures = {path.stem: ElementTree.parse(path).getroot() for path in tmp_path.glob("*.svg")}
    assert set(pictures) == {"rate", "processor-time", "latency"}
    for picture in pictures.values():
        texts = ["".join(text.itertext()) for text in picture.iter("{http://www.w3.org/2000/svg}text")]
        assert "a processor & a date" in texts
        assert {"token-exchange, SQLite", "Node, durable", "Node, not durable"} <= set(texts)
        assert "prefers-color-scheme: dark" in "".join(picture.itertext())


def test_a_run_without_exchanges_draws_nothing(tmp_path: Path) -> None:
    plots.draw(Results([]), "", tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("most", "step"), [(10, 2), (11, 5), (4900, 1000), (5100, 2000)])
def test_steps_of_an_axis_are_round(most: float, step: float) -> None:
    assert plots.nice_step(most) == pytest.approx(step)


def test_labels_that_would_cover_each_other_are_moved_down() -> None:
    assert [place for place, _, _ in plots.apart([(10, "a", 0), (40, "c", 0), (12, "b", 0)])] == [10, 26, 42]


COSTS = Costs(server=400, database=200, code=600, bytes=800, row=150, database_wait=0.002, provider=0.3)


def test_a_plan_is_proportional_to_the_rate() -> None:
    small, large = plan(100, COSTS), plan(10_000, COSTS)
    assert large.cores == pytest.approx(100 * small.cores)
    assert large.rows_a_day == 100 * small.rows_a_day == 10_000 * 86_400
    assert large.log_a_second == 10_000 * 800


def test_processor_time_becomes_cores_with_a_reserve_for_peaks() -> None:
    # 10,000 sign-ins of 600 us each second are 6 cores of work; half of the cores are free for peaks.
    assert plan(10_000, COSTS).cores == pytest.approx(12)


def test_connections_follow_from_the_time_that_each_is_held() -> None:
    found = plan(10_000, COSTS)
    assert found.provider_connections == pytest.approx(3000)
    assert found.database_connections == pytest.approx(20)


def test_a_server_that_is_nearly_idle_takes_as_long_as_the_work() -> None:
    half, most = simulate(1, 4, 1000, count=20_000)
    assert half == pytest.approx(0.5 + 0.5 * 0.693, rel=0.05)
    assert most == pytest.approx(0.5 + 0.5 * 4.605, rel=0.1)


def test_work_queues_as_the_cores_fill_up() -> None:
    assert simulate(900, 1, 1000, count=50_000)[1] > 4 * simulate(100, 1, 1000, count=50_000)[1]


def test_the_figures_of_the_page_are_replaced_and_its_text_is_not() -> None:
    text = "# Page\n<!-- scripts/scale -->\nold\n<!-- end -->\nafter\n"
    once = page(text, "a run", [("rate", ["1", "2"]), ("cores", ["3", "4"])])
    assert once == (
        "# Page\n<!-- scripts/scale -->\na run\n\n| rate | 1 | 2 |\n| --- | ---: | ---: |\n| cores | 3 | 4 |\n"
        "<!-- end -->\nafter\n"
    )
    assert page(once, "a run", [("rate", ["1", "2"]), ("cores", ["3", "4"])]) == once
