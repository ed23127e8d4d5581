"""A WSGI application on a free port of 127.0.0.1.

Werkzeug's code: the HTTP server, with a thread per request. Our code: the record of requests, and faults that replace
the application's answer.
"""

from __future__ import annotations

import contextlib
import io
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
Fault = Callable[[dict[str, Any], Callable[..., Any]], "Iterable[bytes] | None"]


@dataclass(frozen=True)
class Arrival:
    """One request as it arrived."""

    method: str
    path: str
    query: str
    header: dict[str, str]
    body: bytes

    @property
    def form(self) -> dict[str, str]:
        return dict(parse_qsl(self.body.decode(), keep_blank_values=True, strict_parsing=bool(self.body)))


class _Quiet(WSGIRequestHandler):
    """HTTP/1.0, so that every request uses a new connection; without access log."""

    def log(self, type: str, message: str, *args: Any) -> None:
        pass


class Loopback:
    """A peer that can be stopped, restarted on the same port, and made to fail."""

    def __init__(self, application: Application | None = None) -> None:
        self._application = application or self._nothing
        self._arrivals: list[Arrival] = []
        self._faults: dict[str, Fault] = {}
        self._lock = threading.Lock()
        self._server: BaseWSGIServer | None = None
        self._thread: threading.Thread | None = None
        self.port = 0
        self.start()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self._server = make_server("127.0.0.1", self.port, self._serve, threaded=True, request_handler=_Quiet)
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        if self._server is None or self._thread is None:
            return
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._server = None

    @contextlib.contextmanager
    def stopped(self) -> Iterator[None]:
        """Within the block no server listens on the port."""
        self.stop()
        try:
            yield
        finally:
            self.start()

    def arrivals(self, path: str | None = None) -> list[Arrival]:
        """The requests to a path, or all requests."""
        with self._lock:
            return [arrival for arrival in self._arrivals if path in (None, arrival.path)]

    @contextlib.contextmanager
    def answering(self, path: str, fault: Fault) -> Iterator[None]:
        """Within the block `path` answers with `fault`, or with the application's own answer if `fault` returns None."""
        self._faults[path] = fault
        try:
            yield
        finally:
            del self._faults[path]

    def _serve(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = io.BytesIO(body)
        header = {
            name.removeprefix("HTTP_").replace("_", "-").title(): value
            for name, value in environ.items()
            if name.startswith("HTTP_")
        }
        path = environ["PATH_INFO"]
        with self._lock:
            self._arrivals.append(
                Arrival(environ["REQUEST_METHOD"], path, environ.get("QUERY_STRING", ""), header, body)
            )
        fault = self._faults.get(path)
        if fault is not None:
            answer = fault(environ, start_response)
            if answer is not None:
                return answer
        return self._application(environ, start_response)

    @staticmethod
    def _nothing(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        start_response("404 Not Found", [("Content-Type", "text/plain")])
        return [b"nothing here"]
