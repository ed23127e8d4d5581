"""Service accounts in the form of the Google Cloud console."""

from __future__ import annotations

import json
import secrets
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID


class ServiceAccount:
    """An RSA key of 2048 bits and its JSON file."""

    def __init__(self, project: str = "interop-project") -> None:
        self.project = project
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.key_id = secrets.token_hex(20)
        self.email = f"firebase-adminsdk@{project}.iam.gserviceaccount.com"

    @property
    def private_pem(self) -> str:
        return self._key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ).decode()

    @property
    def private_forms(self) -> dict[str, bytes]:
        """Parts of the key as a process may have them in its memory: its text, and its primes in both orders of octets."""
        numbers = self._key.private_numbers()
        primes = {"p": numbers.p, "q": numbers.q}
        count = self._key.key_size // 16
        return {
            f"{name}, {order} endian": prime.to_bytes(count, order)
            for name, prime in primes.items()
            for order in ("big", "little")
        } | {"text": self.private_pem.splitlines()[5].encode()}

    @property
    def public_pem(self) -> str:
        return (
            self._key.public_key()
            .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
            .decode()
        )

    @property
    def certificate_pem(self) -> str:
        """The public key in the form that Google publishes."""
        return self.certificate(age=1, left=36500)

    def certificate(self, age: int, left: int) -> str:
        """A certificate of the public key that twelve hours ago was `age` days old and valid for `left` more.

        No number of days changes while a test runs.
        """
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "interop")])
        now = datetime.now(UTC) - timedelta(hours=12)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(self._key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=age))
            .not_valid_after(now + timedelta(days=left))
            .sign(self._key, hashes.SHA256())
        )
        return certificate.public_bytes(serialization.Encoding.PEM).decode()

    def write(self, folder: Path, name: str = "service-account.json") -> Path:
        path = folder / name
        path.touch(mode=0o600)
        path.write_text(
            json.dumps(
                {
                    "type": "service_account",
                    "project_id": self.project,
                    "private_key_id": self.key_id,
                    "private_key": self.private_pem,
                    "client_email": self.email,
                    "client_id": "100000000000000000000",
                    "auth_uri": "https://accounts.google.com/o/oauth2/auth",
                    "token_uri": "https://oauth2.googleapis.com/token",
                }
            )
        )
        return path
