"""What /metrics shows, as Prometheus reads it, and the dashboard and the alert rules that use it."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from conftest import Deploy, Peers
from deployment.application import Application
from deployment.configuration import openid
from deployment.expectations import signed_in
from deployment.pages import documented
from deployment.waiting import wait_until
from peers import browser
from peers.oauth1_server import person
from peers.openid_provider import Client, OpenIDProvider

MONITORING = Path(__file__).parents[2] / "config" / "monitoring"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
NAMES = re.compile(r"\b(?:token_exchange|process)_[a-z_]+")
# The series of a histogram have these endings.
ENDINGS = re.compile(r"_(?:bucket|sum|count)$")


def _families(text: str) -> dict[str, str]:
    """The type of each family."""
    return dict(line.split()[2:4] for line in text.splitlines() if line.startswith("# TYPE "))


def _value(text: str, series: str) -> float:
    values = [float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(series + " ")]
    return values[0] if values else 0.0


def test_prometheus_accepts_every_family_and_series(app: Application, peers: Peers) -> None:
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
    signed_in(app.exchange("op", grant.credential))
    text = app.deployment.admin_text("/metrics")
    checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")
    for family, kind in _families(text).items():
        if kind == "histogram":
            continue
        assert family.endswith("_total") == (kind == "counter"), family


def test_a_sign_in_is_measured_at_each_step(app: Application, peers: Peers) -> None:
    series = {
        'token_exchange_signins_total{provider="op"}',
        'token_exchange_request_seconds_count{endpoint="/v1/exchange"}',
        'token_exchange_peer_call_seconds_count{peer="op",call="token"}',
        'token_exchange_peer_calls_total{peer="op",call="token",outcome="200"}',
        "token_exchange_signature_seconds_count",
        "token_exchange_store_seconds_count",
        "token_exchange_store_commit_jobs_count",
    }
    before = app.deployment.admin_text("/metrics")
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
    signed_in(app.exchange("op", grant.credential))

    def all_grew() -> bool:
        now = app.deployment.admin_text("/metrics")
        return all(_value(now, name) > _value(before, name) for name in series)

    wait_until(all_grew, "every step is measured")


def test_gauges_have_the_state_of_the_process(app: Application, peers: Peers) -> None:
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours)
    signed_in(app.exchange("op", grant.credential))
    text = app.deployment.admin_text("/metrics")
    assert _value(text, "process_open_fds") > 10
    assert _value(text, "process_resident_memory_bytes") > 10_000_000
    assert _value(text, "process_cpu_seconds_total") > 0
    started = _value(text, "process_start_time_seconds")
    assert started <= _value(text, "token_exchange_watched_until_timestamp_seconds") + 10
    assert _value(text, 'token_exchange_key_set_expires_timestamp_seconds{provider="op"}') > started
    assert re.search(r'^token_exchange_build_info\{version="[0-9.]+"\} 1$', text, re.MULTILINE)


def test_a_call_that_x_charges_for_is_counted_and_a_known_person_needs_none(app: Application, peers: Peers) -> None:
    """A posted pair of credentials is verified by a paid call. The redirect flow gets the id without one."""
    paid = 'token_exchange_paid_calls_total{provider="twitter.com"}'
    someone = person()

    def post() -> None:
        pair = peers.x.issue(peers.consumer, someone)
        _, verifier = app.nonce("twitter.com")
        credential = {"type": "oauth1_token", "oauth_token": pair.token, "oauth_token_secret": pair.secret}
        signed_in(app.exchange("twitter.com", credential | {"nonce": verifier}))

    before = _value(app.deployment.admin_text("/metrics"), paid)
    post()
    wait_until(lambda: _value(app.deployment.admin_text("/metrics"), paid) == before + 1, "the call is counted")


def test_each_request_has_the_trace_of_its_client_in_the_log(app: Application) -> None:
    body = {"client_id": app.client_id, "provider": "op"}
    assert app.post("/v1/nonce", body, traceparent=f"00-{TRACE}-00f067aa0ba902b7-01").status == 200

    def spans() -> list[str]:
        lines = [json.loads(line) for line in app.deployment.log.rpartition("\n")[0].splitlines()]
        return [line["span_id"] for line in lines if line.get("trace_id") == TRACE]

    wait_until(lambda: len(spans()) == 1, "the line of the request")
    assert spans()[0] != "00f067aa0ba902b7"


@pytest.mark.parametrize("peer", ["providers", "hooks"])
def test_a_provider_gets_the_trace_only_if_it_is_configured(
    deploy: Deploy, own_provider: tuple[OpenIDProvider, Client], peer: str
) -> None:
    provider, client = own_provider
    app = Application(deploy({"op": openid(provider, client)}, tracing={"propagate_to": [peer]}).start())
    grant, _, _ = browser.obtain_code(provider, client)
    body = app.exchange_body("op", grant.credential)
    signed_in(app.post("/v1/exchange", body, traceparent=f"00-{TRACE}-00f067aa0ba902b7-00"))
    sent = [arrival.header.get("Traceparent", "") for arrival in provider.arrivals("/token")]
    assert len(sent) == 1
    assert sent[0] == "" if peer == "hooks" else re.fullmatch(rf"00-{TRACE}-[0-9a-f]{{16}}-00", sent[0])


def test_the_alert_rules_fire_for_their_fault_only() -> None:
    for arguments in (["check", "rules", "alerts.yaml"], ["test", "rules", "alerts-test.yaml"]):
        ran = subprocess.run(
            ["promtool", *arguments], cwd=MONITORING, capture_output=True, text=True, check=False, timeout=120
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_documented_job_is_that_of_the_alert_rules(tmp_path: Path) -> None:
    code = documented("scrape")
    (tmp_path / "prometheus.yaml").write_text(code)
    (tmp_path / "alerts.yaml").write_text((MONITORING / "alerts.yaml").read_text())
    checked = subprocess.run(
        ["promtool", "check", "config", "prometheus.yaml"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    (job,) = yaml.safe_load(code)["scrape_configs"]
    assert f'up{{job="{job["job_name"]}"}}' in (MONITORING / "alerts.yaml").read_text()


@pytest.mark.parametrize("name", ["alerts.yaml", "grafana-dashboard.json"])
def test_the_dashboard_and_the_rules_use_only_families_that_exist(app: Application, name: str) -> None:
    families = _families(app.deployment.admin_text("/metrics"))
    text = (MONITORING / name).read_text()
    used = {ENDINGS.sub("", found) if found not in families else found for found in NAMES.findall(text)}
    assert used - {"token_exchange"} <= families.keys()
    if name.endswith(".json"):
        panels = json.loads(text)["panels"]
        assert len({panel["title"] for panel in panels}) == len(panels) > 10
        # Each family is shown.
        assert families.keys() - used == set()
