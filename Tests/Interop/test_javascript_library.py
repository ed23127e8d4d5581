"""The library for JavaScript (`Sources/Clients/JavaScript`): in Node.js against its list of cases, in Node.js and in Chromium
against the running server, its types with Debian's TypeScript, and the package that npm makes of it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from clients.program import Program, program
from clients.sign_in import ALICE, YAHOO, allowed, approve_device, follow
from deployment.account_application import REDIRECT_URIS, AccountApplication
from deployment.description import validator
from deployment.expectations import verified
from deployment.firebase import PROJECT, Firebase
from deployment.pages import GUIDE, ROOT, documented, examples, topics
from deployment.process import Deployment
from deployment.sandbox import SandboxedDeployment, sandboxed_deployment
from deployment.service_account import ServiceAccount
from deployment.waiting import DEADLINE
from peers.authenticator import Authenticator
from peers.browser import parameters
from peers.chromium import Visitor
from peers.loopback import Loopback
from peers.person import Person

LIBRARY = ROOT / "Sources/Clients/JavaScript"
PROGRAMS = Path(__file__).with_name("clients") / "library"
MODULES = ["loopback.d.ts", "loopback.js", "token-exchange-client.d.ts", "token-exchange-client.js"]
FILES = sorted(["LICENSE", "README.md", "package.json", *MODULES])
X = "twitter.com"


def _run(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "npm_config_offline": "true"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an application with the package, the functions of the guide, and the programs of the tests."""
    folder = tmp_path_factory.mktemp("application")
    shutil.copytree(PROGRAMS, folder, dirs_exist_ok=True)
    (folder / "guide.mjs").write_text(documented("javascript-conflict") + documented("javascript-second-factor"))
    (folder / "package.json").write_text('{"type": "module"}')
    package = folder / "node_modules/token-exchange-client"
    package.mkdir(parents=True)
    for name in ["package.json", *MODULES]:
        shutil.copy(LIBRARY / name, package)
    return folder


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed; Debian has it as a package of its own")
def test_npm_packs_exactly_these_files(tmp_path: Path) -> None:
    folder = tmp_path / "Sources/Clients/JavaScript"
    shutil.copytree(LIBRARY, folder)
    shutil.copy(ROOT / "LICENSE", tmp_path)
    packed = _run("npm", "pack", "--dry-run", "--json", folder=folder)
    assert packed.returncode == 0, packed.stderr
    (package,) = json.loads(packed.stdout)
    assert sorted(file["path"] for file in package["files"]) == FILES
    # The script before copied the licence of the repository, and the one after removed it.
    (licence,) = (file for file in package["files"] if file["path"] == "LICENSE")
    assert licence["size"] == (ROOT / "LICENSE").stat().st_size
    assert not (folder / "LICENSE").exists()


def test_the_package_depends_on_nothing() -> None:
    manifest = json.loads((LIBRARY / "package.json").read_text())
    assert not [name for name in manifest if name.endswith("ependencies")]
    assert manifest["license"] == "Apache-2.0"
    imported = {name: re.findall(r'from "(.+)"', (LIBRARY / name).read_text()) for name in MODULES}
    assert imported.pop("loopback.js") == [
        "node:child_process",
        "node:crypto",
        "node:http",
        "./token-exchange-client.js",
    ]
    assert imported == {
        "loopback.d.ts": ["./token-exchange-client.js"],
        "token-exchange-client.d.ts": [],
        "token-exchange-client.js": [],
    }


@pytest.mark.parametrize("suite", ["cases.test.mjs", "library.test.mjs"])
def test_the_library_behaves_as_its_cases_say(application: Path, suite: str) -> None:
    run = _run("node", "--test", suite, folder=application)
    assert run.returncode == 0, run.stdout
    assert "# fail 0" in run.stdout
    assert "# skipped 0" in run.stdout


@pytest.mark.skipif(shutil.which("deno") is None, reason="deno is not installed; Debian does not have it")
def test_the_library_behaves_so_in_deno(application: Path) -> None:
    imports = {
        f"token-exchange-client{end}": f"./node_modules/token-exchange-client/{file}.js"
        for end, file in [("", "token-exchange-client"), ("/loopback", "loopback")]
    }
    (application / "deno.json").write_text(json.dumps({"imports": imports}))
    suites = ["cases.test.mjs", "library.test.mjs"]
    run = _run("deno", "test", "--no-check", "--allow-all", *suites, folder=application)
    assert run.returncode == 0, run.stdout


needs_typescript = pytest.mark.skipif(
    shutil.which("tsc") is None, reason="tsc is not installed; scripts/setup tests installs it"
)


@needs_typescript
def test_the_types_are_those_of_the_module(application: Path) -> None:
    # Without @types/node there are no declarations of Node's modules.
    (application / "node.d.ts").write_text('declare module "node:assert/strict";\n')
    options = ("--strict", "--target", "es2022", "--module", "node16", "--lib", "es2022,dom")
    compiled = _run("tsc", *options, "types.ts", "node.d.ts", folder=application)
    assert compiled.returncode == 0, compiled.stdout
    run = _run("node", "types.js", folder=application)
    assert run.returncode == 0, run.stderr


# What the applications of the examples have, as declarations of a script.
SURROUNDINGS = """
declare function createClient(options: import("token-exchange-client").ClientOptions): import("token-exchange-client").Client;
declare const client: import("token-exchange-client").Client, browser: import("token-exchange-client").Browser;
declare const popup: typeof import("token-exchange-client").popup, visiting: typeof import("token-exchange-client").visiting;
declare const App: any, Browser: any, WebBrowser: any, auth: any, button: any, chrome: any, shell: any;
declare const clientId: string, server: string, process: any;
declare function show(...values: string[]): void;
declare function signInWithCustomToken(auth: any, token: string | undefined): Promise<void>;
declare module "@capacitor/app";
declare module "@capacitor/browser";
declare module "@tauri-apps/plugin-deep-link";
declare module "@tauri-apps/plugin-opener";
declare module "electron";
declare module "expo-web-browser";
declare module "react-native-quick-crypto";
"""


@needs_typescript
def test_the_examples_fit_the_types(application: Path) -> None:
    """Most of them are not run, because their platform is not here."""
    pages = [LIBRARY / "README.md", GUIDE / "JavaScript.md", *topics(GUIDE / "Platforms.md")]
    found = [example for example in examples(pages) if example.language == "js"]
    assert len(found) >= 15
    folder = application / "examples"
    folder.mkdir()
    (folder / "surroundings.d.ts").write_text(SURROUNDINGS)
    for number, example in enumerate(found):
        code = example.code.replace('"./token-exchange-client.js"', '"token-exchange-client"')
        # A module, whose names are its own.
        (folder / f"example-{number}.ts").write_text(f"// {example}\n{code}\nexport {{}};\n")
    options = ("--noEmit", "--strict", "--noImplicitAny", "false", "--useUnknownInCatchVariables", "false")
    modern = ("--target", "es2022", "--module", "node16", "--lib", "es2022,dom")
    checked = _run("tsc", *options, *modern, *map(str, folder.iterdir()), folder=application)
    assert checked.returncode == 0, checked.stdout


FORM = "application/x-www-form-urlencoded"


def test_the_requests_of_the_list_are_those_of_the_description(sandboxed: SandboxedDeployment) -> None:
    """Otherwise both libraries could make the same mistake."""
    description = requests.get(f"{sandboxed.server.origin}/openapi.json", timeout=DEADLINE).json()
    for case in json.loads((PROGRAMS / "cases.json").read_text())["cases"]:
        for exchange in case["exchanges"]:
            request = exchange["request"]
            operation = description["paths"][request["path"].partition("?")[0]][request["method"].lower()]
            body = request.get("json") or request.get("form")
            assert bool(body) == ("requestBody" in operation) or "text" in request, case["name"]
            if not body:
                continue
            kind = "application/json" if "json" in request else FORM
            schema = operation["requestBody"]["content"][kind]["schema"]
            # The values of a flow are 256 bits in base64url.
            sent = re.sub(r"\$(state|challenge|verifier)", "v" * 42 + "A", json.dumps(body))
            errors = [error.message for error in validator(description, schema).iter_errors(json.loads(sent))]
            assert not errors, f"{case['name']}: {errors}"


# MARK: - Node.js


class Library:
    """A program that calls the library."""

    def __init__(self, running: Program, deployment: Deployment) -> None:
        self._running = running
        self._deployment = deployment

    def begin(self, call: str, bearer: str | None = None, /, **options: Any) -> None:
        self._running.enter(json.dumps({"call": call, "bearer": bearer, "options": options}))

    def event(self) -> dict[str, Any]:
        event = json.loads(self._running.line("{"))
        result = event.get("result")
        if isinstance(result, dict):
            self._deployment.secrets.add(result.get("customToken"), *_texts(result.get("oauth")), result.get("secret"))
        self._deployment.secrets.add((event.get("error") or {}).get("pendingCredential"))
        return event

    def result(self) -> Any:
        event = self.event()
        assert event.keys() == {"result"}, event
        return event["result"]

    def error(self) -> dict[str, Any]:
        event = self.event()
        assert event.keys() == {"error"}, event
        return event["error"]

    def call(self, call: str, bearer: str | None = None, /, **options: Any) -> Any:
        self.begin(call, bearer, **options)
        return self.result()

    def refused(self, call: str, bearer: str | None = None, /, **options: Any) -> dict[str, Any]:
        self.begin(call, bearer, **options)
        return self.error()

    def opened(self) -> str:
        return self.event()["open"]

    def answer(self, question: str, answer: Any) -> None:
        """Answers what the program asks its user."""
        assert self.event() == {"ask": question}
        self._running.enter(json.dumps(answer))


def _texts(members: dict[str, Any] | None) -> list[str]:
    return [text for name, text in (members or {}).items() if isinstance(text, str) and name != "scope"]


Start = Callable[..., Library]


@pytest.fixture
def start(application: Path, sandboxed: SandboxedDeployment) -> Iterator[Start]:
    """Starts the program for a client of the server."""
    with contextlib.ExitStack() as stack:

        def started(client_id: str = "my-app") -> Library:
            command = ["node", str(application / "driver.mjs"), sandboxed.server.origin, client_id]
            return Library(stack.enter_context(program(command)), sandboxed.server)

        yield started


@pytest.fixture
def node(start: Start) -> Library:
    return start()


def _person(sandboxed: SandboxedDeployment) -> Person:
    return Person(sandboxed.server.origin, sandboxed.sandbox.yahoo, sandboxed.sandbox.x)


def _go(node: Library, sandboxed: SandboxedDeployment, provider: str, user: str) -> None:
    """The user signs in on the pages that the program opens, and the browser sends the redirect to it."""
    redirect = _person(sandboxed).open(node.opened()).press("provider", provider).allow(user).redirect
    sandboxed.server.secrets.add(redirect.partition("code=")[2].partition("&")[0])
    assert "You can close this window" in follow(redirect)


def _session(members: AccountApplication, result: dict[str, Any]) -> str:
    """Signs in to Firebase, and returns the ID token."""
    session = members.firebase.sign_in(result["customToken"])
    members.deployment.secrets.add(session.id_token, session.refresh_token)
    assert session.uid == result.get("uid", session.uid)
    return session.id_token


def _id_token(node: Library, sandboxed: SandboxedDeployment, user: str) -> dict[str, str]:
    """The credential of an application that has an ID token of Yahoo."""
    nonce = node.call("nonce", provider=YAHOO)
    issued = sandboxed.sandbox.issue(provider=YAHOO, user=user, nonce=nonce["nonce"])
    sandboxed.server.secrets.add(issued["id_token"], nonce["nonceVerifier"])
    return {"type": "id_token", "idToken": issued["id_token"], "nonce": nonce["nonceVerifier"]}


def _providers(account: dict[str, Any]) -> list[str]:
    return sorted(identity["provider"] for identity in account["identities"] if identity["managedBy"] == "us")


def test_a_browser_signs_in_and_returns_to_loopback(node: Library, sandboxed: SandboxedDeployment) -> None:
    node.begin("signIn", provider=YAHOO)
    _go(node, sandboxed, YAHOO, "alice")
    result = node.result()
    assert result["uid"] == verified(result["customToken"], sandboxed.account)["uid"] == ALICE
    assert (result["provider"], result["profile"]["email"]) == (YAHOO, "alice@example.com")


def test_the_program_of_the_guide_signs_in(application: Path, sandboxed: SandboxedDeployment, person: Person) -> None:
    (application / "sign-in.mjs").write_text(documented("javascript-node"))
    with program(["node", str(application / "sign-in.mjs")], {"SERVER": sandboxed.server.origin}) as running:
        follow(allowed(person, running.line("Open ").removeprefix("Open ")))
        said = running.line("Signed in as").split()
        assert running.end()[0] == 0
    assert said[3] == f"{ALICE}."
    sandboxed.server.secrets.add(said[-1])
    assert verified(said[-1], sandboxed.account)["uid"] == ALICE


def test_a_user_who_refuses_is_an_error(node: Library, sandboxed: SandboxedDeployment) -> None:
    node.begin("signIn", provider=YAHOO)
    redirect = _person(sandboxed).open(node.opened()).press("provider", "").redirect
    follow(redirect)
    error = node.error()
    assert (error["reason"], error["code"]) == ("access_denied", "auth/user-cancelled")


def test_a_client_with_redeem_receives_a_session(start: Start, sandboxed: SandboxedDeployment) -> None:
    node = start("without-sdk")
    result = node.call("signInAnonymously")
    sandboxed.server.secrets.add(*_texts(result["session"]))
    assert "customToken" not in result
    account = node.call("account", result["session"]["idToken"])
    assert (account["uid"], account["anonymous"]) == (result["uid"], True)


def test_an_anonymous_account_keeps_its_uid_with_its_first_link(
    node: Library, sandboxed: SandboxedDeployment, members: AccountApplication
) -> None:
    guest = node.call("signInAnonymously")
    bearer = _session(members, guest)
    node.begin("link", bearer, provider=YAHOO)
    _go(node, sandboxed, YAHOO, "erin")
    linked = node.result()
    assert linked["uid"] == guest["uid"] == verified(linked["customToken"], sandboxed.account)["uid"]
    assert _providers(linked["account"]) == [YAHOO]


def test_a_conflict_is_merged_and_the_account_managed_until_its_end(
    node: Library, sandboxed: SandboxedDeployment, members: AccountApplication
) -> None:
    bjorn, carol = members.enter(X, "bjorn"), members.enter(YAHOO, "carol")
    bearer = carol.session.id_token
    node.begin("link", bearer, provider=X)
    _go(node, sandboxed, X, "bjorn")
    error = node.error()
    assert (error["reason"], error["code"]) == ("credential_already_in_use", "auth/credential-already-in-use")
    assert error["existingUid"] == bjorn.uid

    # The function of the guide: the user declines, and then agrees.
    for answer in (False, True):
        node.begin("linkOrMerge", bearer, provider=X)
        _go(node, sandboxed, X, "bjorn")
        node.answer("merge?", answer)
        if not answer:
            assert node.error()["reason"] == "credential_already_in_use"
    merged = node.result()
    assert merged["mergedUid"] == bjorn.uid
    assert _providers(merged["account"]) == [X, YAHOO]
    again = node.refused("merge", bearer, pendingCredential=error["pendingCredential"])
    assert (again["code"], again["status"]) == ("auth/invalid-credential", 400)
    assert node.refused("account", bjorn.session.id_token)["reason"] == "account_gone"

    bearer = _session(members, merged)
    assert _providers(node.call("account", bearer)) == [X, YAHOO]
    assert _providers(node.call("unlink", bearer, provider=X)) == [YAHOO]
    assert node.refused("unlink", bearer, provider=X)["code"] == "auth/no-such-provider"
    assert node.refused("unlink", bearer, provider=YAHOO)["reason"] == "last_identity"
    node.begin("reauthenticate", bearer, provider=YAHOO)
    _go(node, sandboxed, YAHOO, "carol")
    fresh = node.result()
    assert "reauth_time" in verified(fresh["customToken"], sandboxed.account)["claims"]
    assert node.call("deleteAccount", bearer) in ("deleted", "kept", "none")
    assert node.refused("account", bearer)["code"] == "auth/user-not-found"
    assert node.refused("account")["reason"] == "token_unavailable"


def test_a_credential_is_exchanged_once(node: Library, sandboxed: SandboxedDeployment) -> None:
    credential = _id_token(node, sandboxed, "alice")
    result = node.call("signIn", provider=YAHOO, credential=credential)
    assert (result["uid"], result["audienceProof"]) == (ALICE, "id_token_aud")
    assert node.refused("signIn", provider=YAHOO, credential=credential)["reason"] == "replayed"

    nonce = node.call("nonce", provider=X)
    pair = sandboxed.sandbox.issue(provider=X, protocol="oauth1", user="alice")
    tokens = {"oauthToken": pair["oauth_token"], "oauthTokenSecret": pair["oauth_token_secret"]}
    sandboxed.server.secrets.add(*tokens.values(), nonce["nonceVerifier"])
    credential = {"type": "oauth1_token", "nonce": nonce["nonceVerifier"]} | tokens
    assert node.call("signIn", provider=X, credential=credential)["audienceProof"] == "consumer_signature"


def test_tokens_of_the_provider_are_refreshed_and_revoked(
    node: Library, sandboxed: SandboxedDeployment, members: AccountApplication
) -> None:
    issued = sandboxed.sandbox.issue(provider=YAHOO, user="alice", nonce="n-5", redirect_uri=REDIRECT_URIS[YAHOO])
    credential = {
        "type": "authorization_code",
        "code": issued["code"],
        "redirectUri": REDIRECT_URIS[YAHOO],
        "nonce": "n-5",
    }
    result = node.call("signIn", provider=YAHOO, credential=credential)
    bearer = _session(members, result)
    fresh = node.call("refreshProviderTokens", bearer, provider=YAHOO, refreshToken=result["oauth"]["refreshToken"])
    sandboxed.server.secrets.add(*_texts(fresh))
    assert fresh["accessToken"] != result["oauth"]["accessToken"]
    token = fresh.get("refreshToken", result["oauth"]["refreshToken"])
    assert node.call("revokeProviderToken", bearer, provider=YAHOO, token=token) is None
    refusal = node.refused("refreshProviderTokens", bearer, provider=YAHOO, refreshToken=token)
    assert refusal["reason"] == "token_rejected"


def test_all_sessions_end(node: Library, members: AccountApplication) -> None:
    entered = members.enter(YAHOO, "alice")
    assert isinstance(node.call("signOutEverywhere", entered.session.id_token), bool)


def test_a_second_factor_is_added_asked_for_and_removed(
    node: Library, sandboxed: SandboxedDeployment, members: AccountApplication
) -> None:
    entered = members.enter(YAHOO, "dana")
    bearer = entered.session.id_token
    enrollment = node.call("addSecondFactor", bearer, name="Phone")
    authenticator = Authenticator(enrollment["otpauthUri"])
    recovery = node.call("confirmSecondFactor", bearer, factorId=enrollment["factorId"], totp=authenticator.next_code())
    sandboxed.server.secrets.add(*recovery)
    assert len(recovery) == 10

    credential = _id_token(node, sandboxed, "dana")
    asked = node.refused("signIn", provider=YAHOO, credential=credential)
    assert (asked["code"], asked["factors"]) == ("auth/multi-factor-auth-required", ["totp", "recovery_code"])
    proof = {"type": "second_factor", "pendingCredential": asked["pendingCredential"]}
    wrong = node.refused("signIn", credential=proof | {"totp": authenticator.wrong_code()})
    assert (wrong["reason"], wrong["code"]) == ("second_factor_invalid", "auth/invalid-verification-code")
    assert node.call("signIn", credential=proof | {"recoveryCode": recovery[1]})["uid"] == entered.uid
    # The function of the guide.
    node.begin("exchange", provider=YAHOO, credential=_id_token(node, sandboxed, "dana"))
    node.answer("code?", authenticator.next_code())
    result = node.result()
    assert result["uid"] == entered.uid

    bearer = _session(members, result)
    listed = node.call("secondFactors", bearer)
    assert [factor["name"] for factor in listed["factors"]] == ["Phone"]
    assert listed["recoveryCodesLeft"] == 9
    removal = {"factorId": enrollment["factorId"], "recoveryCode": recovery[0]}
    assert node.call("removeSecondFactor", bearer, **removal) is None
    assert node.call("secondFactors", bearer)["factors"] == []


@pytest.mark.parametrize("decision", ["approve", "deny"])
def test_a_device_waits_for_its_user(start: Start, sandboxed: SandboxedDeployment, decision: str) -> None:
    node = start("living-room-tv")
    node.begin("deviceSignIn")
    shown = node.event()
    assert shown["state"] == "code"
    code = shown["code"]
    person = _person(sandboxed)
    if decision == "approve":
        approve_device(person, code["verificationUriComplete"].partition("?")[0], code["userCode"])
    else:
        person.open(code["verificationUri"]).enter_code(code["userCode"]).press("decision", "deny")
    event = node.event()
    while event.get("state") == "waiting":
        event = node.event()
    if decision == "approve":
        assert event["result"]["uid"] == ALICE
    else:
        assert event["error"]["reason"] == "access_denied"


# MARK: - Chromium

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Application</title>
<link rel="icon" href="data:,"></head><body><h1 id="application">An application</h1>
<button id="go" type="button">Go</button>
<script type="importmap">{"imports": {"token-exchange-client": "/library/token-exchange-client.js"}}</script>
<script type="module">
import { createClient, popup } from "token-exchange-client";
const client = createClient({
  server: SERVER, clientId: "web-page", browser: popup(), getIdToken: () => window.bearer ?? sessionStorage.bearer,
});
const report = (call) => call.then(
  result => { window.outcome = { result }; },
  ({ reason, code, pendingCredential }) => { window.outcome = { error: { reason, code, pendingCredential } }; });
window.call = (name, options) => report(client[name](options));
document.getElementById("go").addEventListener("click", () => window.call(window.todo, window.options));
await report(client.completeRedirect());
window.loaded = true;
</script></body></html>"""


# A page with the functions of the guide.
REDIRECT = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Application</title>
<link rel="icon" href="data:,"></head><body><h1 id="application">An application</h1>
<script type="importmap">{"imports": {"token-exchange-client": "/library/token-exchange-client.js"}}</script>
<script type="module">
import { arrive, leave } from "/redirect.js";
window.leave = leave;
window.outcome = { result: await arrive() };
window.loaded = true;
</script></body></html>"""


class Site:
    """Two pages of the client `web-page`."""

    def __init__(self) -> None:
        self.server = ""
        self.listener = Loopback(self._respond)

    @property
    def url(self) -> str:
        return f"{self.listener.origin}/"

    def _respond(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        if environ["PATH_INFO"].startswith("/library/"):
            start_response("200 OK", [("Content-Type", "text/javascript; charset=utf-8")])
            return [(LIBRARY / environ["PATH_INFO"].removeprefix("/library/")).read_bytes()]
        if environ["PATH_INFO"] == "/redirect.js":
            start_response("200 OK", [("Content-Type", "text/javascript; charset=utf-8")])
            return [documented("javascript-redirect").replace("https://auth.example.com", self.server).encode()]
        start_response("200 OK", [("Content-Type", "text/html; charset=utf-8")])
        page = REDIRECT if environ["PATH_INFO"] == "/redirect" else PAGE
        return [page.replace("SERVER", json.dumps(self.server)).encode()]


Web = tuple[SandboxedDeployment, Site]


@pytest.fixture(scope="module")
def web(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """A server with the client of the page."""
    site = Site()
    origin = site.listener.origin
    uris = [f"{origin}/callback", site.url, f"{site.url}redirect"]
    clients = {"web-page": {"redirect_uris": uris, "origins": [origin]}}
    account = ServiceAccount(PROJECT)
    with sandboxed_deployment(binary, tmp_path_factory.mktemp("web"), account, clients) as deployment:
        site.server = deployment.server.origin
        yield deployment, site
    site.listener.stop()


@pytest.fixture
def web_members(web: Web) -> Iterator[AccountApplication]:
    firebase = Firebase(web[0].sandbox)
    yield AccountApplication(web[0].server, firebase, web[0].sandbox)
    firebase.close()


def _ready(visitor: Visitor) -> None:
    visitor.see("application")
    visitor.wait_until(lambda: visitor.run("return window.loaded === true"))


def _press(visitor: Visitor, todo: str, options: dict[str, Any], bearer: str | None = None) -> None:
    """The user presses the button of the page, which calls the library."""
    state = {"outcome": None, "todo": todo, "options": options, "bearer": bearer}
    visitor.run(f"Object.assign(window, {json.dumps(state)})")
    visitor.find("#go").click()


def _press_for_popup(visitor: Visitor, todo: str, options: dict[str, Any], bearer: str | None = None) -> str:
    """Switches to the pop-up window, and returns the page that opened it."""
    page, before = visitor.tab, visitor.windows()
    _press(visitor, todo, options, bearer)
    visitor.wait_until(lambda: len(visitor.windows() - before) == 1)
    visitor.go_to_tab((visitor.windows() - before).pop())
    visitor.see("sign in")
    return page


def _outcome(visitor: Visitor) -> dict[str, Any]:
    visitor.wait_until(
        lambda: visitor.run("return window.outcome?.result ?? window.outcome?.error ?? null") is not None
    )
    return visitor.run("return window.outcome")


def _signed_in(visitor: Visitor, web: Web, uid: str = ALICE) -> dict[str, Any]:
    outcome = _outcome(visitor)
    assert outcome.keys() == {"result"}, outcome
    result = outcome["result"]
    web[0].server.secrets.add(result["customToken"], *_texts(result.get("oauth")))
    assert result["uid"] == verified(result["customToken"], web[0].account)["uid"] == uid
    return result


# Messages that other pages, and another window of the server, could send; one has the state, but comes from another origin.
FORGED = """
const [server, state, type] = [SERVER, STATE, "authorization_response"];
const post = (origin, data) => dispatchEvent(new MessageEvent("message", {origin, data}));
post(location.origin, {type, response: {code: "c", state, iss: server}});
post(server, {type: "other", response: {code: "c", state, iss: server}});
post(server, {type, response: {code: "c", state: "another", iss: server}});
post(server, {type, response: {code: "c", iss: server}});
post(server, {type});
post(server, null);
"""


def test_a_page_signs_in_by_a_pop_up_window_and_ignores_other_messages(web: Web, visitor: Visitor) -> None:
    visitor.open(web[1].url)
    _ready(visitor)
    page = _press_for_popup(visitor, "signIn", {"provider": YAHOO})
    popup, state = visitor.tab, parameters(visitor.url)["state"]
    visitor.go_to_tab(page)
    visitor.run(FORGED.replace("SERVER", json.dumps(web[0].server.origin)).replace("STATE", json.dumps(state)))
    visitor.go_to_tab(popup)
    visitor.choose_provider(YAHOO)
    visitor.allow("alice")
    visitor.go_to_tab(page)
    _signed_in(visitor, web)
    visitor.wait_until(lambda: popup not in visitor.windows())
    assert visitor.run("return sessionStorage.length + localStorage.length") == 0
    assert not web[1].listener.arrivals("/callback"), "the response is also in a URL"
    visitor.check_console()


def test_a_page_learns_that_the_user_closed_the_window(web: Web, visitor: Visitor) -> None:
    visitor.open(web[1].url)
    _ready(visitor)
    page = _press_for_popup(visitor, "signIn", {"provider": YAHOO})
    visitor.run("window.close()")
    visitor.go_to_tab(page)
    error = _outcome(visitor)["error"]
    assert (error["reason"], error["code"]) == ("cancelled", "auth/popup-closed-by-user")


def test_a_page_learns_that_the_window_was_blocked(web: Web, visitor: Visitor) -> None:
    visitor.open(web[1].url)
    _ready(visitor)
    # A driver presses with a user's rights: Chromium would not block it.
    visitor.run("window.open = () => null")
    _press(visitor, "signIn", {"provider": YAHOO})
    error = _outcome(visitor)["error"]
    assert (error["reason"], error["code"]) == ("browser_failed", "auth/popup-blocked")


def test_a_page_links_by_a_pop_up_window_and_merges_a_conflict(
    web: Web, web_members: AccountApplication, visitor: Visitor
) -> None:
    bjorn, carol = web_members.enter(X, "bjorn"), web_members.enter(YAHOO, "carol")
    visitor.open(web[1].url)
    _ready(visitor)
    page = _press_for_popup(visitor, "link", {"provider": X}, carol.session.id_token)
    visitor.choose_provider(X)
    visitor.allow("bjorn")
    visitor.go_to_tab(page)
    error = _outcome(visitor)["error"]
    assert (error["reason"], error["code"]) == ("credential_already_in_use", "auth/credential-already-in-use")
    web[0].server.secrets.add(error["pendingCredential"])
    _press(visitor, "merge", {"pendingCredential": error["pendingCredential"]}, carol.session.id_token)
    merged = _outcome(visitor)["result"]
    web[0].server.secrets.add(merged["customToken"])
    assert (merged["mergedUid"], _providers(merged["account"])) == (bjorn.uid, [X, YAHOO])


def test_a_page_signs_in_by_a_redirect_that_survives_the_reload(web: Web, visitor: Visitor) -> None:
    visitor.open(web[1].url)
    _ready(visitor)
    _press(visitor, "startRedirect", {"provider": YAHOO})
    visitor.see("sign in")
    begun = visitor.url
    # A redirect of another flow is ignored, and this flow continues.
    visitor.open(f"{web[1].url}?code=c&state=another&iss={web[0].server.origin}")
    _ready(visitor)
    assert visitor.run("return window.outcome") == {"result": None}
    visitor.open(begun)
    visitor.see("sign in")
    visitor.choose_provider(YAHOO)
    visitor.allow("alice")
    _ready(visitor)
    _signed_in(visitor, web)
    assert visitor.url == web[1].url, "the code is not in the address"
    assert visitor.run("return sessionStorage.length + localStorage.length") == 0
    visitor.reload()
    _ready(visitor)
    assert visitor.run("return window.outcome") == {"result": None}
    visitor.check_console()


def test_a_page_links_by_a_redirect(web: Web, web_members: AccountApplication, visitor: Visitor) -> None:
    erin = web_members.enter(YAHOO, "erin")
    visitor.open(web[1].url)
    _ready(visitor)
    visitor.run(f"sessionStorage.bearer = {json.dumps(erin.session.id_token)}")
    _press(visitor, "startRedirect", {"provider": X, "intent": "link"}, erin.session.id_token)
    visitor.see("sign in")
    visitor.choose_provider(X)
    visitor.allow("erin")
    _ready(visitor)
    result = _signed_in(visitor, web, erin.uid)
    assert (result["intent"], _providers(result["account"])) == ("link", [X, YAHOO])


def test_the_functions_of_the_guide_sign_in_by_a_redirect(web: Web, visitor: Visitor) -> None:
    visitor.open(f"{web[1].url}redirect")
    _ready(visitor)
    assert visitor.run("return window.outcome") == {"result": None}
    visitor.run("leave()")
    visitor.see("sign in")
    visitor.choose_provider(YAHOO)
    visitor.allow("alice")
    _ready(visitor)
    _signed_in(visitor, web)
