"""nginx in front of the server: its defaults accept the header of a browser with any number of flows."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from conftest import Settle
from deployment.process import Deployment, free_port
from deployment.waiting import DEADLINE, wait_until

CONFIGURATION = """\
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass {origin};
            proxy_set_header Host $http_host;
        }}
    }}
    server {{
        listen 127.0.0.1:{changing_port};
        location / {{
            proxy_pass {origin};
            proxy_redirect http:// https://;
        }}
    }}
}}
"""


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def proxied(settle: Settle, tmp_path: Path) -> Iterator[tuple[Deployment, str, str]]:
    """The server, and two origins of nginx in front of it: with its defaults, and with changed redirects."""
    deployment = settle().deployment
    port, changing_port = free_port(), free_port()
    path = tmp_path / "nginx.conf"
    path.write_text(
        CONFIGURATION.format(folder=tmp_path, port=port, changing_port=changing_port, origin=deployment.origin)
    )
    process = subprocess.Popen(["nginx", "-c", str(path), "-e", str(tmp_path / "error.log")])
    try:
        wait_until(lambda: _listens(port), "nginx starts")
        yield deployment, f"http://127.0.0.1:{port}", f"http://127.0.0.1:{changing_port}"
    finally:
        process.terminate()
        process.wait(timeout=DEADLINE)


def test_nginx_accepts_a_browser_that_begins_any_number_of_flows(proxied: tuple[Deployment, str, str]) -> None:
    deployment, origin, _ = proxied
    parameters = {
        "response_type": "code",
        "client_id": "my-app",
        "redirect_uri": "http://127.0.0.1/callback",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        "code_challenge_method": "S256",
    }
    with requests.Session() as browser:
        browser.trust_env = False
        assert browser.get(origin + "/device", timeout=30).status_code == 200
        for length in [1024, 0, 600, 1024, 1024, 100] + 20 * [0] + 10 * [1024]:
            answer = browser.get(f"{origin}/authorize", params=parameters | {"state": "s" * length}, timeout=30)
            assert answer.status_code == 200, answer.text
            flows = [f"{cookie.name}={cookie.value}" for cookie in browser.cookies if "flow-" in cookie.name]
            assert flows and len("; ".join(flows)) < 7000
        # What the limit is about: nginx itself answers a field that is longer.
        field = {"Cookie": "a=" + "v" * 8200}
        assert requests.get(origin + "/device", headers=field, timeout=30).status_code == 400
    assert deployment.origin != origin


def test_doctor_finds_a_proxy_that_changes_redirects(proxied: tuple[Deployment, str, str]) -> None:
    deployment, origin, changing = proxied
    for public_url, is_changed in [(origin, False), (changing, True)]:
        deployment.terminate()
        deployment.settings["server"]["public_url"] = public_url
        deployment.configure(deployment.settings)
        deployment.start()
        ran = deployment.run("doctor")
        assert f"({public_url}): The server answers there" in ran.stdout, ran.stdout
        assert ("A proxy there changes the field Location" in ran.stdout) == is_changed, ran.stdout
