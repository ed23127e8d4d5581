"""A name server, and a provider that is reached by a name and with TLS, as a real one is."""

from __future__ import annotations

import contextlib
import socket
import socketserver
import ssl
import struct
import threading
from pathlib import Path

from deployment.process import Deployment, free_port
from peers.authority import Issued
from peers.openid_provider import OpenIDProvider

NAME = "provider.test"
SERVER = "127.53.0.1"

# Response codes of RFC 1035, section 4.1.1.
EMPTY, SERVFAIL, NXDOMAIN = 0, 2, 3


class NameServer:
    """Answers every question for an address with `answer`: an IPv4 address, a response code, or None for no answer."""

    def __init__(self) -> None:
        self.answer: str | int | None = NXDOMAIN
        self.questions = 0
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((SERVER, 53))
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            message, client = self._socket.recvfrom(4096)
            if not message:
                return
            self.questions += 1
            answer = self._answer(message, self.answer)
            if answer:
                self._socket.sendto(answer, client)

    @staticmethod
    def _answer(message: bytes, answer: str | int | None) -> bytes | None:
        """The response, with the question and at most one record (RFC 1035, section 4.1)."""
        if answer is None:
            return None
        # The question ends after the labels of the name, a zero octet, the type and the class.
        end = message.index(0, 12) + 5
        is_address = struct.unpack("!H", message[end - 4 : end - 2])[0] == 1
        code, records = (answer, b"") if isinstance(answer, int) else (0, b"")
        if isinstance(answer, str) and is_address:
            # The name is a reference to the question; the record is an address of this class, valid for zero seconds.
            records = struct.pack("!HHHIH", 0xC00C, 1, 1, 0, 4) + socket.inet_aton(answer)
        return message[:2] + struct.pack("!HHHHH", 0x8180 | code, 1, bool(records), 0, 0) + message[12:end] + records

    def stop(self) -> None:
        with contextlib.closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as last:
            last.sendto(b"", (SERVER, 53))
        self._thread.join()
        self._socket.close()


class NamedProvider(OpenIDProvider):
    """A provider whose issuer is a name. `Front` makes it reachable."""

    def __init__(self) -> None:
        self.public_port = free_port()
        super().__init__()

    @property
    def origin(self) -> str:
        return f"https://{NAME}:{self.public_port}"


class Front:
    """Accepts TLS connections for a provider on a listening socket."""

    def __init__(self, listener: socket.socket, provider: OpenIDProvider, certificate: dict[str, str]) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate["certificate"], certificate["key"])

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                with (
                    contextlib.suppress(OSError),
                    context.wrap_socket(self.request, server_side=True) as client,
                    socket.create_connection(("127.0.0.1", provider.port)) as server,
                ):
                    # One request and one response: the provider speaks HTTP/1.0.
                    client.settimeout(5)
                    server.sendall(_request(client))
                    while octets := server.recv(65536):
                        client.sendall(octets)
                    client.unwrap()

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler, bind_and_activate=False)
        self._server.daemon_threads = True
        self._server.socket.close()
        self._server.socket = listener
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _request(client: ssl.SSLSocket) -> bytes:
    """Reads one request."""
    octets = b""
    while b"\r\n\r\n" not in octets:
        octets += client.recv(65536)
    head, _, body = octets.partition(b"\r\n\r\n")
    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
    while len(body) < int(fields.get(b"content-length", b"0")):
        body += client.recv(65536)
    return head + b"\r\n\r\n" + body


def isolate(deployment: Deployment, root: Path, issued: Issued) -> dict[str, str]:
    """Gives a server a name server and an authority of its own, in a mount namespace. Returns the provider's files."""
    folder = deployment.folder
    files = {
        "/etc/resolv.conf": f"nameserver {SERVER}\n",
        "/etc/nsswitch.conf": "hosts: files dns\n",
        "/etc/ssl/certs/ca-certificates.crt": root.read_text(),
    }
    lines = []
    for number, (path, content) in enumerate(files.items()):
        (folder / f"etc-{number}").write_text(content)
        lines.append(f"mount --bind {folder}/etc-{number} {path}")
    mounts = folder / "mounts"
    mounts.write_text("\n".join(["set -e", *lines, f'exec "{deployment.binary}" "$@"']))
    wrapper = folder / "isolated"
    wrapper.write_text(f'#!/bin/sh\nexec unshare --mount --propagation private sh {mounts} "$@"\n')
    wrapper.chmod(0o700)
    deployment.binary = wrapper
    place = folder / "provider"
    place.mkdir()
    return issued.write(place)
