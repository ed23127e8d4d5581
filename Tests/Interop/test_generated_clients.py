"""Clients that generators make from the API description sign in.

Code of openapi-python-client and of OpenAPI Generator: everything that is sent and read. Our code: the description, and the
two programs that call the clients. esbuild makes one script of the program in TypeScript, without checking its types.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import requests

from clients.program import program
from clients.sign_in import ALICE, YAHOO
from deployment.account_application import REDIRECT_URIS, AccountApplication
from deployment.expectations import verified
from deployment.sandbox import SandboxedDeployment
from deployment.waiting import DEADLINE
from peers.person import Person

SCRIPTS = Path(sys.executable).parent
PROGRAM = Path(__file__).with_name("clients") / "typescript" / "sign_in.ts"
CLIENT_ID = "my-app"


def _run(*command: str) -> str:
    """Runs a program, and returns its output and its errors."""
    environment = {"PATH": f"{SCRIPTS}:/usr/local/bin:/usr/bin:/bin"}
    outcome = subprocess.run(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=10 * DEADLINE,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stdout
    return outcome.stdout


@pytest.fixture(scope="module")
def folder(sandboxed: SandboxedDeployment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the description of the server."""
    folder = tmp_path_factory.mktemp("generated")
    document = requests.get(f"{sandboxed.server.origin}/openapi.json", timeout=DEADLINE).text
    (folder / "openapi.json").write_text(document)
    return folder


# MARK: - Python


@pytest.fixture(scope="module")
def client(folder: Path) -> ModuleType:
    """The package that openapi-python-client generates."""
    configuration = folder / "configuration.yaml"
    # By default it formats the package with ruff.
    configuration.write_text("post_hooks: []\n")
    package = folder / "generated_client"
    output = _run(
        *(str(SCRIPTS / "openapi-python-client"), "generate", "--meta", "none", "--path", str(folder / "openapi.json")),
        *("--output-path", str(package), "--config", str(configuration)),
    )
    # It knows no requests that are a JWT, and no responses that are pictures.
    assert [line for line in output.splitlines() if "WARNING" in line] == [
        "WARNING parsing GET /logo/{digest} within default.",
        "WARNING parsing POST /v1/events/{provider} within default.",
    ]
    sys.path.insert(0, str(folder))
    try:
        for name in ("models", "api.default.signin", "api.default.exchange", "api.default.account"):
            importlib.import_module(f"generated_client.{name}")
        return importlib.import_module("generated_client")
    finally:
        sys.path.remove(str(folder))


def test_the_python_client_signs_in(
    client: ModuleType, sandboxed: SandboxedDeployment, members: AccountApplication, person: Person
) -> None:
    models, operations = client.models, client.api.default
    options = {"base_url": sandboxed.server.origin, "httpx_args": {"trust_env": False}}
    redirect_uri = REDIRECT_URIS[YAHOO]
    with client.Client(**options) as anyone:
        begun = operations.signin.sync(
            client=anyone, body=models.SignInRequest(client_id=CLIENT_ID, provider=YAHOO, redirect_uri=redirect_uri)
        )
        callback_url = person.open(begun.authorization_url).allow().redirect
        credential = models.CallbackCredential(type_="callback", session=begun.session, callback_url=callback_url)
        body = models.ExchangeRequest(client_id=CLIENT_ID, provider=YAHOO, credential=credential)
        answer = operations.exchange.sync(client=anyone, body=body)
        again = operations.exchange.sync_detailed(client=anyone, body=body)
    assert isinstance(answer, models.CustomTokenResponse)
    assert answer.uid == verified(answer.custom_token, sandboxed.account)["uid"] == ALICE
    assert answer.profile.name == "Alice Example"
    assert (again.status_code, again.parsed.reason) == (400, models.ErrorReason.REPLAYED)

    session = members.firebase.sign_in(answer.custom_token)
    sandboxed.server.secrets.add(begun.session, answer.custom_token, session.id_token)
    with client.AuthenticatedClient(**options, token=session.id_token) as alice:
        account = operations.account.sync(client=alice, client_id=CLIENT_ID)
    assert isinstance(account, models.Account)
    assert account.uid == ALICE
    assert YAHOO in [identity.provider for identity in account.identities]


# MARK: - TypeScript


@pytest.fixture(scope="module")
def script(folder: Path) -> Path:
    """The program with the client that OpenAPI Generator makes."""
    client, script = folder / "client", folder / "sign_in.mjs"
    _run(
        *(str(SCRIPTS / "openapi-generator-cli"), "generate", "--generator-name", "typescript-fetch"),
        *("--input-spec", str(folder / "openapi.json"), "--output", str(client)),
    )
    options = ("--bundle", "--platform=node", "--format=esm", "--target=es2022", "--log-level=warning")
    _run("esbuild", *options, f"--alias:client={client}/index.ts", f"--outfile={script}", str(PROGRAM))
    return script


def test_the_typescript_client_signs_in(script: Path, sandboxed: SandboxedDeployment, person: Person) -> None:
    with program(["node", str(script), sandboxed.server.origin]) as client:
        client.enter(person.open(client.line("http")).allow().redirect)
        answer = json.loads(client.line("{"))
        refusal = json.loads(client.line("{"))
        code, rest = client.end()
    assert code == 0, rest
    sandboxed.server.secrets.add(answer["customToken"])
    assert answer["uid"] == verified(answer["customToken"], sandboxed.account)["uid"] == ALICE
    assert answer["name"] == "Alice Example"
    assert refusal == {"status": 400, "reason": "replayed"}
