"""Verifies ID tokens and mints Firebase custom tokens."""

import base64
import binascii
import hashlib
import json
import time

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key

AUDIENCE_OF_CUSTOM_TOKENS = (
    "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
)
LIFETIME = 300
CLOCK_SKEW = 60

HASH = SHA256()
PADDING = padding.PKCS1v15()
ECDSA = ec.ECDSA(HASH)
BASE64URL = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


class Refusal(Exception):
    """The reason of a 400 response."""

    def __init__(self, error: str, reason: str):
        super().__init__(reason)
        self.body = json.dumps({"error": error, "reason": reason}, separators=(",", ":"))


def invalid_grant(reason: str) -> Refusal:
    return Refusal("invalid_grant", reason)


def encoded(octets: bytes) -> bytes:
    return base64.urlsafe_b64encode(octets).rstrip(b"=")


def decoded(text: bytes) -> bytes:
    if not BASE64URL.issuperset(text):
        raise ValueError("not base64url")
    return base64.urlsafe_b64decode(text + b"=" * (-len(text) % 4))


def decoded_object(text: bytes) -> dict:
    try:
        value = json.loads(decoded(text))
    except (ValueError, binascii.Error):
        raise invalid_grant("malformed_token") from None
    if not isinstance(value, dict):
        raise invalid_grant("malformed_token")
    return value


def is_number(value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def key_of(jwk: dict):
    def number(name: str) -> int:
        return int.from_bytes(decoded(jwk[name].encode()), "big")

    if jwk.get("kty") == "EC" and jwk.get("crv") == "P-256":
        return "ES256", ec.EllipticCurvePublicNumbers(number("x"), number("y"), ec.SECP256R1()).public_key()
    if jwk.get("kty") == "RSA":
        return "RS256", rsa.RSAPublicNumbers(number("e"), number("n")).public_key()
    return None


class Verifier:
    def __init__(self, key_set: str, issuer: str, audience: str):
        with open(key_set, encoding="utf-8") as file:
            keys = {jwk["kid"]: key_of(jwk) for jwk in json.load(file)["keys"]}
        # Each key with the only algorithm that is allowed for it.
        self.keys = {kid: key for kid, key in keys.items() if key is not None}
        self.issuer = issuer
        self.audience = audience
        self.headers: dict[bytes, dict] = {}

    def verify(self, token: str, nonce: str | None) -> tuple[str, int, bytes]:
        """The subject of an ID token, its expiry, and the digest that identifies it."""
        try:
            signed, signature = token.encode("ascii").rsplit(b".", 1)
            first, payload = signed.split(b".")
        except ValueError:
            raise invalid_grant("malformed_token") from None
        header = self.headers.get(first) or decoded_object(first)
        if "crit" in header:
            raise invalid_grant("malformed_token")
        algorithm, kid = header.get("alg"), header.get("kid")
        if algorithm not in ("ES256", "RS256"):
            raise invalid_grant("algorithm_not_allowed")
        known = self.keys.get(kid) if isinstance(kid, str) else None
        if known is None:
            raise invalid_grant("unknown_key")
        if known[0] != algorithm:
            raise invalid_grant("algorithm_not_allowed")
        try:
            self.check(known[1], decoded(signature), signed)
        except (ValueError, binascii.Error, InvalidSignature):
            raise invalid_grant("signature_invalid") from None
        # A header is remembered only after its signature was valid, so that a caller cannot fill the memory with
        # invalid headers.
        self.headers[first] = header
        claims = decoded_object(payload)
        self.check_claims(claims, nonce)
        return claims["sub"], int(claims["exp"]) + 1, hashlib.sha256(signed).digest()

    @staticmethod
    def check(key, signature: bytes, signed: bytes) -> None:
        if isinstance(key, rsa.RSAPublicKey):
            key.verify(signature, signed, PADDING, HASH)
            return
        if len(signature) != 64:
            raise InvalidSignature
        r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
        key.verify(encode_dss_signature(r, s), signed, ECDSA)

    def check_claims(self, claims: dict, nonce: str | None) -> None:
        now = time.time()
        expiry, issued, subject = claims.get("exp"), claims.get("iat"), claims.get("sub")
        if not is_number(expiry) or not is_number(issued) or not isinstance(subject, str) or not subject:
            raise invalid_grant("malformed_token")
        if claims.get("iss") != self.issuer:
            raise invalid_grant("issuer_mismatch")
        audience = claims.get("aud")
        if isinstance(audience, list):
            is_ours = self.audience in audience and (len(audience) == 1 or claims.get("azp") == self.audience)
        else:
            is_ours = audience == self.audience
        if not is_ours:
            raise invalid_grant("audience_mismatch")
        if expiry + CLOCK_SKEW <= now:
            raise invalid_grant("expired")
        if issued - CLOCK_SKEW > now:
            raise invalid_grant("not_yet_valid")
        if nonce is not None:
            digest = hashlib.sha256(nonce.encode("utf-8", "surrogatepass"))
            if claims.get("nonce") not in (encoded(digest.digest()).decode(), digest.hexdigest()):
                raise invalid_grant("nonce_mismatch")


class Minter:
    def __init__(self, service_account: str, issuer: str):
        with open(service_account, encoding="utf-8") as file:
            account = json.load(file)
        self.key = load_pem_private_key(account["private_key"].encode(), password=None)
        header = {"alg": "RS256", "typ": "JWT", "kid": account["private_key_id"]}
        self.header = encoded(json.dumps(header, separators=(",", ":")).encode()) + b"."
        self.address = account["client_email"]
        self.issuer = issuer

    def mint(self, provider: str, subject: str) -> str:
        """The body of the response for one user."""
        person = f"{self.issuer}\n{subject}".encode("utf-8", "surrogatepass")
        uid = encoded(hashlib.sha256(person).digest()).decode()
        now = int(time.time())
        payload = {
            "iss": self.address,
            "sub": self.address,
            "aud": AUDIENCE_OF_CUSTOM_TOKENS,
            "iat": now,
            "exp": now + LIFETIME,
            "uid": uid,
            "claims": {"idp": provider, "idp_uid": subject},
        }
        signed = self.header + encoded(json.dumps(payload, separators=(",", ":")).encode())
        token = signed + b"." + encoded(self.key.sign(signed, PADDING, HASH))
        return f'{{"custom_token":"{token.decode()}","expires_in":{LIFETIME},"uid":"{uid}"}}'
