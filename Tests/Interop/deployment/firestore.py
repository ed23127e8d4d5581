"""Google's emulator of Firestore, and a relay in front of it.

As a program it runs a command with a new emulator: `{emulator}` in the arguments is replaced by its address, and `{}` by an
empty database. With `--if-installed` before the command, it says why it runs nothing if there is no emulator.

scripts/bench runs with the system's Python, so this module uses only the standard library.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import uuid
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from deployment.waiting import DEADLINE, wait_until

ARCHIVE = "cloud-firestore-emulator.jar"


def archive() -> Path | None:
    """The program of the emulator: beside the one that FIRESTORE_EMULATOR names, or in the folder of gcloud."""
    folders = []
    if named := os.environ.get("FIRESTORE_EMULATOR"):
        folders.append(Path(named).parent)
    if gcloud := shutil.which("gcloud"):
        folders.append(Path(gcloud).resolve().parents[1] / "platform/cloud-firestore-emulator")
    return next((folder / ARCHIVE for folder in folders if (folder / ARCHIVE).is_file()), None)


def absence() -> str | None:
    """The reason why tests cannot use the emulator; None if they can."""
    if archive() is None:
        return (
            "Google's emulator of Firestore is not installed: gcloud components install cloud-firestore-emulator, or name "
            "its program in FIRESTORE_EMULATOR"
        )
    return None if shutil.which("java") else "Google's emulator of Firestore needs Java"


class Firestore:
    """An emulator on a free port. It keeps everything in memory, and a database exists as soon as it is named.

    The rules apply to callers without a token; without rules everyone may do everything.
    """

    def __init__(self, rules: Path | None = None) -> None:
        program = archive()
        if reason := absence():
            raise RuntimeError(reason)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port: int = listener.getsockname()[1]
        self._folder = Path(tempfile.mkdtemp(prefix="token-exchange-firestore-"))
        words = ["-Duser.language=en", "-cp", str(program), "com.google.cloud.datastore.emulator.firestore.CloudFirestore"]
        with (self._folder / "log").open("ab") as log:
            # prctl(2), PR_SET_PDEATHSIG: the emulator ends with this process.
            self._process = subprocess.Popen(
                ["/usr/bin/setpriv", "--pdeathsig=TERM", "java", *words]
                + ["start", "--host=127.0.0.1", f"--port={self.port}", *([f"--rules={rules}"] if rules else [])],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        try:
            wait_until(self._listens, f"the emulator of Firestore listens; see {self._folder}/log", deadline=60)
            # The first calls load classes of Java, which takes seconds on a busy machine.
            path = "projects/test/databases/t-first/documents"
            ask(self.host, "POST", f"{path}:commit", {"writes": [{"delete": f"{path}/a/b"}]})
            ask(self.host, "POST", f"{path}:batchGet", {"documents": [f"{path}/a/b"]})
        except (AssertionError, OSError):
            self.close()
            raise

    def _listens(self) -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=5):
            return True
        return False

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def host(self) -> str:
        """Address and port, for store_emulator_host."""
        return f"127.0.0.1:{self.port}"

    def database(self) -> str:
        """The URI of an empty database."""
        return f"firestore://test/t-{uuid.uuid4()}"

    def close(self) -> None:
        """Stops the emulator."""
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(timeout=DEADLINE)
        shutil.rmtree(self._folder)


def ask(host: str, method: str, path: str, body: object = None) -> Any:
    """Sends a request of an administrator to the emulator, and returns the JSON of the answer."""
    connection = http.client.HTTPConnection(host, timeout=DEADLINE)
    try:
        connection.request(method, f"/v1/{path}", body and json.dumps(body), {"Authorization": "Bearer owner"})
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status == 200, text
        return json.loads(text)
    finally:
        connection.close()


def documents(host: str, uri: str) -> list[dict[str, Any]]:
    """All documents of a database, as Firestore writes them in JSON."""
    project, database = uri.removeprefix("firestore://").split("/")
    path = f"projects/{project}/databases/{database}/documents:runQuery"
    rows = ask(host, "POST", path, {"structuredQuery": {"from": [{"allDescendants": True}]}})
    return [row["document"] for row in rows if "document" in row]


def contents(host: str, uri: str) -> str:
    """Everything in a database, with its octets as text; nothing if the emulator does not run any more."""

    def texts(value: Any) -> list[str]:
        if isinstance(value, dict):
            octets = value.get("bytesValue")
            if isinstance(octets, str):
                return [base64.b64decode(octets).decode(errors="replace")]
            return [text for member in value.values() for text in texts(member)]
        return [text for member in value for text in texts(member)] if isinstance(value, list) else [str(value)]

    try:
        return "\n".join(text for document in documents(host, uri) for text in texts(document))
    except OSError:
        return ""


#: Status and JSON of an answer that Firestore would give.
GivenAnswer = tuple[int, object]


def refusal(status: int, name: str, message: str) -> GivenAnswer:
    """An error as Google writes it."""
    return status, {"error": {"code": status, "status": name, "message": message}}


class Relay:
    """A server in front of the emulator, which counts requests, delays them, and can answer in its place.

    - `delay`: the time of a round trip in seconds.
    - `answer`: returns the answer to a request line and a body; None to pass the request on.
    """

    def __init__(self, upstream: int, delay: float = 0) -> None:
        self._upstream = upstream
        self.delay = delay
        self.answer: Callable[[str, bytes], GivenAnswer | None] = lambda line, body: None
        #: The requests by the method of Firestore, such as `commit`.
        self.requests: Counter[str] = Counter()
        #: The fields `Authorization` that arrived.
        self.tokens: set[str] = set()
        ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(ready)), daemon=True)
        self._thread.start()
        ready.wait(timeout=DEADLINE)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(timeout=DEADLINE)

    async def _serve(self, ready: threading.Event) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._relay, "127.0.0.1", 0, backlog=2048)
        self.port: int = server.sockets[0].getsockname()[1]
        ready.set()
        await self._end.wait()
        server.close()

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        back, pump, waits = None, None, [False]
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                line, *fields = head.decode("latin-1").rstrip().split("\r\n")
                members = {name.lower(): value.strip() for name, _, value in (field.partition(":") for field in fields)}
                body = await reader.readexactly(int(members.get("content-length", "0")))
                path = line.split(" ")[1].partition("?")[0]
                self.requests[path.rpartition(":")[2] if ":" in path else line.split(" ")[0]] += 1
                self.tokens.add(members.get("authorization", ""))
                given = self.answer(line, body)
                # Half of the way there, and half of the way back.
                if self.delay:
                    await asyncio.sleep(self.delay / 2)
                if given:
                    await self._give(writer, *given)
                    continue
                if back is None:
                    answers, back = await asyncio.open_connection("127.0.0.1", self._upstream)
                    pump = asyncio.ensure_future(self._pump(answers, writer, waits))
                waits[0] = True
                back.write(head + body)
                await back.drain()
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass
        finally:
            if pump:
                pump.cancel()
            for one in (writer, back):
                if one:
                    one.close()

    async def _give(self, writer: asyncio.StreamWriter, status: int, body: object) -> None:
        octets = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(octets)}\r\n\r\n"
        writer.write(head.encode() + octets)
        await writer.drain()

    async def _pump(self, answers: asyncio.StreamReader, writer: asyncio.StreamWriter, waits: list[bool]) -> None:
        with contextlib.suppress(ConnectionError):
            while octets := await answers.read(65536):
                if waits[0] and self.delay:
                    await asyncio.sleep(self.delay / 2)
                waits[0] = False
                writer.write(octets)
                await writer.drain()
            writer.close()


def main(words: list[str]) -> int:
    is_optional = words[:1] == ["--if-installed"]
    if reason := absence():
        print(f"{'skipped' if is_optional else 'not possible'}: {reason}", file=sys.stderr)
        return 0 if is_optional else 69
    firestore = Firestore()
    try:
        texts = {"{}": firestore.database(), "{emulator}": firestore.host}
        return subprocess.run([texts.get(word, word) for word in words[is_optional:]], check=False).returncode
    finally:
        firestore.close()


if __name__ == "__main__":
    # A terminated program must not leave the emulator behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main(sys.argv[1:]))
