"""The key in a process of its own: what the server can have signed, and what is left if it is taken over."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from firebase_admin import _token_gen
from google.auth import jwt as google_jwt

from conftest import CLIENT_SECRET, Peers
from deployment.application import Application
from deployment.configuration import settings
from deployment.expectations import refused, signed_in, verified
from deployment.process import Deployment
from deployment.service_account import ServiceAccount
from deployment.signer import IS_ROOT, SERVER_USER, SIGNER_USER, Connection, FalseSigner, Signer, frame
from deployment.waiting import DEADLINE, wait_until
from peers import browser, tokens
from peers.hook import Hook

AS_ROOT = pytest.mark.skipif(not IS_ROOT, reason="only root can start processes of other users")
PROJECT = "interop-project"
BASELINE: dict[str, Any] = {
    "version": 1,
    "project_id": PROJECT,
    "type": "custom_token",
    "uid": "op:carol",
    "claims": {"idp": "op"},
    "lifetime": 300,
}


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that other users can reach: pytest creates its folders without access for others."""
    path = Path(tempfile.mkdtemp(prefix="token-exchange-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


Make = Callable[..., Signer]


@pytest.fixture
def make(binary: Path, place: Path, service_account: ServiceAccount) -> Iterator[Make]:
    """Creates the signer of a test, without starting it."""
    made: list[Signer] = []

    def signer(account: ServiceAccount = service_account, **members: Any) -> Signer:
        made.append(Signer(binary, place, account, **members))
        return made[0]

    yield signer
    for each in made:
        each.close()


@pytest.fixture
def signer(make: Make) -> Signer:
    return make().start()


Serve = Callable[..., Deployment]


@pytest.fixture
def serve(binary: Path, place: Path, peers: Peers) -> Iterator[Serve]:
    """Creates a server that asks a signer, without starting it."""
    made: list[Deployment] = []

    def server(signer: Signer, **sections: Any) -> Deployment:
        folder = place / "server"
        folder.mkdir(mode=0o700)
        configuration = settings(None, {"op": peers.providers["op"]}) | sections
        configuration["firebase"] = {
            "signer": "process",
            "signer_socket": str(signer.socket),
            "project_id": PROJECT,
        }
        deployment = Deployment(binary, folder, configuration, peers.environment)
        deployment.secrets.add(CLIENT_SECRET)
        if IS_ROOT:
            for path in [folder, *folder.iterdir()]:
                os.chown(path, SERVER_USER, SERVER_USER)
        made.append(deployment)
        return deployment

    yield server
    for each in made:
        each.close()


def _start(deployment: Deployment) -> Application:
    return Application(deployment.start(user=SERVER_USER if IS_ROOT else None))


# MARK: - The server without a key


def test_libraries_of_other_projects_verify_a_token(
    signer: Signer, serve: Serve, peers: Peers, service_account: ServiceAccount
) -> None:
    app = _start(serve(signer))
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours, subject="carol")
    answer = signed_in(app.exchange("op", grant.credential))
    token = answer["custom_token"]
    claims = verified(token, service_account)
    assert claims == google_jwt.decode(
        token, certs={service_account.key_id: service_account.certificate_pem}, audience=_token_gen.FIREBASE_AUDIENCE
    )
    assert claims["uid"] == answer["uid"] == "op:carol"
    assert claims["claims"] == {"idp": "op", "idp_uid": "carol"}
    assert claims["exp"] - claims["iat"] == answer["expires_in"] == 300
    (line,) = [line for line in signer.audit if line["event"] == "signed"]
    assert line["peer"] == {"pid": app.deployment.process.pid, "user_id": SERVER_USER}
    assert (line["type"], line["uid"], line["lifetime"]) == ("custom_token", "op:carol", 300)
    assert line["claims"] == ["idp", "idp_uid"]
    assert token not in signer.log


@pytest.mark.skipif(os.getuid() != 0, reason="only root reads the memory of a process that is not dumpable")
def test_only_the_signer_has_the_key_in_its_memory(
    signer: Signer, serve: Serve, peers: Peers, service_account: ServiceAccount
) -> None:
    app = _start(serve(signer))
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours, subject="dave")
    signed_in(app.exchange("op", grant.credential))
    forms = service_account.private_forms
    assert _found(forms, signer.process.pid), "the positive control: the signer has the key"
    assert _found(forms, app.deployment.process.pid) == []


def _found(forms: dict[str, bytes], process: int) -> list[str]:
    """The forms of the key that are somewhere in the memory of a process."""
    found: set[str] = set()
    with Path(f"/proc/{process}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{process}/maps").read_text().splitlines():
            span, rights, *_ = line.split()
            start, end = (int(part, 16) for part in span.split("-"))
            if rights[0] != "r" or start >= 1 << 63:
                continue
            try:
                memory.seek(start)
                octets = memory.read(end - start)
            except (OSError, OverflowError):
                # Pages of the kernel, such as [vvar].
                continue
            found |= {name for name, form in forms.items() if form in octets}
    return sorted(found)


def test_without_a_signer_the_credential_is_kept_and_the_server_recovers(
    signer: Signer, serve: Serve, peers: Peers
) -> None:
    app = _start(serve(signer))
    issued = browser.obtain_tokens(peers.openid, peers.ours, subject="erin")
    _, verifier = app.nonce("op")
    credential = {"type": "access_token", "access_token": issued["access_token"], "nonce": verifier}
    signer.kill()
    refused(app.exchange("op", credential), 503, "signer_unavailable", retry="same")
    wait_until(lambda: app.deployment.admin("/readyz") == 503, "the server is not ready")
    assert "signer" in app.deployment.admin_text("/readyz")
    # The socket of the process that was killed is replaced.
    signer.start()
    wait_until(lambda: app.deployment.admin("/readyz") == 200, "the server is ready")
    signed_in(app.exchange("op", credential))


def _claims(question: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The claims of the token that a question asks for."""
    now = int(time.time())
    return {
        "aud": _token_gen.FIREBASE_AUDIENCE, "iss": ISSUER, "sub": ISSUER, "iat": now, "exp": now + question["lifetime"],
        "uid": question["uid"], "claims": question["claims"],
    } | changes


ISSUER = "false@interop-project.iam.gserviceaccount.com"


@pytest.mark.parametrize("since_start", [True, False])
@pytest.mark.parametrize("lie", ["junk", "other key", "other uid"])
def test_a_false_process_at_the_socket_does_not_decide_what_is_answered(
    signer: Signer, serve: Serve, peers: Peers, lie: str, *, since_start: bool
) -> None:
    """It has the protocol of a signer, and a key of its own. The credential is kept for the real signer."""
    own, other = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))

    def answer(question: dict[str, Any]) -> dict[str, Any]:
        if question["type"] == "check":
            numbers = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(own.public_key()))
            return {"issuer": ISSUER, "n": numbers["n"], "e": numbers["e"]}
        if question["type"] != "custom_token" or lie == "junk":
            return {"token": "junk"}
        claims = _claims(question, **({"uid": "op:admin"} if lie == "other uid" else {}))
        return {"token": jwt.encode(claims, other if lie == "other key" else own, "RS256")}

    deployment = serve(signer)
    if since_start:
        signer.kill()
        false = FalseSigner(signer.socket, answer)
        app = _start(deployment)
    else:
        app = _start(deployment)
        signer.kill()
        false = FalseSigner(signer.socket, answer)
    try:
        issued = browser.obtain_tokens(peers.openid, peers.ours, subject="frank")
        _, verifier = app.nonce("op")
        credential = {"type": "access_token", "access_token": issued["access_token"], "nonce": verifier}
        refused(app.exchange("op", credential), 503, "signer_unavailable", retry="same")
        if not since_start:
            wait_until(lambda: deployment.admin("/readyz") == 503, "the server is not ready")
    finally:
        false.close()
        signer.socket.unlink()
    signer.start()
    if since_start:
        # The server knows the key of the process that answered first, until its configuration is read again.
        deployment.reload()
    wait_until(lambda: deployment.admin("/readyz") == 200, "the server is ready")

    def signs_in() -> bool:
        # Until the reload has taken effect, the answer says that the same credential may be sent again.
        answer = app.exchange("op", credential)
        if answer.status == 503:
            refused(answer, 503, "signer_unavailable", retry="same")
            return False
        signed_in(answer)
        return True

    wait_until(signs_in, "the kept credential signs in")


def test_a_new_key_of_the_signer_is_used_after_a_reload(make: Make, serve: Serve, peers: Peers) -> None:
    signer = make().start()
    deployment = serve(signer)
    app = _start(deployment)
    signer.kill()
    new = ServiceAccount(PROJECT)
    new.write(signer.folder)
    signer.start()
    wait_until(lambda: deployment.admin("/readyz") == 503, "the key is not known")
    deployment.reload()
    wait_until(lambda: deployment.admin("/readyz") == 200, "the server is ready")
    grant, _, _ = browser.obtain_code(peers.openid, peers.ours, subject="grace")
    verified(signed_in(app.exchange("op", grant.credential))["custom_token"], new)


def test_the_command_mint_asks_the_signer_too(
    signer: Signer, serve: Serve, service_account: ServiceAccount
) -> None:
    deployment = serve(signer)
    # This user is not in allowed_users, if it is root.
    ran = deployment.run("mint", "--uid", "operator:1", "--allow-insecure-permissions")
    if IS_ROOT:
        assert (ran.returncode, ran.stdout) == (1, "")
        assert "allowed_users" in ran.stderr
    else:
        assert verified(ran.stdout.strip(), service_account)["uid"] == "operator:1"


@pytest.mark.parametrize(
    ("state", "remedy"),
    [
        ("absent", "There is no socket"),
        ("killed", "No process listens"),
        ("other", "otherwise correct firebase.project_id"),
    ],
)
def test_doctor_says_why_the_signer_does_not_sign(make: Make, serve: Serve, state: str, remedy: str) -> None:
    signer = make(allowed_users=[os.getuid()])
    deployment = serve(signer)
    if state != "absent":
        signer.start()
    if state == "killed":
        signer.kill()
    if state == "other":
        deployment.settings["firebase"]["project_id"] = "other-project"
        deployment.configure(deployment.settings)
    ran = deployment.run("doctor", "--format", "json", "--allow-insecure-permissions")
    findings = {finding["id"]: finding for finding in json.loads(ran.stdout)["findings"]}
    assert findings["google.signature"]["severity"] == "error"
    assert remedy in findings["google.signature"]["remedy"]
    if state != "other":
        assert remedy in findings["google.access_token"]["remedy"]


@pytest.mark.parametrize(("settings", "severity"), [({}, "warning"), ({"check_revoked": True}, "error")])
def test_doctor_names_the_setting_of_a_signer_that_gives_no_access_token(
    make: Make, serve: Serve, settings: dict[str, Any], severity: str
) -> None:
    """Sign-ins need none unless users are looked up."""
    deployment = serve(make(allowed_users=[os.getuid()], access_tokens=False).start())
    deployment.settings["firebase"].update(settings)
    deployment.configure(deployment.settings)
    ran = deployment.run("doctor", "--format", "json", "--allow-insecure-permissions")
    findings = {finding["id"]: finding for finding in json.loads(ran.stdout)["findings"]}
    assert findings["google.access_token"]["severity"] == severity
    assert findings["google.access_token"]["remedy"] == "Write access_tokens: true in the configuration of the signer."


def test_a_hook_is_asked_only_if_the_signer_names_it(
    make: Make, serve: Serve, peers: Peers, service_account: ServiceAccount
) -> None:
    hook = Hook(service_account.public_pem, service_account.email)
    try:
        signer = make(hooks=[hook.url]).start()
        app = _start(serve(signer, hooks={"before_sign_in": {"url": hook.url, "timeout": "10s"}}))
        grant, _, _ = browser.obtain_code(peers.openid, peers.ours, subject="frank")
        signed_in(app.exchange("op", grant.credential))
        assert [event["type"] for event in hook.events] == ["before_sign_in"]
    finally:
        hook.stop()
    assert hook.refusals == []


# MARK: - A server that was taken over


@pytest.fixture
def connection(signer: Signer) -> Iterator[Connection]:
    """A connection of the server's user, whose client is not the server."""
    opened = Connection(signer.socket)
    yield opened
    opened.close()


def test_a_question_by_the_rules_is_signed(connection: Connection, service_account: ServiceAccount) -> None:
    claims = verified(connection.ask(**BASELINE)["token"], service_account)
    assert claims.keys() == {"iss", "sub", "aud", "iat", "exp", "uid", "claims"}
    assert abs(claims["iat"] - time.time()) < DEADLINE


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"project_id": "other-project"}, "project_mismatch"),
        ({"lifetime": 301}, "lifetime_not_allowed"),
        ({"lifetime": 0}, "lifetime_not_allowed"),
        ({"lifetime": -1}, "lifetime_not_allowed"),
        ({"lifetime": 300.0}, "malformed"),
        ({"lifetime": 2**63}, "malformed"),
        ({"claims": {"sub": "admin"}}, "reserved_claim"),
        ({"claims": {"firebase": {"tenant": "t"}}}, "reserved_claim"),
        ({"claims": {"role": "admin"}}, "claim_not_allowed"),
        ({"claims": {"idp": "x" * 1000}}, "claims_too_large"),
        ({"claims": []}, "malformed"),
        ({"tenant_id": "tenant-1"}, "tenant_not_allowed"),
        ({"tenant_id": None}, "malformed"),
        ({"uid": ""}, "uid_invalid"),
        ({"uid": "u" * 129}, "uid_invalid"),
        ({"aud": "https://oauth2.googleapis.com/token"}, "malformed"),
        ({"iat": 0}, "malformed"),
        ({"iss": "other@interop-project.iam.gserviceaccount.com"}, "malformed"),
        ({"type": "jwt", "payload": {"aud": "https://oauth2.googleapis.com/token"}}, "malformed"),
        ({"type": "Custom_token"}, "malformed"),
        ({"version": 2}, "unsupported_version"),
    ],
    ids=str,
)
def test_a_question_that_breaks_one_rule_is_refused(
    signer: Signer, connection: Connection, change: dict[str, Any], error: str
) -> None:
    assert connection.ask(**(BASELINE | change)) == {"error": error}
    assert (signer.audit[-1]["event"], signer.audit[-1]["reason"]) == ("refused", error)


@pytest.mark.parametrize(
    "audience", ["https://evil.example/", "https://identitytoolkit.googleapis.com/", _token_gen.FIREBASE_AUDIENCE]
)
def test_no_hook_is_signed_for_that_the_signer_does_not_name(connection: Connection, audience: str) -> None:
    question = {"version": 1, "project_id": PROJECT, "type": "hook_event", "jti": "1", "event": {}}
    assert connection.ask(**question, audience=audience) == {"error": "audience_not_allowed"}


def test_an_assertion_has_only_the_scope_of_identity_toolkit(
    connection: Connection, service_account: ServiceAccount
) -> None:
    answer = connection.ask(version=1, project_id=PROJECT, type="access_token_assertion")
    claims = jwt.decode(
        answer["token"], service_account.public_pem, algorithms=["RS256"], audience="https://oauth2.googleapis.com/token"
    )
    assert claims["scope"] == "https://www.googleapis.com/auth/identitytoolkit"
    assert claims["exp"] - claims["iat"] == 300
    asked = connection.ask(version=1, project_id=PROJECT, type="access_token_assertion", scope="cloud-platform")
    assert asked == {"error": "malformed"}


def test_assertions_can_be_forbidden(make: Make) -> None:
    connection = Connection(make(access_tokens=False).start().socket)
    answer = connection.ask(version=1, project_id=PROJECT, type="access_token_assertion")
    assert answer == {"error": "access_tokens_not_allowed"}
    connection.close()


def test_all_connections_share_one_rate(make: Make) -> None:
    signer = make(rate="5/h").start()
    answers = []
    for _ in range(7):
        connection = Connection(signer.socket)
        answers.append(connection.ask(**BASELINE))
        connection.close()
    assert ["token" in answer for answer in answers] == [True] * 5 + [False] * 2
    assert answers[5:] == [{"error": "rate_exceeded"}] * 2


def test_tokens_can_be_limited_to_uids_and_tenants(make: Make) -> None:
    connection = Connection(make(uid_prefixes=["op:"], tenants=["tenant-1"]).start().socket)
    allowed = BASELINE | {"tenant_id": "tenant-1"}
    assert "token" in connection.ask(**allowed)
    assert connection.ask(**(allowed | {"uid": "admin"})) == {"error": "uid_not_allowed"}
    assert connection.ask(**BASELINE) == {"error": "tenant_not_allowed"}
    connection.close()


@pytest.mark.parametrize(
    "octets",
    [
        frame(1, b"x" * 65537)[:100],
        b"\xff" * 100,
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        frame(1, b"{"),
        frame(1, b""),
        frame(1, b"[" * 65536),
        frame(1, json.dumps(BASELINE).encode().replace(b'"uid"', b'"uid": "admin", "uid"')),
    ],
    ids=["oversized", "ones", "HTTP", "half", "empty", "deep", "duplicate"],
)
def test_garbage_ends_its_own_connection_only(signer: Signer, connection: Connection, octets: bytes) -> None:
    garbage = Connection(signer.socket)
    garbage.send(octets)
    if octets.startswith(b"\0\0") or octets.startswith(b"\0\1\0\0"):
        assert garbage.answer()[1] == {"error": "malformed"}
    assert garbage.is_closed()
    garbage.close()
    wait_until(lambda: [line.get("reason") for line in signer.audit] == ["malformed"], "the refusal is audited")
    assert "token" in connection.ask(**BASELINE)


def test_answers_on_one_connection_have_the_numbers_of_their_questions(connection: Connection) -> None:
    for number in range(100):
        connection.send(frame(number, json.dumps(BASELINE | {"uid": f"u{number}"}).encode()))
    answers = dict(connection.answer() for _ in range(100))
    assert {number: tokens.payload(answer["token"])["uid"] for number, answer in answers.items()} == {
        number: f"u{number}" for number in range(100)
    }


# MARK: - Other users of the machine


@AS_ROOT
@pytest.mark.parametrize("user", [0, 65532], ids=["root", "a member of the group"])
def test_a_user_that_is_not_named_is_refused(signer: Signer, user: int) -> None:
    """It gets the answer with the number 0 without a question, and what it sends is not read."""
    connection = Connection(signer.socket, user=user)
    with contextlib.suppress(BrokenPipeError):
        connection.send(b"\xff" * 100)
    assert connection.answer() == (0, {"error": "peer_not_allowed"})
    assert connection.is_closed()
    connection.close()
    wait_until(lambda: signer.audit, "the refusal is audited")
    (line,) = signer.audit
    assert (line["event"], line["reason"]) == ("refused", "peer_not_allowed")
    assert line["peer"] == {"pid": os.getpid(), "user_id": user}


@AS_ROOT
def test_connections_of_a_user_that_is_not_named_take_no_place_of_the_server(signer: Signer) -> None:
    """The signer holds 64 connections. Those of the other user stay open at its end, and send nothing."""
    others = [Connection(signer.socket, user=65532) for _ in range(100)]
    connection = Connection(signer.socket)
    assert "token" in connection.ask(**BASELINE)
    wait_until(lambda: len(signer.audit) == 101, "each connection is audited")
    for each in [connection, *others]:
        each.close()


@AS_ROOT
def test_doctor_of_a_user_that_is_not_named_says_so(make: Make, serve: Serve) -> None:
    deployment = serve(make(allowed_users=[65532]).start())
    ran = deployment.run("doctor", "--format", "json", "--allow-insecure-permissions")
    findings = {finding["id"]: finding for finding in json.loads(ran.stdout)["findings"]}
    assert "allowed_users" in findings["google.signature"]["remedy"]


@AS_ROOT
@pytest.mark.parametrize(
    ("member", "value", "key"), [("token_lifetime", "1m", "token_lifetime"), ("claims", ["other"], "developer claims")]
)
def test_doctor_finds_a_signer_that_would_refuse_every_sign_in(
    make: Make, serve: Serve, member: str, value: Any, key: str
) -> None:
    deployment = serve(make(allowed_users=[os.getuid()], **{member: value}).start(), claims={"role": "member"})
    ran = deployment.run("doctor", "--format", "json", "--allow-insecure-permissions")
    findings = {finding["id"]: finding for finding in json.loads(ran.stdout)["findings"]}
    assert findings["google.signature"]["severity"] == "error"
    assert key in findings["google.signature"]["remedy"]


IN_NAMESPACE = """
import json, socket, struct, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
question = json.dumps({"version": 1, "project_id": "interop-project", "type": "check"}).encode()
try:
    connection.sendall(struct.pack(">II", len(question), 1) + question)
except BrokenPipeError:
    pass
print(connection.recv(1000)[8:].decode())
"""


@AS_ROOT
@pytest.mark.parametrize(("user", "is_allowed"), [(SERVER_USER, True), (65532, False)])
def test_a_process_in_a_user_namespace_is_the_user_that_it_is_outside(
    signer: Signer, service_account: ServiceAccount, user: int, *, is_allowed: bool
) -> None:
    """PrivateUsers=yes in the unit of the server. In its namespace the process is root, or any user that it likes."""
    ran = subprocess.run(
        ["unshare", "--user", "--map-root-user", "/usr/bin/python3", "-c", IN_NAMESPACE, str(signer.socket)],
        user=user,
        group=SERVER_USER,
        extra_groups=[],
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert ran.stdout, ran.stderr
    answer = json.loads(ran.stdout)
    if is_allowed:
        key = serialization.load_pem_public_key(service_account.public_pem.encode())
        numbers = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key))
        assert answer == {"issuer": service_account.email, "n": numbers["n"], "e": numbers["e"]}
    else:
        assert answer == {"error": "peer_not_allowed"}


@AS_ROOT
def test_a_user_outside_the_group_does_not_reach_the_socket(signer: Signer) -> None:
    with pytest.raises(PermissionError):
        Connection(signer.socket, user=65532, group=65532)


def test_a_second_signer_does_not_replace_the_first(signer: Signer, connection: Connection) -> None:
    ran = signer.attempt()
    assert ran.returncode == 1
    assert "another process listens there" in ran.stderr
    assert "token" in connection.ask(**BASELINE)


@pytest.mark.parametrize("mode", [0o2770, 0o2757])
def test_a_folder_that_others_can_write_is_refused(make: Make, mode: int) -> None:
    signer = make()
    signer.run_folder.chmod(mode)
    ran = signer.attempt()
    assert ran.returncode == 1
    assert "other users could replace a file in the folder" in ran.stderr


def test_a_file_in_the_place_of_the_socket_is_kept(make: Make) -> None:
    signer = make()
    signer.socket.write_text("not a socket")
    ran = signer.attempt()
    assert ran.returncode == 1
    assert "another file stands there" in ran.stderr
    assert signer.socket.read_text() == "not a socket"


def test_a_name_that_is_no_user_is_a_wrong_configuration(make: Make) -> None:
    ran = make(allowed_users=["no-such-user"]).attempt("--check")
    assert ran.returncode == 78
    assert "there is no user no-such-user" in ran.stderr


def test_systemd_can_open_the_socket(make: Make, service_account: ServiceAccount) -> None:
    """LISTEN_FDS: the socket is of the manager, and the signer needs no rights for its folder."""
    signer = make()
    signer.start("systemd-socket-activate", f"--listen={signer.socket}", "--")
    wait_until(signer.socket.exists, "systemd opens the socket")
    signer.socket.chmod(0o660)
    connection = Connection(signer.socket)
    assert verified(connection.ask(**BASELINE)["token"], service_account)["uid"] == "op:carol"
    connection.close()


def test_a_stop_while_connections_wait_is_a_clean_end(signer: Signer) -> None:
    """The signer serves 64 connections at a time."""
    connections = [Connection(signer.socket) for _ in range(64)]
    for connection in connections:
        connection.ask(**BASELINE)
    waiting = [Connection(signer.socket) for _ in range(8)]
    signer.close()
    for connection in connections + waiting:
        assert connection.is_closed()
        connection.close()


def test_no_token_is_given_out_without_its_audit_line(make: Make) -> None:
    """/dev/full refuses every write."""
    signer = make()
    with Path("/dev/full").open("wb") as full:
        process = subprocess.Popen(
            signer.command,
            stdout=full,
            stderr=subprocess.DEVNULL,
            env=signer.environment,
            **signer.identity,
        )
        try:
            wait_until(lambda: _answer(signer) == {"error": "audit_failed"}, "the signer refuses")
        finally:
            process.terminate()
            assert process.wait(timeout=DEADLINE) == 0


def _answer(signer: Signer) -> dict[str, Any] | None:
    """The answer to a question by the rules; None if the signer does not listen yet."""
    try:
        connection = Connection(signer.socket)
    except OSError:
        return None
    try:
        return connection.ask(**BASELINE)
    finally:
        connection.close()


# MARK: - A key in a PKCS#11 token

MODULE = "/usr/lib/softhsm/libsofthsm2.so"


class TokenAccount(ServiceAccount):
    """A service account whose key is in a token of SoftHSM, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        tokens_folder = folder / "tokens"
        tokens_folder.mkdir()
        configuration = folder / "softhsm2.conf"
        configuration.write_text(f"directories.tokendir = {tokens_folder}\nobjectstore.backend = file\n")
        self.environment = {"SOFTHSM2_CONF": str(configuration)}
        self._run("softhsm2-util", "--init-token", "--free", "--label", "tx", "--pin", "1234", "--so-pin", "5678")
        key = ["--label", "signing", "--id", "01"]
        self._tool("--keypairgen", "--key-type", "rsa:2048", *key)
        self._tool("--read-object", "--type", "pubkey", *key, "--output-file", str(folder / "public.der"))
        self._public = (folder / "public.der").read_bytes()
        self._pin = folder / "pin"
        self._pin.write_text("1234")

    def _tool(self, *arguments: str) -> None:
        self._run(
            "pkcs11-tool", "--module", MODULE, "--login", "--pin", "1234", "--token-label", "tx", *arguments
        )

    def _run(self, *command: str) -> None:
        subprocess.run(command, env=os.environ | self.environment, check=True, capture_output=True, timeout=DEADLINE)

    @property
    def private_pem(self) -> str:
        return f"pkcs11:token=tx;object=signing;pin-source=file:{self._pin}"

    @property
    def public_pem(self) -> str:
        key = serialization.load_der_public_key(self._public)
        return key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()


@pytest.fixture
def token_account(place: Path) -> TokenAccount:
    folder = place / "hsm"
    folder.mkdir()
    account = TokenAccount(folder)
    if IS_ROOT:
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, SIGNER_USER, SIGNER_USER)
    return account


def test_a_key_in_a_token_signs_with_all_threads(make: Make, token_account: TokenAccount) -> None:
    signer = make(account=token_account, pkcs11_module=MODULE)
    signer.environment |= token_account.environment
    connection = Connection(signer.start().socket)
    for number in range(200):
        connection.send(frame(number, json.dumps(BASELINE | {"uid": f"u{number}"}).encode()))
    answers = dict(connection.answer() for _ in range(200))
    assert len(answers) == 200
    for number, answer in answers.items():
        claims = jwt.decode(
            answer["token"], token_account.public_pem, algorithms=["RS256"], audience=_token_gen.FIREBASE_AUDIENCE
        )
        assert claims["uid"] == f"u{number}"
    connection.close()


def test_a_stop_during_signatures_in_a_token_is_a_clean_end(make: Make, token_account: TokenAccount) -> None:
    signer = make(account=token_account, pkcs11_module=MODULE)
    signer.environment |= token_account.environment
    for count in [0, 1, 20, 100, 200] * 12:
        connection = Connection(signer.start().socket)
        for number in range(200):
            connection.send(frame(number, json.dumps(BASELINE).encode()))
        for _ in range(count):
            connection.answer()
        signer.close()
        connection.close()


@pytest.mark.parametrize("arguments", [[], ["--check"]])
@pytest.mark.parametrize("is_in_token", [True, False])
def test_with_a_token_no_exit_handler_of_a_library_runs(
    make: Make, place: Path, token_account: TokenAccount, is_in_token: bool, arguments: list[str]
) -> None:
    signer = make(account=token_account, pkcs11_module=MODULE) if is_in_token else make()
    library = place / "library.so"
    source = "#include <stdlib.h>\n__attribute__((destructor)) static void unload(void) { _Exit(99); }\n"
    subprocess.run(
        ["clang", "-shared", "-fPIC", "-x", "c", "-", "-o", str(library)], input=source.encode(), check=True
    )
    signer.environment |= token_account.environment | {"LD_PRELOAD": str(library)}
    if arguments:
        ran = signer.attempt(*arguments)
        assert str(signer.socket) in ran.stdout
        code = ran.returncode
    else:
        signer.start().process.terminate()
        code = signer.process.wait(timeout=DEADLINE)
        signer.kill()
    assert code == (0 if is_in_token else 99)


@pytest.mark.parametrize(
    ("right", "wrong"), [("/pin", "/softhsm2.conf"), ("object=signing", "object=other"), ("token=tx", "token=ty")]
)
def test_a_uri_that_leads_to_no_key_is_a_wrong_configuration(
    make: Make, token_account: TokenAccount, right: str, wrong: str
) -> None:
    signer = make(account=token_account, pkcs11_module=MODULE)
    signer.environment |= token_account.environment
    file = Path(signer.settings["service_account"])
    file.write_text(file.read_text().replace(right, wrong))
    ran = signer.attempt("--check")
    assert ran.returncode == 78
    assert "private_key leads to no key in a token" in ran.stderr


def test_a_pin_in_the_uri_is_refused_before_the_engine_writes_it_to_its_log(
    make: Make, token_account: TokenAccount
) -> None:
    signer = make(account=token_account, pkcs11_module=MODULE)
    signer.environment |= token_account.environment
    file = Path(signer.settings["service_account"])
    file.write_text(file.read_text().replace("object=signing", "object=signing;pin-value=4321"))
    ran = signer.attempt("--check")
    assert ran.returncode == 78
    assert "private_key contains the PIN of the token" in ran.stderr
    assert "4321" not in ran.stderr
