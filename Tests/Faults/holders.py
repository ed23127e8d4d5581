"""Clients that hold memory of the server without using it: each opens as many connections as it may, and again when one ends."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import hpack
from hyperframe.frame import HeadersFrame, SettingsFrame

from deployment.process import Deployment

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
# What a client sends after the connection is there. It may wrap the socket.
Opening = Callable[[socket.socket], socket.socket]


def silent(connection: socket.socket) -> socket.socket:
    return connection


def unfinished_body(connection: socket.socket) -> socket.socket:
    """A request with all but the last octet of the largest body."""
    head = b"POST /v1/nonce HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 65536\r\n\r\n"
    connection.sendall(head + b" " * 65535)
    return connection


def unread_streams(authority: str, root: Path, path: str = "/openapi.json", count: int = 100) -> Opening:
    """Requests over HTTP/2 with a window of 0, so that no response can be sent."""
    context = ssl.create_default_context(cafile=root)
    context.set_alpn_protocols(["h2"])

    encoder = hpack.Encoder()
    header = [(":method", "GET"), (":scheme", "https"), (":path", path), (":authority", authority)]
    frames = [SettingsFrame(0, {SettingsFrame.INITIAL_WINDOW_SIZE: 0}).serialize()]
    for number in range(count):
        block = encoder.encode(header)
        frames.append(HeadersFrame(2 * number + 1, block, flags=["END_HEADERS", "END_STREAM"]).serialize())
    octets = PREFACE + b"".join(frames)

    def opening(connection: socket.socket) -> socket.socket:
        secured = context.wrap_socket(connection, server_hostname="localhost")
        secured.sendall(octets)
        return secured

    return opening


def unfinished_handshake(connection: socket.socket) -> socket.socket:
    """The header of a record of TLS, of which nothing follows."""
    connection.sendall(bytes([22, 3, 1, 2, 0]))
    return connection


class Holders:
    """Threads that keep `count` connections from these addresses open."""

    def __init__(
        self, port: int, opening: Opening, count: int, addresses: Sequence[str], threads: int = 4
    ) -> None:
        self._port = port
        self._opening = opening
        self._addresses = addresses
        self._ended = threading.Event()
        self._held: list[socket.socket | None] = [None] * count
        self._threads = [
            threading.Thread(target=self._run, args=[range(number, count, threads)]) for number in range(threads)
        ]
        # How many connections were opened, and how many rounds over all of them every thread has made.
        self.opened = 0
        self._rounds = [0] * threads

    @property
    def rounds(self) -> int:
        return min(self._rounds)

    @property
    def held(self) -> int:
        return sum(connection is not None for connection in self._held)

    def __enter__(self) -> Holders:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()
        for connection in self._held:
            if connection is not None:
                connection.close()

    def _run(self, numbers: range) -> None:
        while not self._ended.is_set():
            for number in numbers:
                if self._ended.is_set():
                    return
                self._refresh(number)
            self._rounds[numbers.start] += 1
            self._ended.wait(0.05)

    def _refresh(self, number: int) -> None:
        connection = self._held[number]
        if connection is not None and not self._is_over(connection):
            return
        self._held[number] = None
        if connection is not None:
            connection.close()
        source = (self._addresses[number % len(self._addresses)], 0)
        with contextlib.suppress(OSError):
            made = socket.create_connection(("127.0.0.1", self._port), timeout=2, source_address=source)
            try:
                self._held[number] = self._opening(made)
            except OSError:
                made.close()
                raise
            self.opened += 1

    @staticmethod
    def _is_over(connection: socket.socket) -> bool:
        """Whether the server has closed. What it sent is read, and the window stays closed."""
        try:
            connection.setblocking(False)
            while data := connection.recv(65536):
                del data
            return True
        except (BlockingIOError, ssl.SSLWantReadError):
            return False
        except OSError:
            return True


def addresses(count: int) -> list[str]:
    """Addresses of loopback that no other client has."""
    return [f"127.0.{1 + number // 200}.{1 + number % 200}" for number in range(count)]


def resident(deployment: Deployment, field: str = "VmRSS") -> int:
    """The memory of the server in octets; `VmHWM` is the most that it had."""
    lines = Path(f"/proc/{deployment.process.pid}/status").read_text().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith(field)).split()[1])
