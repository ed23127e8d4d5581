"""Cloud Run: `config/cloud-run` and the page of the guide, without a project of Google.

deploy.sh is executed with programs in place of gcloud, curl, git and docker that write down their arguments. Google's own
parser then reads the commands, main.tf is compared with them, and the server is started as the commands describe it, beside
Google's emulator of Firestore and stand-ins for the other services.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hcl2
import jwt
import pytest
import requests
import yaml
from clients.program import program
from clients.sign_in import ALICE, YAHOO, allowed, follow
from conftest import Deploy
from deployment.firebase import PROJECT
from deployment.firestore import Firestore, GivenAnswer, Relay, absence, documents
from deployment.pages import GUIDE, ROOT, documented, examples
from deployment.process import Deployment, free_port
from deployment.sandbox import Sandbox
from deployment.waiting import DEADLINE, wait_until
from peers import gcloud, tokens
from peers.person import Person

FOLDER = ROOT / "config/cloud-run"
REGION = "europe-west3"
NUMBER = "123456789012"
YAHOO_SECRET = "the-secret-of-yahoo"
ACCESS_TOKEN = "ya29.of-the-operator"

# The steps of the page and of the script, in order.
STEPS = {
    "The project": documented("cloud-run-project"),
    "The image": documented("cloud-run-image"),
    "The database": documented("cloud-run-database"),
    "The identity of the server": documented("cloud-run-identity"),
    "The secrets": documented("cloud-run-secrets"),
    "The service": documented("cloud-run-service"),
    "The jobs": documented("cloud-run-jobs"),
    "Every night": documented("cloud-run-night"),
}
CONFIGURATION = documented("cloud-run-configuration")

needs_gcloud = pytest.mark.skipif(not gcloud.is_installed(), reason="gcloud is not installed; it is in the Google Cloud SDK")
needs_emulator = pytest.mark.skipif(absence() is not None, reason=str(absence()))

# Stands in for each program: writes down its arguments and what it reads, and answers as the program would.
STAND_IN = f"""#!{sys.executable}
import json, os, pathlib, sys, time
import yaml
name, arguments = pathlib.Path(sys.argv[0]).name, sys.argv[1:]
reads = any(argument in ("-", "--data-file=-", "@-") for argument in arguments)
heard = sys.stdin.read() if reads else ""
files = [open(argument[1:]).read() for argument in arguments if argument.startswith("@/dev/fd/")]
calls = pathlib.Path(os.environ["CALLS"])
call = {{"program": name, "arguments": arguments, "heard": heard, "files": files}}
(calls / f"{{time.monotonic_ns():020}}-{{os.getpid()}}").write_text(json.dumps(call))
if name == "docker" and arguments[:2] == ["run", "--rm"]:
    os.execv(os.environ["BINARY"], ["token-exchange", *arguments[3:]])
if name == "git":
    print("abc1234")
elif name == "curl":
    print(json.dumps({{"name": "projects/p/rulesets/1"}}))
elif arguments[:2] == ["projects", "describe"]:
    print("{NUMBER}")
elif arguments[:2] == ["auth", "print-access-token"]:
    print("{ACCESS_TOKEN}")
elif arguments[:3] == ["run", "services", "replace"]:
    (calls.parent / "service.yaml").write_text(heard)
elif arguments[:3] == ["run", "services", "describe"]:
    print(json.dumps(yaml.safe_load((calls.parent / "service.yaml").read_text())))
"""


@dataclass(frozen=True)
class Call:
    """A program that a script has started."""

    program: str
    arguments: list[str]
    heard: str
    files: list[str]

    def value(self, flag: str) -> str:
        """The only value of a flag."""
        (found,) = [word.removeprefix(f"{flag}=") for word in self.arguments if word.startswith(f"{flag}=")]
        return found

    @property
    def command(self) -> str:
        """The words before the first flag."""
        words = self.arguments
        return " ".join(words[: next((at for at, word in enumerate(words) if word.startswith("-")), len(words))])


@dataclass(frozen=True)
class Executed:
    """A script of the guide, after its end."""

    folder: Path
    calls: list[Call]
    said: str

    def gcloud(self, command: str) -> list[Call]:
        """The calls of gcloud that begin with these words."""
        return [call for call in self.calls if call.program == "gcloud" and f"{call.command} ".startswith(f"{command} ")]

    @property
    def service(self) -> dict[str, Any]:
        """What Cloud Run was asked to run."""
        return yaml.safe_load((self.folder / "service.yaml").read_text())

    @property
    def container(self) -> dict[str, Any]:
        (container,) = self.service["spec"]["template"]["spec"]["containers"]
        return container

    @property
    def environment(self) -> dict[str, str]:
        return {variable["name"]: variable["value"] for variable in self.container["env"]}

    @property
    def configuration(self) -> dict[str, Any]:
        return yaml.safe_load(self.environment["TOKEN_EXCHANGE_CONFIG"])


def _executed(folder: Path, script: Path, binary: Path, project: str) -> Executed:
    """Executes a script of a tree with stand-ins for all programs that leave this machine."""
    programs, calls = folder / "programs", folder / "calls"
    for place in (programs, calls):
        place.mkdir()
    for name in ("gcloud", "curl", "git", "docker"):
        (programs / name).write_text(STAND_IN)
        (programs / name).chmod(0o755)
    ran = subprocess.run(
        ["bash", str(script)],
        env={
            "PATH": f"{programs}:{os.environ['PATH']}",
            "HOME": str(folder),
            "CALLS": str(calls),
            "BINARY": str(binary),
            "PROJECT": project,
            "REGION": REGION,
        },
        cwd=folder,
        input=YAHOO_SECRET + "\n",
        capture_output=True,
        text=True,
        timeout=DEADLINE * 4,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    found = [Call(**json.loads(file.read_text())) for file in sorted(calls.iterdir())]
    return Executed(folder, found, ran.stdout + ran.stderr)


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory, binary: Path) -> Executed:
    """deploy.sh in a copy of its folder."""
    folder = tmp_path_factory.mktemp("cloud-run")
    shutil.copytree(FOLDER, folder / "config/cloud-run")
    return _executed(folder, folder / "config/cloud-run/deploy.sh", binary, PROJECT)


# MARK: - One source


def test_the_guide_has_the_commands_of_the_script() -> None:
    _, *sections = re.split(r"^# \d+\. (.*)\n", (FOLDER / "deploy.sh").read_text(), flags=re.MULTILINE)
    assert {title: code.strip() for title, code in zip(sections[::2], sections[1::2], strict=True)} == {
        title: code.strip() for title, code in STEPS.items()
    }


def test_the_guide_has_the_configuration_of_the_service() -> None:
    (container,) = yaml.safe_load((FOLDER / "service.yaml").read_text())["spec"]["template"]["spec"]["containers"]
    assert [variable["name"] for variable in container["env"]] == ["TOKEN_EXCHANGE_CONFIG"]
    assert container["env"][0]["value"] == CONFIGURATION


def test_the_service_names_what_the_script_makes(deployed: Executed) -> None:
    template = deployed.service["spec"]["template"]["spec"]
    settings = deployed.configuration
    account = template["serviceAccountName"]
    assert account.partition("@")[0] in {call.arguments[3] for call in deployed.gcloud("iam service-accounts create")}
    (built,) = deployed.gcloud("builds submit")
    assert deployed.container["image"] == built.value("--substitutions").removeprefix("_IMAGE=")
    (repository,) = deployed.gcloud("artifacts repositories create")
    assert deployed.container["image"].startswith(f"{REGION}-docker.pkg.dev/{PROJECT}/{repository.arguments[3]}/")
    (database,) = deployed.gcloud("firestore databases create")
    assert settings["store"] == f"firestore://{PROJECT}/{database.value('--database')}"
    assert settings["server"]["public_url"] == f"https://token-exchange-{NUMBER}.{REGION}.run.app"
    assert f"{settings['server']['public_url']}/callback/{YAHOO}\n" in deployed.said
    secrets = set(re.findall(r"gcp-secret:([\w-]+)", deployed.environment["TOKEN_EXCHANGE_CONFIG"]))
    assert {call.arguments[2] for call in deployed.gcloud("secrets create")} == secrets
    # No placeholder of the file is left.
    left = set(re.findall(r"\b[A-Z]{4,}[A-Z-]*\b", deployed.environment["TOKEN_EXCHANGE_CONFIG"]))
    assert left <= {"PORT", "YAHOO-CLIENT-ID"}, left


def test_the_container_listens_where_cloud_run_calls_it(deployed: Executed) -> None:
    (port,) = deployed.container["ports"]
    assert deployed.configuration["server"]["listen"] == f"0.0.0.0:{port['containerPort']}"
    assert deployed.configuration["server"]["admin_listen"] is False, "YAML reads off as a Boolean, as the server does"
    probes = {name: deployed.container[name]["httpGet"] for name in ("startupProbe", "livenessProbe")}
    assert probes == {
        "startupProbe": {"path": "/readyz", "port": port["containerPort"]},
        "livenessProbe": {"path": "/healthz", "port": port["containerPort"]},
    }
    assert deployed.container["args"] == ["serve"], "with --config the variable would not be read"


def test_the_jobs_read_the_configuration_of_the_service(deployed: Executed) -> None:
    jobs = deployed.gcloud("run jobs deploy")
    assert {call.value("--args") for call in jobs} == {"migrate", "doctor", "sweep"}
    for call in jobs:
        assert json.loads((deployed.folder / call.value("--env-vars-file")).read_text()) == deployed.environment
        assert call.value("--image") == deployed.container["image"]
    (scheduled,) = deployed.gcloud("scheduler jobs create http")
    assert scheduled.value("--uri").endswith(f"/locations/{REGION}/jobs/token-exchange-sweep:run")


def test_the_rules_of_the_database_are_published(deployed: Executed) -> None:
    ruleset, release = [call for call in deployed.calls if call.program == "curl"]
    rules = (FOLDER / "firestore.rules").read_text()
    assert json.loads(ruleset.heard) == {"source": {"files": [{"name": "firestore.rules", "content": rules}]}}
    assert json.loads(release.heard) == {
        "name": f"projects/{PROJECT}/releases/cloud.firestore/token-exchange",
        "rulesetName": "projects/p/rulesets/1",
    }
    for call, resource in ((ruleset, "rulesets"), (release, "releases")):
        assert f"https://firebaserules.googleapis.com/v1/projects/{PROJECT}/{resource}" in call.arguments
        assert call.files == [f"Authorization: Bearer {ACCESS_TOKEN}\n"]


def test_no_secret_is_an_argument_or_in_the_description_of_the_service(deployed: Executed) -> None:
    """Arguments are seen by other users of the machine, and the service by all who may look at it."""
    made = {call.arguments[2]: call.heard.strip() for call in deployed.gcloud("secrets create")}
    assert made["token-exchange-yahoo-secret"] == YAHOO_SECRET
    keys = [made["token-exchange-seal-key"], made["token-exchange-store-key"]]
    assert all(re.fullmatch(r"[\w-]{43}", key) for key in keys) and keys[0] != keys[1]
    seen = [word for call in deployed.calls for word in call.arguments] + [json.dumps(deployed.service), deployed.said]
    for secret in [*made.values(), ACCESS_TOKEN]:
        assert not any(secret in text for text in seen)


def _account(member: str) -> str:
    return member.removeprefix("serviceAccount:").partition("@")[0]


def _grants(deployed: Executed) -> set[tuple[str, str, str]]:
    """Role, account and resource of each binding."""
    found = set()
    for call in deployed.calls:
        if call.program == "gcloud" and "add-iam-policy-binding" in call.arguments:
            kind, _, resource = call.command.partition(" add-iam-policy-binding ")
            name = {"projects": "project"}.get(kind, _account(resource))
            found.add((call.value("--role"), _account(call.value("--member")), name))
    return found


def test_each_identity_has_the_least_roles(deployed: Executed) -> None:
    """A further role is a decision, which this list states."""
    secrets = ("token-exchange-seal-key", "token-exchange-store-key", "token-exchange-yahoo-secret")
    assert _grants(deployed) == {
        ("roles/datastore.user", "token-exchange", "project"),
        ("roles/iam.serviceAccountTokenCreator", "token-exchange", "token-exchange"),
        ("roles/datastore.owner", "token-exchange-migrate", "project"),
        ("roles/cloudbuild.builds.builder", "token-exchange-build", "project"),
        ("roles/run.invoker", "token-exchange-scheduler", "token-exchange-sweep"),
    } | {
        ("roles/secretmanager.secretAccessor", account, secret)
        for account in ("token-exchange", "token-exchange-migrate")
        for secret in secrets
    }
    (user,) = [call for call in deployed.gcloud("projects add-iam-policy-binding") if "roles/datastore.user" in str(call)]
    database = f"projects/{PROJECT}/databases/token-exchange"
    assert user.value("--condition") == f'expression=resource.name=="{database}",title=token-exchange'


# MARK: - Terraform


def _plain(value: Any) -> Any:
    """Without the quotation marks and the notes of the parser."""
    if isinstance(value, dict):
        return {_plain(name): _plain(member) for name, member in value.items() if not name.startswith("__")}
    if isinstance(value, list):
        return [_plain(member) for member in value]
    if isinstance(value, str) and value.startswith('"') and value.endswith('"'):
        return value[1:-1].replace('\\"', '"')
    return value


@pytest.fixture(scope="module")
def terraform() -> dict[str, Any]:
    """The locals of main.tf, and its resources as `resources` by type and name."""
    with (FOLDER / "main.tf").open() as file:
        parsed = _plain(hcl2.load(file))
    (found,) = parsed["locals"]
    resources: dict[tuple[str, str], dict[str, Any]] = {}
    for block in parsed["resource"]:
        for kind, named in block.items():
            for name, members in named.items():
                assert (kind, name) not in resources
                resources[kind, name] = members
    return found | {"resources": resources}


def test_terraform_makes_what_the_script_makes(deployed: Executed, terraform: dict[str, Any]) -> None:
    (enabled,) = deployed.gcloud("services enable")
    assert sorted(f"{api}.googleapis.com" for api in terraform["apis"]) == sorted(enabled.arguments[2:])
    created = [call.arguments[3] for call in deployed.gcloud("iam service-accounts create")]
    assert sorted(terraform["accounts"]) == sorted(created)
    assert sorted(terraform["secrets"]) == sorted(call.arguments[2] for call in deployed.gcloud("secrets create"))
    assert {
        name: (job["command"], job["account"], job["retries"]) for name, job in terraform["jobs"].items()
    } == {
        call.arguments[3]: (
            call.value("--args"),
            _account(call.value("--service-account")),
            int(call.value("--max-retries")) if "--max-retries" in str(call) else 3,
        )
        for call in deployed.gcloud("run jobs deploy")
    }
    resources = terraform["resources"]
    (database,) = deployed.gcloud("firestore databases create")
    made = resources["google_firestore_database", "this"]
    assert (made["name"], made["location_id"]) == (database.value("--database"), "${var.region}")
    assert made["type"] == database.value("--type").upper().replace("-", "_")
    assert ("--delete-protection" in database.arguments) == (made["delete_protection_state"] == "DELETE_PROTECTION_ENABLED")
    (scheduled,) = deployed.gcloud("scheduler jobs create http")
    job = resources["google_cloud_scheduler_job", "sweep"]
    assert (job["name"], job["schedule"]) == (scheduled.arguments[4], scheduled.value("--schedule"))
    (target,) = job["http_target"]
    assert target["http_method"] == scheduled.value("--http-method")
    assert target["uri"].startswith("https://run.googleapis.com/v2/") and target["uri"].endswith(":run")


def test_terraform_grants_what_the_script_grants(deployed: Executed, terraform: dict[str, Any]) -> None:
    def account(member: str) -> str:
        (found,) = re.findall(r'google_service_account\.this\["?([\w.\[\]-]+?)"?\]\.member', member)
        return found

    granted = set()
    for (kind, _), members in terraform["resources"].items():
        if not kind.endswith("_iam_member"):
            continue
        if kind == "google_secret_manager_secret_iam_member":
            pairs = [(reader, secret) for reader in terraform["readers"] for secret in terraform["secrets"]]
        elif kind == "google_project_iam_member":
            pairs = [(account(members["member"]), "project")]
        elif kind == "google_service_account_iam_member":
            pairs = [(account(members["member"]), members["service_account_id"].split('"')[1])]
        else:
            pairs = [(account(members["member"]), members["name"].split('"')[1])]
        granted |= {(members["role"], *pair) for pair in pairs}
    assert granted == _grants(deployed)
    (condition,) = terraform["resources"]["google_project_iam_member", "server"]["condition"]
    expression = condition["expression"].replace("${var.project}", PROJECT)
    expression = expression.replace("${google_firestore_database.this.name}", "token-exchange")
    (user,) = [call for call in deployed.gcloud("projects add-iam-policy-binding") if "roles/datastore.user" in str(call)]
    assert user.value("--condition") == f"expression={expression},title={condition['title']}"


def test_terraform_reads_every_setting_of_the_service(terraform: dict[str, Any]) -> None:
    """A key of service.yaml that main.tf does not name would have no effect there."""
    text = (FOLDER / "main.tf").read_text()
    service = yaml.safe_load((FOLDER / "service.yaml").read_text())
    template = service["spec"]["template"]
    names = set(service["metadata"]["annotations"]) | set(template["metadata"]["annotations"]) | set(template["spec"])
    names |= {name for container in template["spec"]["containers"] for name in container}
    assert template["metadata"]["annotations"]["run.googleapis.com/execution-environment"] == "gen2"
    names.remove("run.googleapis.com/execution-environment")
    assert 'execution_environment            = "EXECUTION_ENVIRONMENT_GEN2"' in text
    assert [name for name in sorted(names) if name not in text] == []
    assert set(terraform["placeholders"]) == {"PROJECT", "NUMBER", "REGION", "VERSION"}


@pytest.mark.skipif(shutil.which("terraform") is None, reason="terraform is not installed")
def test_terraform_formats_the_file_as_it_is() -> None:
    environment = {"PATH": os.environ["PATH"], "CHECKPOINT_DISABLE": "1", "TF_CLI_CONFIG_FILE": os.devnull}
    ran = subprocess.run(
        ["terraform", "fmt", "-check", "-diff", str(FOLDER)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


# MARK: - gcloud


def _inline() -> list[list[str]]:
    """The commands of gcloud that the documentation names within a sentence, which may lack arguments."""
    pages = [*GUIDE.glob("*.md"), *(ROOT / name for name in ("README.md", "SECURITY.md", "CONTRIBUTING.md"))]
    texts = [re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL) for page in pages]
    return [shlex.split(command)[1:] for text in texts for command in re.findall(r"`(gcloud [^`]+)`", text)]


@needs_gcloud
def test_gcloud_accepts_every_command(deployed: Executed, binary: Path, tmp_path: Path) -> None:
    commands = [call.arguments for call in deployed.calls if call.program == "gcloud"]
    # The other blocks of the guide, each with stand-ins for the same reason.
    blocks = [
        example
        for example in examples()
        if example.language == "sh" and re.search(r"\bgcloud ", example.code) and example.code not in STEPS.values()
    ]
    assert blocks
    for number, example in enumerate(blocks):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "block.sh").write_text(example.code)
        executed = _executed(folder, folder / "block.sh", binary, PROJECT)
        commands += [call.arguments for call in executed.calls if call.program == "gcloud"]
    assert len(commands) > 30
    home = tmp_path / "home"
    shutil.copytree(deployed.folder / "var", home / "var")
    shutil.copytree(FOLDER, home / "config/cloud-run")
    (home / "service.yaml").write_text(json.dumps(deployed.service))
    replaced = [["service.yaml" if word == "-" else word for word in command] for command in commands]
    problems = gcloud.problems(replaced, home)
    assert {shlex.join(command): problem for command, problem in zip(commands, problems, strict=True) if problem} == {}


@needs_gcloud
def test_gcloud_knows_every_command_that_a_sentence_names(tmp_path: Path) -> None:
    commands = _inline()
    assert len(commands) > 5
    problems = zip(commands, gcloud.problems(commands, tmp_path), strict=True)
    assert {
        shlex.join(command): problem
        for command, problem in problems
        if problem and not any(lack in problem for lack in ("Must be specified", "must be specified", "expected one argument"))
    } == {}


@needs_gcloud
def test_a_mistake_in_a_command_is_found(deployed: Executed, tmp_path: Path) -> None:
    """Control: the tests above would also pass with a parser that accepts everything."""
    (call,) = deployed.gcloud("firestore databases create")
    mistakes = {
        ("--delete-protection", "--delete-protect"): "unrecognized arguments: --delete-protect",
        ("--type=firestore-native", "--type=firestore-nativ"): "Invalid choice: 'firestore-nativ'",
        ("databases", "database"): "Invalid choice: 'database'",
        (f"--location={REGION}", "--quiet"): "--location: Must be specified",
    }
    commands = [[new if word == old else word for word in call.arguments] for old, new in mistakes]
    assert call.arguments not in commands
    found = gcloud.problems(commands, tmp_path)
    assert [problem for problem, said in zip(mistakes.values(), found, strict=True) if problem not in said] == [], found


@needs_gcloud
def test_a_field_that_cloud_run_does_not_know_is_found(deployed: Executed, tmp_path: Path) -> None:
    """Google's tool decodes the description into the type of the API, and refuses what the type does not have."""
    mistakes: list[tuple[tuple[Any, ...], str, Any]] = [
        ((), "containerConcurency", 1),
        ((), "containerConcurrency", "many"),
        (("containers", 0), "arg", ["serve"]),
        (("containers", 0, "startupProbe", "httpGet"), "paths", "/readyz"),
        (("containers", 0, "ports", 0), "containerPort", "http"),
        (("containers", 0, "env", 0), "secret", "x"),
    ]
    commands = []
    for number, (place, member, value) in enumerate(mistakes):
        service = deployed.service
        part = service["spec"]["template"]["spec"]
        for name in place:
            part = part[name]
        part[member] = value
        (tmp_path / f"{number}.yaml").write_text(json.dumps(service))
        commands.append(["run", "services", "replace", f"{number}.yaml", f"--region={REGION}"])
    found = gcloud.problems(commands, tmp_path)
    assert [member for (_, member, _), said in zip(mistakes, found, strict=True) if member not in said] == [], found


# MARK: - Firestore


@needs_emulator
def test_the_rules_refuse_everything() -> None:
    """Google's emulator applies rules to callers without a token, and none to service accounts."""
    firestore = Firestore(rules=FOLDER / "firestore.rules")
    try:
        place = f"http://{firestore.host}/v1/projects/{PROJECT}/databases/token-exchange/documents"
        with requests.Session() as session:
            session.trust_env = False

            def status(method: str, path: str, **header: str) -> int:
                body = {"fields": {}} if method in ("POST", "PATCH") else None
                return session.request(method, place + path, json=body, headers=header, timeout=DEADLINE).status_code

            owner = {"Authorization": "Bearer owner"}
            for collection in ("spent", "accounts", "identities", "meta"):
                assert status("PATCH", f"/{collection}/one", **owner) == 200
                assert status("GET", f"/{collection}/one", **owner) == 200
                for method, path in (
                    ("GET", "/one"),
                    ("GET", "?pageSize=1"),
                    ("POST", "?documentId=two"),
                    ("PATCH", "/one"),
                    ("DELETE", "/one"),
                ):
                    assert status(method, f"/{collection}{path}") == 403, (collection, method, path)
    finally:
        firestore.close()


class Counted:
    """The documents that a sign-in reads, writes and deletes, as Firestore charges for them."""

    def __init__(self) -> None:
        self.documents: Counter[str] = Counter()

    def __call__(self, line: str, body: bytes) -> GivenAnswer | None:
        message = json.loads(body) if body else {}
        self._add("read", [*message.get("documents", [])])
        for write in message.get("writes", []):
            name = write.get("delete") or write.get("update", {}).get("name", "")
            self._add("deleted" if "delete" in write else "written", [name])
            # A new document that expires is deleted by the policy later.
            is_new = write.get("currentDocument") == {"exists": False}
            if is_new and "expire_at" in write.get("update", {}).get("fields", {}):
                self._add("expiring", [name])
        return None

    def _add(self, what: str, names: list[str]) -> None:
        # What a server reads and writes at intervals.
        self.documents[what] += sum("/meta/" not in name and "/servers/" not in name for name in names)


class Service(Deployment):
    """A server as Cloud Run starts it: without a file, and with one listener."""

    arguments: list[str]

    def launch(self) -> None:
        self.admin_origin = self.origin
        with self._log_path.open("ab") as log:
            self._process = subprocess.Popen(
                [str(self.binary), *self.arguments], env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )


@dataclass(frozen=True)
class Walk:
    """The service of the script on this machine."""

    server: Service
    sandbox: Sandbox
    counted: Counted
    # The emulator itself.
    firestore: Firestore

    def job(self, command: str, name: str) -> subprocess.CompletedProcess[str]:
        """Runs a job with the configuration of the service, and without the variables that only a service has."""
        environment = {
            variable: value
            for variable, value in self.server.environment.items()
            if variable not in ("PORT", "K_SERVICE", "K_REVISION")
        }
        return subprocess.run(
            [str(self.server.binary), command],
            env=environment | {"CLOUD_RUN_JOB": name},
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            check=False,
        )


@pytest.fixture(scope="module")
def walk(deployed: Executed, binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walk]:
    """What the script describes, with the addresses of stand-ins in the place of Google's and Yahoo's."""
    folder = tmp_path_factory.mktemp("walk")
    settings = deployed.configuration
    firestore = Firestore(rules=FOLDER / "firestore.rules")
    counted = Counted()
    relay = Relay(firestore.port)
    relay.answer = counted
    with contextlib.ExitStack() as stack:
        stack.callback(firestore.close)
        stack.callback(relay.close)
        server = Service(binary, folder, {"store": settings["store"]})
        stand_ins = folder / "sandbox"
        stand_ins.mkdir()
        sandbox = Sandbox(binary, stand_ins, server.origin, f"http://127.0.0.1:{free_port()}")
        stack.callback(sandbox.stop)
        provider = sandbox.settings["providers"][YAHOO]
        for call in deployed.gcloud("secrets create"):
            value = provider["client_secret"] if YAHOO_SECRET in call.heard else call.heard
            server.secrets.add(value.strip())
            sandbox.order("POST", "/google/secrets", name=call.arguments[2], value=value)
        settings["server"] |= {"listen": server.origin.removeprefix("http://"), "public_url": server.origin}
        settings["firebase"]["endpoints"] = sandbox.settings["firebase"]["endpoints"]
        settings["providers"][YAHOO] |= {name: value for name, value in provider.items() if name != "client_secret"}
        settings["store_emulator_host"] = relay.host
        settings["logging"]["level"] = "debug"
        server.settings = settings
        server.configuration.unlink()
        server.environment |= {
            "TOKEN_EXCHANGE_CONFIG": yaml.safe_dump(settings),
            # The variables that Cloud Run sets.
            "PORT": server.origin.rpartition(":")[2],
            "K_SERVICE": "token-exchange",
            "K_REVISION": "token-exchange-00001-abc",
        }
        server.arguments = deployed.container["args"]
        sandbox.redirect_to(server.origin)
        stack.callback(lambda: server.is_running and server.kill())
        server.launch()
        for name in ("startupProbe", "livenessProbe"):
            path = deployed.container[name]["httpGet"]["path"]
            wait_until(lambda path=path: server.admin(path) == 200, f"{name} of\n{server.log}")
        yield Walk(server, sandbox, counted, firestore)
        server.close()


def _signs_in(walk: Walk, tmp_path: Path) -> dict[str, str]:
    """The program of the page "Start here", and a person in its browser. Returns uid, custom token and ID token of Firebase."""
    (tmp_path / "sign-in.mjs").write_text(documented("start"))
    environment = {"HOME": str(tmp_path), "SERVER": walk.server.origin, "GOOGLE": walk.sandbox.google, "NO_PROXY": "*"}
    with program(["node", str(tmp_path / "sign-in.mjs")], environment) as client:
        address = client.line(containing="Open ").removeprefix("Open ")
        redirect = allowed(Person(walk.server.origin, walk.sandbox.yahoo), address)
        assert "close this window" in follow(redirect)
        code, output = client.end()
    assert code == 0, output
    said = re.search(r"Signed in as (?P<uid>\S+)\. Custom token: (?P<token>\S+)\nFirebase ID token: (?P<session>\S+)", output)
    assert said is not None, output
    walk.server.secrets.add(said["token"], said["session"])
    return said.groupdict()


@needs_emulator
def test_the_way_to_the_first_sign_in(walk: Walk, tmp_path: Path) -> None:
    """No file, no key and no database server: Google signs for the identity that the metadata server gives."""
    first = _signs_in(walk, tmp_path)
    assert first["uid"] == ALICE
    claims = jwt.decode(first["token"], options={"verify_signature": False})
    assert claims["iss"] == f"default@{PROJECT}.iam.gserviceaccount.com"
    assert jwt.decode(first["session"], options={"verify_signature": False})["sub"] == ALICE
    assert documents(walk.firestore.host, str(walk.server.settings["store"])), "nothing is in the database"
    # A server that was stopped refuses nothing that was issued meanwhile, and knows the person.
    assert walk.server.terminate() == 0
    walk.server.launch()
    wait_until(lambda: walk.server.admin("/readyz") == 200, f"ready again:\n{walk.server.log}")
    assert _signs_in(walk, tmp_path)["uid"] == ALICE


@needs_emulator
@pytest.mark.parametrize("command", ["migrate", "sweep"])
def test_a_job_succeeds_with_the_configuration_of_the_service(walk: Walk, deployed: Executed, command: str) -> None:
    (call,) = [call for call in deployed.gcloud("run jobs deploy") if call.value("--args") == command]
    ran = walk.job(command, call.arguments[3])
    assert ran.returncode == 0, ran.stdout + ran.stderr


@needs_emulator
def test_the_job_doctor_finds_no_error_of_the_configuration(walk: Walk) -> None:
    """Warnings tell of the stand-ins and of the public address, which is not https."""
    ran = walk.job("doctor", "token-exchange-doctor")
    assert ran.returncode in (0, 2), ran.stdout + ran.stderr


@needs_emulator
def test_the_log_has_the_form_of_google(walk: Walk, tmp_path: Path) -> None:
    _signs_in(walk, tmp_path)
    lines = [json.loads(line) for line in walk.server.log.splitlines() if line.startswith("{")]
    assert lines and all("severity" in line and "message" in line for line in lines)


# MARK: - What it costs


def _table(heading: str) -> list[dict[str, str]]:
    """The rows of the table of the page whose first column has this heading."""
    lines = iter((GUIDE / "CloudRun.md").read_text().splitlines())
    cells = lambda line: [cell.strip() for cell in line.strip("|").split("|")]
    for line in lines:
        if line.startswith(f"| {heading} |"):
            names = cells(line)
            next(lines)
            rows = []
            while (row := next(lines)).startswith("|"):
                rows.append(dict(zip(names, cells(row), strict=True)))
            return rows
    raise AssertionError(f"no table {heading}")


def _number(text: str) -> float:
    return float(text.replace(",", ""))


@needs_emulator
def test_the_page_states_the_documents_of_a_sign_in(walk: Walk, tmp_path: Path) -> None:
    _signs_in(walk, tmp_path)
    walk.counted.documents.clear()
    _signs_in(walk, tmp_path)
    counted = walk.counted.documents
    stated = {row["what"]: _number(row["each sign-in"]) for row in _table("what") if row["of"] == "Firestore"}
    assert stated == {
        "documents read": counted["read"],
        "documents written": counted["written"],
        "documents deleted": counted["deleted"] + counted["expiring"],
    }, counted


def test_the_page_computes_the_costs_from_its_prices() -> None:
    prices = _table("what")
    amounts = [name for name in _table("dollars a month")[0] if name != "dollars a month"]
    for amount in amounts:
        sums = dict.fromkeys(("Firestore", "Cloud Run", "Secret Manager"), 0.0)
        for row in prices:
            each = row["each sign-in"]
            units = _number(each) * _number(amount) if each != "-" else _number(row["each month"])
            charged = max(0.0, units - _number(row["free each month"]))
            sums[row["of"]] += charged * _number(row["dollars"]) / _number(row["for"])
        expected = {name: f"{value:,.2f}" for name, value in sums.items()}
        expected["together"] = f"{sum(sums.values()):,.2f}"
        assert {row["dollars a month"]: row[amount] for row in _table("dollars a month")} == expected, amount


def test_the_prices_of_firestore_are_those_of_the_program() -> None:
    """`doctor` computes with them too."""
    code = (ROOT / "Sources/Stores/FirestoreStores/FirestoreCost.swift").read_text()
    prices = {row["what"]: row["dollars"] for row in _table("what")}
    for what, name in (("read", "reads"), ("written", "writes"), ("deleted", "deletes")):
        assert f"{name}: {prices[f'documents {what}']}" in code


# MARK: - Elsewhere


def test_the_configuration_for_other_platforms_is_accepted(deploy: Deploy) -> None:
    deployment = deploy()
    deployment.environment |= {
        "PORT": "10000",
        "DATABASE_URL": f"postgres://tokens:{secrets.token_urlsafe(24)}@db.internal/tokens",
        "SEAL_KEY": tokens.encode(secrets.token_bytes(32)),
        "STORE_KEY": tokens.encode(secrets.token_bytes(32)),
    }
    example = yaml.safe_load(documented("cloud-run-elsewhere"))
    settings = deployment.settings | example
    settings["server"] = deployment.settings["server"] | example["server"] | {"public_url": "https://auth.example.com"}
    deployment.configure(settings)
    outcome = deployment.run("config", "check")
    assert outcome.returncode == 0, outcome.stderr
