"""The Dockerfile and the example for Kubernetes, compared with the program. `scripts/container-check` builds and runs the image."""

from __future__ import annotations

import copy
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from conftest import Deploy

CONFIG = Path(__file__).parents[2] / "config"
DOCKERFILE = CONFIG / "container" / "Dockerfile"
MANIFEST = CONFIG / "kubernetes" / "token-exchange.yaml"
DEFAULTS = yaml.safe_load((CONFIG / "token-exchange.yaml").read_text())["server"]
# Those of the package kubernetes-validate.
RELEASES = sorted(set(kubernetes_validate.utils.all_versions()))


def _instructions() -> list[str]:
    """The instructions of the Dockerfile, each on one line."""
    text = DOCKERFILE.read_text().replace("\\\n", " ")
    return [" ".join(line.split()) for line in text.splitlines() if line and not line.startswith("#")]


def _documents() -> dict[str, dict[str, Any]]:
    """The objects of the example by kind."""
    return {document["kind"]: document for document in yaml.safe_load_all(MANIFEST.read_text())}


def _pod() -> dict[str, Any]:
    return _documents()["Deployment"]["spec"]["template"]["spec"]


def _container() -> dict[str, Any]:
    (container,) = _pod()["containers"]
    return container


def _probes() -> dict[str, dict[str, Any]]:
    return {name: value["httpGet"] for name, value in _container().items() if name.endswith("Probe")}


def _help(binary: Path, *command: str) -> str:
    return subprocess.run([str(binary), *command, "--help"], capture_output=True, text=True, check=True).stdout


def _drain() -> int:
    """The seconds that a server with the default configuration may take to end."""
    return sum(int(DEFAULTS[key].removesuffix("s")) for key in ("drain_delay", "drain_timeout"))


def _port(key: str) -> int:
    return int(DEFAULTS[key].rpartition(":")[2])


@pytest.mark.parametrize("release", RELEASES)
def test_kubernetes_knows_every_field_of_the_example(release: str) -> None:
    documents = _documents()
    assert list(documents) == ["Deployment", "Service", "PodDisruptionBudget", "NetworkPolicy"]
    for document in documents.values():
        kubernetes_validate.validate(document, release, strict=True)


@pytest.mark.parametrize(
    ("section", "value"),
    [
        ("spec", {"terminationGracePeriod": 60}),
        ("securityContext", {"runAsUser": "10001"}),
        ("container", {"port": []}),
        ("policy", {"policyType": ["Ingress"]}),
        ("rule", {"form": []}),
    ],
)
def test_a_field_that_kubernetes_does_not_know_is_found(section: str, value: dict[str, Any]) -> None:
    """The test above would also pass with schemas that allow everything."""
    documents = copy.deepcopy(_documents())
    pod = documents["Deployment"]["spec"]["template"]["spec"]
    policy = documents["NetworkPolicy"]["spec"]
    kind = "NetworkPolicy" if section in ("policy", "rule") else "Deployment"
    {
        "spec": pod,
        "securityContext": pod["securityContext"],
        "container": pod["containers"][0],
        "policy": policy,
        "rule": policy["ingress"][0],
    }[section].update(value)
    document = documents[kind]
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(document, RELEASES[-1], strict=True)


def test_the_objects_of_the_example_select_its_pods() -> None:
    """The API accepts a selector that selects nothing, and a port that no container has."""
    documents = _documents()
    labels = documents["Deployment"]["spec"]["template"]["metadata"]["labels"]
    assert documents["Deployment"]["spec"]["selector"]["matchLabels"] == labels
    assert documents["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels
    assert documents["Service"]["spec"]["selector"] == labels
    policy = documents["NetworkPolicy"]["spec"]
    assert policy["podSelector"]["matchLabels"] == labels
    ports = {port["name"] for port in _container()["ports"]}
    # The admin listener is not published, and its port is open only to the namespace of the monitoring system.
    assert [
        (port["port"], [list(peer) for peer in rule.get("from", [])])
        for rule in policy["ingress"]
        for port in rule["ports"]
    ] == [("http", []), ("admin", [["namespaceSelector"]])]
    assert [port["targetPort"] for port in documents["Service"]["spec"]["ports"]] == ["http"]
    assert {probe["port"] for probe in _probes().values()} == {"admin"} <= ports
    assert {mount["name"] for mount in _container()["volumeMounts"]} == {volume["name"] for volume in _pod()["volumes"]}


def test_the_ports_are_the_defaults_of_the_program() -> None:
    public, admin = _port("listen"), _port("admin_listen")
    assert {port["name"]: port["containerPort"] for port in _container()["ports"]} == {"http": public, "admin": admin}
    assert f"EXPOSE {public} {admin}" in _instructions()
    metadata = _documents()["Deployment"]["spec"]["template"]["metadata"]
    assert metadata["annotations"]["prometheus.io/port"] == str(admin)
    # The configuration that the comments ask for listens where the ports lead.
    for key, port in (("listen", public), ("admin_listen", admin)):
        assert f"server.{key} 0.0.0.0:{port}" in MANIFEST.read_text()
    assert f"server.listen 0.0.0.0:{public}" in DOCKERFILE.read_text()
    assert f"--publish {public}:{public}" in DOCKERFILE.read_text()


def test_the_ports_of_compose_are_those_of_the_script() -> None:
    """The pages and the server name each other by these ports, and only this machine may reach them."""
    script = (CONFIG.parent / "scripts/run").read_text()
    ports = {int(port) for port in re.findall(r"\$\(\(([0-9]+) \+ offset\)\)", script)}
    compose = yaml.safe_load((CONFIG / "container/compose.yaml").read_text())
    assert len(ports) == 8
    assert set(compose["services"]["sandbox"]["ports"]) == {f"127.0.0.1:{port}:{port}" for port in ports}
    assert (CONFIG.parent / compose["services"]["sandbox"]["build"]["dockerfile"]).exists()


def test_a_stopped_container_has_the_time_to_drain() -> None:
    assert _pod()["terminationGracePeriodSeconds"] > _drain()
    stop = re.search(r"--stop-timeout ([0-9]+)", DOCKERFILE.read_text())
    assert stop is not None
    assert int(stop[1]) > _drain()


def test_the_admin_listener_has_the_paths_of_the_probes(deploy: Deploy) -> None:
    deployment = deploy().start()
    assert _probes().keys() == {"startupProbe", "livenessProbe", "readinessProbe"}
    for name, probe in _probes().items():
        assert deployment.admin(probe["path"]) == 200, name
    # A provider or database that is down must not restart the server.
    assert _probes()["livenessProbe"]["path"] != _probes()["readinessProbe"]["path"] == "/readyz"
    assert deployment.admin("/elsewhere") == 404
    assert deployment.terminate() == 0


def test_the_program_has_the_commands_and_options_of_the_containers(binary: Path) -> None:
    (entry,) = [line for line in _instructions() if line.startswith("ENTRYPOINT")]
    assert entry == 'ENTRYPOINT ["token-exchange"]'
    (check,) = [line for line in _instructions() if line.startswith("HEALTHCHECK")]
    assert check.endswith('CMD ["token-exchange", "health"]')
    assert re.search(r"^  health ", _help(binary), re.MULTILINE)
    (command,) = [line for line in _instructions() if line.startswith("CMD")]
    for arguments in (yaml.safe_load(command.removeprefix("CMD ")), _container()["args"]):
        assert arguments[:3] == ["serve", "--config", "/etc/token-exchange/token-exchange.yaml"]
        usage = _help(binary, arguments[0])
        for argument in arguments:
            assert not argument.startswith("--") or f"{argument} " in usage or f"{argument}\n" in usage, argument
    assert [mount["mountPath"] for mount in _container()["volumeMounts"]] == ["/etc/token-exchange"]


def test_the_containers_run_as_the_user_of_the_image() -> None:
    (user,) = [line for line in _instructions() if line.startswith("USER ")]
    uid, gid = user.removeprefix("USER ").split(":")
    assert _instructions().index(user) < _instructions().index('ENTRYPOINT ["token-exchange"]')
    (creation,) = [line for line in _instructions() if "useradd" in line]
    assert f"groupadd --gid {gid} token-exchange" in creation
    assert f"useradd --uid {uid} --gid {gid} " in creation
    assert f"--owner={uid} --group={gid} --mode=0700 /var/lib/token-exchange" in creation
    assert f"chown -R {uid} configuration" in DOCKERFILE.read_text()
    context = _pod()["securityContext"]
    assert context["runAsNonRoot"] is True
    assert (context["runAsUser"], context["runAsGroup"], context["fsGroup"]) == (int(uid), int(gid), int(gid))
    # The files of the secret belong to root and the group of the pod. Others cannot read them.
    (volume,) = _pod()["volumes"]
    assert volume["secret"]["defaultMode"] == 0o440


def test_the_container_can_do_nothing_that_it_does_not_need() -> None:
    pod = _pod()
    assert pod["automountServiceAccountToken"] is False
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert _container()["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    for option in ("--read-only ", "--cap-drop=ALL ", "--security-opt=no-new-privileges ", "--tmpfs /tmp "):
        assert option in DOCKERFILE.read_text()


def test_the_dockerfile_copies_only_what_exists() -> None:
    copied = [line.split()[1] for line in _instructions() if line.startswith("COPY ") and "--from" not in line]
    assert copied
    for name in copied:
        assert (CONFIG.parent / name).exists(), name


def test_the_image_has_every_library_that_the_program_links(binary: Path) -> None:
    """The Debian packages of the image, compared with those of the libraries that the loader finds here."""
    if shutil.which("dpkg") is None:
        pytest.skip("this is not Debian")
    text = DOCKERFILE.read_text().partition("FROM debian")[2]
    linked = subprocess.run(["ldd", str(binary)], capture_output=True, text=True, check=True).stdout
    for name, package in (
        ("libcrypto", "libssl3"),
        ("libcurl", "libcurl4"),
        ("libjansson", "libjansson4"),
        ("libpq", "libpq5"),
        ("libsqlite3", "libsqlite3-0"),
    ):
        assert name in linked
        assert f" {package}" in text
