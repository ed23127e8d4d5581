"""The programs on the guide's pages about accounts, hooks, attacks and migration."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from joserfc.jwk import RSAKey

from clients.program import program
from clients.sign_in import allowed, follow
from conftest import Deploy, Peers, Settle
from deployment.account_application import AccountApplication, identities
from deployment.application import Application
from deployment.expectations import challenged, refused, signed_in, verified
from deployment.firebase import PROJECT, Firebase
from deployment.pages import GUIDE, ROOT, documented, examples
from deployment.process import Deployment, free_port
from deployment.sandbox import Sandbox
from deployment.service_account import ServiceAccount
from deployment.waiting import DEADLINE, wait_until
from peers import browser, tokens
from peers.hook import TYPE, Hook
from peers.loopback import Loopback
from peers.person import Person

YAHOO, X = "yahoo.com", "twitter.com"
ALICE = {YAHOO: "ALICEWJNWVNQD4GXZ5NGMZUST4", X: "2244994945"}
CLIENTS = Path(__file__).with_name("clients")

Run = Callable[..., str]


@pytest.fixture
def run(binary: Path, tmp_path: Path) -> Run:
    """Runs a program of the guide with bash in a folder of its own, and returns its output.

    The programs of the package are in its PATH, and read the configuration of `deployment`. `sudo` keeps the user of the
    tests, who is also that of the server.
    """
    folder = tmp_path / "bin"
    folder.mkdir()

    def ran(program: str, deployment: Deployment | None = None, status: int = 0, **environment: str) -> str:
        options = ["--config", str(deployment.configuration)] if deployment else []
        for name, further in (("token-exchange", options), ("token-exchange-lab", [])):
            command = shlex.join([str(binary.with_name(name))]), shlex.join(further)
            (folder / name).write_text(f'#!/bin/sh\nexec {command[0]} "$@" {command[1]}\n')
            (folder / name).chmod(0o700)
        (folder / "sudo").write_text('#!/bin/sh\n[ "$1 $2" = "-u token-exchange" ] && shift 2 && exec "$@"\n')
        (folder / "sudo").chmod(0o700)
        outcome = subprocess.run(
            ["bash", "-c", program],
            cwd=tmp_path,
            env={"PATH": f"{folder}:{os.environ['PATH']}", "HOME": str(tmp_path)} | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            check=False,
        )
        assert (outcome.returncode, outcome.stderr) == (status, ""), outcome.stdout + outcome.stderr
        return outcome.stdout

    return ran


@pytest.fixture
def people(settle: Settle) -> AccountApplication:
    return settle()


def _addresses(people: AccountApplication) -> dict[str, str]:
    sandbox = people.sandbox
    return {"SERVER": people.deployment.origin, "CONTROL": sandbox.control, "GOOGLE": sandbox.google}


# MARK: - Accounts


def test_an_anonymous_account_becomes_permanent(people: AccountApplication, run: Run) -> None:
    account = json.loads(run(documented("accounts-anonymous"), **_addresses(people)))["account"]
    assert account["uid"].startswith("anonymous:")
    assert not account["anonymous"]
    assert [identity["provider"] for identity in account["identities"]] == [YAHOO]


def test_two_accounts_are_merged(people: AccountApplication, run: Run) -> None:
    conflict, merged = map(json.loads, run(documented("accounts-merge"), **_addresses(people)).splitlines())
    uids = {"existing_uid": "twitter.com:1666", "merged_uid": "twitter.com:1666", "uid": f"yahoo.com:{ALICE[YAHOO]}"}
    assert conflict | merged == {"reason": "credential_already_in_use"} | uids


@pytest.mark.parametrize("way", ["password", "google.com", "facebook.com"])
def test_a_user_whom_the_sdk_signed_in_links_yahoo(settle: Settle, directory: str, way: str, tmp_path: Path) -> None:
    people = settle(firebase={"directory": directory})
    (tmp_path / "link-native.mjs").write_text(documented("accounts-native"))
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules/token-exchange-client").symlink_to(ROOT / "Sources/Clients/JavaScript")
    person = Person(people.deployment.origin, people.sandbox.yahoo)
    with program(["node", str(tmp_path / "link-native.mjs"), way], _addresses(people)) as running:
        follow(allowed(person, running.line("Open ").removeprefix("Open ")))
        ways = running.line("Ways in: ").removeprefix("Ways in: ").split(", ")
        follow(allowed(person, running.line("Open ").removeprefix("Open ")))
        status, output = running.end()
    assert status == 0, output
    # With `directory: firebase`, a link of the SDK with a provider of this server is one of this server.
    manager = "us" if directory == "firebase" and way != "password" else "firebase"
    assert sorted(ways) == sorted([f"{way} ({manager})", f"{YAHOO} (us)"])
    assert "Yahoo leads to the user of the SDK" in output


def test_the_operator_helps_with_a_second_factor(people: AccountApplication, run: Run) -> None:
    person = people.enroll(people.enter(YAHOO))
    challenged(people.try_to_enter(YAHOO))
    output = run(documented("factors-operator"), people.deployment, ACCOUNT_UID=person.entered.uid)
    assert person.factor_id in output
    people.enter(YAHOO)


def test_the_admin_sdk_shows_the_identities_of_a_user(settle: Settle, sandbox: Sandbox) -> None:
    people = settle(firebase={"directory": "firebase"})
    entered = people.enter(YAHOO)
    people.link(entered.session.id_token, X, people.token_of(X))
    variables = {
        "FIREBASE_AUTH_EMULATOR_HOST": sandbox.google.removeprefix("http://"),
        "GOOGLE_CLOUD_PROJECT": PROJECT,
    }
    outcome = subprocess.run(
        [sys.executable, "-c", documented("same-user"), entered.uid],
        env={"PATH": os.environ["PATH"]} | variables,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stderr
    assert dict(line.split() for line in outcome.stdout.splitlines()) == ALICE


def test_documented_errors_have_the_code_of_their_reason(people: AccountApplication) -> None:
    description = requests.get(f"{people.deployment.origin}/openapi.json", timeout=DEADLINE).json()
    reasons = description["components"]["schemas"]["Error"]["properties"]["reason"]["x-reasons"]
    errors = [
        (str(example), json.loads(example.code))
        for example in examples()
        if example.kind == "response" and int(example.words[3]) >= 400
    ]
    assert errors
    for place, error in errors:
        expected = reasons[error["reason"]]
        assert (error["error"], error["code"]) == (expected["error"], expected["code"]), place


# MARK: - Security rules


def _rules() -> dict[str, str]:
    """The conditions in the table, by the users who may, that of the SDK, and those of the file."""
    rows = re.findall(r"^\| (.+?) \| `(.+?)` \| `(.+?)` \|$", (GUIDE / "Anonymous.md").read_text(), re.MULTILINE)
    rules = {f"{users}, {number}": text for users, *texts in rows for number, text in enumerate(texts)}
    (rules["of the SDK"],) = re.findall(r"allow write: if (.*?);", documented("firestore-rule-of-the-SDK"))
    for path, allowed in re.findall(r"match /(\w+)/\{\w+\} \{(.*?)\}", documented("firestore-rules"), re.DOTALL):
        conditions = re.findall(r"allow ([^:]*): if (.*?);", allowed, re.DOTALL)
        rules |= {f"{path} {call}": condition for call, condition in conditions}
    return rules


def test_security_rules_tell_users_apart(people: AccountApplication) -> None:
    anonymous, yahoo, x = people.anonymous(), people.enter(YAHOO), people.enter(X, "mallory")
    guarded = people.enroll(people.enter(YAHOO, "bjorn"))
    handle = challenged(people.try_to_enter(YAHOO, "bjorn"))
    proven = people.entered(people.prove_factor(handle, totp=guarded.authenticator.next_code()))
    users: dict[str, Any] = {"signed out": None} | {
        name: entered.session.claims
        for name, entered in {"anonymous": anonymous, "yahoo": yahoo, "x": x, "proven": proven}.items()
    }
    outcome = subprocess.run(
        ["node", str(CLIENTS / "security_rules.js")],
        input=json.dumps({"users": users, "rules": _rules(), "owner": yahoo.uid}),
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert outcome.returncode == 0, outcome.stderr
    allowed: dict[str, set[str]] = {}
    for user, results in json.loads(outcome.stdout).items():
        for rule, result in results.items():
            if result:
                allowed.setdefault(rule, set()).add(user)
    everyone = {"anonymous", "yahoo", "x", "proven"}
    table = {
        "all who are signed in": everyone,
        "anonymous users only": {"anonymous"},
        "all except anonymous users": everyone - {"anonymous"},
        "the owner of a document, anonymous or not": {"yahoo"},
        "users of Yahoo": {"yahoo", "proven"},
        "users who have proven a second factor": {"proven"},
    }
    # It lets anonymous users of this server write.
    sdk = {"of the SDK": everyone}
    file = {"drafts read, write": {"yahoo"}, "posts read": everyone, "posts write": everyone - {"anonymous"}}
    assert allowed == {f"{users}, {number}": may for users, may in table.items() for number in (0, 1)} | sdk | file


# MARK: - Hooks


def _gated(deploy: Deploy, peers: Peers, url: str) -> Application:
    hooks = {"before_sign_in": {"url": url, "timeout": "10s"}}
    return Application(deploy(providers={"op": peers.providers["op"]}, hooks=hooks).start())


def _credential(app: Application, peers: Peers) -> dict[str, Any]:
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours, subject="erin")
    return grant.credential


def test_the_documented_question_has_the_members_of_a_real_one(
    deploy: Deploy, peers: Peers, service_account: ServiceAccount
) -> None:
    hook = Hook(service_account.public_pem, service_account.email)
    app = _gated(deploy, peers, hook.url)
    signed_in(app.exchange("op", _credential(app, peers)))
    question = hook.arrivals()[-1].body.decode()
    hook.stop()
    assert tokens.header(question)["typ"] == TYPE
    real, written = tokens.payload(question), json.loads(documented("hook-question"))
    assert written.keys() == real.keys()
    assert written["exp"] - written["iat"] == real["exp"] - real["iat"]
    assert written["event"].keys() == real["event"].keys()
    assert written["event"]["profile"].keys() <= real["event"]["profile"].keys()
    for name in written["event"].keys() - {"profile"}:
        assert type(written["event"][name]) is type(real["event"][name]), name


@pytest.fixture
def google(service_account: ServiceAccount) -> Iterator[Loopback]:
    """The host that publishes the keys of service accounts."""
    key = RSAKey.import_key(service_account.public_pem)
    body = json.dumps({"keys": [key.as_dict(private=False) | {"kid": service_account.key_id}]}).encode()

    def respond(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        assert environ["PATH_INFO"] == f"/service_accounts/v1/jwk/{service_account.email}"
        start_response("200 OK", [("Content-Type", "application/json")])
        return [body]

    peer = Loopback(respond)
    yield peer
    peer.stop()


Function = Callable[[str], str]


@pytest.fixture
def cloud_function(tmp_path: Path, google: Loopback, service_account: ServiceAccount) -> Iterator[Function]:
    """Starts a Cloud Function in Node.js and returns its URL."""
    running: list[subprocess.Popen[bytes]] = []
    modules = tmp_path / "node_modules"
    for module in ("functions-framework", "jose"):
        name = f"@google-cloud/{module}" if module == "functions-framework" else module
        installed = Path(os.environ.get("JAVASCRIPT_CLIENTS", "/nonexistent")) / name
        place = modules / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if module == "jose" and installed.is_dir():
            place.symlink_to(installed)
            continue
        place.mkdir()
        (place / "package.json").write_text(json.dumps({"name": name, "type": "module", "main": "index.js"}))
        (place / "index.js").write_text((CLIENTS / "cloud_function" / f"{module}.js").read_text())

    def start(program: str) -> str:
        port = free_port()
        url = f"http://127.0.0.1:{port}/gate"
        file = tmp_path / "index.mjs"
        file.write_text(program.replace("https://www.googleapis.com", google.origin))
        variables = {"SERVICE_ACCOUNT": service_account.email, "HOOK_URL": url, "PORT": str(port)}
        running.append(subprocess.Popen(["node", str(file)], env={"PATH": os.environ["PATH"]} | variables))

        def answers() -> bool:
            try:
                return requests.post(url, data=b"not a question", timeout=DEADLINE).status_code == 401
            except requests.ConnectionError:
                return False

        wait_until(answers, "the function refuses what is not a question")
        return url

    yield start
    for process in running:
        process.terminate()
        process.wait(timeout=DEADLINE)


def test_the_cloud_function_lets_in_people_of_one_company(
    deploy: Deploy, peers: Peers, cloud_function: Function, service_account: ServiceAccount
) -> None:
    program = documented("hook-function")
    app = _gated(deploy, peers, cloud_function(program))
    answer = app.exchange("op", _credential(app, peers))
    assert answer.body.pop("message") == "Sign in with the address of your company."
    refused(answer, 403, "blocked_by_hook")
    # The provider's users have addresses of people.example.
    assert "@example.com" in program
    url = cloud_function(program.replace("@example.com", "@people.example"))
    app = _gated(deploy, peers, url)
    body = signed_in(app.exchange("op", _credential(app, peers)))
    assert verified(body["custom_token"], service_account)["claims"]["employee"] is True
    # It has the same issuer and key as a question.
    assert requests.post(url, data=body["custom_token"], timeout=DEADLINE).status_code == 401


# MARK: - Attacks


def test_the_attack_on_the_audience_succeeds_only_at_the_naive_backend(run: Run) -> None:
    output = run(documented("attack-audience"))
    explained, naive, own = re.split(r"^stage +blocked", output, maxsplit=2, flags=re.MULTILINE)
    assert "An access token that Yahoo issued to another application" in explained
    assert "0 blocked, 1 broken" in naive
    assert "1 blocked, 0 broken" in own and "Every attack that could be tried was blocked." in own


def test_the_attack_with_another_spelling_of_a_used_token_is_blocked(run: Run) -> None:
    assert "1 blocked, 0 broken" in run(documented("attack-replay"))


# MARK: - Migration


def _enters(people: AccountApplication, provider: str, user: str, uid: str) -> None:
    entered = people.enter(provider, user)
    assert (entered.uid, entered.body["is_new_user"]) == (uid, False)


def test_users_of_a_sample_keep_their_uids(people: AccountApplication, run: Run, tmp_path: Path) -> None:
    uid = f"yahoo.com:{ALICE[YAHOO]}"
    users = [{"localId": name, "createdAt": "1500000000000", "providerUserInfo": []} for name in (uid, "twitter:1666")]
    (tmp_path / "users.json").write_text(json.dumps({"users": users}))
    listed = run(documented("migration-sample"), people.deployment)
    assert uid in listed and "twitter:1666" in listed
    _enters(people, YAHOO, "alice", uid)
    _enters(people, X, "mallory", "twitter:1666")


def test_users_whom_the_export_links_keep_their_uids(people: AccountApplication, run: Run, tmp_path: Path) -> None:
    """The file of firebase-tools since June 2026, and an id of a provider that is another one here."""
    games = {"providerId": "playgames.google.com", "rawId": "g1"}
    users = [
        {"localId": "y" * 28, "providerUserInfo": [{"providerId": YAHOO, "rawId": ALICE[YAHOO]}, games]},
        {"localId": "x" * 28, "providerUserInfo": [{"providerId": "oidc.x", "rawId": "1666"}]},
    ]
    (tmp_path / "users.json").write_text(json.dumps({"users": users}))
    run(documented("migration-map"), people.deployment)
    _enters(people, YAHOO, "alice", "y" * 28)
    _enters(people, X, "mallory", "x" * 28)


def test_links_that_the_export_lacks_come_from_firebase(
    people: AccountApplication, firebase: Firebase, run: Run, tmp_path: Path
) -> None:
    uid = "n" * 28
    firebase.change(uid, email="alice@example.com", email_verified=True)
    firebase.change(uid, link={"providerId": YAHOO, "rawId": ALICE[YAHOO]})
    users = [{"localId": uid, "email": "alice@example.com", "emailVerified": True, "providerUserInfo": []}]
    (tmp_path / "users.json").write_text(json.dumps({"users": users}))
    run(documented("migration-ask"), people.deployment)
    _enters(people, YAHOO, "alice", uid)


def test_users_of_a_function_keep_their_uids(people: AccountApplication, run: Run, tmp_path: Path) -> None:
    rows = ["uid,provider,id,email", f"u-4711,{YAHOO},{ALICE[YAHOO]},alice@example.com", f"u-4712,{X},1666,mallory@example.com"]
    (tmp_path / "users.csv").write_text("\n".join(rows) + "\n")
    run(documented("migration-function"), people.deployment)
    _enters(people, YAHOO, "alice", "u-4711")
    _enters(people, X, "mallory", "u-4712")


def test_users_of_a_sample_are_linked_at_firebase(
    settle: Settle, firebase: Firebase, run: Run, tmp_path: Path
) -> None:
    people = settle(firebase={"directory": "firebase"})
    uid = f"yahoo.com:{ALICE[YAHOO]}"
    firebase.admin.create_user(uid=uid)
    users = [{"localId": name, "providerUserInfo": []} for name in (uid, "k" * 28)]
    (tmp_path / "users.json").write_text(json.dumps({"users": users}))
    run(documented("migration-firebase"), people.deployment)
    assert firebase.providers(uid) == {YAHOO: ALICE[YAHOO]}
    entered = people.enter(YAHOO)
    assert entered.uid == uid
    assert identities(people.account(entered.session.id_token)) == {YAHOO: ALICE[YAHOO]}


# MARK: - What Firebase's guides ask for


def test_the_table_of_the_firebase_guides_names_tests_that_exist() -> None:
    named = set(re.findall(r"`(test_\w+\.py)`", (GUIDE / "FirebaseGuides.md").read_text()))
    assert len(named) > 8
    assert not [name for name in named if not (ROOT / "Tests/Interop" / name).exists()]
