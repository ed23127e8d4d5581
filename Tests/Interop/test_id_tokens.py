"""ID tokens that an application obtained by itself (attacks IDT)."""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from joserfc import jws
from joserfc.jwk import ECKey, RSAKey

from conftest import Peers
from deployment.application import Answer, Application
from deployment.expectations import refused, signed_in
from peers import browser, tokens


def _credential(id_token: str, nonce: str, **members: str) -> dict[str, str]:
    return {"type": "id_token", "id_token": id_token, "nonce": nonce} | members


class Plain:
    """Posts ID tokens that this test creates, for `op-plain`, where the nonce is compared without hashing."""

    def __init__(self, app: Application, peers: Peers) -> None:
        self.app = app
        self.peers = peers
        self.nonce = secrets.token_urlsafe(16)

    def claims(self, **members: Any) -> dict[str, Any]:
        return self.peers.openid.claims(self.peers.ours.client_id, nonce=self.nonce, **members)

    def without(self, name: str) -> dict[str, Any]:
        claims = self.claims()
        del claims[name]
        return claims

    def signed(self, claims: dict[str, Any], **header: Any) -> str:
        return tokens.signed(claims, self.peers.openid.rsa_key, "RS256", **header)

    def known(self) -> dict[str, Any]:
        """The header of a token that the provider has signed."""
        return {"alg": "RS256", "kid": self.peers.openid.rsa_key.kid}

    def under(self, header: dict[str, Any]) -> str:
        """A token with a header that the library refuses to write. Its signature covers another header."""
        _, payload, signature = self.signed(self.claims()).split(".")
        return f"{tokens.encode(json.dumps(header).encode())}.{payload}.{signature}"

    def post(self, id_token: str, **members: str) -> Answer:
        return self.app.exchange("op-plain", _credential(id_token, self.nonce, **members))


@pytest.fixture
def plain(app: Application, peers: Peers) -> Plain:
    return Plain(app, peers)


# MARK: - Tokens that the provider issued


@pytest.mark.parametrize("client", ["ours", "phone"])
def test_an_id_token_with_a_nonce_of_the_server_signs_in(app: Application, peers: Peers, client: str) -> None:
    nonce, verifier = app.nonce("op")
    assert nonce == tokens.sha256(verifier)
    issued = browser.obtain_tokens(peers.openid, getattr(peers, client), nonce, "judy")
    body = signed_in(app.exchange("op", _credential(issued["id_token"], verifier)))
    assert (body["uid"], body["audience_proof"], body["profile"]) == ("op:judy", "id_token_aud", {})


def test_an_es256_token_signs_in(app: Application, peers: Peers) -> None:
    raw = secrets.token_urlsafe(16)
    issued = browser.obtain_tokens(peers.openid, peers.ours_with_ec, tokens.sha256(raw), "judy")
    assert tokens.header(issued["id_token"])["alg"] == "ES256"
    assert signed_in(app.exchange("op-ec", _credential(issued["id_token"], raw)))["uid"] == "op-ec:judy"


def test_a_nonce_may_be_hashed_as_firebases_sdks_hash_it(app: Application, peers: Peers) -> None:
    """`rawNonce`: lower-case hexadecimal."""
    raw = secrets.token_urlsafe(16)
    hashed = hashlib.sha256(raw.encode()).hexdigest()
    issued = browser.obtain_tokens(peers.openid, peers.ours_with_ec, hashed)
    signed_in(app.exchange("op-ec", _credential(issued["id_token"], raw)))


def test_the_access_token_beside_it_brings_the_profile(app: Application, peers: Peers) -> None:
    nonce, verifier = app.nonce("op")
    issued = browser.obtain_tokens(peers.openid, peers.ours, nonce, "mallory")
    credential = _credential(issued["id_token"], verifier, access_token=issued["access_token"])
    assert signed_in(app.exchange("op", credential))["profile"]["email"] == "mallory@people.example"


def test_the_access_token_of_another_user_is_refused_and_spends_nothing(app: Application, peers: Peers) -> None:
    """IDT-37."""
    nonce, verifier = app.nonce("op")
    issued = browser.obtain_tokens(peers.openid, peers.ours, nonce)
    theirs = browser.obtain_tokens(peers.openid, peers.ours)
    credential = _credential(issued["id_token"], verifier)
    mixed = credential | {"access_token": theirs["access_token"]}
    refused(app.exchange("op", mixed), 400, "at_hash_mismatch")
    signed_in(app.exchange("op", credential))


def test_an_access_token_that_nothing_vouches_for_is_refused(plain: Plain) -> None:
    """IDT-38."""
    refused(plain.post(plain.signed(plain.claims()), access_token="anything"), 400, "at_hash_mismatch")


def test_a_token_of_the_same_provider_for_another_client_is_refused(app: Application, peers: Peers) -> None:
    """IDT-19: a malicious application replays the tokens of its own users."""
    nonce, verifier = app.nonce("op")
    issued = browser.obtain_tokens(peers.openid, peers.stranger, nonce)
    refused(app.exchange("op", _credential(issued["id_token"], verifier)), 400, "audience_mismatch")


def test_a_further_client_id_is_accepted_only_at_its_provider(app: Application, peers: Peers) -> None:
    issued = browser.obtain_tokens(peers.openid, peers.phone, nonce := secrets.token_urlsafe(16))
    refused(app.exchange("op-plain", _credential(issued["id_token"], nonce)), 400, "audience_mismatch")


def test_a_token_without_a_nonce_of_the_server_is_refused(app: Application, peers: Peers) -> None:
    """IDT-28: if the nonce must come from the server, the application's own nonce is refused."""
    issued = browser.obtain_tokens(peers.openid, peers.ours, nonce := secrets.token_urlsafe(16))
    refused(app.exchange("op", _credential(issued["id_token"], nonce)), 400, "nonce_mismatch")


def test_a_nonce_of_another_flow_is_refused_and_spends_nothing(app: Application, peers: Peers) -> None:
    """IDT-28, IDT-46: a failed check does not burn the token."""
    nonce, verifier = app.nonce("op")
    _, other = app.nonce("op")
    issued = browser.obtain_tokens(peers.openid, peers.ours, nonce)
    refused(app.exchange("op", _credential(issued["id_token"], other)), 400, "nonce_mismatch")
    signed_in(app.exchange("op", _credential(issued["id_token"], verifier)))


def test_a_nonce_is_valid_only_for_its_client_and_provider(
    app: Application, trusted: Application, peers: Peers
) -> None:
    """O1-07, IDT-44."""
    for nonce, verifier in (trusted.nonce("op"), app.nonce("hasty")):
        issued = browser.obtain_tokens(peers.openid, peers.ours, nonce)
        refused(app.exchange("op", _credential(issued["id_token"], verifier)), 400, "nonce_mismatch")


def test_the_nonce_itself_is_not_its_verifier(app: Application, peers: Peers) -> None:
    """EX-23: an attacker who reads the ID token knows its nonce."""
    nonce, _ = app.nonce("op")
    issued = browser.obtain_tokens(peers.openid, peers.ours, nonce)
    refused(app.exchange("op", _credential(issued["id_token"], nonce)), 400, "nonce_mismatch")


def test_our_own_custom_token_is_no_id_token(plain: Plain) -> None:
    """IDT-49."""
    body = signed_in(plain.post(plain.signed(plain.claims())))
    refused(plain.post(body["custom_token"]), 400, "unknown_key")


# MARK: - Tokens with one error


def test_the_baseline_is_accepted(plain: Plain) -> None:
    signed_in(plain.post(plain.signed(plain.claims())))


Change = Callable[[Plain], dict[str, Any]]


@pytest.mark.parametrize(
    ("reason", "claims"),
    [
        ("issuer_mismatch", lambda it: it.claims(iss="https://evil.example")),
        ("issuer_mismatch", lambda it: it.claims(iss=it.peers.openid.issuer + "/")),
        ("issuer_mismatch", lambda it: it.claims(iss=it.peers.openid.issuer + ".evil.example")),
        ("issuer_mismatch", lambda it: it.claims(iss=it.peers.openid.issuer.upper())),
        ("audience_mismatch", lambda it: it.claims(aud=it.peers.stranger.client_id)),
        ("audience_mismatch", lambda it: it.claims(aud=it.peers.ours.client_id + "x")),
        ("audience_mismatch", lambda it: it.claims(aud=it.peers.ours.client_id.upper())),
        ("audience_mismatch", lambda it: it.claims(aud=[it.peers.ours.client_id, "other"])),
        ("audience_mismatch", lambda it: it.claims(azp="other")),
        ("expired", lambda it: it.claims(exp=int(time.time()) - 61)),
        ("expired", lambda it: it.claims(exp=int(time.time()) - 86_400)),
        ("too_old", lambda it: it.claims(iat=int(time.time()) - 700)),
        ("not_yet_valid", lambda it: it.claims(iat=int(time.time()) + 300)),
        ("not_yet_valid", lambda it: it.claims(nbf=int(time.time()) + 300)),
        ("nonce_mismatch", lambda it: it.claims() | {"nonce": "other"}),
        ("nonce_mismatch", lambda it: it.claims() | {"nonce": it.nonce.swapcase()}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_claim_that_is_wrong_has_its_own_reason(plain: Plain, reason: str, claims: Change) -> None:
    """IDT-18, IDT-19, IDT-21, IDT-23, IDT-25, IDT-26, IDT-27, IDT-28, R-19."""
    refused(plain.post(plain.signed(claims(plain))), 400, reason)


@pytest.mark.parametrize(
    ("reason", "name"),
    [
        ("issuer_mismatch", "iss"),
        ("audience_mismatch", "aud"),
        ("nonce_mismatch", "nonce"),
        ("malformed_token", "sub"),
        ("malformed_token", "exp"),
        ("malformed_token", "iat"),
    ],
)
def test_a_claim_that_is_missing_is_refused(plain: Plain, reason: str, name: str) -> None:
    """IDT-18, IDT-20, IDT-25, IDT-26, IDT-28, IDT-29."""
    refused(plain.post(plain.signed(plain.without(name))), 400, reason)


@pytest.mark.parametrize(
    ("reason", "members"),
    [
        ("issuer_mismatch", {"iss": ["x"]}),
        ("issuer_mismatch", {"iss": ""}),
        ("audience_mismatch", {"aud": ""}),
        ("audience_mismatch", {"aud": [""]}),
        ("audience_mismatch", {"aud": []}),
        ("audience_mismatch", {"aud": None}),
        ("audience_mismatch", {"aud": 0}),
        ("nonce_mismatch", {"nonce": ["x"]}),
        ("nonce_mismatch", {"nonce": {}}),
        ("malformed_token", {"sub": ""}),
        ("malformed_token", {"sub": " "}),
        ("malformed_token", {"sub": 7}),
        ("malformed_token", {"sub": ["victim", "attacker"]}),
        ("malformed_token", {"sub": "s" * 256}),
        ("malformed_token", {"sub": "a\u0000b"}),
        ("malformed_token", {"exp": "9999999999"}),
        ("malformed_token", {"exp": True}),
        ("malformed_token", {"exp": None}),
        ("malformed_token", {"exp": -1}),
        ("malformed_token", {"exp": 1e308}),
        ("lifetime_too_long", {"exp": 9223372036854775807}),
        ("expired", {"exp": 0}),
        ("malformed_token", {"iat": None}),
        ("malformed_token", {"iat": "1"}),
    ],
    ids=str,
)
def test_a_claim_of_the_wrong_form_is_refused(plain: Plain, reason: str, members: dict[str, Any]) -> None:
    """IDT-18, IDT-20, IDT-25, IDT-26, IDT-28, IDT-29."""
    refused(plain.post(plain.signed(plain.claims() | members)), 400, reason)


@pytest.mark.parametrize(("name", "seconds"), [("exp", -30), ("iat", 30), ("iat", -570), ("nbf", 30)])
def test_a_clock_may_be_off_by_less_than_a_minute(plain: Plain, name: str, seconds: int) -> None:
    """R-18, R-19."""
    plain.app.deployment.watch_since(3600)
    moment = int(time.time()) + seconds
    signed_in(plain.post(plain.signed(plain.claims(**{name: moment}))))


def test_two_subjects_in_one_token_are_refused(plain: Plain) -> None:
    """IDT-30."""
    text = '{"sub": "victim",' + tokens.decode(plain.signed(plain.claims()).split(".")[1]).decode().removeprefix("{")
    key = plain.peers.openid.rsa_key
    token = jws.serialize_compact({"alg": "RS256", "kid": key.kid}, text, key, algorithms=["RS256"])
    refused(plain.post(token), 400, "malformed_token")


@pytest.mark.parametrize("audience", [list, str])
def test_an_audience_may_be_a_list_of_one(plain: Plain, audience: type) -> None:
    """IDT-22."""
    ours = plain.peers.ours.client_id
    signed_in(plain.post(plain.signed(plain.claims(aud=[ours] if audience is list else ours))))


# MARK: - Signatures


def _public_pem(peers: Peers) -> bytes:
    return peers.openid.rsa_key.public_key.public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def test_a_flipped_bit_of_the_signature_is_refused(app: Application, plain: Plain, peers: Peers) -> None:
    """IDT-03."""
    refused(plain.post(tokens.with_a_flipped_bit(plain.signed(plain.claims()))), 400, "signature_invalid")
    claims = peers.openid.claims(peers.ours_with_ec.client_id, nonce=tokens.sha256("raw"))
    flipped = tokens.with_a_flipped_bit(tokens.signed(claims, peers.openid.ec_key, "ES256"))
    refused(app.exchange("op-ec", _credential(flipped, "raw")), 400, "signature_invalid")


@pytest.mark.parametrize("algorithm", ["RS256", "ES256"])
def test_an_attackers_key_under_the_providers_name_is_refused(plain: Plain, algorithm: str) -> None:
    """IDT-09."""
    kid = str(plain.peers.openid.key(algorithm).kid)
    attackers = (
        RSAKey.generate_key(2048, {"kid": kid}) if algorithm == "RS256" else ECKey.generate_key("P-256", {"kid": kid})
    )
    refused(plain.post(tokens.signed(plain.claims(), attackers, algorithm)), 400, "signature_invalid")


def test_a_key_in_the_header_is_not_used(plain: Plain) -> None:
    """IDT-10."""
    key = RSAKey.generate_key(2048, {"kid": str(plain.peers.openid.rsa_key.kid)})
    token = tokens.signed(plain.claims(), key, "RS256", jwk=key.as_dict(private=False))
    refused(plain.post(token), 400, "signature_invalid")


def test_an_unsigned_token_is_refused(plain: Plain) -> None:
    """IDT-03 and `alg` none: without a third segment it is not a JWS, and with one its algorithm is none."""
    unsigned = tokens.unsigned(plain.claims())
    refused(plain.post(unsigned), 400, "malformed_token")
    refused(plain.post(unsigned + "AAAA"), 400, "algorithm_not_allowed")


def test_an_hmac_with_the_public_key_as_its_secret_is_refused(plain: Plain) -> None:
    """IDT-05, IDT-06."""
    pem, kid = _public_pem(plain.peers), str(plain.peers.openid.rsa_key.kid)
    for secret in (pem, pem.strip(), pem.replace(b"\n", b""), b"", b"\0", b"secret", kid.encode()):
        refused(plain.post(tokens.hmac_signed(plain.claims(), secret, kid)), 400, "algorithm_not_allowed")


@pytest.mark.parametrize("algorithm", ["RS384", "RS512", "PS256"])
def test_another_algorithm_of_the_providers_own_key_is_refused(plain: Plain, algorithm: str) -> None:
    """IDT-07."""
    key = RSAKey.import_key({k: v for k, v in plain.peers.openid.rsa_key.as_dict(private=True).items() if k != "alg"})
    refused(plain.post(tokens.signed(plain.claims(), key, algorithm)), 400, "algorithm_not_allowed")


@pytest.mark.parametrize("members", [{"crit": ["exp"], "exp": 1}, {"crit": ["b64"], "b64": True}], ids=["exp", "b64"])
def test_an_extension_that_must_be_understood_is_refused(plain: Plain, members: dict[str, Any]) -> None:
    """IDT-15."""
    refused(plain.post(plain.under(plain.known() | members)), 400, "malformed_token")


@pytest.mark.parametrize("kind", ["at+jwt", "logout+jwt", "secevent+jwt"])
def test_another_kind_of_token_is_refused(plain: Plain, kind: str) -> None:
    """IDT-16."""
    refused(plain.post(plain.signed(plain.claims(), typ=kind)), 400, "malformed_token")


@pytest.mark.parametrize(
    ("reason", "members"),
    [
        ("algorithm_not_allowed", {"alg": "rs256"}),
        ("algorithm_not_allowed", {"alg": "RS256 "}),
        ("algorithm_not_allowed", {"alg": ""}),
        ("malformed_token", {"alg": None}),
        ("malformed_token", {"alg": ["RS256"]}),
        ("malformed_token", {"alg": 0}),
        ("unknown_key", {"kid": "../../../../dev/null"}),
        ("unknown_key", {"kid": "x' UNION SELECT '1';--"}),
        ("unknown_key", {"kid": "http://127.0.0.1:1/keys"}),
        ("malformed_token", {"kid": 7}),
        ("malformed_token", {"kid": "a\u0000b"}),
        ("malformed_token", {"kid": "k" * 10_240}),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_header_that_is_wrong_is_refused(plain: Plain, reason: str, members: dict[str, Any]) -> None:
    """IDT-02, IDT-13."""
    refused(plain.post(plain.under(plain.known() | members)), 400, reason)


def test_a_key_verifies_only_its_own_algorithm(plain: Plain) -> None:
    """IDT-08: ES256 with the kid of the RSA key."""
    key = ECKey.generate_key("P-256", {"kid": str(plain.peers.openid.rsa_key.kid)})
    refused(plain.post(tokens.signed(plain.claims(), key, "ES256")), 400, "algorithm_not_allowed")


@pytest.mark.parametrize("text", ["x" * 17_000, "." * 10_000, "a.b", "a.b.c.d.e", "e30.e30."], ids=lambda t: t[:9])
def test_text_that_is_not_a_token_is_refused(plain: Plain, text: str) -> None:
    """IDT-04, IDT-33, IDT-36."""
    refused(plain.post(text), 400, "malformed_token")


@pytest.mark.parametrize("change", [lambda t: t + "=", lambda t: " " + t, lambda t: "Bearer " + t, lambda t: t + "."])
def test_another_spelling_is_refused(plain: Plain, change: Callable[[str], str]) -> None:
    """IDT-04, IDT-34, IDT-43."""
    token = plain.signed(plain.claims())
    refused(plain.post(change(token)), 400, "malformed_token")
    signed_in(plain.post(token))
