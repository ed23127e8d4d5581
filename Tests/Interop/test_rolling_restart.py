"""Two servers behind HAProxy, which are restarted one after the other while users sign in."""

from __future__ import annotations

import collections
from pathlib import Path
from typing import Any

from conftest import Peers
from deployment.configuration import openid
from deployment.fleet import fleet_of
from deployment.haproxy import HAProxy
from deployment.load import Load
from deployment.postgres import Postgres
from deployment.waiting import wait_until


def test_no_sign_in_fails_while_each_server_is_restarted(binary: Path, tmp_path: Path, peers: Peers) -> None:
    """The load balancer stops sending requests to a server as soon as its `/readyz` fails, within `drain_delay`."""
    postgres = Postgres().start()
    providers = {"op-ec": openid(peers.openid, peers.ours_with_ec, nonce="client")}
    providers["op-ec"]["client_secret"] = peers.ours_with_ec.client_secret
    sections: dict[str, dict[str, Any]] = {"providers": providers, "logging": {"level": "warning"}}
    try:
        with fleet_of(binary, tmp_path, postgres.database(), count=2, **sections) as fleet:
            balancer = HAProxy(fleet.servers)
            try:
                _restart_under_load(balancer, fleet.servers, peers)
            finally:
                balancer.close()
    finally:
        postgres.close()


def _restart_under_load(balancer: HAProxy, servers: list[Any], peers: Peers) -> None:
    def is_up(number: int) -> bool:
        return balancer.status(number).startswith("UP")

    wait_until(lambda: is_up(0) and is_up(1), "both servers are in use")
    load = Load(balancer.origin, peers.openid, peers.ours_with_ec, "my-app").start()
    try:
        for number, server in enumerate(servers):
            before = load.count("200")
            wait_until(lambda before=before: load.count("200") > before + 20, "sign-ins succeed")
            assert server.terminate() == 0
            server.start()
            wait_until(lambda number=number: is_up(number), "the server is in use again")
    finally:
        load.end()
    load.repeat_refused_by_store(servers)
    assert collections.Counter(attempt.outcome for attempt in load.attempts).keys() == {"200"}
