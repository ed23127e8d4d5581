"""Faulty answers of a peer. All of it is our own code."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

from peers.loopback import Fault


def content(
    body: bytes | str | dict[str, Any], media_type: str = "application/json", status: int = 200, **header: str
) -> Fault:
    """An answer with this body; header fields are written with underscores."""
    encoded = json.dumps(body) if isinstance(body, dict) else body
    octets = encoded.encode() if isinstance(encoded, str) else encoded
    fields = [(name.replace("_", "-"), value) for name, value in header.items()]

    def fault(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        length = [("Content-Type", media_type), ("Content-Length", str(len(octets)))]
        start_response(f"{status} {HTTPStatus(status).phrase}", length + fields)
        return [octets]

    return fault


def status(code: int, **header: str) -> Fault:
    """An answer with an empty JSON object."""
    return content({}, status=code, **header)


def redirect(to: str, code: int = 302) -> Fault:
    return status(code, Location=to)


def cut(body: dict[str, Any]) -> Fault:
    """An answer that ends before its declared length."""
    octets = json.dumps(body).encode()

    def fault(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(octets) + 1))])
        return [octets]

    return fault


def hang_up(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """No answer: the connection is closed after the request."""
    environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
    start_response("200 OK", [("Content-Length", "0")])
    return []


class Held:
    """The application's own answer, delayed until it is released."""

    def __init__(self) -> None:
        self._released = threading.Event()

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> None:
        self._released.wait(timeout=30)

    def release(self) -> None:
        self._released.set()
