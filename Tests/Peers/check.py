"""Verifies the peers of the benchmark: what is exchanged, what is refused, and what outlives a crash."""

import base64
import concurrent.futures
import hashlib
import http.client
import itertools
import json
import os
import pathlib
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature

HERE = pathlib.Path(__file__).resolve().parent
ISSUER = "https://issuer.example"
AUDIENCE = "audience-of-the-peers"
ADDRESS = "peer@peers.iam.gserviceaccount.com"
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def encoded(value) -> str:
    octets = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Issuer:
    """A provider with an EC and an RSA key, and the files that a peer needs."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.ec = ec.generate_private_key(ec.SECP256R1())
        self.rsa = rsa.generate_private_key(65537, 2048)
        self.account = rsa.generate_private_key(65537, 2048)
        point, numbers = self.ec.public_key().public_numbers(), self.rsa.public_key().public_numbers()
        keys = [
            {"kty": "EC", "crv": "P-256", "kid": "ec", "alg": "ES256", "use": "sig",
             "x": encoded(point.x.to_bytes(32, "big")), "y": encoded(point.y.to_bytes(32, "big"))},
            {"kty": "RSA", "kid": "rsa", "alg": "RS256", "use": "sig",
             "n": encoded(numbers.n.to_bytes(256, "big")), "e": "AQAB"},
        ]
        (folder / "keys.json").write_text(json.dumps({"keys": keys}))
        pem = self.account.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        (folder / "account.json").write_text(json.dumps({
            "type": "service_account", "project_id": "peers", "client_email": ADDRESS, "private_key_id": "key-1",
            "private_key": pem.decode()}))

    def token(self, algorithm: str = "ES256", header: dict | None = None, **claims) -> tuple[str, str]:
        """An ID token and the nonce to send with it."""
        nonce = secrets.token_urlsafe(24)
        now = int(time.time())
        payload = {
            "iss": ISSUER, "aud": AUDIENCE, "sub": "subject-é\"1", "iat": now, "exp": now + 3600,
            "nonce": encoded(hashlib.sha256(nonce.encode()).digest()), "name": "Alice Example"} | claims
        payload = {name: value for name, value in payload.items() if value is not None}
        kid = "ec" if algorithm == "ES256" else "rsa"
        signed = encoded({"alg": algorithm, "kid": kid, "typ": "JWT"} | (header or {})) + "." + encoded(payload)
        return signed + "." + encoded(self.signature(algorithm, signed.encode())), nonce

    def signature(self, algorithm: str, signed: bytes) -> bytes:
        if algorithm == "ES256":
            r, s = decode_dss_signature(self.ec.sign(signed, ec.ECDSA(hashes.SHA256())))
            return r.to_bytes(32, "big") + s.to_bytes(32, "big")
        return self.rsa.sign(signed, padding.PKCS1v15(), hashes.SHA256())


class Peer:
    """A running peer with all its processes."""

    def __init__(self, language: str, issuer: Issuer, durable: str, log: pathlib.Path, workers: int):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen(
            [HERE / language / "run"], start_new_session=True,
            env=os.environ | {
                "PORT": str(self.port), "JWKS_FILE": str(issuer.folder / "keys.json"), "ISSUER": ISSUER,
                "AUDIENCE": AUDIENCE, "SERVICE_ACCOUNT": str(issuer.folder / "account.json"), "DURABLE": durable,
                "LOG": str(log), "WORKERS": str(workers)})
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except ConnectionRefusedError:
                assert self.process.poll() is None, "it ended instead of listening"
                time.sleep(0.05)
        raise AssertionError("it does not listen")

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def post(self, token, nonce, connection=None, **more) -> tuple[int, dict]:
        credential = {"type": "id_token", "id_token": token, "nonce": nonce}
        credential = {name: value for name, value in credential.items() if value is not None}
        body = {"client_id": "bench", "provider": "bench", "credential": credential} | more
        return self.send(json.dumps(body), connection)

    def send(self, body: str, connection=None, path="/v1/exchange") -> tuple[int, dict]:
        connection = connection or self.connection()
        connection.request("POST", path, body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, json.loads(response.read())

    def is_running(self) -> bool:
        """Whether a process of its session is alive (a zombie is not)."""
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[3]) == self.process.pid and fields[0] != "Z":
                return True
        return False

    def end(self, by: signal.Signals) -> None:
        if by == signal.SIGKILL:
            os.killpg(self.process.pid, signal.SIGKILL)
        else:
            self.process.terminate()
        self.process.wait(timeout=30)
        for _ in range(200):
            if not self.is_running():
                return
            time.sleep(0.05)
        raise AssertionError("it left processes behind")


def verify_custom_token(issuer: Issuer, answer: dict) -> None:
    assert set(answer) == {"custom_token", "expires_in", "uid"}, answer
    signed, signature = answer["custom_token"].rsplit(".", 1)
    issuer.account.public_key().verify(decoded(signature), signed.encode(), padding.PKCS1v15(), hashes.SHA256())
    header, claims = (json.loads(decoded(part)) for part in signed.split("."))
    assert header["alg"] == "RS256" and header["typ"] == "JWT", header
    assert claims["iss"] == claims["sub"] == ADDRESS, claims
    assert claims["aud"].endswith("/google.identity.identitytoolkit.v1.IdentityToolkit"), claims
    assert abs(claims["iat"] - time.time()) < 60 and claims["exp"] - claims["iat"] == answer["expires_in"], claims
    assert claims["uid"] == answer["uid"] and 0 < len(claims["uid"]) <= 128, claims
    assert claims["claims"] == {"idp": "bench", "idp_uid": "subject-é\"1"}, claims


def expect(answer: tuple[int, dict], status: int, reason: str, error: str = "invalid_grant") -> None:
    wanted = (status, {"error": error, "reason": reason})
    assert answer == wanted, f"{answer[0]} {answer[1].get('reason')} in the place of {reason}"


def verify_refusals(peer: Peer, issuer: Issuer) -> None:
    now = int(time.time())
    other = Issuer.__new__(Issuer)
    other.ec, other.rsa = ec.generate_private_key(ec.SECP256R1()), rsa.generate_private_key(65537, 2048)
    for algorithm in ("ES256", "RS256"):
        expect(peer.post(*other.token(algorithm)), 400, "signature_invalid")
        token, nonce = issuer.token(algorithm)
        head, payload, signature = token.split(".")
        changed = encoded(json.loads(decoded(payload)) | {"sub": "another"})
        expect(peer.post(f"{head}.{changed}.{signature}", nonce), 400, "signature_invalid")
        expect(peer.post(f"{head}.{payload}.{signature[:-8]}", nonce), 400, "signature_invalid")
        expect(peer.post(f"{head}.{payload}.", nonce), 400, "signature_invalid")
        expect(peer.post(*issuer.token(algorithm, aud="another")), 400, "audience_mismatch")
    # JWS does not use the DER form of an ECDSA signature.
    token, nonce = issuer.token()
    signed, signature = token.rsplit(".", 1)
    octets = decoded(signature)
    der = encode_dss_signature(int.from_bytes(octets[:32], "big"), int.from_bytes(octets[32:], "big"))
    expect(peer.post(signed + "." + encoded(der), nonce), 400, "signature_invalid")

    token, nonce = issuer.token(header={"alg": "none"})
    expect(peer.post(token.rsplit(".", 1)[0] + ".", nonce), 400, "algorithm_not_allowed")
    expect(peer.post(*issuer.token(header={"alg": "HS256"})), 400, "algorithm_not_allowed")
    expect(peer.post(*issuer.token(header={"alg": "RS256"})), 400, "algorithm_not_allowed")
    expect(peer.post(*issuer.token(header={"kid": "unknown"})), 400, "unknown_key")
    expect(peer.post(*issuer.token(header={"kid": None})), 400, "unknown_key")
    expect(peer.post(*issuer.token(header={"crit": ["b64"]})), 400, "malformed_token")
    expect(peer.post(*issuer.token(iss="https://another.example")), 400, "issuer_mismatch")
    expect(peer.post(*issuer.token(aud=[AUDIENCE, "another"])), 400, "audience_mismatch")
    expect(peer.post(*issuer.token(aud=[])), 400, "audience_mismatch")
    expect(peer.post(*issuer.token(exp=now - 120)), 400, "expired")
    expect(peer.post(*issuer.token(iat=now + 300)), 400, "not_yet_valid")
    for name in ("exp", "iat", "sub"):
        expect(peer.post(*issuer.token(**{name: None})), 400, "malformed_token")
    expect(peer.post(*issuer.token(exp="4000000000")), 400, "malformed_token")
    expect(peer.post(issuer.token()[0], "another nonce"), 400, "nonce_mismatch")
    expect(peer.post(*issuer.token(nonce=None)), 400, "nonce_mismatch")
    for malformed in ("", "a", "a.b", "a.b.c", "...", "é.é.é", "!!.!!.!!"):
        expect(peer.post(malformed, None), 400, "malformed_token")

    def invalid(answer, status: int, reason: str) -> None:
        expect(answer, status, reason, "invalid_request")

    token, nonce = issuer.token()
    for malformed in ("", "{", "null", "[]", '"text"', "1"):
        status, answer = peer.send(malformed)
        assert (status, answer["error"]) == (400, "invalid_request"), (malformed, answer)
    invalid(peer.post(token, nonce, client_id=None), 400, "missing_field")
    invalid(peer.post(token, nonce, provider=None), 400, "missing_field")
    invalid(peer.post(token, nonce, credential=None), 400, "missing_field")
    invalid(peer.post(None, nonce), 400, "missing_field")
    invalid(peer.post(token, nonce, credential={"type": "access_token"}), 400, "unknown_credential_type")
    invalid(peer.send("{}", path="/another"), 404, "not_found")
    invalid(peer.send(" " * 70000), 413, "body_too_large")
    # None of this has spent the token.
    assert peer.post(token, nonce)[0] == 200


def verify_single_use(peer: Peer, issuer: Issuer) -> tuple[str, str]:
    """Returns a token that was used."""
    connection = peer.connection()
    token, nonce = issuer.token()
    status, answer = peer.post(token, nonce, connection)
    assert status == 200, answer
    verify_custom_token(issuer, answer)
    expect(peer.post(token, nonce, connection), 400, "replayed")
    for _ in range(8):
        expect(peer.post(token, nonce), 400, "replayed")

    # Anyone can compute a second valid ECDSA signature; the token is the same.
    signed, signature = token.rsplit(".", 1)
    octets = decoded(signature)
    twin = octets[:32] + (ORDER - int.from_bytes(octets[32:], "big")).to_bytes(32, "big")
    expect(peer.post(signed + "." + encoded(twin), nonce, connection), 400, "replayed")

    for algorithm in itertools.islice(itertools.cycle(("ES256", "RS256")), 10):
        fresh = issuer.token(algorithm)
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            answers = list(pool.map(lambda _: peer.post(*fresh), range(50)))
        winners = [answer for status, answer in answers if status == 200]
        assert len(winners) == 1, f"{len(winners)} of 50 at once succeeded"
        verify_custom_token(issuer, winners[0])
        for answer in answers:
            if answer[0] != 200:
                expect(answer, 400, "replayed")
    return token, nonce


def verify_many(peer: Peer, issuer: Issuer) -> list[tuple[str, str]]:
    """Sends different tokens at once over several connections, and checks that each gets its own answer. Returns them."""
    def one(number: int):
        connection = peer.connection()
        mine = []
        for index in range(10):
            subject = f"person-{number}-{index}"
            mine.append(issuer.token(sub=subject))
            status, answer = peer.post(*mine[-1], connection)
            assert status == 200, answer
            claims = json.loads(decoded(answer["custom_token"].split(".")[1]))
            assert claims["claims"]["idp_uid"] == subject, claims
        return mine

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        return [token for tokens in pool.map(one, range(16)) for token in tokens]


def check(language: str, durable: str, workers: int) -> None:
    with tempfile.TemporaryDirectory(prefix="peers-") as name:
        issuer = Issuer(pathlib.Path(name))
        log = issuer.folder / "log"
        peer = Peer(language, issuer, durable, log, workers)
        try:
            used = [verify_single_use(peer, issuer)] + verify_many(peer, issuer)
            assert peer.post(*issuer.token(nonce=None)[:1], None)[0] == 200, "a token without a nonce"
            status, _ = peer.post(*issuer.token(aud=[AUDIENCE]))
            assert status == 200, "an audience that is a list"
            verify_refusals(peer, issuer)
            if durable == "log":
                peer.end(signal.SIGKILL)
                with open(log, "ab") as file:
                    # A crash during a write; SQLite keeps such a partial record in a separate file.
                    if language != "python":
                        file.write(b"torn")
                peer = Peer(language, issuer, durable, log, workers)
                for token, nonce in used:
                    expect(peer.post(token, nonce), 400, "replayed")
                after = issuer.token()
                assert peer.post(*after)[0] == 200
                peer.end(signal.SIGKILL)
                peer = Peer(language, issuer, durable, log, workers)
                expect(peer.post(*after), 400, "replayed")
            else:
                assert not log.exists(), "a log without being asked for one"
        finally:
            peer.end(signal.SIGTERM)
    print(f"{language}, DURABLE={durable}, WORKERS={workers}: as it should be")


def main() -> None:
    for language in sys.argv[1:] or ("node", "go", "python"):
        # In memory each worker knows only the tokens that it has received, except Go, which is one process.
        for durable, workers in (("log", 2), ("log", 1), ("none", 2 if language == "go" else 1)):
            check(language, durable, workers)


main()
