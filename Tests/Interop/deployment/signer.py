"""`token-exchange signer` as a process, and a client of its protocol that shares no code with the server."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import struct
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from deployment.service_account import ServiceAccount
from deployment.waiting import DEADLINE, wait_until

#: root can give each process a user of its own; other users run all processes themselves.
IS_ROOT = os.getuid() == 0
SERVER_USER = 65534 if IS_ROOT else os.getuid()
SIGNER_USER = 65533 if IS_ROOT else os.getuid()


class Signer:
    """A folder with the configuration and the key, a folder with the socket, and at most one process."""

    def __init__(self, binary: Path, place: Path, account: ServiceAccount, **settings: Any) -> None:
        self.binary = binary
        self.folder = place / "signer"
        self.folder.mkdir(mode=0o700)
        self.run_folder = place / "run"
        self.run_folder.mkdir()
        self.socket = self.run_folder / "socket"
        self._configuration = self.folder / "token-exchange-signer.yaml"
        self.settings = {
            "socket": str(self.socket),
            "service_account": str(account.write(self.folder)),
            "allowed_users": [SERVER_USER],
        } | settings
        self._configuration.touch(mode=0o600)
        self._configuration.write_text(yaml.safe_dump(self.settings))
        if IS_ROOT:
            for path in [self.folder, *self.folder.iterdir()]:
                os.chown(path, SIGNER_USER, SIGNER_USER)
            # A socket in it gets the group of the server.
            os.chown(self.run_folder, SIGNER_USER, SERVER_USER)
        self.run_folder.chmod(0o2750)
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
        self._log = place / "signer.log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def command(self) -> list[str]:
        return [str(self.binary), "signer", "--config", str(self._configuration)]

    @property
    def identity(self) -> dict[str, Any]:
        return {"user": SIGNER_USER, "group": SIGNER_USER, "extra_groups": []} if IS_ROOT else {}

    def start(self, *before: str) -> Signer:
        """Starts the process, with the words of `before` in front of its command, and waits until it listens."""
        known = self.log.count('"listening"')
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [*before, *self.command],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                **self.identity,
            )
        if not before:
            wait_until(lambda: self.log.count('"listening"') > known, f"the signer listens:\n{self.log}")
        return self

    def attempt(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs the command to its end."""
        return subprocess.run(
            [*self.command, *arguments],
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            check=False,
            env=self.environment,
            **self.identity,
        )

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self._process is not None, "the signer was not started"
        return self._process

    @property
    def log(self) -> str:
        return self._log.read_text() if self._log.exists() else ""

    @property
    def audit(self) -> list[dict[str, Any]]:
        """The lines of the audit trail."""
        lines = [json.loads(line) for line in self.log.splitlines() if line.startswith("{")]
        return [line for line in lines if line["event"] in ("signed", "refused")]

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self.process.wait(timeout=DEADLINE)
        self._process = None

    def close(self) -> None:
        if self._process is not None:
            self._process.terminate()
            code = self._process.wait(timeout=DEADLINE)
            assert code == 0, f"exit code {code} after SIGTERM:\n{self.log}"
            self._process = None


@contextlib.contextmanager
def acting_as(user: int, group: int) -> Iterator[None]:
    """Gives this process the rights of another user for a moment, as a server that was taken over has them."""
    if not IS_ROOT:
        yield
        return
    os.setegid(group)
    os.seteuid(user)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


class Connection:
    """A connection to the signer."""

    def __init__(self, path: Path, user: int = SERVER_USER, group: int = SERVER_USER) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(DEADLINE)
        try:
            with acting_as(user, group):
                self._socket.connect(str(path))
        except OSError:
            self._socket.close()
            raise
        self._number = 0

    def ask(self, **question: Any) -> dict[str, Any]:
        """Sends a question and returns the answer."""
        self._number += 1
        self.send(frame(self._number, json.dumps(question).encode()))
        number, answer = self.answer()
        assert number == self._number
        return answer

    def send(self, octets: bytes) -> None:
        self._socket.sendall(octets)

    def answer(self) -> tuple[int, dict[str, Any]]:
        length, number = struct.unpack(">II", self._read(8))
        return number, json.loads(self._read(length))

    def is_closed(self) -> bool:
        """Whether the signer closes the connection without a further answer."""
        try:
            return self._socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def close(self) -> None:
        self._socket.close()

    def _read(self, count: int) -> bytes:
        octets = b""
        while len(octets) < count:
            part = self._socket.recv(count - len(octets))
            assert part, f"the connection ended after {octets!r}"
            octets += part
        return octets


def frame(number: int, body: bytes) -> bytes:
    return struct.pack(">II", len(body), number) + body


class FalseSigner:
    """A process at the socket of a signer that was stopped, which answers every question as it likes."""

    def __init__(self, path: Path, answer: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        path.unlink(missing_ok=True)
        self._answer = answer
        self._connections: list[socket.socket] = []
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(path))
        path.chmod(0o777)
        self._socket.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                self._connections.append(connection)
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        # The server closes the connection in the midst of anything.
        with contextlib.suppress(OSError, struct.error), connection, connection.makefile("rb") as received:
            while True:
                length, number = struct.unpack(">II", received.read(8))
                answer = self._answer(json.loads(received.read(length)))
                connection.sendall(frame(number, json.dumps(answer).encode()))

    def close(self) -> None:
        for each in [self._socket, *self._connections]:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
