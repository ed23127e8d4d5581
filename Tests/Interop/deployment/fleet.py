"""Several servers on one database, with one seal key and one public URL, as behind a load balancer."""

from __future__ import annotations

import base64
import contextlib
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deployment.firebase import PROJECT, Firebase
from deployment.process import Deployment
from deployment.sandbox import Sandbox
from deployment.service_account import ServiceAccount


@dataclass(frozen=True)
class Fleet:
    servers: list[Deployment]
    sandbox: Sandbox
    firebase: Firebase

    @property
    def origins(self) -> list[str]:
        return [server.origin for server in self.servers]


@contextlib.contextmanager
def fleet_of(
    binary: Path,
    folder: Path,
    store: str,
    count: int = 3,
    own: Sequence[dict[str, Any]] = (),
    **sections: dict[str, Any],
) -> Iterator[Fleet]:
    """Running servers and their stand-ins.

    The members of `sections` are merged into the configuration, and `own` has further keys for each server.
    """
    with contextlib.ExitStack() as ends:
        servers = []
        for number in range(count):
            place = folder / f"server-{number}"
            place.mkdir()
            servers.append(Deployment(binary, place, {}))
        first = servers[0]
        stand_ins = folder / "sandbox"
        stand_ins.mkdir()
        ServiceAccount(PROJECT).write(stand_ins)
        sandbox = Sandbox(binary, stand_ins, first.origin, first.admin_origin)
        ends.callback(sandbox.stop)
        sandbox.redirect_to(first.origin)
        firebase = Firebase(sandbox)
        ends.callback(firebase.close)
        seal_key, store_key = (
            base64.urlsafe_b64encode(secrets.token_bytes(32)).rstrip(b"=").decode() for _ in range(2)
        )
        for number, server in enumerate(servers):
            settings = sandbox.settings
            common: dict[str, Any] = {
                "logging": {"level": "debug", "format": "json"},
                "limits": dict.fromkeys(
                    ["start_per_address", "exchange_per_address", "page_per_address", "provider_failures"], "off"
                ),
                "accounts": {"recent_login": "1h"},
            }
            for name, members in [*common.items(), *sections.items()]:
                settings[name] = settings.get(name, {}) | members
            settings["server"] = server.settings["server"] | {"public_url": first.origin}
            keys = {"seal_keys": ["env:SEAL_KEY"], "store_keys": ["env:STORE_KEY"]}
            server.configure(settings | {"store": store} | keys | (own[number] if own else {}))
            server.environment |= {"SEAL_KEY": seal_key, "STORE_KEY": store_key}
            server.secrets.add(seal_key, store_key)
            ends.callback(server.close)
            server.start()
        yield Fleet(servers, sandbox, firebase)
