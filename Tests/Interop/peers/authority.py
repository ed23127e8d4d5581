"""A certificate authority, which issues certificates for servers of this machine."""

from __future__ import annotations

import datetime
import ipaddress
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Issued:
    """The files of a server, and the serial number by which a client recognizes the certificate."""

    chain: bytes
    key: bytes
    serial_number: int

    def write(self, folder: Path) -> dict[str, str]:
        """Writes the files, and returns them as members of `server.tls`."""
        (folder / "fullchain.pem").write_bytes(self.chain)
        key = folder / "privkey.pem"
        key.touch(mode=0o600)
        key.write_bytes(self.key)
        return {"certificate": str(folder / "fullchain.pem"), "key": str(key)}


class Authority:
    """A root and an authority below it, so that a server must send the second certificate too."""

    def __init__(self, name: str = "Root") -> None:
        self._root_key = ec.generate_private_key(ec.SECP256R1())
        self._root_name = _name(name)
        self._root = self._certify(
            self._root_name, self._root_name, self._root_key, self._root_key, _basic(is_authority=True)
        )
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._between_name = _name("Between")
        self._between = self._certify(
            self._between_name, self._root_name, self._key, self._root_key, _basic(is_authority=True)
        )

    def write_root(self, path: Path) -> Path:
        path.write_bytes(self.root)
        return path

    @property
    def root(self) -> bytes:
        """The certificate of the root, which servers usually do not send."""
        return _pem(self._root)

    def issue(self, host: str = "localhost", days: int = 90) -> Issued:
        """A certificate for a host name or an address that began yesterday and ends after `days` days."""
        key = ec.generate_private_key(ec.SECP256R1())
        try:
            name: x509.GeneralName = x509.IPAddress(ipaddress.ip_address(host))
        except ValueError:
            name = x509.DNSName(host)
        certificate = self._certify(
            _name(host), self._between_name, key, self._key, x509.SubjectAlternativeName([name]), days=days
        )
        return Issued(
            chain=_pem(certificate) + _pem(self._between),
            key=key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            ),
            serial_number=certificate.serial_number,
        )

    @staticmethod
    def _certify(
        subject: x509.Name,
        issuer: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        issuer_key: ec.EllipticCurvePrivateKey,
        extension: x509.ExtensionType,
        days: int = 90,
    ) -> x509.Certificate:
        now = datetime.datetime.now(datetime.timezone.utc)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(issuer)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1 if days > 0 else 30))
            # An hour more, so that a slow test still sees the same number of whole days.
            .not_valid_after(now + datetime.timedelta(days=days, hours=1 if days > 0 else 0))
            .add_extension(extension, critical=isinstance(extension, x509.BasicConstraints))
            .sign(issuer_key, hashes.SHA256())
        )


def _basic(is_authority: bool) -> x509.BasicConstraints:
    return x509.BasicConstraints(ca=is_authority, path_length=None)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)
