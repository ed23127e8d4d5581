"""ID tokens that no library would create. Everything is our own code, except the signatures of joserfc."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from joserfc import jws
from joserfc.jwk import ECKey, Key

P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def encode(octets: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def sha256(text: str) -> str:
    """The challenge of a verifier, by RFC 7636 and for nonces."""
    return encode(hashlib.sha256(text.encode()).digest())


def header(token: str) -> dict[str, Any]:
    return json.loads(decode(token.split(".")[0]))


def payload(token: str) -> dict[str, Any]:
    return json.loads(decode(token.split(".")[1]))


def signed(claims: dict[str, Any], key: Key, algorithm: str, **members: Any) -> str:
    """A compact JWS, signed by joserfc; `members` are added to the header."""
    protected = {"alg": algorithm, "kid": key.kid, "typ": "JWT"} | members
    return jws.serialize_compact(protected, json.dumps(claims), key, algorithms=[algorithm])


def unsigned(claims: dict[str, Any]) -> str:
    """A token with `alg` none and without signature."""
    return f"{_segment({'alg': 'none', 'typ': 'JWT'})}.{_segment(claims)}."


def hmac_signed(claims: dict[str, Any], secret: bytes, kid: str) -> str:
    """HS256 with any secret: both libraries refuse a public key as secret."""
    text = f"{_segment({'alg': 'HS256', 'kid': kid, 'typ': 'JWT'})}.{_segment(claims)}"
    return f"{text}.{encode(hmac.digest(secret, text.encode(), 'sha256'))}"


def with_other_signature(token: str) -> str:
    """The same ES256 token with (r, n - s) instead of (r, s): a different text that is valid too."""
    start, _, signature = token.rpartition(".")
    octets = decode(signature)
    flipped = P256_ORDER - int.from_bytes(octets[32:])
    return f"{start}.{encode(octets[:32] + flipped.to_bytes(32))}"


def with_other_tail(token: str) -> str:
    """The same bytes in a text whose last character differs in unused bits."""
    unused = {2: 4, 3: 2}[len(token.rpartition(".")[2]) % 4]
    last = BASE64URL.index(token[-1])
    assert last % (1 << unused) == 0, "the token itself is canonical"
    return token[:-1] + BASE64URL[last + 1]


def with_a_flipped_bit(token: str) -> str:
    """The same token with one bit of its signature changed."""
    start, _, signature = token.rpartition(".")
    octets = bytearray(decode(signature))
    octets[10] ^= 1
    return f"{start}.{encode(bytes(octets))}"


def verifies(token: str, key: ECKey) -> bool:
    """Whether OpenSSL, through cryptography, accepts an ES256 signature."""
    start, _, signature = token.rpartition(".")
    octets = decode(signature)
    der = encode_dss_signature(int.from_bytes(octets[:32]), int.from_bytes(octets[32:]))
    try:
        key.public_key.verify(der, start.encode(), ECDSA(hashes.SHA256()))
    except InvalidSignature:
        return False
    return True


def _segment(members: dict[str, Any]) -> str:
    return encode(json.dumps(members).encode())
